"""Several endpoints that serve one and the same model: which of them is asked, and when one that failed is again."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.concurrency import AdaptiveLimit
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.faults import Fault, FaultKind

if TYPE_CHECKING:
    import httpx2
    import openai

__all__ = ["EndpointPool", "Lease", "Member"]

TOO_MANY_REQUESTS: Final = 429


@dataclass(slots=True, eq=False)
class Member:
    """One endpoint of a pool, and how it fares.

    Attributes:
        endpoint: which.
        client: what asks it.
        limit: how many calls it takes at once.
        load: questions that are put to it and not settled yet.
        failures: times in a row that it was put aside.
        aside_until: before this time it is not asked where another can be.
        turn: when it was last chosen, as a counter; of equals the one that waited longest goes first.
    """

    endpoint: Endpoint
    client: "openai.AsyncOpenAI"
    limit: AdaptiveLimit
    load: int = 0
    failures: int = 0
    aside_until: float = field(default=float("-inf"))
    turn: int = 0


class EndpointPool:
    """Chooses endpoints, fewest outstanding questions first, and puts those aside that fail.

    An endpoint whose time aside is over gets one reply to prove itself with; a success brings it back wholly.

    Args:
        endpoints: at least one; all serve the same model.
        limits: bounds on calls and back-off.
        transport: replaces the network, for tests.
        clock: seconds, only ever forward.

    Raises:
        ConfigurationError: there is no endpoint, or their models differ.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        limits: CallLimits,
        transport: "httpx2.AsyncBaseTransport | None",
        clock: Callable[[], float],
    ):
        import httpx2
        import openai

        if not endpoints or len({e.model for e in endpoints}) != 1:
            raise ConfigurationError("a pool takes one endpoint or more, all of the same model")
        self._limits = limits
        self._clock = clock
        self._turns = 0
        # Spreads returns in time; nothing secret or scored depends on it.
        self._rng = random.Random()
        self._http = httpx2.AsyncClient(
            transport=transport,
            timeout=limits.call_seconds,
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=limits.concurrency),
        )
        self.members = tuple(
            Member(
                endpoint,
                openai.AsyncOpenAI(
                    base_url=endpoint.base_url,
                    api_key=endpoint.api_key.get_secret_value() if endpoint.api_key else "none",
                    max_retries=0,
                    timeout=limits.call_seconds,
                    http_client=self._http,
                ),
                AdaptiveLimit(limits.concurrency),
            )
            for endpoint in endpoints
        )

    def lease(self, questions: int) -> "Lease":
        """Return a lease for the questions of one reply, which stay together. Close it in the end."""
        return Lease(self, self.choose(), questions)

    def choose(self) -> Member:
        """Return whom to ask next, and take note of it."""
        best = self._best()
        self._turns += 1
        best.turn = self._turns
        return best

    def observe(self, member: Member, fault: Fault | None, began: float) -> None:
        """Take note of how a call went that began at ``began``."""
        if fault is None or fault.kind is FaultKind.CONTENT:
            member.failures = 0
            member.aside_until = float("-inf")
            member.limit.succeeded()
        elif fault.status == TOO_MANY_REQUESTS:
            member.limit.refused(began, self._clock())

    def put_aside(self, member: Member, fault: Fault) -> None:
        """Ask others for a while: longer each time, with jitter, or as long as the provider asked for within bounds."""
        now = self._clock()
        if now < member.aside_until:
            return  # it has been already, for another reply of the same time
        member.failures += 1
        wait = min(self._limits.max_backoff_seconds, self._limits.backoff_seconds * 2.0**member.failures)
        asked = min(fault.retry_after or 0.0, self._limits.max_backoff_seconds)
        member.aside_until = now + max(asked, wait * self._rng.uniform(0.5, 1.0))

    def is_aside(self, member: Member) -> bool:
        """Whether its time aside is not over."""
        return self._clock() < member.aside_until

    def can_replace(self, member: Member) -> bool:
        """Whether ``member`` is aside and another one can be asked now."""
        return self.is_aside(member) and self._ready(self._best())

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    def _ready(self, member: Member) -> bool:
        return not self.is_aside(member) and (member.failures == 0 or member.load == 0)

    def _best(self) -> Member:
        # Where none is ready: the one that will be first.
        def rank(member: Member) -> tuple[float, int, int]:
            return (float("-inf") if self._ready(member) else member.aside_until, member.load, member.turn)

        return min(self.members, key=rank)


class Lease:
    """The endpoint of one reply's questions; another one where it fails."""

    def __init__(self, pool: EndpointPool, member: Member, questions: int):
        self._pool = pool
        self._member = member
        self._open = questions
        member.load += questions

    def member(self) -> Member:
        """Return whom to ask now."""
        if self.can_move():
            other = self._pool.choose()
            self._member.load -= self._open
            other.load += self._open
            self._member = other
        return self._member

    def can_move(self) -> bool:
        """Whether another endpoint would be asked next."""
        return self._pool.can_replace(self._member)

    def settle(self) -> None:
        """One question less."""
        self._open -= 1
        self._member.load -= 1

    def close(self) -> None:
        """Give up what is left."""
        self._member.load -= self._open
        self._open = 0

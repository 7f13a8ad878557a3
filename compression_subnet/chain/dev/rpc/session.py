"""What a JSON-RPC method may do with the connection that called it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from compression_subnet.chain.dev.errors import RpcFailure

__all__ = ["Method", "Session", "hex_bytes", "hex_text", "invalid_parameters"]

_INVALID_PARAMETERS = -32602


@dataclass(slots=True)
class Session:
    """One connection's subscriptions, and its way out."""

    send: Callable[[dict[str, Any]], None]
    subscriptions: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What ends each subscription."""
    after_reply: list[Callable[[], None]] = field(default_factory=list)
    """What to do once the reply to the present request has been sent."""
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    def subscribe(self, end: Callable[[], None]) -> str:
        """Open a subscription and return its id."""
        name = f"dev{next(self._numbers)}"
        self.subscriptions[name] = end
        return name

    def unsubscribe(self, name: str) -> bool:
        """End a subscription; False where there is none of that id."""
        end = self.subscriptions.pop(name, None)
        if end is None:
            return False
        end()
        return True

    def notify(self, method: str, subscription: str, result: Any) -> None:
        """Send a notification of a subscription, unless it has ended."""
        if subscription in self.subscriptions:
            parameters = {"subscription": subscription, "result": result}
            self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def close(self) -> None:
        """End every subscription."""
        for name in list(self.subscriptions):
            self.unsubscribe(name)


class Method(Protocol):
    """A JSON-RPC method: its parameters follow the session, by position."""

    def __call__(self, session: Session, /, *parameters: Any) -> Any:
        """Return what the reply carries.

        Raises:
            RpcFailure: the reply is an error.
        """


def invalid_parameters(detail: str) -> RpcFailure:
    """Return the failure of a request whose parameters are unusable."""
    return RpcFailure(_INVALID_PARAMETERS, "Invalid params", detail)


def hex_text(data: bytes) -> str:
    """Return bytes as JSON-RPC shows them."""
    return f"0x{data.hex()}"


def hex_bytes(value: Any) -> bytes:
    """Return the bytes that a hexadecimal parameter stands for.

    Raises:
        RpcFailure: it is not hexadecimal.
    """
    try:
        return bytes.fromhex(str(value).removeprefix("0x"))
    except ValueError as error:
        raise invalid_parameters(f"{value!r} is not hexadecimal") from error

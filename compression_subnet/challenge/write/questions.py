"""Questions written by a model for a given text, stretch by stretch, each checked by our own code."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.challenge.types import Question, Span
from compression_subnet.challenge.write.candidates import Candidates, Refusal, check_candidate
from compression_subnet.challenge.write.kinds import Kind, draw_kinds, kind_of
from compression_subnet.challenge.write.prompting import fence, load_writer_prompt
from compression_subnet.challenge.write.stretches import stretches
from compression_subnet.errors import ConfigurationError, ContentFault, ProviderFault
from compression_subnet.judge.chat import ChatModel

__all__ = ["QuestionReport", "QuestionWriter", "WrittenQuestions"]

_PROMPT: Final = "questions-v1"
_SEED_BITS: Final = 31


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """The balance of kinds before and after the checks, and what became of the rest.

    Attributes:
        wanted: kind to how many were asked for.
        offered: kind, by the wording, to how many the model offered; what is no question counts as ``none``.
        kept: kind to how many passed.
        refused: reason to how many did not.
        parts: how many stretches were asked about.
        kept_by_part: how many passed of each stretch, in the text's order.
        faults: fault to how many stretches gave nothing for it.
    """

    wanted: Mapping[str, int]
    offered: Mapping[str, int]
    kept: Mapping[str, int]
    refused: Mapping[Refusal, int]
    parts: int
    kept_by_part: tuple[int, ...]
    faults: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """Questions about a text, in the order of their evidence, and how they came about."""

    questions: tuple[Question, ...]
    report: QuestionReport


class QuestionWriter:
    """Has a model write questions for texts.

    Args:
        model: writes them.
        per_stretch: questions asked for at once; a text is cut into as many stretches as that needs.

    Raises:
        ConfigurationError: ``per_stretch`` is under 1.
    """

    def __init__(self, model: ChatModel, per_stretch: int = 3):
        if per_stretch < 1:
            raise ConfigurationError(f"per_stretch is {per_stretch}; ask for at least one question at a time")
        self._model = model
        self._per_stretch = per_stretch

    async def write(self, text: str, count: int, seed: int, kept: Iterable[Question] = ()) -> WrittenQuestions:
        """Return questions about an admitted text: about ``count``, fewer as candidates are refused.

        Args:
            text: the admitted base text.
            count: how many are asked for.
            seed: decides which kinds each stretch is asked for, and the model's sampling.
            kept: questions that the text has already, which are not to be asked again.

        Raises:
            ProviderFault: the provider failed on every stretch, which says nothing about the text.
        """
        rng = random.Random(f"{seed}:question kinds")
        spans = stretches(text, max(1, -(-count // self._per_stretch)))
        kinds = draw_kinds(count, rng)
        # Dealt in turn, so that stretches differ by one at most.
        dealt = [kinds[i :: len(spans)] for i in range(len(spans))] if spans else []
        replies = await asyncio.gather(
            *(
                self._ask(text, span, wanted, rng.getrandbits(_SEED_BITS))
                for span, wanted in zip(spans, dealt, strict=True)
            )
        )
        faults = [reply for reply in replies if not isinstance(reply, Candidates)]
        if faults and all(isinstance(reply, ProviderFault) for reply in replies):
            raise faults[0]
        return _judge(text, spans, dealt, replies, list(kept))

    async def _ask(
        self, text: str, span: Span, kinds: Sequence[Kind], seed: int
    ) -> Candidates | ProviderFault | ContentFault:
        part = span.of(text)
        values = {
            "fence": fence(str(seed), text),
            "text": text,
            "part": part,
            "count": len(kinds),
            "kinds": ", ".join(kinds),
        }
        if not kinds:
            return Candidates(questions=[])
        try:
            return await self._model.fill(load_writer_prompt(_PROMPT).messages(values), Candidates, seed=seed)
        except (ProviderFault, ContentFault) as fault:
            return fault


def _judge(
    text: str,
    spans: Sequence[Span],
    dealt: Sequence[Sequence[Kind]],
    replies: Sequence[Candidates | ProviderFault | ContentFault],
    existing: list[Question],
) -> WrittenQuestions:
    offered: Counter[str] = Counter()
    refused: Counter[Refusal] = Counter()
    faults: Counter[str] = Counter()
    kept: list[Question] = []
    by_part: list[int] = []
    for span, wanted, reply in zip(spans, dealt, replies, strict=True):
        before = len(kept)
        if not isinstance(reply, Candidates):
            faults[f"{type(reply).__name__}: {reply}"] += 1
        else:
            for number, candidate in enumerate(reply.questions):
                offered[str(kind_of(candidate.question, asked=candidate.kind.strip().casefold()) or "none")] += 1
                # A model that does not stop must not crowd out the rest of the text.
                if number >= 2 * len(wanted):
                    refused[Refusal.TOO_MANY] += 1
                    continue
                outcome = check_candidate(candidate, text, span, [*existing, *kept])
                if isinstance(outcome, Question):
                    kept.append(outcome)
                else:
                    refused[outcome] += 1
        by_part.append(len(kept) - before)
    kept.sort(key=lambda question: question.evidence)
    report = QuestionReport(
        wanted=dict(Counter(str(kind) for kinds in dealt for kind in kinds)),
        offered=dict(offered),
        kept=dict(Counter(q.kind for q in kept)),
        refused=dict(refused),
        parts=len(spans),
        kept_by_part=tuple(by_part),
        faults=dict(faults),
    )
    return WrittenQuestions(tuple(kept), report)

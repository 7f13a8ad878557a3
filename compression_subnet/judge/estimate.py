"""What a subnet's answers would cost, before anybody spends. Pure arithmetic over stated assumptions."""

from dataclasses import dataclass
from typing import Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.prompt import Prompt, fence_for
from compression_subnet.judge.types import Usage
from compression_subnet.scoring.levels import LEVELS, budget_tokens, level_shares
from compression_subnet.text.tokens import Tokenizer

__all__ = ["CostEstimate", "Estimate", "EstimateItem", "Load", "estimate_cost", "prompt_overhead"]

SECONDS_A_DAY: Final = 86_400
TYPICAL_QUESTION: Final = "In which year did the harbour board move its signal station to the northern mole?"
CHAT_FRAME_TOKENS: Final = 16
"""What a chat template puts around two messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is asked of the judge.

    Attributes:
        miners: hotkeys that reply.
        challenges: an epoch, over all levels.
        tokens: mean tokens of a challenge's text.
        questions: of a challenge.
        candidates: questions that the filter tries for a challenge.
        drawn: candidate challenges that the filter tries for each that it keeps.
        answer_tokens: mean tokens of an answer.
        overhead_tokens: of a prompt besides the text: instructions, fence, question.
        identical: share of replies that repeat another one of the same challenge, from 0 to 1.
        epoch_seconds: length of an epoch.

    Raises:
        ConfigurationError: a number is out of its range.
    """

    miners: int
    challenges: int
    tokens: int
    questions: int
    candidates: int
    drawn: float
    answer_tokens: int
    overhead_tokens: int
    identical: float
    epoch_seconds: float

    def __post_init__(self) -> None:
        counts = (self.miners, self.challenges, self.tokens, self.questions, self.candidates)
        if min(counts) < 0 or self.epoch_seconds <= 0 or not 0 <= self.identical <= 1 or self.drawn < 1:
            raise ConfigurationError(
                "an estimate takes counts of 0 or more, an epoch longer than 0 seconds, a share of identical replies "
                "from 0 to 1, and 1 or more candidates drawn for each challenge"
            )


@dataclass(frozen=True, slots=True)
class EstimateItem:
    """One kind of text that questions are put to.

    Attributes:
        name: which.
        texts: how many, an epoch.
        calls: how many, an epoch.
        usage: tokens an epoch where every question's prompt is computed anew.
        cached: the same where a provider's prefix cache serves all but the first question of each text.
    """

    name: str
    texts: float
    calls: float
    usage: Usage
    cached: Usage


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Money for some time, without and with the provider's prefix cache."""

    uncached: float
    cached: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an epoch and a day take.

    Attributes:
        items: by kind of text.
        calls: an epoch.
        usage: an epoch's tokens, none cached.
        epoch: an epoch's cost.
        day: a day's cost.
        epochs_a_day: how many epochs begin in a day.
        assumptions: in words, for whoever reads the figures.
    """

    items: tuple[EstimateItem, ...]
    calls: float
    usage: Usage
    epoch: CostEstimate
    day: CostEstimate
    epochs_a_day: float
    assumptions: tuple[str, ...]


def prompt_overhead(prompt: Prompt, tokenizer: Tokenizer) -> int:
    """Return the tokens of a prompt besides its text, with a question of typical length."""
    messages = prompt.messages(fence_for(b"", ""), "", TYPICAL_QUESTION)
    return CHAT_FRAME_TOKENS + sum(tokenizer.count(message["content"]) for message in messages)


def estimate_cost(load: Load, prices: Prices) -> Estimate:
    """Return calls, tokens and cost of an epoch and of a day."""
    items = [
        _item(
            f"replies at {level} %",
            load.miners * load.challenges * share * (1 - load.identical),
            budget_tokens(load.tokens, level),
            load.questions,
            load,
        )
        for level, share in level_shares().items()
    ]
    mean_budget = sum(share * budget_tokens(load.tokens, level) for level, share in level_shares().items())
    items += [
        _item("controls: full text", load.challenges, load.tokens, load.questions, load),
        _item("controls: no text", load.challenges, 0, load.questions, load),
        _item("controls: truncation", load.challenges, mean_budget, load.questions, load),
        _item("filter: full text", load.challenges * load.drawn, load.tokens, load.candidates, load),
        _item("filter: no text", load.challenges * load.drawn, 0, load.candidates, load),
    ]
    epochs = SECONDS_A_DAY / load.epoch_seconds
    epoch = CostEstimate(sum(prices.cost(i.usage) for i in items), sum(prices.cost(i.cached) for i in items))
    return Estimate(
        items=tuple(items),
        calls=sum(item.calls for item in items),
        usage=sum((item.usage for item in items), Usage()),
        epoch=epoch,
        day=CostEstimate(epoch.uncached * epochs, epoch.cached * epochs),
        epochs_a_day=epochs,
        assumptions=_assumptions(load, epochs),
    )


def _item(name: str, texts: float, tokens: float, questions: int, load: Load) -> EstimateItem:
    prompt = load.overhead_tokens + tokens
    calls = texts * questions
    total, answers = round(calls * prompt), round(calls * load.answer_tokens)
    # All but the question itself is the same; a sixth of the overhead is more than a question has.
    shared = tokens + load.overhead_tokens * 5 / 6
    reused = round(texts * max(0, questions - 1) * shared)
    return EstimateItem(name, texts, calls, Usage(total, 0, answers), Usage(total, reused, answers))


def _assumptions(load: Load, epochs: float) -> tuple[str, ...]:
    levels = ", ".join(f"{share:.1%} at {level} %" for level, share in level_shares().items())
    return (
        f"every one of {load.miners} miners replies to every one of {load.challenges} challenges an epoch, within the "
        "budget and using all of it",
        f"texts have {load.tokens} tokens on average; levels take {levels} ({len(LEVELS)} levels)",
        f"{load.identical:.0%} of replies repeat another miner's and are not asked again",
        f"a prompt has {load.overhead_tokens} tokens besides the text; an answer has {load.answer_tokens}",
        f"the filter tries {load.drawn:g} candidate challenges of {load.candidates} questions for each that is kept, "
        "all of them also without the text",
        "tokens are the pinned tokenizer's: a judge that counts more of them costs as much more",
        "no call is retried; with the provider's prefix cache, a text's first question is computed and the others find "
        "it cached",
        f"an epoch takes {load.epoch_seconds / 60:g} minutes: {epochs:g} a day",
    )

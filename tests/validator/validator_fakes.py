"""Fakes for the validator's tests, each named for what it fakes; deterministic, and honest about their protocol."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

from compression_subnet.chain.port import (
    Axon,
    Committed,
    Hyperparameters,
    Metagraph,
    Neuron,
    ServeOutcome,
    Unreachable,
    WeightsOutcome,
    WeightsSet,
)
from compression_subnet.challenge import Challenge, Question, Span
from compression_subnet.errors import ChainError
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failed, Failure, Outcome, Replied, Target

SENTENCES = [
    "The survey of Port Halden began in March 1921.",
    "Ada Renn led it with a crew of nine.",
    "Two barges came from the yard at Oskarnes.",
    "The deepest sounding was forty metres off Gull Point.",
    "A storm in June cost the party its smaller boat.",
]
QUESTIONS = (
    ("Who led the survey?", "Ada Renn"),
    ("When did the survey begin?", "March 1921"),
    ("Where did the barges come from?", "Oskarnes"),
    ("How deep was the deepest sounding?", "forty metres"),
    ("What cost the party a boat?", "storm"),
)
FILLER = "Nothing of note is said in this sentence, which is here to fill the page."
ME = "validator-hotkey"


def challenge(number: int = 0) -> Challenge:
    """A challenge with five questions whose answers stand in a text that is otherwise filler."""
    text = " ".join(sentence + " " + FILLER for sentence in SENTENCES)
    questions = tuple(
        Question(question, (gold,), Span(text.index(gold), text.index(gold) + len(gold)), "what")
        for question, gold in QUESTIONS
    )
    return Challenge(f"c{number}", text, get_tokenizer().count(text), text, (), questions, number, "test")


class ContainmentJudge:
    """Answers with the gold answer where the text contains it; faults where told to.

    Args:
        fault: given text and question, the status of the answer; ANSWERED by default.
    """

    def __init__(self, fault: Callable[[str, str], AnswerStatus] = lambda text, question: AnswerStatus.ANSWERED):
        self.fault = fault
        self.asked: list[tuple[str, str]] = []

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        gold = dict(QUESTIONS)
        answers = []
        for question in questions:
            self.asked.append((text, question))
            status = self.fault(text, question)
            said = gold[question] if status is AnswerStatus.ANSWERED and gold[question] in text else ""
            answers.append(Answer(status, said))
        return answers


class ScriptedDendrite:
    """Replies for each hotkey by a function of the text; None is a miner that cannot be reached."""

    def __init__(self, miners: Mapping[str, Callable[[str], str] | Failure]):
        self.miners = miners
        self.requests: list[object] = []

    async def ask_all(
        self, targets: Sequence[Target], request: object, deadline: float, **_: object
    ) -> dict[str, Outcome]:
        self.requests.append(request)
        outcomes: dict[str, Outcome] = {}
        for target in targets:
            miner = self.miners.get(target.hotkey, Failure.UNREACHABLE)
            if isinstance(miner, Failure):
                outcomes[target.hotkey] = Failed(miner, 0.1)
            else:
                reply = miner(request.text)  # type: ignore[attr-defined]
                outcomes[target.hotkey] = Replied(reply, 0.1, len(reply))
        return outcomes


def neuron(uid: int, hotkey: str, last_update: int) -> Neuron:
    axon = Axon("127.0.0.2", 8000 + uid)
    return Neuron(uid, hotkey, f"cold-{hotkey}", 10.0, uid == 0, axon, last_update, 0, 0.0, 0.0, 0.0)


class ScriptedChain:
    """A subnet whose block advances by one at each look, and whose answers to set_weights are given in advance."""

    def __init__(self, hotkeys: Sequence[str], outcomes: Sequence[WeightsOutcome] = (), tempo: int = 10):
        self.hotkeys = list(hotkeys)
        self.outcomes = list(outcomes)
        self.tempo = tempo
        self.number = 100
        self.sent: list[tuple[int, dict[int, int]]] = []
        self.down = False
        self.updated = 0

    async def block(self) -> int:
        self.number += 1
        return self.number

    async def metagraph(self) -> Metagraph:
        if self.down:
            raise ChainError("the chain is down")
        hyperparameters = Hyperparameters(self.tempo, 1, 1, 0, False, 1, 100, 1, 256)
        neurons = tuple(neuron(uid, hotkey, self.updated) for uid, hotkey in enumerate(self.hotkeys))
        return Metagraph(1, self.number, ME, neurons, hyperparameters)

    @property
    def next_epoch(self) -> int:
        """Epochs run at multiples of the tempo."""
        return (self.number // self.tempo + 1) * self.tempo

    async def next_epoch_block(self) -> int:
        return self.next_epoch

    async def weights(self) -> Mapping[int, Mapping[int, float]]:
        return {}

    async def serve_axon(self, axon: Axon) -> ServeOutcome:
        return Unreachable("not here")

    async def set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        self.sent.append((self.number, dict(weights)))
        outcome = self.outcomes.pop(0) if self.outcomes else WeightsSet(self.number, "0x1")
        if isinstance(outcome, WeightsSet | Committed):
            self.updated = self.number
        return outcome

    async def blocks(self) -> AsyncIterator[int]:
        yield self.number

    async def close(self) -> None:
        pass


class FixedSupply:
    """Gives the same text as many times as asked, each with an id of its own."""

    def __init__(self) -> None:
        self.drawn = 0

    async def draw(self, n: int) -> list[Challenge]:
        self.drawn += n
        return [replace(challenge(), id=f"c{self.drawn - n + i}") for i in range(n)]


def keep_first(sentences: int) -> Callable[[str], str]:
    """A compressor that keeps the first so many informative sentences: it is told which those are."""
    return lambda text: " ".join(SENTENCES[:sentences])

"""Sentences reworded by a model. Whether a paraphrase is used is decided elsewhere (``challenge.rewrite``)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from compression_subnet.challenge.write.numbered import Items, by_number, numbered
from compression_subnet.challenge.write.prompting import load_writer_prompt
from compression_subnet.errors import ConfigurationError, ContentFault
from compression_subnet.judge.chat import ChatModel

__all__ = ["ModelParaphraser"]

_PROMPT: Final = "paraphrase-v1"


class ModelParaphraser:
    """Rewords sentences in batches.

    Args:
        model: writes.
        batch: sentences a request.
        seed: for the model's sampling; it goes up with each batch.

    Raises:
        ConfigurationError: ``batch`` is under 1.
    """

    def __init__(self, model: ChatModel, batch: int = 12, seed: int = 0):
        if batch < 1:
            raise ConfigurationError(f"batch is {batch}; give at least one sentence a request")
        self._model = model
        self._batch = batch
        self._seed = seed
        self._faults: Counter[str] = Counter()
        self._not_given = 0

    @property
    def faults(self) -> Mapping[str, int]:
        """Fault to how many batches came back unchanged for it."""
        return dict(self._faults)

    @property
    def not_given(self) -> int:
        """How many sentences the model left out of replies that were usable else."""
        return self._not_given

    async def paraphrase(self, sentences: Sequence[str]) -> list[str]:
        """Return a paraphrase of each sentence, in their order; the sentence itself where the model gave none.

        Raises:
            ProviderFault: the provider failed.
        """
        paraphrased: list[str] = []
        for first in range(0, len(sentences), self._batch):
            batch = sentences[first : first + self._batch]
            messages = load_writer_prompt(_PROMPT).messages({"sentences": numbered(batch)})
            self._seed += 1
            try:
                offered = by_number(await self._model.fill(messages, Items, seed=self._seed), len(batch))
            except ContentFault as fault:
                self._faults[f"{type(fault).__name__}: {fault}"] += 1
                paraphrased.extend(batch)
                continue
            self._not_given += offered.count(None)
            paraphrased.extend(new or old for new, old in zip(offered, batch, strict=True))
        return paraphrased

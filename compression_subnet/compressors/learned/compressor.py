"""The reference compressor: a learned model gives the scores, the common pipeline selects."""

from collections.abc import Sequence
from typing import Final

from compression_subnet.compressors.base import CompressorOptions, TokenBudget
from compression_subnet.compressors.pipeline import compress_batch
from compression_subnet.compressors.policy import Policy
from compression_subnet.compressors.scores import Scorer

__all__ = ["LearnedCompressor"]

# The model's probabilities are sharper than the lexical ones, and want less caution; and it knows better what to leave
# out of a sentence where there is room for most. Settled by the embedded reader's score on held-out articles: the
# caution with earlier weights (0.576, against 0.568 with the lexical compressor's), the coherence at 60 % with these
# (0.776, against 0.761).
_POLICY: Final = Policy(caution=(0.7, 1.0, 1.3), coherence=(0.6, 0.65, 0.95))


class LearnedCompressor:
    """Chooses sentences, pruned or whole, by what a model says that they are worth."""

    def __init__(self, scorer: Scorer | None = None, policy: Policy | None = None):
        """Put it together.

        Args:
            scorer: gives the scores; None loads our own model.
            policy: what a selection makes of them; None is what suits our own model where that is loaded here, and the
                common one else.

        Raises:
            CompressorError: our own model is not to be had; the message names the fix.
        """
        if scorer is None:
            # torch is not imported before it is needed.
            from compression_subnet.compressors.learned.load import load_scorer

            scorer, policy = load_scorer(CompressorOptions()), policy or _POLICY
        self._scorer = scorer
        self._policy = policy or Policy()

    @classmethod
    def from_options(cls, options: CompressorOptions) -> "LearnedCompressor":
        """Return a compressor with the model that ``options`` name.

        Raises:
            CompressorError: the model or the device is not to be had; the message names the fix.
        """
        from compression_subnet.compressors.learned.load import is_own, load_scorer

        return cls(load_scorer(options), _POLICY if is_own(options.model) else None)

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the words of ``text`` that are worth most, in order, in at most ``budget.tokens`` tokens.

        Raises:
            CompressorError: the model failed.
            TokenizerError: the budget's counter refuses the text.
        """
        return self.compress_batch([(text, budget)])[0]

    def compress_batch(self, requests: Sequence[tuple[str, TokenBudget]]) -> list[str]:
        """Return for each text and budget, in order, what ``compress`` would.

        Raises:
            CompressorError: the model failed.
            TokenizerError: a budget's counter refuses its text.
        """
        return compress_batch(self._scorer, requests, self._policy)

"""Articles prepared ahead of challenges: written, or rewritten and paraphrased, with questions and adversarial noise.

What loads the models' prompts and the rewriter's word lists is in the modules: ``origins``, ``steps``, ``batches``.
"""

from compression_subnet.challenge.prepare.draft import ArticleStep, Draft, Origin
from compression_subnet.challenge.prepare.preparer import Preparer

__all__ = ["ArticleStep", "Draft", "Origin", "Preparer"]

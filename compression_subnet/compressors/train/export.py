"""Our encoder as a token classifier in Hugging Face's form, so that other people's methods can be run with it.

What a peer then lacks is our method, not our data: the classifier is fitted to the same labels, a token being one to
keep if it lies in an answer or is named by a question that its sentence answers, and is no noise.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from compression_subnet.compressors.learned.encoder import HIDDEN, WEIGHTS, load_network
from compression_subnet.compressors.train.batches import LabelledBatch
from compression_subnet.compressors.train.corpus import Corpus, Data
from compression_subnet.compressors.train.noise import Mixture
from compression_subnet.compressors.train.run import freeze_embeddings
from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.encoders.training import Progress, Schedule, Trainer

if TYPE_CHECKING:
    from transformers import BertModel

__all__ = ["export_classifier"]

LABELS: Final = {0: "discard", 1: "preserve"}
REPORT_STEPS: Final = 20


class _Classifier(torch.nn.Module):
    def __init__(self, encoder: "BertModel"):
        super().__init__()
        self.bert = encoder
        self.classifier = torch.nn.Linear(HIDDEN, len(LABELS))

    def loss(self, labelled: LabelledBatch) -> Tensor:
        batch = labelled.batch
        states = self.bert(input_ids=batch.ids, attention_mask=batch.mask).last_hidden_state
        logits = self.classifier(states.reshape(-1, HIDDEN)[batch.places]).float()
        told = (labelled.known | ~labelled.relevant)[batch.sentences]
        if not told.any():
            return torch.mul(logits.sum(), 0)  # nothing but articles without questions
        wanted = (torch.maximum(labelled.answer, labelled.evidence) * labelled.known[batch.sentences])[told]
        return functional.cross_entropy(logits[told], torch.stack([1 - wanted, wanted], dim=-1))


def export_classifier(
    data: Data,
    folder: Path,
    schedule: Schedule,
    *,
    start: Path = WEIGHTS,
    seed: int = 0,
    bfloat16: bool = False,
    encoder_folder: Path | None = None,
    report: Callable[[str], None] = print,
) -> None:
    """Fit a token classifier, starting from the trained encoder, and save it to ``folder``.

    Args:
        data: what to fit it to.
        folder: gets ``config.json``, ``model.safetensors`` and the tokenizer.
        schedule: how long, how fast.
        start: weights that ``train`` wrote.
        seed: of all chance.
        bfloat16: see ``Trainer``.
        encoder_folder: see ``find_encoder``.
        report: takes lines on how it goes.

    Raises:
        InputError: a file is unusable.
        ConfigurationError: there is nothing to fit to, or the encoder or the weights are unusable.
    """
    from transformers import BertForTokenClassification, PreTrainedTokenizerFast

    base = find_encoder(encoder_folder)
    encoder, _ = load_network(base, start, sha256=None)
    freeze_embeddings(encoder)
    torch.manual_seed(seed)
    network = _Classifier(encoder)
    trainer: Trainer[LabelledBatch] = Trainer(
        network, network.loss, schedule, seed, "classifier", bfloat16=bfloat16, faster={"classifier.": 10.0}
    )

    def after_step(progress: Progress, loss: float) -> None:
        if progress.step % REPORT_STEPS == 0:
            report(f"step {progress.step} loss {loss:.3f} t {progress.elapsed:.0f}")

    trainer.run(Corpus(data, base, Mixture(), seed).batches, after_step, size=lambda batch: batch.documents)
    config = encoder.config
    config.id2label, config.label2id = LABELS, {label: number for number, label in LABELS.items()}
    classifier = BertForTokenClassification(config)
    classifier.load_state_dict(network.state_dict())
    classifier.save_pretrained(folder)
    tokenizer = Tokenizer.from_file(str(base.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    fast: Any = PreTrainedTokenizerFast
    fast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
        model_max_length=config.max_position_embeddings,
    ).save_pretrained(folder)

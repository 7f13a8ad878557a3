"""Tiny models with random weights, saved as folders in Hugging Face's form, with tokenizers trained here."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForTokenClassification,
    BertModel,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForTokenClassification,
)

__all__ = ["SAMPLE", "bert_encoder", "bert_tokenizer", "save", "xlm_roberta_classifier", "xlm_roberta_tokenizer"]

SAMPLE: Final = (
    "The harbour of Oldmoor was dredged in 1911. It cost 40,000 crowns, which the town did not have. "
    "Its bridge, built by Ada Renn, was never paid for. Ships of 300 tons could enter from then on.\n\n"
    "Herring was salted there until 1954. The last cooper, Tomas Veil, left for Bremen in that year. "
    "Today the quay is a market; it opens at 7:30 on Saturdays."
)


def bert_tokenizer(texts: Iterable[str] = (SAMPLE,)) -> PreTrainedTokenizerFast:
    """Return word pieces with ``[CLS]`` and ``[SEP]``, lower-cased, as BERT has them."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        texts, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False)
    )
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def xlm_roberta_tokenizer(texts: Iterable[str] = (SAMPLE,)) -> PreTrainedTokenizerFast:
    """Return unigram pieces that own the space before them, with ``<s>`` and ``</s>``, as XLM-R has them."""
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made.train_from_iterator(
        texts,
        trainers.UnigramTrainer(vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False),
    )
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", unk_token="<unk>", cls_token="<s>", sep_token="</s>"
    )


def xlm_roberta_classifier(vocabulary: int, **options: Any) -> XLMRobertaForTokenClassification:
    """Return a tiny token classifier of XLM-R's kind: its first two positions are kept free."""
    return _random(
        XLMRobertaForTokenClassification,
        XLMRobertaConfig(
            vocab_size=vocabulary,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=514,
            type_vocab_size=1,
            pad_token_id=1,
            **options,
        ),
    )


def bert_encoder(vocabulary: int, *, classifies: bool = False, **options: Any) -> Any:
    """Return a tiny encoder, or token classifier, of BERT's kind."""
    return _random(
        BertForTokenClassification if classifies else BertModel,
        BertConfig(
            vocab_size=vocabulary,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=options.pop("max_position_embeddings", 512),
            **options,
        ),
    )


def save(model: Any, tokenizer: PreTrainedTokenizerFast, folder: Path) -> Path:
    """Save both to ``folder`` and return it."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _random(kind: Any, config: Any) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return kind(config)

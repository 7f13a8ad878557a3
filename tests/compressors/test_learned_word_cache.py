"""Words by look-up have the tokens that the text as a whole has."""

import numpy as np
import pytest
from compressor_texts import article
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from compression_subnet.compressors.document import parse
from compression_subnet.compressors.learned import word_cache
from compression_subnet.compressors.learned.tokens import tokenise
from compression_subnet.compressors.learned.word_cache import WordCache


def word_piece() -> Tokenizer:
    pieces = ["[UNK]", *"abcdefghijklmnopqrstuvwxyz0123456789.,:;!?()[]'\"/-–—’“”$%@#&+_", "the", "ferry", "har", "can"]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    for piece in list(vocabulary)[1:]:
        vocabulary.setdefault("##" + piece, len(vocabulary))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[SEP]"])
    return tokenizer


TOKENIZER = word_piece()
CACHE = WordCache(TOKENIZER)
PIECES = st.sampled_from(
    [*"ab1.,:;!?()[]'\"/-–—’“”$%@#&+_ \n\t\x00\x0b|", "the ", "Ferry", "can't", "KX-7714-Q", "5 %", "€5", "5±3", "é",
     "e\u0301", "ß", "東京", "ครับ", "[SEP]", "https://a.b/c", "U.S.", "²", "½", "👍🏽", "\u200d", "\u00a0", "İ", "한글"]
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES).map("".join))


@given(st.lists(TEXTS, max_size=4))
def test_the_tokens_are_those_of_the_whole_text(texts: list[str]) -> None:
    documents = [parse(text) for text in texts]
    for looked_up, read in zip(CACHE.tokenise(documents), tokenise(documents, TOKENIZER), strict=True):
        assert np.array_equal(looked_up.ids, read.ids)
        assert np.array_equal(looked_up.words, read.words)
        assert np.array_equal(looked_up.sentences, read.sentences)
        assert (looked_up.word_count, looked_up.sentence_count) == (read.word_count, read.sentence_count)


class Counting:
    """A tokenizer that says what it was given."""

    def __init__(self, inner: Tokenizer):
        self.inner = inner
        self.texts: list[str] = []

    def __getattr__(self, name: str):
        return getattr(self.inner, name)

    def encode_batch(self, texts, **options):
        self.texts += texts
        return self.inner.encode_batch(texts, **options)

    def encode_batch_fast(self, texts, **options):
        self.texts += texts
        return self.inner.encode_batch_fast(texts, **options)


def test_a_word_is_read_once_however_often_it_stands() -> None:
    counting = Counting(word_piece())
    cache = WordCache(counting)  # type: ignore[arg-type]
    documents = [parse(article(4)), parse(article(4, seed=1))]
    cache.tokenise(documents)
    assert sorted(counting.texts) == sorted({word for document in documents for word in document.words})
    before = len(counting.texts)
    cache.tokenise(documents)
    assert len(counting.texts) == before


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_cache, "_SIZE", 30)
    cache = WordCache(TOKENIZER)
    for number in range(40):
        text = f"word{number} and other{number} and the ferry"
        (found,) = cache.tokenise([parse(text)])
        assert np.array_equal(found.ids, tokenise([parse(text)], TOKENIZER)[0].ids)
        assert len(cache._ids) <= 36


def test_other_tokenizers_read_whole_texts() -> None:
    other = word_piece()
    other.pre_tokenizer = pre_tokenizers.Metaspace()
    counting = Counting(other)
    text = article(2)
    WordCache(counting).tokenise([parse(text)])  # type: ignore[arg-type]
    assert counting.texts == [text]

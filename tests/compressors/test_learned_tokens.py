"""Tokens of a document: special ones as the tokenizer has them, words and sentences by place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learned_models import SAMPLE, bert_tokenizer, xlm_roberta_tokenizer
from tokenizers import Tokenizer

from compression_subnet.compressors.document import parse
from compression_subnet.compressors.learned.tokens import frame_of, tokenise
from compression_subnet.encoders import find_encoder


def plain(tokenizer: Tokenizer) -> Tokenizer:
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


MINILM = plain(Tokenizer.from_file(str(find_encoder().tokenizer)))
TOKENIZERS = {
    "minilm": MINILM,
    "bert": bert_tokenizer().backend_tokenizer,
    "xlm-roberta": xlm_roberta_tokenizer().backend_tokenizer,
}


def test_special_tokens_are_the_tokenizers_own() -> None:
    assert (frame_of(MINILM, 0).before, frame_of(MINILM, 0).after) == ((101,), (102,))
    bert = bert_tokenizer()
    frame = frame_of(bert.backend_tokenizer, 0)
    assert (frame.before, frame.after) == ((bert.cls_token_id,), (bert.sep_token_id,))
    roberta = xlm_roberta_tokenizer()
    frame = frame_of(roberta.backend_tokenizer, 1)
    assert (frame.before, frame.after, frame.padding) == ((roberta.cls_token_id,), (roberta.sep_token_id,), 1)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_word_of_a_plain_text_has_tokens_and_they_spell_it(name: str) -> None:
    document = parse(SAMPLE)
    tokens = tokenise([document], TOKENIZERS[name])[0]
    assert set(tokens.words.tolist()) == set(range(len(document.words)))
    for number, word in enumerate(document.words):
        pieces = [TOKENIZERS[name].id_to_token(int(i)) for i in tokens.ids[tokens.words == number]]
        spelled = "".join(pieces).replace("##", "").replace("▁", "").strip()
        assert spelled.casefold() == word.casefold() or "unk" in spelled.casefold()


@pytest.mark.parametrize("name", TOKENIZERS)
@given(texts=st.lists(st.text(max_size=300), max_size=3))
def test_words_and_sentences_ascend_and_lie_in_the_document(name: str, texts: list[str]) -> None:
    documents = [parse(text.strip()) for text in texts]
    made = tokenise(documents, TOKENIZERS[name])
    assert len(made) == len(documents)
    for document, tokens in zip(documents, made, strict=True):
        assert tokens.word_count == len(document.words)
        assert len(tokens.ids) == len(tokens.words) == len(tokens.sentences)
        for numbers, count in ((tokens.words, tokens.word_count), (tokens.sentences, tokens.sentence_count)):
            assert (np.diff(numbers) >= 0).all()
            assert not len(numbers) or 0 <= numbers[0] <= numbers[-1] < count
        assert (document.sentence_of[tokens.words] == tokens.sentences).all()


def test_a_lone_surrogate_moves_no_place() -> None:
    document = parse("Wait \ud800 there. Then go.")
    tokens = tokenise([document], MINILM)[0]
    assert document.words[tokens.words[-2]] == "go"


def test_a_tokenizer_without_tokens_for_letters_is_refused() -> None:
    from tokenizers import models, normalizers

    from compression_subnet.errors import CompressorError

    empty = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    empty.normalizer = normalizers.Replace("a", "")
    with pytest.raises(CompressorError, match="not one for text"):
        frame_of(empty, 0)

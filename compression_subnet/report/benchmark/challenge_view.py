"""One challenge on the page: its questions with everybody's answers, and its text as each reply left it."""

from collections.abc import Sequence

from compression_subnet.benchmark.records import AnswerRecord, AskedChallenge, AskedQuestion, Fate, ReplyRecord
from compression_subnet.report.benchmark.charts import FATES, letter
from compression_subnet.report.benchmark.figures import mean, percent, seconds_shown
from compression_subnet.report.benchmark.html import Html, element, joined
from compression_subnet.report.benchmark.marked import marked_text

__all__ = ["challenge_view"]


def challenge_view(number: int, challenge: AskedChallenge, replies: Sequence[ReplyRecord]) -> Html:
    """Return one challenge, folded up.

    Args:
        number: from 1.
        challenge: what was asked.
        replies: to it, in the order of the compressors.
    """
    scores = [
        element("span", letter(place), f" {mean(reply.score)}", class_="score") for place, reply in enumerate(replies)
    ]
    lost = " ".join(str(place) for place, reply in enumerate(replies) if _loses(reply))
    return element(
        "details",
        element(
            "summary",
            element("span", f"Challenge {number}", class_="title"),
            f" at {challenge.level} %: {challenge.budget_tokens:,} of {challenge.n_tokens:,} tokens ",
            element("span", *scores, class_="scores"),
        ),
        element("p", _about(challenge), class_="about"),
        element("h3", "Questions"),
        element("ol", *(_question(i, q, replies) for i, q in enumerate(challenge.questions)), class_="questions"),
        element("h3", "What each reply kept"),
        *(_reply(place, challenge, reply) for place, reply in enumerate(replies)),
        class_="challenge",
        data_level=challenge.level,
        data_lost=lost,
        id=f"challenge-{number}",
    )


def _about(challenge: AskedChallenge) -> str:
    controls = (("full text", challenge.ceiling), ("no text", challenge.floor), ("truncation", challenge.baseline))
    known = [f"{name} {mean(value)}" for name, value in controls if value is not None]
    noise = f"{len(challenge.noise)} noise sentences" if challenge.noise else "no noise"
    scores = f" Controls: {', '.join(known)}." if known else ""
    return f"From {challenge.source}, with {noise}.{scores} Id {challenge.id}."


def _question(number: int, question: AskedQuestion, replies: Sequence[ReplyRecord]) -> Html:
    answers = [_answer(place, reply.answers[number]) for place, reply in enumerate(replies)]
    return element(
        "li",
        element("p", question.text, class_="asked", dir="auto"),
        element("p", "Accepted: ", element("span", " | ".join(question.gold), dir="auto"), class_="gold"),
        element("ul", *answers),
    )


def _answer(place: int, answer: AnswerRecord) -> Html:
    sign, what = FATES[answer.fate]
    said = (
        joined(" “", element("bdi", answer.text), "”") if answer.text else " no answer" if answer.f1 is not None else ""
    )
    f1 = "" if answer.f1 is None else f", F1 {answer.f1:.2f}"
    if answer.fate is Fate.REFUSED:
        said = f1 = ""
    return element(
        "li",
        letter(place),
        said,
        " ",
        element("span", f"{sign} {what}", class_=f"fate {answer.fate.value}"),
        f1,
    )


def _reply(place: int, challenge: AskedChallenge, reply: ReplyRecord) -> Html:
    if reply.reason == "ok":
        facts = [f"{reply.tokens:,} of {challenge.budget_tokens:,} tokens", seconds_shown(reply.seconds)]
        if reply.noise_kept is not None:
            facts.append(f"noise kept {percent(reply.noise_kept)}")
        facts.append(f"evidence kept {percent(reply.evidence_kept)}")
        if reply.added:
            facts.append(f"{reply.added} words that the text does not have there")
        shown: list[Html] = [marked_text(challenge, reply)]
    else:
        tokens = f", {reply.tokens:,} tokens for a budget of {challenge.budget_tokens:,}" if reply.tokens else ""
        facts = [f"refused: {reply.reason.replace('_', ' ')}{tokens}", seconds_shown(reply.seconds)]
        shown = [element("p", reply.detail, class_="error", dir="auto")] if reply.detail else []
    if reply.text is not None:
        sent = element("pre", reply.text, dir="auto", tabindex="0")
        shown.append(element("details", element("summary", "Reply as sent"), sent, class_="sent"))
    return element(
        "details",
        element(
            "summary", letter(place), " ", reply.compressor, element("span", ": " + " · ".join(facts), class_="facts")
        ),
        *shown,
        class_="reply",
        open=place == 0,
    )


def _loses(reply: ReplyRecord) -> bool:
    return any(answer.fate is not Fate.FOUND for answer in reply.answers)

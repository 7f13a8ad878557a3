"""How much of a reply's prompt is computed once only, by llama.cpp's own counters, with one slot.

A text of 230 tokens and six questions: the prompt tokens that are really computed for all six, against those of one.
The ratio is to be at most 1.3.

    python benchmarks/prefix_cache.py --gguf FILE [--threads 1] [--json]
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Final

from compression_subnet.judge import AnswerStatus, CallLimits, Endpoint, OpenAIAnswerer
from compression_subnet.judge.serving import llama_server
from compression_subnet.text import get_tokenizer

TARGET: Final = 1.3
TOKENS: Final = 230
SENTENCES: Final = (
    "The survey of Port Halden began in March 1921 under Ada Renn, who kept a log of every day. ",
    "Two barges came from the yard at Oskarnes, and a third was hired from the fish market. ",
    "The deepest sounding was forty metres, taken off Gull Point on a windless morning. ",
    "A storm in June cost the party its smaller boat and most of its rope. ",
)
QUESTIONS: Final = (
    "Who led the survey?",
    "When did the survey begin?",
    "Where did the barges come from?",
    "How deep was the deepest sounding?",
    "What did the storm cost the party?",
    "From where was the third barge hired?",
)


def reply() -> str:
    """Return a text of 230 tokens."""
    tokenizer, words = get_tokenizer(), ("".join(SENTENCES) * 4).split(" ")
    while tokenizer.count(" ".join(words)) > TOKENS:
        words.pop()
    return " ".join(words)


async def measure(url: str, text: str) -> tuple[int, int]:
    """Return the prompt tokens computed for the first question, and for all six."""
    limits = CallLimits(call_seconds=300, reply_seconds=900, max_answer_tokens=8)
    async with OpenAIAnswerer(Endpoint(url, "any"), limits) as answerer:
        answers = await answerer.answer(text, QUESTIONS)
    if any(answer.status is AnswerStatus.PROVIDER_FAULT for answer in answers):
        raise SystemExit("the server did not answer every question")
    computed = [answer.usage.prompt_tokens - answer.usage.cached_tokens for answer in answers]
    return computed[0], sum(computed)


def main() -> int:
    """Measure, print the figures, and fail where the ratio is over the target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gguf", type=Path, required=True, help="model file")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    text = reply()
    with llama_server(options.gguf, threads=options.threads, context_tokens=2048) as url:
        one, six = asyncio.run(measure(url, text))
    found = {
        "text_tokens": get_tokenizer().count(text),
        "computed_for_one_question": one,
        "computed_for_six_questions": six,
        "ratio": round(six / one, 3),
        "target": TARGET,
    }
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:28} {value}")
    return 0 if six <= TARGET * one else 1


if __name__ == "__main__":
    sys.exit(main())

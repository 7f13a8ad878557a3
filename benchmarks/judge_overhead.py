"""How fast the judge's client is, beside the bare ``openai`` client with the same requests in the same run.

The endpoint answers at once, in a process of its own. Both sides send the same prompts, as many at a time, and the
order alternates, so that a busy machine slows both alike. The ratio of the medians is to be at least 0.67.

    python benchmarks/judge_overhead.py [--replies 60] [--repeats 5] [--json]
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import sys
import time
from multiprocessing.connection import Connection
from typing import Any, Final

import httpx2
import openai

from compression_subnet.judge import CallLimits, Endpoint, OpenAIAnswerer, load_prompt
from compression_subnet.judge.prompt import fence_for

TARGET: Final = 0.67
SECRET: Final = b"benchmark"
CONCURRENCY: Final = 16
QUESTIONS: Final = tuple(f"In which year did the harbour board move signal station {i}?" for i in range(5))
SENTENCE: Final = "The survey of Port Halden began in March 1921 under Ada Renn, who kept a log. "
ANSWER: Final = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "March 1921"}}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 3, "total_tokens": 303},
    }
).encode()
RESPONSE: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + str(len(ANSWER)).encode() + b"\r\n\r\n"
) + ANSWER


def serve(ready: Connection) -> None:
    """Answer every request with the same completion, as fast as a loop can."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.lower().split(b"\r\n")
                length = next(int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length"))
                await reader.readexactly(length)
                writer.write(RESPONSE)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        async with server:
            await server.serve_forever()

    asyncio.run(main())


async def with_judge(url: str, texts: list[str]) -> float:
    """Return answers a second of ``OpenAIAnswerer``."""
    endpoint, limits = Endpoint(url, "m"), CallLimits(concurrency=CONCURRENCY)
    async with OpenAIAnswerer(endpoint, limits, fence_secret=SECRET) as answerer:
        await answerer.answer("warm up", ["first"])
        began = time.perf_counter()
        replies = await asyncio.gather(*(answerer.answer(text, QUESTIONS) for text in texts))
        seconds = time.perf_counter() - began
    if {a.text for reply in replies for a in reply} != {"March 1921"}:
        raise SystemExit("the endpoint did not answer every question")
    return len(texts) * len(QUESTIONS) / seconds


async def with_bare_client(url: str, texts: list[str]) -> float:
    """Return answers a second of the ``openai`` client alone, on requests that are made beforehand."""
    prompt = load_prompt()
    requests: list[dict[str, Any]] = [
        {
            "model": "m",
            "messages": prompt.messages(fence_for(SECRET, text), text, question),
            "temperature": 0,
            "seed": 0,
            "max_tokens": 64,
        }
        for text in texts
        for question in QUESTIONS
    ]
    http = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=CONCURRENCY), timeout=60)
    slots = asyncio.Semaphore(CONCURRENCY)
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, http_client=http) as client:

        async def ask(request: dict[str, Any]) -> None:
            async with slots:
                await client.chat.completions.create(**request)

        await ask(requests[0])
        began = time.perf_counter()
        await asyncio.gather(*map(ask, requests))
        return len(requests) / (time.perf_counter() - began)


def main() -> int:
    """Measure both, print the figures, and fail where the ratio is under the target."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--replies", type=int, default=60, help="texts a measurement, five questions each")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each side")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{ours.recv()}/v1"
        texts = [f"{SENTENCE * 12}Page {i}." for i in range(options.replies)]
        judge, bare = [], []
        for _ in range(options.repeats):
            bare.append(asyncio.run(with_bare_client(url, texts)))
            judge.append(asyncio.run(with_judge(url, texts)))
    finally:
        server.terminate()
        server.join()
    ratio = statistics.median(judge) / statistics.median(bare)
    found = {
        "judge_answers_per_second": round(statistics.median(judge), 1),
        "bare_client_answers_per_second": round(statistics.median(bare), 1),
        "ratio": round(ratio, 3),
        "target": TARGET,
        "repeats": options.repeats,
    }
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:32} {value}")
    return 0 if ratio >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

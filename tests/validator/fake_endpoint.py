"""An OpenAI-compatible endpoint on a loopback port, which answers by a function of text and question."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from compression_subnet.judge.prompt import parse_prompt

Reply = Callable[[str, str], "str | int"]


def completion(content: str) -> dict[str, Any]:
    """A chat completion of 100 prompt tokens, 60 of them cached, and 2 tokens of answer."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 2,
            "total_tokens": 102,
            "prompt_tokens_details": {"cached_tokens": 60},
        },
    }


class FakeEndpoint:
    """Answers with a text, or with an HTTP status where the function gives a number; canaries are answered."""

    def __init__(self, reply: Reply):
        self.reply = reply
        self.asked: list[tuple[str, str]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, answer = endpoint._answer(body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def _answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        pair = parse_prompt(body["messages"])
        assert pair is not None
        if "The ferry to the island" in pair[0]:
            said: str | int = self.reply("", "")
            return (200, completion("noon")) if isinstance(said, str) else (said, {"error": {"message": "down"}})
        self.asked.append(pair)
        said = self.reply(*pair)
        return (200, completion(said)) if isinstance(said, str) else (said, {"error": {"message": "down"}})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

"""The miner's HTTP face: one path that compresses, one that says whether it can."""

import time
from collections.abc import Callable
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import ValidationError

from compression_subnet.errors import CompressorError
from compression_subnet.miner.admission import Admission, Admitted, Rejected
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.protocol import COMPRESS_PATH, HEALTH_PATH, CompressionReply, CompressionSynapse
from compression_subnet.text.tokens import VOCABULARY_SHA256
from compression_subnet.transport.signing import Hotkey, sign_reply

__all__ = ["create_app"]

# Longer than any deadline: no worker has been free since, so that none will be.
_STUCK_SECONDS: Final = 900.0


def create_app(
    answerer: Answerer,
    hotkey: Hotkey,
    admission: Admission,
    metrics: MinerMetrics,
    *,
    tokenizer: str,
    clock: Callable[[], float] = time.monotonic,
) -> FastAPI:
    """Return the application.

    Args:
        answerer: compresses; its owner closes it.
        hotkey: the miner's; signs replies.
        admission: lets requests in.
        metrics: told of outcomes.
        tokenizer: name of the one that the answerer counts with; requests that name another are refused.
        clock: monotonic, in seconds.
    """
    # No schema, no pages, no redirects: a stranger learns nothing.
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)

    def failed(outcome: str, status: int, message: str) -> Response:
        metrics.requests.labels(outcome).inc()
        return JSONResponse({"error": message}, status_code=status)

    @app.post(COMPRESS_PATH)
    async def compress(request: Request) -> Response:
        start = clock()
        try:
            admitted = await admission.admit(request)
            synapse = _parsed(admitted, tokenizer)
            text = await answerer.answer(synapse, synapse.deadline_seconds - (clock() - start))
        except Rejected as rejected:
            return failed("refused", rejected.status, rejected.message)
        except _Unusable as unusable:
            return failed("unusable", 422, str(unusable))
        except CompressorError:
            return failed("failed", 500, "the compressor failed")
        except TimeoutError:
            return failed("late", 503, "too late")
        body = CompressionReply(compressed_text=text).model_dump_json().encode()
        headers = sign_reply(hotkey, admitted.caller, request_body=admitted.body, body=body)
        metrics.requests.labels("answered").inc()
        metrics.seconds.observe(clock() - start)
        return Response(body, media_type="application/json", headers=headers)

    @app.get(HEALTH_PATH)
    async def health() -> Response:
        if answerer.blocked_seconds() > _STUCK_SECONDS:
            return JSONResponse({"status": "stuck"}, status_code=503)
        return JSONResponse({"status": "ok"})

    return app


class _Unusable(Exception):
    """A permitted validator asked for something that cannot be done; the message tells it what."""


def _parsed(admitted: Admitted, tokenizer: str) -> CompressionSynapse:
    try:
        synapse = CompressionSynapse.model_validate_json(admitted.body)
    except ValidationError as error:
        # Names and kinds only; pydantic's own messages quote the input.
        faults = ", ".join(f"{'.'.join(map(str, e['loc'])) or 'body'}: {e['type']}" for e in error.errors()[:8])
        raise _Unusable(f"not a request of this protocol version: {faults}") from None
    sha256 = VOCABULARY_SHA256[tokenizer]
    if (synapse.tokenizer, synapse.tokenizer_sha256) != (tokenizer, sha256):
        raise _Unusable(f"this miner counts with {tokenizer}, vocabulary SHA-256 {sha256}")
    return synapse

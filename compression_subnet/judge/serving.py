"""Running a judge's endpoint: the embedded reader through uvicorn, or a GGUF model through llama.cpp."""

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI
from pydantic import SecretStr

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.reader import Precision, load_reader
from compression_subnet.judge.server import create_app
from compression_subnet.listening import SignalFreeServer

__all__ = ["llama_server", "running", "serve_gguf", "serve_reader"]

DEFAULT_PORT: Final = 8801
LLAMA_CONTEXT_TOKENS: Final = 8192


def serve_reader(
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    *,
    threads: int | None = None,
    api_key: SecretStr | None = None,
    encoder_folder: Path | None = None,
    precision: Precision = "float32",
) -> None:
    """Serve the embedded reader until interrupted; print ``listening http://HOST:PORT/v1`` when ready.

    Args:
        host: address to listen on.
        port: 0 picks a free one.
        threads: windows computed at once; None takes the cores.
        api_key: what clients must send; None lets everybody in.
        encoder_folder: where the base encoder is, if neither installed nor to be had from the hub.
        precision: see ``load_reader``.

    Raises:
        ConfigurationError: the reader cannot be loaded, or the address cannot be listened on.
    """
    app = create_app(load_reader(encoder_folder, threads=threads, precision=precision), api_key=api_key)

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with running(app, host, port) as url:
            _announce(url)
            await stop.wait()

    asyncio.run(main())


def serve_gguf(
    file: Path,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    *,
    threads: int = 2,
    api_key: SecretStr | None = None,
    context_tokens: int = LLAMA_CONTEXT_TOKENS,
) -> None:
    """Serve a GGUF model through llama.cpp until interrupted; print the same line as ``serve_reader``.

    Raises:
        ConfigurationError: xllamacpp is not installed, or the model cannot be loaded.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with llama_server(file, host, port, threads=threads, api_key=api_key, context_tokens=context_tokens) as url:
        _announce(url)
        stop.wait()


@asynccontextmanager
async def running(app: FastAPI, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Serve ``app`` in this event loop for as long as the context lasts, and give its base URL.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    listener = _listen(host, port)
    with listener:
        server = SignalFreeServer(
            # Its logs go where the process's own go.
            uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5)
        )
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                if task.done():
                    await task
                await asyncio.sleep(0.01)
            yield _url(*listener.getsockname()[:2])
        finally:
            server.should_exit = True
            await task


@contextmanager
def llama_server(
    file: Path,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    threads: int = 2,
    api_key: SecretStr | None = None,
    context_tokens: int = LLAMA_CONTEXT_TOKENS,
) -> Iterator[str]:
    """Serve a GGUF model for as long as the context lasts, and give its base URL.

    One slot: then all questions of a reply find its prefix in the cache (with two, most of it is computed twice).

    Raises:
        ConfigurationError: xllamacpp is not installed, or the model cannot be loaded.
    """
    try:
        import xllamacpp
    except ImportError as error:
        raise ConfigurationError(
            "a GGUF model needs llama.cpp; install it: pip install 'compression-subnet[llama]'"
        ) from error
    if not file.is_file():
        raise ConfigurationError(f"there is no model file {file}")
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.hostnames = [host]
    params.port = port
    if api_key is not None:
        params.api_keys = [api_key.get_secret_value()]
    try:
        server = xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise ConfigurationError(f"llama.cpp cannot serve {file} on {host}:{port}: {error}") from error
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise ConfigurationError(f"cannot listen on {host}:{port}: {error.strerror}; choose another") from error


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"


def _announce(url: str) -> None:
    print(f"listening {url}", flush=True)

"""The operator's port: ``/metrics`` for Prometheus, ``/healthz`` and ``/readyz`` for a supervisor.

It is served by a thread with an event loop of its own: it never delays the neuron, and it answers while the
neuron's own loop is blocked, which is when it is wanted most.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from compression_subnet.errors import ConfigurationError
from compression_subnet.listening import SignalFreeServer, bound_socket
from compression_subnet.ops.conditions import Conditions

__all__ = ["ops_app", "serving_ops"]

START_SECONDS: Final = 10.0
STOP_SECONDS: Final = 2.0
MAX_CONNECTIONS: Final = 32


def ops_app(registry: CollectorRegistry, alive: Callable[[], str], conditions: Conditions) -> FastAPI:
    """Return the application.

    Args:
        registry: what ``/metrics`` shows.
        alive: returns why the process should be ended, or nothing; it must not block.
        conditions: ``/readyz`` is 200 where all are well, else 503.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/healthz")
    async def healthz() -> JSONResponse:
        reason = alive()
        return JSONResponse({"alive": reason or "ok"}, 503 if reason else 200)

    @app.get("/readyz")
    async def readyz() -> JSONResponse:
        faults = conditions.faults
        return JSONResponse(
            {name: fault or "ok" for name, fault in sorted(faults.items())}, 503 if any(faults.values()) else 200
        )

    return app


@contextmanager
def serving_ops(app: FastAPI, host: str, port: int) -> Iterator[str | None]:
    """Serve ``app`` while the context lasts, and give its base URL; with port 0 nothing is served, and it gives None.

    Args:
        app: see ``ops_app``.
        host: an IP address of this machine; whoever reaches it can read all that is served.
        port: 0 turns it off.

    Raises:
        ConfigurationError: the address cannot be listened on, as where a second neuron runs with the same port.
    """
    if not port:
        yield None
        return
    try:
        sock = bound_socket(host, port, listen=True)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{error} (--ops.host, and --ops.port: another for each neuron on a machine, or 0 for none)"
        ) from error
    server = SignalFreeServer(
        uvicorn.Config(
            app,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
        )
    )
    # A daemon: a client that keeps its connection must not keep the process.
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, name="ops http", daemon=True)
    with sock:
        thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not server.started:
            if not thread.is_alive() or time.monotonic() > deadline:
                server.should_exit = True
                raise ConfigurationError(f"the server of metrics did not start on {host} port {port}")
            time.sleep(0.005)
        try:
            yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
        finally:
            server.should_exit = True
            thread.join(STOP_SECONDS)

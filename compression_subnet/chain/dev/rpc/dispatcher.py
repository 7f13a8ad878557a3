"""From a JSON-RPC request to its reply."""

import inspect
import json
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from compression_subnet.chain.dev.errors import RpcFailure
from compression_subnet.chain.dev.rpc.session import Method, Session, invalid_parameters

__all__ = ["Dispatcher", "method_of"]

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_METHOD_NOT_FOUND: Final = -32601
_INTERNAL_ERROR: Final = -32603
_LOG: Final = logging.getLogger(__name__)


def method_of(request: Any) -> str:
    """Return the method that a request names; empty where it names none."""
    return str(request.get("method", "")) if isinstance(request, dict) else ""


class Dispatcher:
    """Finds the method, calls it, and counts; the counts are what ``dev_calls`` returns."""

    def __init__(self) -> None:
        self.methods: dict[str, Method] = {}
        self.calls: Counter[str] = Counter()
        self._signatures: dict[str, inspect.Signature] = {}

    def add(self, methods: Mapping[str, Method]) -> None:
        """Make methods callable."""
        for name, method in methods.items():
            self.methods[name] = method
            self._signatures[name] = inspect.signature(method)

    def read(self, frame: str | bytes) -> Any:
        """Return the request, or the list of requests, that a frame holds.

        Raises:
            RpcFailure: it is not JSON.
        """
        try:
            return json.loads(frame)
        except ValueError as error:
            raise RpcFailure(_PARSE_ERROR, "Parse error") from error

    def reply(self, session: Session, request: Any) -> dict[str, Any]:
        """Return the reply to one request."""
        number = request.get("id") if isinstance(request, dict) else None
        try:
            return {"jsonrpc": "2.0", "id": number, "result": self._call(session, request)}
        except RpcFailure as failure:
            return self.failure(number, failure)

    @staticmethod
    def failure(number: Any, failure: RpcFailure) -> dict[str, Any]:
        """Return the reply that reports a failure."""
        error: dict[str, Any] = {"code": failure.code, "message": failure.message}
        if failure.data is not None:
            error["data"] = failure.data
        return {"jsonrpc": "2.0", "id": number, "error": error}

    def _call(self, session: Session, request: Any) -> Any:
        name = method_of(request)
        parameters = request.get("params") or [] if name else []
        if not name or not isinstance(parameters, list):
            raise RpcFailure(_INVALID_REQUEST, "Invalid Request")
        detail = f":{parameters[0]}" if name == "state_call" and parameters else ""
        self.calls[name + detail] += 1
        method = self.methods.get(name)
        if method is None:
            raise RpcFailure(_METHOD_NOT_FOUND, "Method not found")
        try:
            self._signatures[name].bind(session, *parameters)
        except TypeError as error:
            raise invalid_parameters(f"{name}: {error}") from error
        try:
            return method(session, *parameters)
        except RpcFailure:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            # The codec refuses a value of the wrong type or size in its own words.
            raise invalid_parameters(f"{name}: {error}") from error
        except Exception as error:  # a node answers what it did not foresee, and goes on
            _LOG.exception("%s failed", name)
            raise RpcFailure(_INTERNAL_ERROR, "Internal error", f"{name}: {error!r}") from error

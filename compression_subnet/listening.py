"""Sockets that a server of ours listens on, bound before the server starts, so that a port that is taken is said."""

import contextlib
import socket
from collections.abc import Iterator
from ipaddress import ip_address

import uvicorn

from compression_subnet.errors import ConfigurationError

__all__ = ["SignalFreeServer", "bound_socket"]


class SignalFreeServer(uvicorn.Server):
    """Leaves signals to the process, which has more to close than a server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield


def bound_socket(ip: str, port: int, *, listen: bool = False) -> socket.socket:
    """Return a TCP socket bound to ``ip`` and ``port`` (0: any).

    Args:
        ip: an address of this machine.
        port: 0 takes a free one.
        listen: whether it listens at once: only then is a second one on the same port refused.

    Raises:
        ConfigurationError: ``ip`` is no address of this machine, or the port is taken.
    """
    try:
        family = socket.AF_INET6 if ip_address(ip).version == 6 else socket.AF_INET
    except ValueError:
        raise ConfigurationError(f"{ip!r} is not an IP address to listen on") from None
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((ip, port))
        if listen:
            sock.listen()
    except OSError as error:
        sock.close()
        raise ConfigurationError(f"cannot listen on {ip} port {port}: {error.strerror}; choose another") from error
    return sock

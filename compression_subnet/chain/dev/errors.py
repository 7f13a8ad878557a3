"""What goes wrong inside the dev chain, as a node would report it.

These are answers of a simulated node to its clients, not errors of this package's own users.
"""

__all__ = ["DispatchFailure", "PoolRefusal", "RpcFailure", "custom_refusal"]


class DispatchFailure(Exception):
    """A call was included in a block and failed; the message is the error's name in its pallet."""


class RpcFailure(Exception):
    """A request is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: str | None = None):
        super().__init__(message if data is None else f"{message}: {data}")
        self.code = code
        self.message = message
        self.data = data


class PoolRefusal(RpcFailure):
    """The transaction pool does not take an extrinsic."""

    def __init__(self, data: str, code: int = 1010, message: str = "Invalid Transaction"):
        super().__init__(code, message, data)


def custom_refusal(number: int) -> PoolRefusal:
    """Return the refusal that the SDK reads as the pallet's own error of that number."""
    return PoolRefusal(f"Custom error: {number}")

"""Which function answers which runtime API call."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from compression_subnet.chain.dev import epochs
from compression_subnet.chain.dev.apis import metagraph, neurons, prices, settings
from compression_subnet.chain.dev.errors import RpcFailure
from compression_subnet.chain.dev.state import Storage

__all__ = ["call_runtime_api"]

_EXECUTION_FAILED: Final = 4003


def _next_epoch(storage: Storage, at: int, netuid: int) -> int | None:
    return epochs.next_epoch_block(storage, netuid, at) if storage.get("NetworksAdded", netuid, at=at) else None


_METHODS: Final[Mapping[str, Callable[..., Any]]] = {
    "SubnetInfoRuntimeApi_get_metagraph": metagraph.metagraph,
    "SubnetInfoRuntimeApi_get_subnet_hyperparams_v3": settings.hyperparameters,
    "SubnetInfoRuntimeApi_get_next_epoch_start_block": _next_epoch,
    "NeuronInfoRuntimeApi_get_neurons": neurons.neurons,
    "NeuronInfoRuntimeApi_get_neuron": neurons.neuron,
    "NeuronInfoRuntimeApi_get_neurons_lite": neurons.neurons_lite,
    "NeuronInfoRuntimeApi_get_neuron_lite": neurons.neuron_lite,
    "SwapRuntimeApi_current_alpha_price": prices.alpha_price,
    "SwapRuntimeApi_current_alpha_price_all": prices.alpha_prices,
    "SubnetRegistrationRuntimeApi_get_network_registration_cost": prices.network_registration_cost,
    "TransactionPaymentApi_query_info": prices.query_info,
}


def call_runtime_api(storage: Storage, at: int, name: str, data: bytes) -> bytes:
    """Answer ``name`` (such as ``SubnetInfoRuntimeApi_get_metagraph``) from the state after block ``at``.

    Raises:
        RpcFailure: the runtime has no such function, or the arguments are not its own.
    """
    method = _METHODS.get(name)
    if method is None:
        detail = f"Execution failed: Exported method {name} is not found"
        raise RpcFailure(_EXECUTION_FAILED, "Client error", detail)
    api, _, function = name.partition("_")
    if method is prices.query_info:
        arguments = [data]  # an extrinsic is opaque to the codec
    else:
        try:
            arguments = storage.codec.api_arguments(api, function, data)
        except ValueError as error:
            detail = f"Execution failed: bad input data provided to {function}: {error}"
            raise RpcFailure(_EXECUTION_FAILED, "Client error", detail) from error
    return storage.codec.api_result(api, function, method(storage, at, *arguments))

"""From options to a scorer: which model, on which device, in which number format."""

from pathlib import Path

import torch
from tokenizers import Tokenizer

from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.compressors.learned.devices import choose_device, choose_dtype, sums_overflow
from compression_subnet.compressors.learned.encoder import WEIGHTS, WEIGHTS_FILE, WEIGHTS_SHA256, load_network
from compression_subnet.compressors.learned.hub import load_from_hub
from compression_subnet.compressors.learned.int8 import to_int8
from compression_subnet.compressors.learned.model import Model
from compression_subnet.compressors.learned.own import OwnModel
from compression_subnet.compressors.learned.runner import CpuRunner, GpuRunner, Runner
from compression_subnet.compressors.learned.scorer import ModelScorer
from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.errors import CompressorError, ConfigurationError

__all__ = ["is_own", "load_scorer"]


def load_scorer(options: CompressorOptions) -> ModelScorer:
    """Return a scorer with the model that ``options`` name; a second or two, most of it spent on imports.

    The global random state and torch's global settings are left as they were.

    Raises:
        CompressorError: the model or the device is not to be had; the message names the fix.
    """
    if options.batch_tokens < 1 or (options.threads is not None and options.threads < 1):
        raise CompressorError("--compressor.batch-tokens and --compressor.threads must be at least 1")
    try:
        device = choose_device(options.device)
        if options.compile and device.type == "cpu":
            raise ConfigurationError("--compressor.compile is for a GPU, and there is none in use; leave it out")
        dtype = choose_dtype(options.dtype, device)
        # Modules are filled with random numbers before weights are read into them.
        with torch.random.fork_rng(devices=[]):
            model = _load_model(options.model, device, dtype)
    except ConfigurationError as error:
        raise CompressorError(str(error)) from error
    return ModelScorer(model, _runner(model, device, options), options.batch_tokens)


def is_own(name: str | None) -> bool:
    """Return whether ``name`` is a model of our own kind: the package's, or a folder that ``train`` wrote."""
    return name is None or (Path(name) / WEIGHTS_FILE).is_file()


def _runner(model: Model, device: torch.device, options: CompressorOptions) -> Runner:
    if device.type == "cpu":
        return CpuRunner(options.threads)
    longest = model.room + len(model.frame.before) + len(model.frame.after)
    runner = GpuRunner(device, model.frame.padding, longest, compiled=options.compile)
    if options.compile:
        runner.warm_up(model.per_window, options.batch_tokens)
    return runner


def _load_model(name: str | None, device: torch.device, dtype: torch.dtype) -> Model:
    if name is not None and not is_own(name):
        return load_from_hub(name, device, dtype)
    own = WEIGHTS if name is None else Path(name) / WEIGHTS_FILE
    try:
        base = find_encoder()
    except ConfigurationError as error:
        raise CompressorError(f"{error}; or choose another model: --compressor.model FOLDER_OR_NAME") from error
    network, heads = load_network(base, own, WEIGHTS_SHA256 if name is None else None)
    tokenizer = Tokenizer.from_file(str(base.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if dtype == torch.int8:
        to_int8(network, reduced=sums_overflow())
    else:
        torch.nn.Module.to(network, device, dtype)
    return OwnModel(network, heads.to(device), tokenizer)

"""Which device, which number format."""

import re
from pathlib import Path
from typing import Final

import torch
from loguru import logger

from compression_subnet.errors import ConfigurationError

__all__ = ["choose_device", "choose_dtype"]

_CPU_INFO: Final = Path("/proc/cpuinfo")
_DTYPES: Final = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


def choose_device(name: str) -> torch.device:
    """Return the device of that name; ``auto`` is the first GPU, or the CPU where there is none.

    Raises:
        ConfigurationError: it is no device, or not one of this machine.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", 0)
        if torch.backends.mps.is_available():
            return torch.device("mps")
        logger.info("no GPU found: the compressor's model runs on the CPU")
        return torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigurationError(f"{name!r} is no device; give auto, cpu, cuda or cuda:1") from error
    present = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if (device.index or 0) >= present.get(device.type, 0):
        raise ConfigurationError(
            f"this machine has no device {name} that this build of torch can use; give auto or cpu, "
            "or install a build of torch for it"
        )
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """Return the number format of that name; ``auto`` is bfloat16 where the device computes in it, else float32.

    A CPU does with AMX, at 2.6 times the speed of float32; one without converts back and forth, and is slow.

    Raises:
        ConfigurationError: there is none of that name.
    """
    if name == "auto":
        if device.type == "cpu":
            return torch.bfloat16 if _has_amx(_CPU_INFO) else torch.float32
        return torch.bfloat16 if device.type == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
    if name not in _DTYPES:
        raise ConfigurationError(f"unknown dtype {name!r}; give auto or one of {', '.join(_DTYPES)}")
    return _DTYPES[name]


def _has_amx(cpu_info: Path) -> bool:
    """Whether the CPU multiplies matrices in bfloat16, as far as Linux says."""
    try:
        return re.search(r"^flags\s*:.*\bamx_bf16\b", cpu_info.read_text(), re.MULTILINE) is not None
    except OSError:
        return False

"""Which device, which number format."""

import platform
import re
from pathlib import Path
from typing import Final

import torch
from loguru import logger

from compression_subnet.compressors.learned.int8 import can_use_int8
from compression_subnet.errors import ConfigurationError

__all__ = ["choose_device", "choose_dtype", "sums_overflow"]

_CPU_INFO: Final = Path("/proc/cpuinfo")
_DTYPES: Final = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "int8": torch.int8,
}
_AMX: Final = "amx_bf16"
# AVX-VNNI is of no use to torch's kernels. Without VNNI they are hardly faster than in float32, or slower, and their
# sums overflow: seen with FBGEMM_ENABLE_INSTRUCTIONS=AVX512 and AVX2, on a CPU that has AVX-VNNI as well.
_VNNI: Final = "avx512_vnni"


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
    """Return the number format of that name; ``auto`` is the fastest one that the device computes in.

    On a GPU that is bfloat16, where it has it. On a CPU it is bfloat16 with AMX (2.6 times the speed of float32; one
    without converts back and forth, and has 0.6 times the speed), else int8 with AVX-512 VNNI (1.6 to 1.9 times), else
    float32. By int8 the encoder's matrices are meant; all else is in float32 then.

    Raises:
        ConfigurationError: there is none of that name, or not on that device or with this build of torch.
    """
    if name == "auto":
        if device.type == "cpu":
            return _fastest_of_cpu()
        return torch.bfloat16 if device.type == "cuda" and torch.cuda.is_bf16_supported() else torch.float32
    if name not in _DTYPES:
        raise ConfigurationError(f"unknown dtype {name!r}; give auto or one of {', '.join(_DTYPES)}")
    if name == "int8":
        if device.type != "cpu":
            raise ConfigurationError(
                f"int8 is for CPUs, and the device is {device}; give --compressor.dtype auto, float16 or bfloat16"
            )
        if not can_use_int8():
            raise ConfigurationError("this build of torch cannot compute in int8; give --compressor.dtype float32")
    return _DTYPES[name]


def sums_overflow() -> bool:
    """Return whether this CPU adds products of 8-bit numbers in 16 bits, as those of x86 do that have no VNNI."""
    return platform.machine().lower() in ("x86_64", "amd64") and not _has(_VNNI)


def _fastest_of_cpu() -> torch.dtype:
    if _has(_AMX):
        return torch.bfloat16
    return torch.int8 if _has(_VNNI) and can_use_int8() else torch.float32


def _has(flag: str) -> bool:
    """Whether the CPU has that feature, as far as Linux says."""
    try:
        return re.search(rf"^flags\s*:.*\b{flag}\b", _CPU_INFO.read_text(), re.MULTILINE) is not None
    except OSError:
        return False

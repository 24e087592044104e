"""The GPU of this machine, by way of CuPy: whether there is one, kernels compiled for it, and its errors as sentences.

CuPy is loaded when a device is first asked for: it takes a second, and most of what the package does needs none.
Kernels are CUDA source, compiled for the device when they are first needed; CuPy keeps what it has compiled in the
user's folder of caches.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oracular.errors import DeviceError
from oracular.system.files import cut
from oracular.system.installing import install_command

USE_CPU = "use the processor (--device cpu)"

NOT_READY = 600
"""What CUDA says of an event that is still to come: cudaErrorNotReady."""

REMEDIES = {
    "NoDevice": f"use a machine with an NVIDIA GPU, or {USE_CPU}",
    "InsufficientDriver": f"install an NVIDIA driver that is new enough, or {USE_CPU}",
    "SystemDriverMismatch": f"install the same version of all parts of the NVIDIA driver, or {USE_CPU}",
    "MemoryAllocation": f"end other programs on the GPU, or {USE_CPU}",
    "OutOfMemory": f"end other programs on the GPU, or {USE_CPU}",
    "nvrtc": f"install CUDA's compiler NVRTC, as oracular[gpu] does, or {USE_CPU}",
}
"""What to do about some errors, by a part of what they are called; about any other one, `TRY_AGAIN`."""

TRY_AGAIN = f"see what nvidia-smi says of the GPU and try again, or {USE_CPU}"


def open_device() -> Any:
    """Return CuPy, the module, or raise a `DeviceError` that says why no GPU can be used."""
    if importlib.util.find_spec("cupy") is None:
        raise DeviceError(f"a GPU needs CuPy, which is not installed: {install_command('oracular[gpu]')}")
    try:
        import cupy
    except (ImportError, OSError, RuntimeError) as error:  # a library of CUDA that it needs is missing, or does not fit
        raise DeviceError(f"CuPy cannot be loaded ({_told(error)}): {install_command('oracular[gpu]')}") from None
    with device_errors():
        if cupy.cuda.runtime.getDeviceCount() == 0:
            raise DeviceError(f"there is no GPU: {REMEDIES['NoDevice']}")
        cupy.cuda.runtime.memGetInfo()  # a device that is there may still be out of order, or another's alone
    return cupy


@contextmanager
def device_errors() -> Iterator[None]:
    """Turn whatever CuPy raises within this context into a `DeviceError` of one sentence."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("cupy") and not isinstance(
            error, ImportError | OSError | RuntimeError
        ):
            raise
        told = _told(error)
        remedy = next((remedy for part, remedy in REMEDIES.items() if part.lower() in told.lower()), TRY_AGAIN)
        raise DeviceError(f"the GPU cannot be used ({told}): {remedy}") from None


def _told(error: Exception) -> str:
    """Return the kind of an error and what it says, on one line, cut where it is long."""
    return cut(f"{type(error).__name__}: {' '.join(str(error).split())}", 200)


def has_ended(cupy: Any, event: Any) -> bool:
    """Return whether an event has come; CuPy's own `event.done` is False for ever where the device was lost."""
    status = cupy.cuda.runtime.eventQuery(event.ptr)
    if status != NOT_READY:
        cupy.cuda.runtime.check_status(status)
    return bool(status != NOT_READY)


def compiled(cupy: Any, source: Path, name: str, sizes: Mapping[str, int]) -> Any:
    """Return a kernel of a CUDA source file, compiled for the device with these sizes as its constants."""
    options = ("--std=c++17", *(f"-D{constant}={value}" for constant, value in sizes.items()))
    module = cupy.RawModule(code=source.read_text(encoding="utf-8"), options=options, backend="nvrtc")
    return module.get_function(name)

"""The GPU of this machine, by way of CuPy: whether there is one, kernels compiled for it, and its errors as sentences.

CuPy is loaded when a device is first asked for: it takes a second, and most of what the package does needs none. Kernels
are CUDA source that lies beside the module which uses it, compiled when it is first needed; CuPy keeps what it has
compiled in the user's folder.
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

REMEDIES = {
    "NoDevice": "use a machine with an NVIDIA GPU, or leave the GPU out",
    "InsufficientDriver": "install a newer NVIDIA driver, or a CuPy for an older CUDA",
    "SystemDriverMismatch": "install the same version of all parts of the NVIDIA driver",
    "MemoryAllocation": "end other programs on the GPU, or leave the GPU out",
    "OutOfMemory": "end other programs on the GPU, or leave the GPU out",
}
"""What to do about some errors, by a part of what they are called; about any other one, `TRY_AGAIN`."""

TRY_AGAIN = "see what nvidia-smi says of the GPU, then try again; what was written by then is good to go on from"


def has_device() -> bool:
    """Return whether there is a GPU that can be used; without CuPy nothing is loaded to find out."""
    try:
        open_device()
    except DeviceError:
        return False
    return True


def open_device() -> Any:
    """Return CuPy, the module, or raise a `DeviceError` that says why no GPU can be used."""
    if importlib.util.find_spec("cupy") is None:
        raise DeviceError(f"a GPU needs CuPy, which is not installed: {install_command('oracular[gpu]')}")
    try:
        import cupy
    except (ImportError, OSError, RuntimeError) as error:  # a library of CUDA that it needs is missing, or does not fit
        reason = cut(str(error).strip().partition("\n")[0], 200)
        raise DeviceError(f"CuPy cannot be loaded ({reason}): {install_command('oracular[gpu]')}") from None
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
        kind = type(error)
        if not kind.__module__.startswith("cupy"):
            raise
        text = cut(" ".join(str(error).split()), 200)
        told = f"{kind.__name__} {text}"
        remedy = next((remedy for part, remedy in REMEDIES.items() if part.lower() in told.lower()), TRY_AGAIN)
        raise DeviceError(f"the GPU cannot go on ({kind.__name__}: {text}): {remedy}") from None


def compiled(cupy: Any, source: Path, name: str, sizes: Mapping[str, int]) -> Any:
    """Return a kernel of a CUDA source file, compiled for the device with these sizes as its constants."""
    options = ("--std=c++17", *(f"-D{constant}={value}" for constant, value in sizes.items()))
    module = cupy.RawModule(code=source.read_text(encoding="utf-8"), options=options, backend="nvrtc")
    return module.get_function(name)

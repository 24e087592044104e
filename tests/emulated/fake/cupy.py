"""CuPy as far as the package uses it, with kernels that run in the emulator: for tests on machines without a GPU.

A kernel is compiled with g++ after `emulator.h`, once for each source and set of constants; the environment names the
folder for it, `EMULATOR_CACHE`. Arrays are NumPy's, and new ones are full of rubbish unless they are to be zero.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import subprocess
import tempfile
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

HEADER = Path(__file__).parent.parent / "emulator.h"
CACHE = Path(os.environ.get("EMULATOR_CACHE") or tempfile.mkdtemp(prefix="emulated-"))
SCHEDULE = 0
"""The order in which threads run between two barriers: 0 forwards, 1 backwards, any other number at random."""

LAUNCHES = count(1)
FAILS_AT = int(os.environ.get("EMULATOR_FAILS_AT", "0"))
device = SimpleNamespace(lost=False)
"""The launches of kernels, the one at which the device is lost, and whether it is."""

MULTIPROCESSORS = 3
FREE_MEMORY = 4 << 20


class ndarray(np.ndarray):  # noqa: N801 - as CuPy calls it
    """An array on the device."""

    def get(self) -> np.ndarray:
        check_status(event_query(0))
        return np.array(self)

    def set(self, array: np.ndarray) -> None:
        assert (array.shape, array.dtype) == (self.shape, self.dtype)
        self[...] = array


def asarray(array: Any) -> ndarray:
    return np.array(array).view(ndarray)


def zeros(shape: Any, dtype: Any) -> ndarray:
    return np.zeros(shape, dtype).view(ndarray)


def empty(shape: Any, dtype: Any) -> ndarray:
    array = np.empty(shape, dtype)
    array.view(np.uint8)[...] = 0x5A
    return array.view(ndarray)


class CUDARuntimeError(RuntimeError):
    """An error that the driver tells of."""


class OutOfMemoryError(MemoryError):
    """Too little memory on the device."""


class Event:
    """A moment in the work of the device: here all work is done at once."""

    ptr = 0

    def record(self) -> None:
        pass

    def synchronize(self) -> None:
        check_status(event_query(self.ptr))


def event_query(event: int) -> int:
    """Return the number of an error, or 0 if the event has come."""
    return 700 if device.lost else 0


def check_status(status: int) -> None:
    if status:
        raise CUDARuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")


class RawModule:
    """A source file of kernels."""

    def __init__(self, *, code: str, options: tuple[str, ...], backend: str) -> None:
        assert backend == "nvrtc"
        self._library = ctypes.CDLL(str(_compiled(code, options)))

    def get_function(self, name: str) -> RawKernel:
        return RawKernel(getattr(self._library, f"launch_{name}"))


class RawKernel:
    """A kernel."""

    max_dynamic_shared_size_bytes = 48 << 10

    def __init__(self, launch: Any) -> None:
        self._launch = launch

    def __call__(
        self, grid: tuple[int, ...], block: tuple[int, ...], args: tuple[Any, ...], shared_mem: int = 0
    ) -> None:
        device.lost |= next(LAUNCHES) == FAILS_AT  # which is noticed when it is asked what was found
        assert shared_mem <= self.max_dynamic_shared_size_bytes
        values = [_value(argument) for argument in args]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        failed = self._launch(grid[0], block[0], ctypes.c_size_t(shared_mem), pointers, ctypes.c_uint(SCHEDULE))
        assert not failed, f"the emulator says {failed}: 1 where threads waited for each other in vain"


def _value(argument: Any) -> Any:
    """Return what a kernel is given for an argument: an address or a number, of just its size."""
    if isinstance(argument, ndarray):
        assert argument.flags.c_contiguous
        return ctypes.c_void_p(argument.ctypes.data or None)
    assert isinstance(argument, np.generic)  # CuPy takes a plain number for one of 64 bits
    return ctypes.create_string_buffer(argument.tobytes(), argument.itemsize)


def _compiled(code: str, options: tuple[str, ...]) -> Path:
    """Return the library of a source file, compiled for the emulator with the constants among the options."""
    constants = [option for option in options if option.startswith("-D")]
    name = hashlib.sha256("\n".join([HEADER.read_text("utf-8"), code, *constants]).encode()).hexdigest()[:16]
    library = CACHE / f"{name}.so"
    if not library.exists():
        kernels = re.findall(r"__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(", code)
        launches = [
            f'extern "C" int launch_{kernel}(unsigned grid, unsigned threads, size_t room, void** arguments, unsigned '
            f"schedule) {{ return emulated::launch({kernel}, grid, threads, room, arguments, schedule); }}\n"
            for kernel in kernels
        ]
        source = library.with_suffix(".cpp")
        source.write_text(f'#include "{HEADER}"\n#line 1\n{code}\n{"".join(launches)}', encoding="utf-8")
        beside = CACHE / f"{name}.{os.getpid()}.tmp"
        flags = ["-O1", "-std=c++17", "-shared", "-fPIC", "-DEMULATED", *constants]
        warnings = ["-Wall", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-function"]
        subprocess.run(["g++", *flags, *warnings, source, "-o", beside], check=True)
        beside.rename(library)
    return library


def _pinned(size: int) -> Any:
    """Return memory of this process that the device reads, too."""
    memory = (ctypes.c_char * size)()
    memory.ptr = ctypes.addressof(memory)  # type: ignore[attr-defined]
    return memory


cuda = SimpleNamespace(
    Event=Event,
    alloc_pinned_memory=_pinned,
    get_elapsed_time=lambda began, ended: 1000.0,
    memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
    runtime=SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        check_status=check_status,
        eventQuery=event_query,
        getDevice=lambda: 0,
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda device: {"multiProcessorCount": MULTIPROCESSORS},
        memGetInfo=lambda: (FREE_MEMORY, 2 * FREE_MEMORY),
    ),
)

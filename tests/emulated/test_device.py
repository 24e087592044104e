"""Whatever is wrong with the GPU, it is one sentence that says what to do."""

from __future__ import annotations

import re
import sys

import pytest

from oracular.bounds.gpu.evaluator import DeviceEvaluator
from oracular.bounds.letters import board_of
from oracular.errors import DeviceError
from oracular.strategies.hider import hider_uniform
from oracular.system.device import device_errors, open_device


def raising(error: Exception):
    def call(*arguments: object, **named: object) -> None:
        raise error

    return call


def sentence(emulated, jotto) -> str:
    with pytest.raises(DeviceError) as raised:
        DeviceEvaluator(board_of(hider_uniform(jotto(2))))
    told = str(raised.value)
    assert "\n" not in told and re.search(r": [^:]+$", told), told
    return told


def test_no_device(emulated, jotto, monkeypatch) -> None:
    monkeypatch.setattr(emulated.cuda.runtime, "getDeviceCount", lambda: 0)
    assert sentence(emulated, jotto) == (
        "there is no GPU: use a machine with an NVIDIA GPU, or use the processor (--device cpu)"
    )


@pytest.mark.parametrize(
    ("where", "what", "remedy"),
    [
        ("getDeviceCount", "cudaErrorNoDevice: no CUDA-capable device is detected", "use a machine with"),
        (
            "getDeviceCount",
            "cudaErrorInsufficientDriver: CUDA driver version is insufficient",
            "install an NVIDIA driver",
        ),
        ("memGetInfo", "cudaErrorMemoryAllocation: out of memory", "end other programs"),
        (
            "getDeviceProperties",
            "cudaErrorDevicesUnavailable: all CUDA-capable devices are busy",
            "see what nvidia-smi",
        ),
    ],
)
def test_an_error_of_the_driver(emulated, jotto, monkeypatch, where, what, remedy) -> None:
    monkeypatch.setattr(emulated.cuda.runtime, where, raising(emulated.CUDARuntimeError(what)))
    told = sentence(emulated, jotto)
    assert what in told and remedy in told


def test_too_little_memory(emulated, jotto, monkeypatch) -> None:
    monkeypatch.setattr(emulated, "zeros", raising(emulated.OutOfMemoryError("Out of memory allocating 9,000 bytes")))
    assert "end other programs" in sentence(emulated, jotto)


def test_a_compiler_that_is_missing(emulated, jotto, monkeypatch) -> None:
    monkeypatch.setattr(emulated, "RawModule", raising(RuntimeError("CuPy failed to load libnvrtc.so.12:\nOSError")))
    assert "install CUDA's compiler NVRTC" in sentence(emulated, jotto)


def test_cupy_that_cannot_be_loaded(tmp_path, monkeypatch) -> None:
    (tmp_path / "cupy.py").write_text("raise ImportError('libcudart.so.12: cannot open\\nsee there')", encoding="utf-8")
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DeviceError, match=r"CuPy cannot be loaded \(ImportError: libcudart.so.12: .*oracular\[gpu\]"):
        open_device()


def test_a_mistake_of_the_program_is_not_blamed_on_the_device() -> None:
    with pytest.raises(TypeError), device_errors():
        raise TypeError("a mistake")

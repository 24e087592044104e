"""What tests of GPU code need: CuPy with kernels that run in the emulator."""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

FAKE = Path(__file__).parent / "fake"


@pytest.fixture(scope="session")
def emulator_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of compiled kernels; without g++ the tests are skipped that need them."""
    if shutil.which("g++") is None:
        pytest.skip("kernels are emulated by g++, which is not there")
    return tmp_path_factory.mktemp("emulated")


@pytest.fixture
def emulated(emulator_cache: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Give the fake CuPy, which is imported in place of any other during a test."""
    monkeypatch.setenv("EMULATOR_CACHE", str(emulator_cache))
    monkeypatch.syspath_prepend(str(FAKE))
    for name in [name for name in sys.modules if name.split(".")[0] == "cupy"]:
        monkeypatch.delitem(sys.modules, name)
    fake = importlib.import_module("cupy")
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake

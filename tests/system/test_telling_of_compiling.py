"""The command says that it compiles code, once and only when it does; a program that uses the package is not told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oracular.system.starting import EACH_TIME, ONCE

KERNELS = """
from numba import njit

@njit(cache=True)
def twice(x):
    return 2 * x

@njit(cache=True)
def more(x):
    return twice(x) + 1
"""
SCRIPT = """
import oracular.kernels
if {forget}:
    oracular.kernels.CACHE_FOLDER = None
from small import more, twice
print(more(20), twice(4))
"""


@pytest.fixture
def called(tmp_path: Path):
    """Give a function that runs two small kernels in a process of some name; it returns what is said on stderr."""
    (tmp_path / "small.py").write_text(KERNELS)
    (tmp_path / "kept").mkdir(mode=0o700)

    def run(name: str, forget: bool = False) -> list[str]:
        (tmp_path / name).write_text(SCRIPT.format(forget=forget))
        own = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        command = [sys.executable, tmp_path / name]
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | own, check=True)
        assert done.stdout == "41 8\n"
        return done.stderr.splitlines()

    return run


def test_the_command_says_once_that_it_compiles_and_nothing_where_code_is_kept(called):
    assert called("oracular") == [ONCE]
    assert called("oracular") == []


def test_a_program_that_uses_the_package_is_not_told(called):
    assert called("program.py") == []


def test_where_nothing_can_be_kept_that_is_said(called):
    assert called("oracular", forget=True) == [EACH_TIME]

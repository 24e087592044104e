"""Every format that is read is damaged on purpose: the answer is a result or one sentence, and never a false bound."""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import oracular

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from damage import work  # noqa: E402
from samples import FORMATS, small_game  # noqa: E402

FEW, MANY = 15, 500
OF_TABLES = "run for a table"
"""Formats that end so have the files of others, and one more: only the long form of the test goes through them."""


@cache
def _value_of_small_game() -> Fraction:
    with tempfile.TemporaryDirectory() as folder:
        return oracular.solve(small_game(Path(folder) / "sample"), solver="exact").lower


def _work(told: Path, *arguments: Any) -> None:
    """Go through all cases in a process of its own, whose errors go to a file."""
    with told.open("w", encoding="utf-8") as sys.stderr:
        work(*arguments)


def _damage(name: str, folder: Path, seed: int, count: int) -> None:
    sample, log, told = folder / "sample", folder / "log", folder / "told"
    FORMATS[name].make(sample)
    (folder / "value").write_text(str(FORMATS[name].value or _value_of_small_game()))
    corpus = HERE / "corpus" / f"{name.replace(' ', '-')}.json"
    forked = multiprocessing.get_context("fork")  # compiled code is loaded once, here
    process = forked.Process(target=_work, args=(told, name, sample, log, corpus, seed, count))
    process.start()
    process.join()
    done, errors = log.read_text(encoding="utf-8"), told.read_text(encoding="utf-8")
    assert process.exitcode == 0 and done == "done", f"code {process.exitcode} after {done}\n{errors[-3000:]}"


@pytest.mark.parametrize("name", [name for name in FORMATS if not name.endswith(OF_TABLES)])
def test_what_once_did_harm_and_a_few_damaged_files_do_none(name, tmp_path):
    _damage(name, tmp_path, 1, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_do_no_harm(name, tmp_path):
    _damage(name, tmp_path, 2, MANY)

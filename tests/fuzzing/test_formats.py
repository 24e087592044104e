"""Every format that is read is damaged on purpose: the answer is a result or one sentence, and never a false bound."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import oracular

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from samples import FORMATS, small_game  # noqa: E402

FEW, MANY = 15, 500


def _damage(name: str, folder: Path, seed: int, count: int) -> None:
    sample, log = folder / "sample", folder / "log"
    FORMATS[name].make(sample)
    value = FORMATS[name].value or oracular.solve(small_game(sample), solver="exact").lower
    (folder / "value").write_text(str(value))
    corpus = HERE / "corpus" / f"{name.replace(' ', '-')}.json"
    ended = subprocess.run(
        [sys.executable, str(HERE / "damage.py"), name, *map(str, (sample, log, corpus, seed, count))],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    done = log.read_text(encoding="utf-8")
    assert ended.returncode == 0 and done == "done", f"code {ended.returncode} after {done}\n{ended.stderr[-3000:]}"


@pytest.mark.parametrize("name", FORMATS)
def test_what_once_did_harm_and_a_few_damaged_files_do_none(name, tmp_path):
    _damage(name, tmp_path, 1, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_do_no_harm(name, tmp_path):
    _damage(name, tmp_path, 2, MANY)

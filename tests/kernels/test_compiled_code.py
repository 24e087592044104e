"""Compiled code that was kept on disk is forgotten when any kernel changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import oracular.kernels


@pytest.mark.slow
def test_a_change_in_one_kernel_is_seen_by_those_that_call_it(tmp_path):
    package = tmp_path / "oracular"
    source = Path(oracular.kernels.__file__).parent.parent
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))
    script = "import oracular; print(oracular.guesser_gbr_uniform(oracular.game('jotto-2')).depths().sum())"

    usual = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}  # code is kept here

    def total() -> int:
        ended = subprocess.run(
            [sys.executable, "-c", script],
            env={**usual, "PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        return int(ended.stdout)

    assert total() == 338
    scoring = package / "kernels" / "greedy" / "scoring.py"
    text = scoring.read_text()
    assert "if costs[i] < best_key" in text
    scoring.write_text(text.replace("if costs[i] < best_key", "if costs[i] <= best_key"))  # the last best guess wins
    assert total() != 338

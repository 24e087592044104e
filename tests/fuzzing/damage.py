"""Damages the files of one format, again and again, and reads them as a user would; run in a process of its own.

    python damage.py FORMAT SAMPLE LOG CORPUS SEED COUNT      the damage that the corpus keeps, then so much at random

Before each case its edits are written to LOG, so that whoever started this can tell which case killed it. A case passes
if the command line ends with a result or one sentence, and if no bound that `oracular verify` calls proved lies on the
wrong side of the game's value in the mean.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from oracular.cli.main import main

from edits import Edit, apply_edits, random_edit
from samples import FORMATS

SECONDS_A_CASE = 120


def cases(sample: Path, corpus: Path, seed: int, count: int) -> Iterator[list[Edit]]:
    """Give the edits of each case."""
    yield from json.loads(corpus.read_text(encoding="utf-8"))
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        yield [random_edit(sample, rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]


def call(arguments: list[str]) -> tuple[int, str]:
    """Return the exit code of a command and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    assert code in (0, 2), (code, arguments)
    if code == 2:
        told = [line for line in err.getvalue().splitlines() if not line.startswith("note: word file")]
        assert told[0].startswith("error: ") and len(err.getvalue()) < 2000, err.getvalue()[:3000]
    assert "Traceback" not in err.getvalue(), err.getvalue()
    return code, out.getvalue()


def check_sound(printed: str, value: Fraction) -> None:
    """Raise an error where a bound that was printed as proved is on the wrong side of the value."""
    told = json.loads(printed)
    assert Fraction(told.get("upper") or "1000000") >= value, told
    if told.get("proved"):
        assert Fraction(told["lower"]) <= value <= Fraction(told["upper"]), told


def work(name: str, sample: Path, log: Path, corpus: Path, seed: int, count: int) -> None:
    """Go through all cases of a format."""
    value = Fraction((sample.parent / "value").read_text())
    failed = 0
    for edits in cases(sample, corpus, seed, count):
        log.write_text(json.dumps(edits), encoding="utf-8")
        signal.alarm(SECONDS_A_CASE)  # a case that hangs ends the program
        try:
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch) / "sample"
                shutil.copytree(sample, folder)
                apply_edits(folder, edits)
                check_case(name, folder, value)
        except Exception:
            failed += 1
            print(f"{json.dumps(edits)}\n{traceback.format_exc(limit=-3)}", file=sys.stderr)
        signal.alarm(0)
    log.write_text(f"{failed} failed" if failed else "done", encoding="utf-8")


def check_case(name: str, folder: Path, value: Fraction) -> None:
    """Read a damaged sample in every way there is."""
    for command in FORMATS[name].commands(folder):
        code, printed = call(command)
        if command[0] == "verify" and code == 0 and json.loads(printed)["objective"] == "mean":
            check_sound(printed, value)


if __name__ == "__main__":
    work(sys.argv[1], *map(Path, sys.argv[2:5]), *map(int, sys.argv[5:7]))

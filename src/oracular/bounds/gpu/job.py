"""Jobs for a GPU, in files: a game of letters, the secrets that are hidden, and units of work; and what they came to.

Both files are JSON, so a job can be taken to a machine that has a GPU and little else:

    {"job": 1, "words": [[0, 1, 4], ...], "secrets": [0, 1, ...], "units": [[opening, plies, ceiling], ...]}
    {"result": 1, "units": [[opening, plies, ceiling, bound, optimum], ...]}

A word is the numbers of its letters, all different: where a letter repeats, the second one has a number of its own. A
secret is the number of its word, and so is an opening. A bound is in guesses for all secrets together, to so many
plies, cut at the ceiling; `optimum` says whether no tree with this opening needs more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from oracular.bounds.batches import ALL_OF_IT, Unit
from oracular.bounds.gpu.evaluator import MOST_PLIES
from oracular.bounds.letters import MOST_GUESSES, LetterBoard
from oracular.bounds.parts import TotalBound
from oracular.errors import RunError
from oracular.system import files
from oracular.system.files import check_list, check_object, check_whole, quoted

FORMAT = 1


@dataclass(frozen=True, eq=False)
class Job:
    """A board, and units of work on it."""

    board: LetterBoard
    units: Sequence[Unit]


def write_job(path: Path, job: Job) -> None:
    """Write a job, as a whole or not at all."""
    board = job.board
    content = {"job": FORMAT, "words": board.tokens.tolist(), "secrets": board.finder.tolist(), "units": job.units}
    _write(path, content)


def read_job(path: Path) -> Job:
    """Return the job in a file."""
    content = _read(path)
    try:
        check_object(content, "it", ("job", "words", "secrets", "units"))
        check_whole(content["job"], "its format", FORMAT, FORMAT)
        words = [
            [check_whole(token, "a letter", 0, 255) for token in check_list(word, "a word")]
            for word in check_list(content["words"], "words")
        ]
        if len(set(map(len, words))) != 1:
            raise ValueError("the words are not all as long")
        secrets = [check_whole(one, "a secret", 0, MOST_GUESSES) for one in check_list(content["secrets"], "secrets")]
        board = LetterBoard(np.array(words, np.uint8), np.array(secrets, np.int32))
        units = [_unit(row, len(words)) for row in check_list(content["units"], "units")]
    except ValueError as error:
        raise RunError(f"{quoted(path)} is no job for a GPU ({error}): write it again") from None
    return Job(board, units)


def write_result(path: Path, bounds: Mapping[Unit, TotalBound]) -> None:
    """Write what units came to, as a whole or not at all."""
    _write(path, {"result": FORMAT, "units": [[*unit, *bound] for unit, bound in bounds.items()]})


def read_result(path: Path) -> dict[Unit, TotalBound]:
    """Return what the units in a file came to."""
    content = _read(path)
    try:
        check_object(content, "it", ("result", "units"))
        check_whole(content["result"], "its format", FORMAT, FORMAT)
        found = {}
        for row in check_list(content["units"], "units"):
            *unit, total, exact = check_list(row, "a unit")
            if not isinstance(exact, bool):
                raise ValueError("a unit does not say whether its bound is the optimum")
            found[_unit(unit, MOST_GUESSES)] = TotalBound(check_whole(total, "a bound", 1, ALL_OF_IT), exact)
    except ValueError as error:
        raise RunError(f"{quoted(path)} is no result of a GPU ({error}): work it out again") from None
    return found


def _unit(row: object, openings: int) -> Unit:
    """Return the unit that a list stands for."""
    opening, plies, ceiling = check_list(row, "a unit")
    return Unit(
        check_whole(opening, "an opening", 0, openings - 1),
        check_whole(plies, "the plies of a unit", 2, MOST_PLIES + 2),
        check_whole(ceiling, "the ceiling of a unit", 1, ALL_OF_IT),
    )


def _read(path: Path) -> dict[str, object]:
    """Return the content of a file of JSON."""
    try:
        return files.parse_json(files.read_bytes(path))
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be read ({error.strerror}): mend that, then try again") from None
    except ValueError:
        raise RunError(f"{quoted(path)} is no JSON: write it again") from None


def _write(path: Path, content: Mapping[str, object]) -> None:
    """Write a file of JSON, as a whole or not at all."""
    try:
        files.write_whole(path, f"{json.dumps(content)}\n".encode())
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be written ({error.strerror}): mend that, then try again") from None

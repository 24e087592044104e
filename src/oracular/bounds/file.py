"""The files in a run's folder that keep the lower bounds of openings.

A file's checksum shows whether it was damaged. It proves none of the bounds, so all of them count as recorded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oracular.bounds.lower_bound import LowerBound
from oracular.bounds.opening import OpeningBound
from oracular.errors import RunError
from oracular.strategies.hider import Hider
from oracular.strategies.shipped import ProofRow
from oracular.system import files
from oracular.system.files import quoted

MOST_BYTES = 1 << 28
"""A file of bounds is no larger than this."""


def add_from_file(bound: LowerBound, path: Path) -> bool:
    """Add the bounds that a file records for this hider; return whether there are any."""
    known = read_bounds(path, bound.hider)
    try:
        bound.add_recorded(known)
    except ValueError:
        raise _damaged(path) from None
    return bool(known)


def write_bounds(path: Path, hider: Hider, openings: Mapping[int, OpeningBound]) -> None:
    """Replace the file as a whole by these bounds of openings against a hider."""
    rows = [[known.opening, known.bound, known.plies] for known in openings.values()]
    data = sealed({"weights_sha256": weights_sha256(hider), "openings": rows})
    try:
        try:
            files.write_whole(path, data)
        except FileNotFoundError:  # a solver working in the folder may have removed the temporary file
            files.write_whole(path, data)
    except OSError as error:
        raise not_written(path, error) from None


def sealed(data: object) -> bytes:
    """Return plain data as the content of a file: a checksum in the first line, the data in the second."""
    body = json.dumps(data)
    return f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n".encode()


def unsealed(content: bytes) -> Any:
    """Return the data that `sealed` wrote, or raise `ValueError` where it wrote no such thing."""
    digest, body, rest = content.decode().split("\n")
    data = files.parse_json(body)
    if rest or hashlib.sha256(body.encode()).hexdigest() != digest:
        raise ValueError("the checksum is wrong")
    return data


def weights_sha256(hider: Hider) -> str:
    """Return the hash of a hider's weights and game."""
    game = hider.game
    told = (game.name, game.words_sha256, game.answers_sha256, *[game.untold_rule] * bool(game.untold_rule))
    text = " ".join(map(str, (*told, *hider.weights.tolist())))
    return hashlib.sha256(text.encode()).hexdigest()


def not_written(path: Path, error: OSError) -> RunError:
    """Return the error for a file that cannot be written."""
    return RunError(f"{quoted(path)} cannot be written ({error.strerror}): mend that, then try again")


def read_bounds(path: Path, hider: Hider) -> dict[int, OpeningBound]:
    """Return the bounds that a file records: none where it is missing, or holds those of other weights."""
    try:
        data = unsealed(files.read_bytes(path, MOST_BYTES))
        rows = files.read_as(list[ProofRow], data["openings"])
        if len({opening for opening, _, _ in rows}) != len(rows):
            raise ValueError("an opening is listed twice")
        sha256 = data["weights_sha256"]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be read ({error.strerror}): mend that, then try again") from None
    except (ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    if sha256 != weights_sha256(hider):
        return {}  # the run went on after the file was written, and its hider changed
    return {opening: OpeningBound(bound, opening, plies) for opening, bound, plies in rows}


def _damaged(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is damaged or was edited: remove it to prove its bounds again")

"""The objective of a run, as its folder keeps it.

The manifest of a run names its objective, unless that is the mean. A table of utilities is kept in a file beside it, in
the format in which users give one (docs/objectives.md), with every utility as a fraction: so the run is whole without
the user's file. What is read is no more believed than anything else in a run.
"""

from __future__ import annotations

import json

from oracular.games.game import Game
from oracular.objectives import WITHIN, Objective, mean, objective_of_data, parse_table
from oracular.system.files import quoted

TABLE = "table"
"""What a manifest calls a table of utilities."""


def written(kept: Objective, game: Game) -> bytes:
    """Return the file of a table of utilities, from which `read` makes the same objective."""
    return (json.dumps(kept.to_data(game)) + "\n").encode()


def check_name(name: object) -> None:
    """Raise `ValueError` unless a manifest may call an objective so; the mean has no name there."""
    if not isinstance(name, str) or (name != TABLE and WITHIN.fullmatch(name) is None):
        raise ValueError("its objective is none that a run can have")


def read(name: str | None, content: bytes | None, game: Game) -> Objective:
    """Return the objective that a manifest names, with the file of its table; `ValueError` where there is none."""
    if name is None:
        return mean()
    return objective_of_data(name if content is None else parse_table(content), game)


def named(kept: Objective) -> str:
    """Return what an objective is called in a sentence."""
    return "a table of utilities" if kept.name == TABLE else quoted(kept.name)


def differing(theirs: Objective, ours: Objective) -> str | None:
    """Return how two objectives differ, for a sentence about the run of the first; None where they do not."""
    if theirs.identity == ours.identity:
        return None
    if theirs.name == ours.name == TABLE:
        return "was begun with another table of utilities"
    return f"was begun with the objective {named(theirs)}, not {named(ours)}"

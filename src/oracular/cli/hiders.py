"""Hiders as the command line names them: the computer's, `uniform`, a run's, or the weights in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from oracular.games.game import Game
    from oracular.strategies.hider import Hider

COMPUTER = "computer"
"""The name of the hider that a person plays against."""

MAX_BYTES = 1 << 26

hider_option = click.option(
    "--hider",
    default=COMPUTER,
    metavar="computer|uniform|FILE|RUN",
    help="How the secret was chosen: as the computer would, each word alike, by a file with one whole number a secret, "
    "or by a run's hider [computer].",
)


def assumed_hider(game: Game, named: str) -> Hider | None:
    """Return the hider that `hider_option` names; None for the computer's, which advice assumes by default."""
    return None if named == COMPUTER else named_hider(game, named)


def named_hider(game: Game, named: str) -> Hider:
    """Return the hider of a name: `uniform`, the folder of a run, or a file of weights."""
    import numpy as np

    import oracular
    from oracular.errors import SettingsError
    from oracular.runs.folder import is_run
    from oracular.system.files import quoted, read_bytes

    if named == "uniform":
        return oracular.hider_uniform(game)
    path = Path(named)
    if is_run(path):
        solution = oracular.load_run(path)
        if not solution.game.is_same(game):
            raise SettingsError(
                f"the run in {quoted(named)} is of {solution.game.name}, not of this {game.name}: name another"
            )
        return solution.hider
    try:
        words = read_bytes(path, MAX_BYTES).decode().split()
        weights = [int(word) for word in words]
        if not all(word.isascii() and word.removeprefix("-").isdigit() for word in words):
            raise ValueError("digits of another script, or with lines between them")
    except OSError as error:
        raise SettingsError(
            f"hider {quoted(named)} cannot be read ({error.strerror}): give uniform, a file or a run"
        ) from None
    except ValueError:
        raise SettingsError(
            f"hider file {quoted(named)} holds something else than whole numbers: give one for each secret"
        ) from None
    return oracular.Hider(game, np.array(weights, dtype=object))

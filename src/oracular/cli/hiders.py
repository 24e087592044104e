"""Hiders as the command line names them: the computer's, `uniform`, a run's, or the weights in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from oracular.games.game import Game
    from oracular.strategies.hider import Hider

UNIFORM, COMPUTER = "uniform", "computer"
"""The hider that is assumed of a game that was played elsewhere, and the one that a person plays against."""

MAX_BYTES = 1 << 26

hider_option = click.option(
    "--hider",
    default=UNIFORM,
    metavar="uniform|computer|FILE|RUN",
    help="How the secret was chosen: all equally likely, by the computer's strategy, by a file with one whole number a "
    "secret, or by a run's hider [uniform].",
)


def named_hider(game: Game, named: str) -> Hider:
    """Return the hider of a name: `uniform`, `computer`, the folder of a run, or a file of weights."""
    import numpy as np

    import oracular
    from oracular.errors import SettingsError
    from oracular.play.opponent import opponent
    from oracular.runs.folder import is_run
    from oracular.system.files import quoted, read_bytes

    if named == UNIFORM:
        return oracular.hider_uniform(game)
    if named == COMPUTER:
        return opponent(game).hider
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

"""Hiders as the command line names them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracular.games.game import Game
    from oracular.strategies.hider import Hider

COMPUTER = "computer"
"""The name of the hider that a person plays against."""

MOST_BYTES = 1 << 26
"""A file of weights is no larger than this."""


def assumed_hider(game: Game, named: str) -> Hider:
    """Return the hider that advice assumes: the computer's, or one that is named."""
    from oracular.play.opponent import opponent

    return opponent(game).hider if named == COMPUTER else named_hider(game, named)


def named_hider(game: Game, named: str) -> Hider:
    """Return the hider that is meant: `uniform`, a run's, or the weights in a file."""
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
        if (solution.game.name, solution.game.words_sha256) != (game.name, game.words_sha256):
            raise SettingsError(
                f"the run in {quoted(named)} is of {solution.game.name}, not of this {game.name}: name another"
            )
        return solution.hider
    try:
        words = read_bytes(path, MOST_BYTES).decode().split()
        weights = [int(word) for word in words]
        if not all(word.isascii() and word.removeprefix("-").isdigit() for word in words):
            raise ValueError("digits of another script, or with lines between them")
    except OSError as error:
        raise SettingsError(
            f"hider {quoted(named)} cannot be read ({error.strerror}): give uniform, a file or a run"
        ) from None
    except ValueError:
        raise SettingsError(
            f"hider file {quoted(named)} holds something else than whole numbers: give one a secret"
        ) from None
    return oracular.Hider(game, np.array(weights, dtype=object))

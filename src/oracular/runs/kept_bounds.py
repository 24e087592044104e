"""How bounds of openings are kept in a folder while they are raised: one process at a time, and only what holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from oracular.errors import ClusterError, FalseAnswerError, RunError
from oracular.games.game import Game
from oracular.system import files
from oracular.system.files import quoted

if TYPE_CHECKING:
    from oracular.bounds.lower_bound import LowerBound

SECONDS_BETWEEN_SAVES = 2.0
"""So often what is proved is written while the work goes on."""


@contextmanager
def locked_folder(folder: Path, lock: str, written: str, busy: str) -> Iterator[None]:
    """Hold the lock of a folder, or raise an error if another process holds it.

    Args:
        folder: the folder, which exists.
        lock: the name of the lock's file.
        written: how the names of files begin that are written under this lock: what a killed writer left is removed.
        busy: what the other process is doing, for the error.
    """
    from oracular.bounds.file import not_written

    try:
        descriptor = files.open_to_write(folder / lock, make=True)
    except OSError as error:
        raise not_written(folder / lock, error) from None
    try:
        with files.locked(descriptor) as ours:
            if not ours:
                raise RunError(f"{busy}: wait for it")
            try:
                files.sweep_temporary(folder, lambda name: name.startswith(written))
            except OSError as error:
                raise not_written(folder, error) from None
            yield
    finally:
        files.close(descriptor)


@contextmanager
def what_holds_is_kept(bound: LowerBound, path: Path, save: Callable[[], None]) -> Iterator[None]:
    """Give a context in which bounds are raised; where it ends in an error, the file has what holds all the same.

    What was proved before a cluster was lost is saved. If a cluster gave a false answer, nothing is kept that
    it reported. If a bound that the file recorded is false, the error says so.
    """
    from oracular.bounds.file import write_bounds
    from oracular.bounds.lower_bound import RefutedBoundError

    before = dict(bound.openings)
    try:
        yield
    except ClusterError:
        save()
        raise
    except FalseAnswerError:
        write_bounds(path, bound.hider, before)
        raise
    except RefutedBoundError as error:
        raise false_bound_in(path, bound.game, error.opening) from None


def false_bound_in(path: Path, game: Game, opening: int) -> RunError:
    """Return the error for a bound in a file that is false."""
    return false_bound(quoted(path), game, opening, "remove it to prove its bounds again")


def false_bound(source: str, game: Game, opening: int, remedy: str) -> RunError:
    """Return the error for a recorded bound that is false."""
    return RunError(f"{source} claims more of the opening {game.guesses[opening]!r} than can be proved again: {remedy}")

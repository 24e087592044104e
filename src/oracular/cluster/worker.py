"""What runs on a worker: the games that were announced to it, and the jobs that it is sent.

A game is announced by a plugin that Dask sends once to each worker, including those that join later: the game's
identity and a user's own word lists. The worker makes the game for itself, and refuses one that is not the same. The
table of answers is never sent. A worker's jobs use one thread each.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

import oracular
from oracular.errors import ClusterError, OracularError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name

_places: dict[str, Place | None] = {}
"""The games by their tickets; None for one that was withdrawn."""


class Place(WorkerPlugin):
    """A game on a worker, with what its threads keep from one job to the next.

    Attributes:
        name: the ticket by which jobs name it.
        kept: each thread's own; it is forgotten when the game is withdrawn.
    """

    kept: threading.local
    _making: threading.Lock
    _game: Game | None
    _withdrawn: bool

    def __init__(self, ticket: str, game: Game) -> None:
        self.name = ticket
        self._identity, self._lists, self._sources = game.identity, dict(game.own_lists), sources_sha256()

    def setup(self, worker: Worker) -> None:
        """Get ready on a worker."""
        self.kept, self._making = threading.local(), threading.Lock()
        self._game, self._withdrawn = None, False
        _places[self.name] = self

    def teardown(self, worker: Worker) -> None:
        """Forget the game, and stop the jobs that are running."""
        self._withdrawn = True
        _places[self.name] = None

    def make(self) -> Game:
        """Return the game, its words checked; the table is not built yet."""
        if self._sources != sources_sha256():
            raise ClusterError("a worker of the cluster has other sources of oracular: install the same there")
        try:
            game = game_of_name(self._identity.name, **self._lists)
        except OracularError as error:
            raise ClusterError(f"a worker of the cluster cannot make {self._identity.name} ({error})") from None
        if game.words_sha256 != self._identity.words_sha256:
            raise ClusterError(f"a worker of the cluster has another word list for {game.name}: install the same there")
        return game

    @property
    def game(self) -> Game:
        """The game, made and checked once in this process."""
        with self._making:
            if self._game is None:
                game = self.make()
                if game.identity != self._identity:
                    raise ClusterError(
                        f"a worker of the cluster answers otherwise in {game.name}: install the same version there"
                    )
                self._game = game
            return self._game

    def stopped(self) -> bool:
        """Return whether this thread's job should end: its answer is wanted now, or nobody waits for it any more."""
        try:
            worker = get_worker()
            task = worker.state.tasks.get(worker.get_current_task())
        except (ValueError, KeyError):  # this thread runs no task of a worker
            return self._withdrawn
        # Dask cancels all tasks of a driver that has gone
        return self._withdrawn or task is None or task.state == "cancelled"


def run_job(ticket: str, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return what `work(place, *arguments)` returns on this worker, or None if its game was withdrawn."""
    if ticket not in _places:
        raise ClusterError("a worker does not know the game of its job: connect to the cluster again")
    place = _places[ticket]
    return None if place is None else work(place, *arguments)


def check_words(ticket: str) -> None:
    """Raise an error unless this worker makes the same words for a game."""
    if (place := _places[ticket]) is not None:
        place.make()


@cache
def sources_sha256() -> str:
    """Return the hash of the package's sources, which differs for copies that claim the same version."""
    folder = Path(oracular.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()

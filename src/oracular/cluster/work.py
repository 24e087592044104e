"""What a worker keeps between tasks: the games that were announced to it, built once and checked.

A game is announced by its recipe: its identity and a user's own word lists. The recipe is sent once to each worker,
including those that join later; a task only names it by its ticket. The table of answers is never sent.

A worker's tasks build trees on one thread each.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin, get_worker

import oracular
from oracular.errors import ClusterError, OracularError
from oracular.games.game import Game, Words
from oracular.games.identity import Identity
from oracular.games.names import game as game_of_name

_recipes: dict[str, Recipe] = {}
_games: dict[Identity, Game] = {}
_halted: set[str] = set()
_workplaces: dict[tuple[str, int], dict[str, Any]] = {}
_building = threading.Lock()


@dataclass(frozen=True)
class Recipe:
    """How a worker makes a game for itself."""

    identity: Identity
    lists: Mapping[str, Words]
    sources_sha256: str

    @classmethod
    def of(cls, game: Game) -> Recipe:
        """Return the recipe of a game, or raise an error if it cannot be made from its name."""
        try:
            again = game_of_name(game.name, **game.own_lists)
        except OracularError:
            again = None
        if again is None or not again.is_same(game):
            raise ClusterError(
                f"{game!r} is a game of one's own that workers cannot make from its name: leave the cluster out"
            )
        return cls(game.identity, dict(game.own_lists), sources_sha256())

    def make(self) -> Game:
        """Return the game, its words checked; the table is not built yet."""
        if self.sources_sha256 != sources_sha256():  # this worker joined after the others were checked
            raise ClusterError("a worker of the cluster has other sources of oracular: install the same there")
        name = self.identity.name
        if not _plain(name, self.lists):
            raise ClusterError("a worker of the cluster was sent a recipe that is no name and words: send none")
        try:
            game = game_of_name(name, **self.lists)
        except OracularError as error:
            raise ClusterError(f"a worker of the cluster cannot make {name} ({error})") from None
        if game.words_sha256 != self.identity.words_sha256:
            raise ClusterError(f"a worker of the cluster has another word list for {name}: install the same there")
        return game


def _plain(name: Any, lists: Any) -> bool:
    """Return whether a recipe's name and word lists are plain texts: the worker would read a path as a file."""
    return (
        type(name) is str
        and isinstance(lists, Mapping)
        and all(type(key) is str for key in lists)
        and all(type(words) is tuple and all(type(word) is str for word in words) for words in lists.values())
    )


class Announcement(WorkerPlugin):
    """Gives a recipe to every worker, and removes it at the end."""

    def __init__(self, ticket: str, recipe: Recipe) -> None:
        self.name = ticket
        self.recipe = recipe

    def setup(self, worker: Worker) -> None:
        """Keep the recipe."""
        _recipes[self.name] = self.recipe

    def teardown(self, worker: Worker) -> None:
        """Forget the recipe, and the game unless another recipe makes it."""
        _recipes.pop(self.name, None)
        _halted.discard(self.name)
        for key in [key for key in list(_workplaces) if key[0] == self.name]:
            _workplaces.pop(key, None)
        wanted = {recipe.identity for recipe in _recipes.values()}
        for identity in _games.keys() - wanted:
            _games.pop(identity, None)


def game_for(ticket: str) -> Game:
    """Return the game that a ticket stands for, built and checked once in this process."""
    recipe = _recipes.get(ticket)
    if recipe is None:
        raise ClusterError("a worker does not know the game it is to play: connect to the cluster anew")
    identity = recipe.identity
    with _building:
        if identity not in _games:
            game = recipe.make()
            if game.identity != identity:
                raise ClusterError(
                    f"a worker of the cluster answers otherwise in {identity.name}: install the same version there"
                )
            _games[identity] = game
        return _games[identity]


def check_words(ticket: str) -> str:
    """Return the hash of the words that this worker makes from a recipe, or raise an error if it cannot."""
    return _recipes[ticket].make().words_sha256


@cache
def sources_sha256() -> str:
    """Return the hash of the package's sources, which differs for copies that claim the same version."""
    folder = Path(oracular.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def halt(ticket: str) -> None:
    """Make the long tasks of a ticket in this process end soon."""
    _halted.add(ticket)


def halted(ticket: str) -> bool:
    """Return whether a ticket's long tasks should end, because nobody waits for them any more."""
    return ticket in _halted or ticket not in _recipes or _cancelled()


def _cancelled() -> bool:
    """Return whether the task of this thread was cancelled; Dask cancels all tasks of a driver that has gone."""
    try:
        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
    except (ValueError, KeyError):  # this thread runs no task of a worker
        return False
    return task is None or task.state == "cancelled"


def workplace(ticket: str) -> dict[str, Any]:
    """Return what this thread keeps from one task of a ticket to the next; it is forgotten with the ticket."""
    return _workplaces.setdefault((ticket, threading.get_ident()), {})

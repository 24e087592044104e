"""What runs on a worker: the games that were announced to it, and the jobs that it is sent; and workers of one's own.

A game is announced by a plugin that Dask sends once to each worker, including those that join later: the game's
identity and a user's own word lists. The worker makes the game for itself, and refuses one that is not the same. The
table of answers is never sent. A worker's jobs use one thread each.

A local cluster is a scheduler in this process and worker processes on this machine, for this process alone. All of them
talk TLS with keys that are made for the occasion and kept in memory, so no other user of the machine can make the
workers run anything. Dask's dashboard, which is not protected by keys, is not served.
"""

from __future__ import annotations

import hashlib
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from distributed import Nanny, Scheduler, Security, SpecCluster, Worker, WorkerPlugin, get_worker

import oracular
from oracular.cluster.connection import call_in_thread
from oracular.errors import ClusterError, MissingExtraError, NotEnoughMemoryError, OracularError, install_command
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.games.table import TABLE_BESIDE_TOKENS
from oracular.system.memory import available_memory, size_text, usable_cores

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


BYTES_OF_A_WORKER = 240_000_000
"""What a worker takes with a small game, measured: Python, Dask, NumPy, Numba and compiled code."""

SECONDS_TO_END_A_START = 60.0
"""How long processes that are starting may take to end after Ctrl-C."""


class SilentScheduler(Scheduler):
    """A scheduler without a dashboard."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Serve nothing, since anybody could connect to it."""


class SilentWorker(Worker):
    """A worker without a dashboard that ignores Ctrl-C, which the process that started it handles."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().__init__(*arguments, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Serve nothing."""


def workers_to_start(asked: int | None) -> int:
    """Return how many workers to start: as many as asked for, or one for each core that there is memory for."""
    if asked is None:
        return max(1, min(usable_cores(), available_memory() // BYTES_OF_A_WORKER))
    _check_memory(asked, BYTES_OF_A_WORKER, "", "ask for fewer")
    return asked


def check_memory(game: Game, workers: int) -> None:
    """Raise an error if there is not enough memory for the tables of answers of a game in all workers."""
    size = len(game.guesses) * len(game.secrets)
    table = 2 * size if game.tokens is None or size <= TABLE_BESIDE_TOKENS else 0  # the table and its transpose
    _check_memory(workers, table, f" for {game.name}", "ask for fewer workers, or choose a smaller game")


def _check_memory(workers: int, size: int, what: str, remedy: str) -> None:
    """Raise an error unless there is memory for something of this size in each worker."""
    free = available_memory()
    if workers * size > free:
        need = "1 worker needs" if workers == 1 else f"{workers} workers need"
        raise NotEnoughMemoryError(
            f"{need} {size_text(workers * size)}{what} and {size_text(free)} are available: {remedy}"
        )


@contextmanager
def local_scheduler(workers: int | None) -> Iterator[tuple[str, Security]]:
    """Yield the address of a scheduler in this process, with worker processes on this machine, and the keys to it."""
    try:
        import cryptography  # noqa: F401 - it generates the keys
    except ImportError:
        raise MissingExtraError(
            "a local cluster needs keys that nobody else has, and cryptography to make them: "
            f"{install_command('oracular[cluster]')}"
        ) from None
    workers = workers_to_start(workers)
    keys = Security.temporary()
    where = {"host": "127.0.0.1", "protocol": "tls://", "security": keys}
    silent = {"dashboard": False, "dashboard_address": None}
    # without a memory limit, a worker neither writes to the disk nor is ended when memory is short
    worker = {**where, **silent, "nthreads": 1, "memory_limit": 0, "silence_logs": logging.CRITICAL}
    spec: dict[str, Any] = {"cls": Nanny, "options": {**worker, "worker_class": SilentWorker}}

    def start() -> SpecCluster:
        return SpecCluster(
            scheduler={"cls": SilentScheduler, "options": {**where, **silent, "port": 0}},
            workers=dict.fromkeys(range(workers), spec),
            security=keys,
            silence_logs=logging.CRITICAL,
        )

    with _interrupts_blocked():  # a terminal sends Ctrl-C to all processes, and only this one should receive it
        starting = call_in_thread(start)
    try:
        cluster = starting.result()
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ClusterError(
            f"the workers of a local cluster do not start ({str(error).rstrip('.')}): in a program of your own, put "
            "what it does below if __name__ == '__main__', and otherwise work without a cluster"
        ) from None
    except BaseException:  # Ctrl-C; processes that lose their parent while they start print errors
        wait([starting], SECONDS_TO_END_A_START)
        if starting.done() and starting.exception() is None:
            starting.result().close()
        raise
    try:
        yield str(cluster.scheduler_address), keys
    finally:
        with suppress(Exception):  # it may be broken already
            cluster.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in this thread, and in all threads and processes that it starts, within this context."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # if the first process started it, it would unblock the signal in that thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

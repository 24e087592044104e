"""A scheduler and worker processes on this machine, for this process alone.

All of them talk TLS with keys that are made for the occasion and kept in memory, so no other user of the machine can
make the workers run anything. Dask's dashboard, which is not protected by keys, is not served.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from multiprocessing import current_process
from typing import Any

from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

from oracular.cluster.tasks import call_in_thread
from oracular.errors import ClusterError, NotEnoughMemoryError
from oracular.games.game import Game
from oracular.games.table import TABLE_BESIDE_TOKENS
from oracular.system.memory import available_memory, size_text, usable_cores

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
    free = available_memory()
    if asked is None:
        return max(1, min(usable_cores(), free // BYTES_OF_A_WORKER))
    if asked * BYTES_OF_A_WORKER > free:
        raise NotEnoughMemoryError(
            f"{_workers_need(asked)} {size_text(asked * BYTES_OF_A_WORKER)} and {size_text(free)} are available: "
            "ask for fewer"
        )
    return asked


def check_memory(game: Game, workers: int) -> None:
    """Raise an error if there is not enough memory for so many workers' tables of answers of a game."""
    size = len(game.guesses) * len(game.secrets)
    table = 2 * size if game.tokens is None or size <= TABLE_BESIDE_TOKENS else 0  # the table and its transpose
    free = available_memory()
    if workers * table > free:
        raise NotEnoughMemoryError(
            f"{_workers_need(workers)} {size_text(workers * table)} for {game.name} and {size_text(free)} are "
            "available: ask for fewer workers, or choose a smaller game"
        )


@contextmanager
def local_scheduler(workers: int) -> Iterator[tuple[str, Security]]:
    """Yield the address of a scheduler in this process, with worker processes on this machine, and the keys to it."""
    if getattr(current_process(), "_inheriting", False):
        raise ClusterError(
            "a local cluster was asked for while a process of one was starting: put what your program does below "
            "if __name__ == '__main__':"
        )
    keys = Security.temporary()
    where = {"host": "127.0.0.1", "protocol": "tls://", "security": keys}
    silent = {"dashboard": False, "dashboard_address": None}
    # without a memory limit, a worker neither writes to the disk nor is ended when memory is short
    worker = {**where, **silent, "nthreads": 1, "memory_limit": 0, "silence_logs": logging.CRITICAL}
    spec: dict[str, Any] = {"cls": Nanny, "options": {**worker, "worker_class": SilentWorker}}
    made: list[SpecCluster] = []

    def start() -> None:
        cluster = SpecCluster(
            scheduler={"cls": SilentScheduler, "options": {**where, **silent, "port": 0}},
            workers=dict.fromkeys(range(workers), spec),
            security=keys,
            silence_logs=logging.CRITICAL,
        )
        made.append(cluster)

    try:
        _without_interrupts(start)
        yield str(made[0].scheduler_address), keys
    except (OSError, RuntimeError, TimeoutError) as error:
        if made:
            raise
        raise ClusterError(
            f"the workers of a local cluster do not start ({str(error).rstrip('.')}): in a program of your own, put "
            "what it does below if __name__ == '__main__', and otherwise work without a cluster"
        ) from None
    finally:
        for cluster in made:
            with suppress(Exception):  # it may be broken already
                cluster.close()


def _without_interrupts(call: Callable[[], None]) -> None:
    """Make a call so that no process it starts, then or later, receives Ctrl-C; this process does.

    A terminal sends the signal to all of them. The call is made in a thread with the signal blocked, which its threads
    and processes inherit. After Ctrl-C the call is still waited for, since processes that lose their parent while they
    start print errors.
    """
    started: Future[None] | None = None
    try:
        with _interrupts_blocked():
            started = call_in_thread(call)
        started.result()
    except BaseException:
        if started is not None:
            wait([started], SECONDS_TO_END_A_START)
        raise


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C for this thread, and for all that it starts, within this context, if the system can."""
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


def _workers_need(workers: int) -> str:
    """Return the beginning of a sentence on what so many workers need."""
    return "1 worker needs" if workers == 1 else f"{workers} workers need"

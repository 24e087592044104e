"""A scheduler and worker processes on this machine, for this process alone.

All of them talk TLS with keys that are made for the occasion and kept in memory, so no other user of the machine can
make the workers run anything. Dask's dashboard, which is not protected by keys, is not served.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager, suppress
from typing import Any

from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

from oracular.cluster.connection import call_in_thread
from oracular.errors import ClusterError, MissingExtraError, NotEnoughMemoryError, install_command
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

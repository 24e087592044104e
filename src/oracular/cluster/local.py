"""A scheduler and worker processes on this machine, for this process alone.

All of them talk TLS, with keys that are made for the occasion and kept in memory, and each asks the others for them: no
other user of the machine can give the workers something to run. Dask's pages of figures, which know no keys, are not
served.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import current_process
from typing import Any

from distributed import Nanny, Scheduler, Security, SpecCluster, Worker

from oracular.errors import ClusterError, NotEnoughMemoryError
from oracular.games.game import TABLE_BESIDE_TOKENS, Game
from oracular.system.memory import available_memory, size_text, usable_cores

BYTES_OF_A_WORKER = 240_000_000
"""What a worker takes with a small game, measured: Python, Dask, NumPy, Numba and compiled code."""

SECONDS_TO_END_A_START = 60.0
"""How long what is starting may take to be ended after Ctrl-C."""


class SilentScheduler(Scheduler):
    """A scheduler that serves no pages."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Serve nothing: whatever listened there would listen to anybody."""


class SilentWorker(Worker):
    """A worker that serves no pages and leaves Ctrl-C to the process that it works for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().__init__(*arguments, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Serve nothing."""


def workers_to_start(asked: int | None) -> int:
    """Return how many workers to start: as many as asked for, else one a core as far as there is memory for them."""
    free = available_memory()
    if asked is None:
        return max(1, min(usable_cores(), free // BYTES_OF_A_WORKER))
    if asked * BYTES_OF_A_WORKER > free:
        raise NotEnoughMemoryError(
            f"{asked} workers need {size_text(asked * BYTES_OF_A_WORKER)} and {size_text(free)} are available: "
            "ask for fewer"
        )
    return asked


def check_memory(game: Game, workers: int) -> None:
    """Raise an error where there is no memory for the tables of answers that so many workers make of a game."""
    size = len(game.guesses) * len(game.secrets)
    table = 2 * size if game.tokens is None or size <= TABLE_BESIDE_TOKENS else 0  # as it is, and turned round
    free = available_memory()
    if workers * table > free:
        raise NotEnoughMemoryError(
            f"{workers} workers need {size_text(workers * table)} for {game.name} and {size_text(free)} are available: "
            "ask for fewer workers, or choose a smaller game"
        )


@contextmanager
def local_scheduler(workers: int) -> Iterator[tuple[str, Security]]:
    """Give the address of a scheduler in this process that has worker processes on this machine, and the keys to it."""
    if getattr(current_process(), "_inheriting", False):
        raise ClusterError(
            "a local cluster was asked for while a process of one was starting: put what your program does below "
            "if __name__ == '__main__':"
        )
    keys = Security.temporary()
    where = {"host": "127.0.0.1", "protocol": "tls://", "security": keys}
    silent = {"dashboard": False, "dashboard_address": None}
    # a worker that is short of memory should not write to the disk, nor be ended by us
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
        _deaf_to_interrupts(start)
        yield str(made[0].scheduler_address), keys
    except (OSError, RuntimeError, TimeoutError) as error:
        if made:
            raise
        raise ClusterError(
            f"the workers of a local cluster do not start ({str(error).rstrip('.')}): in a program of your own, put "
            "what it does below if __name__ == '__main__', and otherwise work without --cluster"
        ) from None
    finally:
        for cluster in made:
            with suppress(Exception):  # it may have broken already
                cluster.close()


def _deaf_to_interrupts(call: Callable[[], None]) -> None:
    """Make a call whose processes, those it starts later included, never hear of Ctrl-C: this process does.

    A terminal sends it to all of them. The call is made in a thread for which the signal is blocked, and threads and
    processes inherit that. After Ctrl-C the call is waited for: processes that lose their parent while they start
    complain.
    """
    errors: list[BaseException] = []
    over = threading.Event()

    def run() -> None:
        try:
            call()
        except BaseException as error:  # raised where it is waited for
            errors.append(error)
        over.set()

    thread = threading.Thread(target=run, name="oracular-starting", daemon=True)
    try:
        with _interrupts_blocked():
            thread.start()
        over.wait()
    except BaseException:
        if thread.ident is not None:  # it has started
            over.wait(SECONDS_TO_END_A_START)
        raise
    if errors:
        raise errors[0]


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from this thread for a moment, where the system can; what it starts meanwhile never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # begun with the first process, it would unblock the signal in that thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

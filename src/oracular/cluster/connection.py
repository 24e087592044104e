"""A connection to Dask workers: jobs are sent, answers are checked, and a cluster that is lost is an error.

`local` starts a scheduler and worker processes on this machine; `tls://host:port` or `tcp://host:port` is a scheduler
that runs already, with keys or without. Either way the workers must run the same sources as this process, which is
checked before any job is sent.

When a worker dies, Dask gives its jobs to another one. When the scheduler dies or falls silent, or the last worker
leaves and no other joins, a `ClusterLostError` is raised. Most of Dask's calls wait for ever if the scheduler has
frozen, or if what answers at its address is not a scheduler. So they are made in threads of their own, which do not
keep the process from ending.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from concurrent.futures import Future as LocalFuture
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oracular.cluster.address import LOCAL, check_address, error_text, reach, unreachable
from oracular.errors import (
    ClusterError,
    ClusterLostError,
    FalseAnswerError,
    MissingExtraError,
    OracularError,
    install_command,
)
from oracular.games.game import Game, Identity
from oracular.system.control import Deadline
from oracular.system.files import counted

if TYPE_CHECKING:
    from distributed import Client, Future

SECONDS_TO_ANSWER = 30.0
"""How long a scheduler may be silent, or without its first worker: it can be busy, or starting."""

SECONDS_WITHOUT_WORKERS = 30.0
"""How long there may be no worker at all: one that is started again takes a few seconds."""

SECONDS_TO_MAKE_WORDS = 600.0
"""How long the workers may take to make the words of a game, if they have to compile code first."""

SECONDS_TO_CLOSE = 2.0

SECONDS_BETWEEN_CHECKS = 0.5
"""How often it is checked whether the workers are still there, while no answer comes from them."""

SECONDS_TO_RECHECK = 10.0
"""How long the end of a piece of work waits for an answer that is being worked out here as well."""

ONE_IN = 16
"""About one answer in this many is worked out here as well, or one in the number of workers if that is more."""

Label = TypeVar("Label")
Answer = TypeVar("Answer")


class Cluster:
    """Workers that do jobs; made by `connect`.

    Attributes:
        client: Dask's client.
        own: whether this process started the workers, which are then trusted like its own threads.
        answered: how many answers the workers have given.
        rechecked: how many of these answers were worked out here as well.
    """

    def __init__(self, client: Client, address: str, own: bool) -> None:
        self.client = client
        self.address = address
        self.own = own
        self.answered = 0
        self.rechecked = 0
        self.kinds: set[type] = set()
        self._tickets: dict[Identity, str] = {}
        self._counted: tuple[float, int] = (float("-inf"), 0)

    @property
    def workers(self) -> int:
        """How many jobs can run at a time now, at least 1."""
        return max(1, self.count_threads())

    def count_threads(self) -> int:
        """Return how many threads all workers have, or raise an error if the scheduler does not answer.

        The number is cached, since asking takes longer than a small job.
        """
        asked, known = self._counted
        if not known or time.monotonic() - asked > SECONDS_BETWEEN_CHECKS:
            known = sum(self.call(self.client.nthreads).values())
            self._counted = (time.monotonic(), known)
        return known

    def announce(self, game: Game) -> str:
        """Return the ticket by which jobs name a game, once all workers know it and have the same words for it."""
        from oracular.cluster.worker import Place, check_words

        key = game.identity
        if key not in self._tickets:
            _check_makeable(game)
            if self.own:
                from oracular.cluster.worker import check_memory

                check_memory(game, self.workers)
            ticket = f"oracular-{uuid.uuid4().hex}"
            self.call(lambda: self.client.register_plugin(Place(ticket, game), name=ticket))
            self._tickets[key] = ticket
            check = partial(self.client.run, check_words, ticket, on_error="return")
            for worker, outcome in self.call(check, SECONDS_TO_MAKE_WORDS).items():
                if isinstance(outcome, BaseException):
                    self.withdraw()
                if isinstance(outcome, OracularError):
                    raise outcome
                if isinstance(outcome, BaseException):
                    raise ClusterError(
                        f"the worker {worker} of the cluster cannot make {game.name} ({error_text(outcome)}): fix "
                        "that, or work without it"
                    )
        return self._tickets[key]

    def withdraw(self, seconds: float = SECONDS_TO_ANSWER) -> None:
        """Make the workers forget all games; jobs that are running end soon, with what they have."""
        tickets, self._tickets = list(self._tickets.values()), {}
        with suppress(ValueError):  # also `ClusterLostError`, which whoever waits for an answer gets
            for ticket in tickets:
                self.call(partial(self.client.unregister_worker_plugin, ticket), seconds)

    def call(self, call: Callable[[], Answer], seconds: float | None = None) -> Answer:
        """Return the result of a call to Dask, or raise `ClusterLostError` if the scheduler is gone or silent."""
        try:
            if self.client.status != "running":
                raise self.lost()
            return call_within(seconds or SECONDS_TO_ANSWER, call)
        except (CancelledError, OSError, TimeoutError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and self.client.status == "running":
                raise
            raise self.lost() from None

    def lost(self, what: str = "the scheduler") -> ClusterLostError:
        """Return the error for a cluster that has gone."""
        return ClusterLostError(
            f"{what} at {self.address} was lost in the middle of the work: what is on disk is good, so go on from "
            "there or start again, with or without a cluster"
        )

    def false_answer(self, what: str) -> FalseAnswerError:
        """Return the error for an answer that is not true."""
        return FalseAnswerError(
            f"a worker of the cluster at {self.address} gave an answer that is not true ({what}): trust nothing that "
            "its workers made, and start again without them"
        )

    @property
    def reported(self) -> str | None:
        """What to call figures that rest on answers of these workers, or None if all of them are known to be true."""
        if self.own or self.rechecked >= self.answered:
            return None
        return f"as reported by the cluster; {self.rechecked:,} of {counted(self.answered, 'answer')} re-checked"

    @property
    def trust(self) -> dict[str, int] | None:
        """How many answers came back and how many were re-checked, or None if all are known to be true."""
        return None if self.reported is None else {"answers": self.answered, "rechecked": self.rechecked}

    def check_versions(self) -> None:
        """Raise an error unless every worker has this version of the package."""
        ours = version("oracular")
        # `version` exists on any worker, even one without this package
        for worker, found in self.call(partial(self.client.run, version, "oracular", on_error="return")).items():
            if found != ours:
                what = "no oracular" if isinstance(found, BaseException) else f"oracular {found}, not {ours}"
                raise ClusterError(
                    f"the worker {worker} of the cluster has {what}: install oracular {ours} on every worker, from the "
                    "same sources"
                )


class Jobs(AbstractContextManager["Jobs[Label, Answer]"], Generic[Label, Answer]):
    """Jobs that workers are doing, each under a label. Leaving the context cancels those that are not finished.

    An answer is refused if `check` raises an error: it is of the wrong type, or impossible. A random sample of the
    answers is worked out here as well, in a thread of its own and one at a time. That finds workers that are broken or
    run other code. It proves nothing about the other answers, so figures that rest on them are called "as reported by
    the cluster". It does not stop an attacker either: whoever runs a worker can run code here, see `docs/security.md`.

    Args:
        cluster: the workers.
        check: returns the answer that a worker gave to the job of a label, checked.
        again: returns whether an answer is what comes out here, or None if it was stopped; without it none is worked
            out here.
    """

    def __init__(
        self,
        cluster: Cluster,
        check: Callable[[Label, Any], Answer],
        again: Callable[[Label, Answer], bool | None] | None = None,
    ) -> None:
        self.left = threading.Event()
        self._cluster, self._check, self._again = cluster, check, again
        self._sent: dict[str, tuple[Label, Future[Any]]] = {}
        self._ready: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._alone_since: float | None = None
        self._pool = ThreadPoolExecutor(1, "oracular-rechecking")
        self._rechecks: set[LocalFuture[bool | None]] = set()

    def __len__(self) -> int:
        return len(self._sent)

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            futures = [future for _, future in self._sent.values()]
            self._sent.clear()
            if futures:
                with suppress(Exception):  # an error that led here is raised already
                    call_within(SECONDS_TO_CLOSE, lambda: self._cluster.client.cancel(futures))
            if kind is None:
                wait(self._rechecks, SECONDS_TO_RECHECK)
                self._settle()
        finally:
            self.left.set()
            self._pool.shutdown(cancel_futures=True)

    def send(self, label: Label, game: Game, work: Callable[..., Any], *arguments: Any) -> None:
        """Send a job for a game: a worker calls `work(place, *arguments)`, where `place` is the `Place` of the game."""
        from oracular.cluster.worker import run_job

        ticket = self._cluster.announce(game)
        submit = partial(self._cluster.client.submit, run_job, ticket, work, arguments, pure=False)
        future = self._cluster.call(submit)
        self._sent[str(future.key)] = (label, future)
        future.add_done_callback(self._ready.put)

    def next(self, timeout: float | None = None) -> tuple[Label, Answer] | None:
        """Return the label of a finished job and its answer, checked, or None if the time is up first."""
        deadline = Deadline.after(timeout)
        while True:
            self._settle()
            with suppress(queue.Empty):
                future = self._ready.get(timeout=min(SECONDS_BETWEEN_CHECKS, deadline.left))
                if (results := self._results(future)) is not None:
                    label, _ = self._sent.pop(str(future.key))
                    answer = self._check(label, results[0])
                    self._count(label, answer)
                    return label, answer
            self._check_workers()
            if deadline.passed:
                return None

    def _count(self, label: Label, answer: Answer) -> None:
        """Count an answer, and draw those to work out here too: the first of each type, and some at random."""
        cluster = self._cluster
        cluster.answered += answer is not None  # a job that was stopped has no answer
        if cluster.own or self._again is None or answer is None:
            return
        first = type(answer) not in cluster.kinds
        cluster.kinds.add(type(answer))
        if first or (not self._rechecks and secrets.randbelow(max(ONE_IN, cluster.workers)) == 0):
            self._rechecks.add(self._pool.submit(self._again, label, answer))

    def _settle(self) -> None:
        """Raise an error if an answer was not what came out here."""
        for future in [future for future in self._rechecks if future.done()]:
            self._rechecks.remove(future)
            true = future.result()
            if true is False:
                raise self._cluster.false_answer("it is not what comes out here")
            self._cluster.rechecked += true is True

    def _results(self, future: Future[Any]) -> tuple[Any] | None:
        """Return a finished job's answer, or None if it was lost with its worker: then another worker does the job."""
        from distributed import KilledWorker

        address = self._cluster.address
        patience = SECONDS_BETWEEN_CHECKS
        while True:
            try:
                return (future.result(timeout=patience),)
            except KilledWorker:
                raise ClusterError(
                    f"a job at {address} killed several workers, most often because of too little memory: give each "
                    "worker more"
                ) from None
            except CancelledError:
                raise self._cluster.lost() from None
            except OracularError:
                raise
            except Exception as error:
                if future.status == "error":
                    raise ClusterError(
                        f"a job failed on a worker of {address} ({error_text(error)}): see its log"
                    ) from None
                if not isinstance(error, TimeoutError):
                    raise self._cluster.lost() from None
            if future.status != "finished":
                future.add_done_callback(self._ready.put)
                return None
            patience *= 2  # a large answer takes long to arrive
            self._check_workers()

    def _check_workers(self) -> None:
        """Raise an error if no answer can come any more."""
        if self._cluster.count_threads():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > SECONDS_WITHOUT_WORKERS:
            raise self._cluster.lost("the last worker")


@contextmanager
def connect(address: str, workers: int | None = None) -> Iterator[Cluster]:
    """Yield the cluster at an address, checked and ready for work.

    Whoever runs the scheduler or a worker at an address can run code in this process: Dask's messages are pickles.
    With `tls://` these are the holders of keys that your certificate authority signed, as Dask's configuration names
    them; with `tcp://` they are all who can reach the scheduler.
    """
    check_address(address, workers)
    try:
        import dask.config
        import distributed
    except ImportError:
        raise MissingExtraError(f"a cluster needs Dask: {install_command('oracular[cluster]')}") from None
    with ExitStack() as stack:
        stack.enter_context(_quiet_logs())
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}))
        own = address == LOCAL
        if own:
            from oracular.cluster.worker import local_scheduler

            address, security = stack.enter_context(local_scheduler(workers))
        else:
            security = reach(address)
        make = partial(distributed.Client, address, timeout=SECONDS_TO_ANSWER, set_as_default=False, security=security)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other versions; `check_versions` compares the one that matters
                client = call_within(SECONDS_TO_ANSWER + SECONDS_TO_CLOSE, make, too_late=_leave)
        except Exception:  # what answers may not be a scheduler, and then any error can come of it
            raise unreachable(address) from None
        stack.callback(_leave, client)
        cluster = Cluster(client, address, own)
        deadline = Deadline.after(SECONDS_TO_ANSWER)
        while not cluster.count_threads():
            if deadline.passed:
                raise ClusterError(
                    f"the scheduler at {address} has no workers: start some with 'dask worker {address}'"
                )
            time.sleep(0.05)
        cluster.check_versions()
        stack.callback(cluster.withdraw, SECONDS_TO_CLOSE)
        yield cluster


def _check_makeable(game: Game) -> None:
    """Raise an error unless workers can make a game from its name and word lists."""
    from oracular.games.names import game as game_of_name

    with suppress(OracularError):
        if game_of_name(game.name, **game.own_lists).is_same(game):
            return
    raise ClusterError(f"{game!r} is a custom game that workers cannot make from its name: leave the cluster out")


def _leave(client: Client) -> None:
    """Close a client, even if its scheduler is gone."""
    with suppress(Exception):
        call_within(2 * SECONDS_TO_CLOSE, lambda: client.close(timeout=SECONDS_TO_CLOSE))


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep Dask's log off the terminal within this context: our own errors say what matters."""
    names = ["distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def call_in_thread(call: Callable[[], Answer]) -> LocalFuture[Answer]:
    """Return a future for the result of a call, which is made in a new thread."""
    future: LocalFuture[Answer] = LocalFuture()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # it is raised in the thread that waits
            future.set_exception(error)

    threading.Thread(target=run, name="oracular-call", daemon=True).start()
    return future


def call_within(
    seconds: float, call: Callable[[], Answer], *, too_late: Callable[[Answer], object] = lambda answer: None
) -> Answer:
    """Return the result of a call, or raise TimeoutError once the time is up; a later result is given to `too_late`."""
    future = call_in_thread(call)
    try:
        return future.result(seconds)
    except BaseException:  # Ctrl-C as well
        future.add_done_callback(lambda late: late.exception() or too_late(late.result()))
        raise

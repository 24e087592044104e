"""A connection to Dask workers: made, checked, used, and closed, also when the cluster is lost.

`local` starts a scheduler and worker processes on this machine; `tls://host:port` or `tcp://host:port` is a scheduler
that runs already, with keys or without. Either way the workers must run the same sources as this process, which is
checked before any task is submitted.

When a worker dies, Dask gives its tasks to another one. When the scheduler dies or falls silent, or the last worker
leaves and none follows, a `ClusterLostError` is raised.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from oracular.cluster.address import LOCAL, check_address, reach, unreachable
from oracular.cluster.tasks import SECONDS_BETWEEN_CHECKS, Tasks, call_within, error_text
from oracular.errors import ClusterError, ClusterLostError, FalseAnswerError, MissingExtraError, OracularError
from oracular.games.game import Game
from oracular.games.identity import Identity
from oracular.system.counting import counted
from oracular.system.deadline import Deadline
from oracular.system.installing import install_command

if TYPE_CHECKING:
    from distributed import Client, Future, Security

PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[a-z]+)?")
"""A file name that cannot lead to another folder; `runs/layout.py` knows which of these a run's files have."""

SECONDS_TO_ANSWER = 30.0
"""How long a scheduler that accepts our connection may take to answer: it may still be starting, on a busy machine."""

SECONDS_TO_START_A_WORKER = 30.0
"""How long a scheduler may be without its first worker."""

SECONDS_TO_CLOSE = 2.0

SECONDS_OF_SILENCE = 30.0
"""How long a scheduler that answered before may be silent: it can be busy."""

SECONDS_TO_MAKE_WORDS = 600.0
"""How long the workers may take to make the words of a game, if they have to compile code first."""

ONE_IN = 16
"""About one in so many answers is worked out here as well, or one in as many as there are workers if these are more."""

GO_ON = "what is on disk is good, so go on from there with or without a cluster"
START_AGAIN = "nothing of it is kept, so start again with or without a cluster"

Answer = TypeVar("Answer")


class Cluster:
    """Workers that run tasks; made by `connect`.

    Attributes:
        own: whether this process started the workers, which are then trusted like its own threads.
        answered: how many answers the workers have given.
        rechecked: how many of these answers were worked out here as well.
    """

    def __init__(self, client: Client, address: str, own: bool) -> None:
        self.address = address
        self.own = own
        self.answered = 0
        self.rechecked = 0
        self._rechecked_kinds: set[str] = set()
        self._client = client
        self._tickets: dict[Identity, str] = {}
        self._announced: list[str] = []
        self._known_threads: tuple[float, dict[str, int]] = (float("-inf"), {})
        self._remedy = GO_ON

    @property
    def workers(self) -> int:
        """How many tasks can run at a time now, at least 1."""
        return max(1, sum(self._threads().values()))

    def announce(self, game: Game) -> str:
        """Return the ticket by which tasks name a game, once all workers know it and have the same words for it."""
        from oracular.cluster.work import Announcement, Recipe, check_words

        key = game.identity
        if key not in self._tickets:
            if self.own:
                from oracular.cluster.local import check_memory

                check_memory(game, self.workers)
            ticket = f"oracular-{uuid.uuid4().hex}"
            announcement = Announcement(ticket, Recipe.of(game))
            self._call(lambda: self._client.register_plugin(announcement, name=ticket))
            self._announced.append(ticket)
            made = self._call(
                lambda: self._client.run(check_words, ticket, on_error="return"), seconds=SECONDS_TO_MAKE_WORDS
            )
            for worker, outcome in made.items():
                if isinstance(outcome, OracularError):
                    raise outcome
                if isinstance(outcome, BaseException):
                    raise ClusterError(
                        f"the worker {worker} of the cluster cannot make {game.name} ({error_text(outcome)}): mend "
                        "that, or work without it"
                    )
            self._tickets[key] = ticket
        return self._tickets[key]

    def tasks(self) -> Tasks[Any]:
        """Return an empty set of tasks."""
        return Tasks(self)

    def halt(self, ticket: str) -> None:
        """End the long tasks of a game on all workers; this ticket cannot be used any more."""
        from oracular.cluster.work import halt

        self._tickets = {key: known for key, known in self._tickets.items() if known != ticket}
        with suppress(ClusterLostError):  # whoever waits for a result gets this error
            self._call(lambda: self._client.run(halt, ticket, on_error="ignore"), seconds=SECONDS_TO_ANSWER)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Submit one task."""
        self.check()
        with self.translating_errors():
            return self._client.submit(function, *arguments, pure=False)

    def check(self) -> None:
        """Raise an error unless the connection to the scheduler stands."""
        if self._client.status != "running":
            raise self.lost()

    def has_workers(self) -> bool:
        """Return whether there is any worker."""
        return bool(self._threads())

    def lost(self, what: str = "the scheduler") -> ClusterLostError:
        """Return the error for a cluster that has gone."""
        return ClusterLostError(f"{what} at {self.address} was lost in the middle of the work: {self._remedy}")

    def to_be_rechecked(self, kind: str) -> bool:
        """Count an answer, and return whether to work it out here too: the first of its kind, and some at random."""
        self.answered += 1
        if self.own:
            return False
        first = kind not in self._rechecked_kinds
        self._rechecked_kinds.add(kind)
        return first or secrets.randbelow(max(ONE_IN, self.workers)) == 0

    def false_answer(self, what: str) -> FalseAnswerError:
        """Return the error for an answer that is not true."""
        return FalseAnswerError(
            f"a worker of the cluster at {self.address} gave an answer that is not true ({what}): trust nothing that "
            "its workers made, and begin anew without them"
        )

    def checked_files(self, answer: object) -> dict[str, bytes]:
        """Return the files of a run that a worker sent back, or raise an error if they are not files of a run.

        No name leads out of the run's folder. They count as an answer that is not worked out here.
        """
        self.answered += 1
        if not isinstance(answer, dict) or not all(
            type(name) is str and PLAIN_NAME.fullmatch(name) and type(data) is bytes for name, data in answer.items()
        ):
            raise self.false_answer("it sends back no files of a run")
        return answer

    @property
    def reported(self) -> str | None:
        """What to call figures that rest on answers of these workers, or None if all of them are known to be true."""
        if self.own or self.rechecked >= self.answered:
            return None
        return f"as reported by the cluster; {self.rechecked:,} of {counted(self.answered, 'answer')} re-checked"

    @property
    def trust(self) -> dict[str, int] | None:
        """How many answers came back and how many were re-checked, or None where all are known to be true."""
        return None if self.reported is None else {"answers": self.answered, "rechecked": self.rechecked}

    @contextmanager
    def keeping_nothing(self) -> Iterator[None]:
        """Let the error for a lost cluster say, within this context, that nothing was saved."""
        self._remedy = START_AGAIN
        try:
            yield
        finally:
            self._remedy = GO_ON

    def _call(self, call: Callable[[], Answer], seconds: float | None = None) -> Answer:
        """Return the result of a call to Dask, or raise `ClusterLostError` if none comes in time."""
        with self.translating_errors():
            return call_within(seconds or SECONDS_OF_SILENCE, call)

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Turn the errors that Dask raises for a lost scheduler into `ClusterLostError`."""
        try:
            yield
        except OracularError:
            raise
        except (CancelledError, OSError, TimeoutError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and self._client.status == "running":
                raise
            raise self.lost() from None

    def check_versions(self) -> None:
        """Raise an error unless every worker has this version of the package, with the same sources."""
        from oracular.cluster.work import sources_sha256

        ours = version("oracular")
        remedy = f"install oracular {ours} on every worker, from the same sources"
        # `version` exists on any worker, even one without this package
        theirs = self._call(lambda: self._client.run(version, "oracular", on_error="return"))
        for worker, found in theirs.items():
            if isinstance(found, BaseException):
                raise ClusterError(f"the worker {worker} of the cluster has no oracular: {remedy}")
            if found != ours:
                raise ClusterError(f"the worker {worker} of the cluster has oracular {found}, not {ours}: {remedy}")
        for worker, found in self._call(lambda: self._client.run(sources_sha256, on_error="return")).items():
            if found != sources_sha256():
                raise ClusterError(f"the worker {worker} of the cluster has other sources of {ours}: {remedy}")

    def wait_for_workers(self) -> None:
        """Wait until there is a worker, or raise an error if none comes in time."""
        deadline = Deadline.after(SECONDS_TO_START_A_WORKER)
        while not self.has_workers():
            if deadline.passed:
                raise ClusterError(
                    f"the scheduler at {self.address} has no workers: start some with 'dask worker {self.address}'"
                )
            time.sleep(0.05)

    def close(self) -> None:
        """Withdraw the announced games."""
        if self._client.status == "running":
            with suppress(OSError, TimeoutError, CancelledError, RuntimeError, ValueError):
                for ticket in self._announced:
                    call_within(SECONDS_TO_CLOSE, partial(self._client.unregister_worker_plugin, ticket))
        self._tickets.clear()

    def _threads(self) -> dict[str, int]:
        """Return how many threads each worker has; it is cached, since asking takes longer than a small task."""
        self.check()
        asked, known = self._known_threads
        if not known or time.monotonic() - asked > SECONDS_BETWEEN_CHECKS:
            known = {name: int(count) for name, count in self._call(self._client.nthreads).items()}
            self._known_threads = (time.monotonic(), known)
        return known


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
        import distributed  # noqa: F401 - only to see whether it is installed
    except ImportError:
        raise MissingExtraError(f"a cluster needs Dask: {install_command('oracular[cluster]')}") from None
    with ExitStack() as stack:
        stack.enter_context(_quiet_logs())
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}))
        here = address == LOCAL
        if here:
            address, security = stack.enter_context(_local(workers))
        else:
            security = reach(address)
        client = _client_of(address, security)
        stack.callback(_leave, client)
        cluster = Cluster(client, address, here)
        stack.callback(cluster.close)
        cluster.wait_for_workers()
        cluster.check_versions()
        yield cluster


def _local(workers: int | None) -> AbstractContextManager[tuple[str, Security]]:
    """Return the context of a new scheduler on this machine, which yields its address and the keys to it."""
    try:
        import cryptography  # noqa: F401 - it generates the keys
    except ImportError:
        raise MissingExtraError(
            "a local cluster needs keys that nobody else has, and cryptography to make them: "
            f"{install_command('oracular[cluster]')}"
        ) from None
    from oracular.cluster.local import local_scheduler, workers_to_start

    return local_scheduler(workers_to_start(workers))


def _client_of(address: str, security: Security) -> Client:
    """Return a client of the scheduler at an address, or raise an error if there is none."""
    import distributed

    def make() -> Client:
        return distributed.Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False, security=security)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of other versions; `check_versions` compares the one that matters
            return call_within(SECONDS_TO_ANSWER + SECONDS_TO_CLOSE, make, too_late=_leave)
    except Exception:  # what answers may not be a scheduler, and then any error can come of it
        raise unreachable(address) from None


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

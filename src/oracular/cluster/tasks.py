"""Tasks that workers are running: submitted, waited for, and cancelled; a failure becomes an error of one sentence.

Most of Dask's calls wait for ever if the scheduler has frozen, or if what answers at its address is not a scheduler. So
calls are made in threads of their own. One that exceeds its time goes on in its thread, which does not keep the process
from ending.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from concurrent.futures import Future as LocalFuture
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oracular.errors import ClusterError, OracularError
from oracular.system.deadline import Deadline

if TYPE_CHECKING:
    from distributed import Future

    from oracular.cluster.connection import Cluster

SECONDS_WITHOUT_WORKERS = 30.0
"""How long there may be no worker at all: one that is started again takes a few seconds."""

SECONDS_BETWEEN_CHECKS = 0.5
"""How often it is checked whether the workers are still there, while nothing comes back from them."""

SECONDS_TO_CANCEL = 2.0

MOST_LETTERS = 200
"""Of an error's text from another process, so many letters are shown."""

Label = TypeVar("Label")
Answer = TypeVar("Answer")


class Tasks(AbstractContextManager["Tasks[Label]"], Generic[Label]):
    """Tasks that are running, each under a label. Leaving the context cancels those that are not finished."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._labels: dict[str, tuple[Label, Future[Any]]] = {}
        self._ready: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._alone_since: float | None = None

    def __len__(self) -> int:
        return len(self._labels)

    def __exit__(self, *error: object) -> None:
        futures = [future for _, future in self._labels.values()]
        if futures:
            with suppress(Exception):  # an error that led here is raised already
                call_within(SECONDS_TO_CANCEL, lambda: futures[0].client.cancel(futures))
        self._labels.clear()

    def add(self, label: Label, function: Callable[..., Any], *arguments: Any) -> None:
        """Submit a task."""
        future = self.cluster.submit(function, *arguments)
        self._labels[str(future.key)] = (label, future)
        future.add_done_callback(self._ready.put)

    def next(self, timeout: float | None = None) -> tuple[Label, Any] | None:
        """Return the label and the result of a finished task, or None if the time is up first."""
        deadline = Deadline.after(timeout)
        while True:
            try:
                future = self._ready.get(timeout=min(SECONDS_BETWEEN_CHECKS, deadline.left))
                result = self._result(future)
            except (queue.Empty, _LostResult):
                self._look_around()
                if deadline.passed:
                    return None
                continue
            return self._labels.pop(str(future.key))[0], result

    def _result(self, future: Future[Any]) -> Any:
        """Return a finished task's result, or raise `_LostResult` if it was lost with its worker."""
        from distributed import KilledWorker

        address = self.cluster.address
        patience = SECONDS_BETWEEN_CHECKS
        while True:
            try:
                return future.result(timeout=patience)
            except KilledWorker:
                raise ClusterError(
                    f"a task at {address} outlived none of several workers, which most often means too little memory: "
                    "give each worker more"
                ) from None
            except CancelledError:
                raise self.cluster.lost() from None
            except OracularError:
                raise
            except Exception as error:
                if future.status == "error":
                    raise ClusterError(
                        f"a task failed on a worker of {address} ({error_text(error)}): see its log"
                    ) from None
                if not isinstance(error, TimeoutError):
                    raise self.cluster.lost() from None
            if future.status != "finished":
                future.add_done_callback(self._ready.put)
                raise _LostResult
            patience *= 2  # a large result takes long to arrive
            self._look_around()

    def _look_around(self) -> None:
        """Raise an error if no result can come any more."""
        if self.cluster.has_workers():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > SECONDS_WITHOUT_WORKERS:
            raise self.cluster.lost("the last worker")


class _LostResult(Exception):  # noqa: N818 - nothing has gone wrong for good
    """A result that was lost with its worker before it was fetched; another worker runs the task again."""


def error_text(error: BaseException) -> str:
    """Return an error of another process on one line, cut short; its text may be anything, so it is made printable."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])
    return f"{type(error).__name__}: {shown}" if shown else type(error).__name__


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

"""Tasks in flight: given out, waited for, and called off; what goes wrong with one is told in a sentence."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from oracular.cluster.asking import within
from oracular.errors import ClusterError, OracularError

if TYPE_CHECKING:
    from distributed import Future

    from oracular.cluster.connection import Cluster

SECONDS_WITHOUT_WORKERS = 30.0
"""How long the last worker may be gone: one that is started anew takes a few seconds."""

SECONDS_BETWEEN_LOOKS = 0.5

SECONDS_TO_CALL_OFF = 2.0

MOST_LETTERS = 200
"""Of what went wrong elsewhere so much is shown."""

Label = TypeVar("Label")


class Tasks(AbstractContextManager["Tasks[Label]"], Generic[Label]):
    """Tasks in flight, each under a label; results come as they are ready. Left early, what is left is called off."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._labels: dict[str, tuple[Label, Future[Any]]] = {}
        self._ready: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._lonely_since: float | None = None

    def __len__(self) -> int:
        return len(self._labels)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        futures = [future for _, future in self._labels.values()]
        if futures:
            with suppress(Exception):  # whatever has gone wrong already is being told
                within(SECONDS_TO_CALL_OFF, lambda: futures[0].client.cancel(futures))
        self._labels.clear()

    def add(self, label: Label, function: Callable[..., Any], *arguments: Any) -> None:
        """Give out a task."""
        future = self.cluster.submit(function, *arguments)
        self._labels[str(future.key)] = (label, future)
        future.add_done_callback(self._ready.put)

    def next(self, timeout: float | None = None) -> tuple[Label, Any] | None:
        """Return the label and result of a task that is ready, or None when the time is up first."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = (
                SECONDS_BETWEEN_LOOKS if deadline is None else min(SECONDS_BETWEEN_LOOKS, deadline - time.monotonic())
            )
            try:
                future = self._ready.get(timeout=max(left, 0.0))
                result = self._result(future)
            except (queue.Empty, _LostResult):
                self._look_around()
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            return self._labels.pop(str(future.key))[0], result

    def _result(self, future: Future[Any]) -> Any:
        """Return a finished task's result; where it was lost with its worker, wait for the task to finish anew."""
        from distributed import KilledWorker

        address = self.cluster.address
        patience = SECONDS_BETWEEN_LOOKS
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
                    raise ClusterError(f"a task failed on a worker of {address} ({told(error)}): see its log") from None
                if not isinstance(error, TimeoutError):
                    raise self.cluster.lost() from None
            if future.status != "finished":
                future.add_done_callback(self._ready.put)
                raise _LostResult
            patience *= 2  # a large result takes its time
            self._look_around()

    def _look_around(self) -> None:
        """Raise an error where nothing can come any more."""
        if self.cluster.has_workers():
            self._lonely_since = None
            return
        now = time.monotonic()
        self._lonely_since = self._lonely_since or now
        if now - self._lonely_since > SECONDS_WITHOUT_WORKERS:
            raise self.cluster.lost("the last worker")


class _LostResult(Exception):  # noqa: N818 - nothing has gone wrong for good
    """A result that went with its worker before it was fetched; another worker works it out again."""


def told(error: BaseException) -> str:
    """Return an error of another process in a few words on one line; it may say anything, so only letters are shown."""
    text = " ".join(str(error).split()).rstrip(".")
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:MOST_LETTERS])
    return f"{type(error).__name__}: {shown}" if shown else type(error).__name__

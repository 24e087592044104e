"""The history of a run: a record for every step, kept in a file and read when it is asked for.

A run may make millions of steps, so memory holds no more of them than a page at a time and where each page begins. A
run in a folder has its history there, a line of JSON a step; any other has it in a temporary file without a name, which
the system removes.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import pickle
import threading
import weakref
from abc import abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, overload

import numpy as np

from oracular.errors import RunError
from oracular.runs.layout import Promise, read_records
from oracular.solvers.solver import Record
from oracular.system import files
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted

PAGE = 256
"""Records that are read at a time."""

SHORT = 1 << 20
"""A history of fewer bytes than this is held in memory, and checked as a whole when it is opened."""

AT_A_TIME = 1 << 20
"""Bytes of a file that are looked at between two checks of the deadline."""

LONGEST_LINE = 1 << 28
"""A file with a longer line than this is no history."""


class History(Sequence[Record]):
    """The records of a run's steps, by number."""

    def __init__(self) -> None:
        self._count = 0
        self._starts = array("Q")  # where each page begins in the file
        self._last_page: tuple[int, list[Record]] = -1, []
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self[place] for place in range(self._count)[index]]
        number, place = divmod(range(self._count)[index], PAGE)
        return self._page(number)[place]

    def __iter__(self) -> Iterator[Record]:
        place = 0
        while place < self._count:
            page = self._page(place // PAGE)
            yield from page
            place += len(page)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"History of {self._count:,} records"

    def __reduce__(self) -> tuple[type[list[Record]], tuple[list[Record]]]:
        """Return a list of the records for copies and other processes."""
        return list, (list(self),)

    def _page(self, number: int) -> list[Record]:
        """Return the records of a page."""
        with self._lock:
            if self._last_page[0] != number or len(self._last_page[1]) < min(PAGE, self._count - PAGE * number):
                self._last_page = number, self._read_page(number)
            return self._last_page[1]

    @abstractmethod
    def _read_page(self, number: int) -> list[Record]:
        """Return the records of a page, read again."""


class UnkeptHistory(History):
    """The history of a run that has no folder."""

    def __init__(self) -> None:
        super().__init__()
        self._file: IO[bytes] = io.BytesIO()
        self._length = 0
        self._latest: list[Record] = []

    def extend(self, records: Iterable[Record]) -> None:
        """Append records."""
        for record in records:
            self._latest.append(record)
            self._count += 1
            if len(self._latest) == PAGE:
                self._put_away()

    def _put_away(self) -> None:
        """Write the latest records to the file: they are a page."""
        page = pickle.dumps(self._latest)
        try:
            with self._lock:
                if isinstance(self._file, io.BytesIO) and self._length + len(page) > SHORT:
                    in_memory = self._file.getvalue()
                    self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - it is closed with the history
                    weakref.finalize(self, self._file.close)
                    self._file.write(in_memory)
                if self._file.write(page) != len(page):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._starts.append(self._length)
                self._length += len(page)
        except OSError as error:
            raise RunError(
                f"the history of the run cannot be written to a temporary file ({error.strerror}): keep the run in a "
                "folder (out)"
            ) from None
        self._latest = []

    def _read_page(self, number: int) -> list[Record]:
        if number == len(self._starts):
            return list(self._latest)
        end = self._starts[number + 1] if number + 1 < len(self._starts) else self._length
        page: list[Record] = pickle.loads(
            _read_at(self._file, self._starts[number], end)
        )  # only we can have written it
        return page


class KeptHistory(History):
    """The history in a run's folder, as far as it has been read or written.

    A history that is not short stays open, so that its records can be read even when the folder is removed.

    Attributes:
        path: the file.
        length: its bytes.
        figures: what every record has.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.length = path, 0
        self.figures: tuple[str, ...] = ()
        self._file: IO[bytes] = io.BytesIO()
        self._hash = hashlib.sha256()
        self._line = 0  # where the line begins whose end has not been seen yet

    @classmethod
    def read(cls, path: Path, length: int, deadline: Deadline = NEVER) -> KeptHistory:
        """Return the first so many bytes of a file, or all of them where it has fewer; `OSError` where it has none.

        `DeadlinePassed` is raised where that takes too long, `ValueError` where it can be no history.
        """
        history = cls(path)
        for piece in files.pieces(path, length, AT_A_TIME):
            deadline.check()
            history.add(piece)
        return history

    @classmethod
    def of(cls, path: Path, data: bytes) -> KeptHistory:
        """Return the history that is to be at a path with this content."""
        history = cls(path)
        history._add(data)
        return history

    @property
    def promise(self) -> Promise:
        """What a checkpoint says of the file."""
        return {"length": self.length, "sha256": self._hash.hexdigest()}

    @property
    def is_short(self) -> bool:
        """Whether it is held in memory."""
        return isinstance(self._file, io.BytesIO)

    @property
    def whole(self) -> bool:
        """Whether the last line has an end."""
        return self._line == self.length

    def add(self, data: bytes) -> None:
        """Take note of what was read from the end of the file, or written there."""
        self._add(data)
        if self.is_short and self.length > SHORT:
            self._file = self.path.open("rb")
            weakref.finalize(self, self._file.close)

    def _add(self, data: bytes) -> None:
        self._hash.update(data)
        ends = self.length + 1 + np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        begins = np.concatenate(([self._line], ends))  # of every line that ends here, and of the next
        self._starts.extend(begins[-self._count % PAGE : -1 : PAGE].tolist())
        self._count, self._line = self._count + len(ends), int(begins[-1])
        if self.is_short:
            self._file.seek(0, io.SEEK_END)
            self._file.write(data)
        self.length += len(data)
        if self.length - self._line > LONGEST_LINE:
            raise ValueError("a line is too long")

    def check(self) -> None:
        """Raise `ValueError` unless every line is a record where the history is short; else only the last page is read.

        The rest of a long one is checked when it is read.
        """
        if not self.whole:
            raise ValueError("its last line has no end")
        pages = range(len(self._starts))
        for number in pages if self.is_short else pages[-1:]:
            self._lines_of(number)

    def _lines_of(self, number: int) -> list[Record]:
        """Return the records of a page, or raise `ValueError`."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else self.length
        return read_records(_read_at(self._file, start, end), PAGE * number, self.figures)

    def _read_page(self, number: int) -> list[Record]:
        try:
            return self._lines_of(number)
        except (OSError, ValueError) as error:
            raise RunError(
                f"{quoted(self.path)} is damaged or was edited ({error}): restore it from a copy, or solve again in "
                "another folder"
            ) from None


def _read_at(file: IO[bytes], start: int, end: int) -> bytes:
    """Return bytes of a file; a process that was forked shares the file's position, so it is not used if possible."""
    if isinstance(file, io.BytesIO):
        return bytes(file.getbuffer()[start:end])
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), end - start, start)
    file.seek(start)
    return file.read(end - start)


def lines(records: Iterable[dict[str, Any]]) -> bytes:
    """Return records as they are written to a history."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()

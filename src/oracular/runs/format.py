"""What is in the files of a run, and its history; `folder.py` says what becomes of the files.

A run's files may have been edited, or sent by a worker of a cluster. So each is checked before it is used: which names
there are, which fields with which types, and that arrays are plain numbers. Whatever is wrong is a `ValueError` in a
few words, for the sentence that names the file.

The history has a record for every step. A run may make millions of steps, so memory holds no more than where each page
of records begins, and the page that was read last. A run in a folder has its history there, one line of JSON for each
step. Any other run has it in memory or, once it is long, in a temporary file without a name, which the system removes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import threading
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Annotated, Any, Literal, TypedDict, overload

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.errors import RunError
from oracular.evaluation import standing_of_solver
from oracular.objectives import WITHIN, Objective
from oracular.settings import SETTINGS, check_settings
from oracular.solvers.solver import Record
from oracular.system import files
from oracular.system.control import NEVER, Deadline
from oracular.system.files import Real, Sha256, Whole, parse_json, quoted, read_as

MANIFEST = "manifest.json"
HISTORY = "history.jsonl"
CHECKPOINT = "checkpoint.json"
CERTIFICATE = "certificate.json"
OBJECTIVE = "objective.json"
CERTIFYING = "certification.lock"
PICTURE = "plot.png"
STRATEGIES = "strategies.race"
FORMAT = 1

TABLE = "table"
"""What a manifest calls a table of utilities."""

MOST_OF_MANIFEST = 1 << 20
MOST_OF_CHECKPOINT = 1 << 30
"""The most bytes of the two files that are read before anything is known of them."""

PAGE = 256
"""The records that are read from a history at a time."""

SHORT = 1 << 20
"""A history of fewer bytes than this is held in memory, and checked as a whole when it is opened."""

_LISTS = ("words", "secrets", "guesses")
_ARRAYS_FILE = re.compile(r"arrays-[0-9]{1,18}\.npz", flags=re.ASCII)
_SEALED = re.compile(rb'\{"sha256": "([0-9a-f]{64})", "checkpoint":\n(.*)\n\}\n', flags=re.DOTALL)
_WITHOUT_OBJECTIVE = ("fictitious-play", "race")
_LONGEST_LINE = 1 << 28
"""A file with a longer line than this is not a history."""


def bounds_file(hider: str) -> str:
    """Return the name of the file in a run's folder that has the bounds against a hider, `uniform` or `run`."""
    return f"certification-{hider}.json"


def list_file(name: str) -> str:
    """Return the name of the file of a custom word list."""
    return f"{name}.txt"


def objective_files(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the file that has the objective of a run, if it is a table of utilities."""
    return (OBJECTIVE,) if manifest.get("objective") == TABLE else ()


def is_name(name: object) -> bool:
    """Return whether a file of this name can be part of a run."""
    fixed = (MANIFEST, HISTORY, CHECKPOINT, CERTIFICATE, OBJECTIVE, *map(list_file, _LISTS))
    return isinstance(name, str) and (name in fixed or is_arrays(name))


def is_arrays(name: str) -> bool:
    """Return whether this is the name of a file of arrays."""
    return _ARRAYS_FILE.fullmatch(name) is not None


class Promise(TypedDict):
    """What a checkpoint says of another file."""

    length: Whole
    sha256: Sha256


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint says.

    Attributes:
        files: the committed length and checksum of each other file.
        solver: the solver's state, or None before the first checkpoint with a step.
        seconds: how long solving has taken so far.
        stopped: why the run stopped, or None if it was killed.
    """

    files: dict[str, Promise]
    solver: dict[str, Any] | None
    seconds: Annotated[float, Meta(ge=0)]
    stopped: Annotated[str, Meta(max_length=60)] | None


def promise(data: bytes) -> Promise:
    """Return what a checkpoint says of a file with this content."""
    return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def write_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint as bytes, with its own checksum."""
    text = json.dumps(vars(checkpoint))
    return f'{{"sha256": "{hashlib.sha256(text.encode()).hexdigest()}", "checkpoint":\n{text}\n}}\n'.encode()


def read_checkpoint(data: bytes) -> Checkpoint:
    """Return what a checkpoint says, after checking its checksum and its fields."""
    sealed = _SEALED.fullmatch(data)
    if sealed is None or hashlib.sha256(sealed[2]).hexdigest() != sealed[1].decode():
        raise ValueError("its checksum is wrong")
    checkpoint: Checkpoint = read_as(Checkpoint, parse_json(sealed[2]))
    names = checkpoint.files.keys()
    if not names >= {MANIFEST, HISTORY} or not all(map(is_name, names)) or names & {CHECKPOINT, CERTIFICATE}:
        raise ValueError("it names other files than those of a run")
    if sum(map(is_arrays, names)) > 1:
        raise ValueError("it names two files of arrays")
    if checkpoint.files[MANIFEST]["length"] > MOST_OF_MANIFEST:
        raise ValueError("its manifest is too long")
    return checkpoint


class _Format(TypedDict):
    """What a manifest of any version says."""

    format: Whole


class _Manifest(TypedDict):
    """The fields of every manifest."""

    own_lists: list[Literal["words", "secrets", "guesses"]]
    solver: str
    settings: dict[str, Any]
    versions: dict[str, Annotated[str, Meta(max_length=200)]]


class _GameManifest(_Manifest):
    """The fields of a guessing game's manifest."""

    game: Annotated[str, Meta(max_length=1000)]
    words_sha256: Sha256
    answers_sha256: Sha256


class _ProblemManifest(_Manifest):
    """The fields of a problem's manifest."""

    problem: Annotated[str, Meta(max_length=1000)]


def read_format(data: bytes) -> tuple[dict[str, Any], int]:
    """Return what a manifest says, not checked yet, and its format."""
    manifest = parse_json(data)
    return manifest, read_as(_Format, manifest)["format"]


def check_manifest(manifest: dict[str, Any]) -> None:
    """Raise an error unless the manifest has all its fields, each of the right type."""
    read_as(_ProblemManifest if "problem" in manifest else _GameManifest, manifest)
    if len(set(manifest["own_lists"])) < len(manifest["own_lists"]):
        raise ValueError("own_lists names a list twice")
    if manifest["solver"] not in SETTINGS:
        raise ValueError("there is no solver of that name")
    if "objective" in manifest:
        name = manifest["objective"]
        if not isinstance(name, str) or (name != TABLE and WITHIN.fullmatch(name) is None):
            raise ValueError("a run cannot have that objective")
        if "problem" in manifest or manifest["solver"] in _WITHOUT_OBJECTIVE:
            raise ValueError("its solver and problem have no objective")
    if "problem" not in manifest:  # a custom problem may have settings of its own
        check_settings(manifest["solver"], manifest["settings"])


def named_objective(objective: Objective) -> str:
    """Return what an objective is called in a sentence."""
    return "a table of utilities" if objective.name == TABLE else quoted(objective.name)


def write_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return arrays by name as the bytes of a file, not compressed."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def read_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that `write_arrays` wrote, or raise `ValueError` unless all are plain numbers."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if sum(member.file_size for member in archive.zip.infolist()) > len(data):  # they are not compressed
                raise ValueError("more than there is room for")
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # the libraries that read an archive raise all kinds
        raise ValueError("it holds no plain arrays") from error
    if not arrays or any(values.dtype.kind not in "biuf" for values in arrays.values()):
        raise ValueError("it holds no plain arrays")
    return arrays


def figures_of(solver: str) -> tuple[str, ...]:
    """Return the names of the figures that every record of a solver's history has."""
    return tuple(entry.name for entry in fields(standing_of_solver(solver)))


def lines(records: Iterable[Record]) -> bytes:
    """Return records as they are written to a history."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def _read_records(data: bytes, first: int, figures: tuple[str, ...]) -> list[Record]:
    """Return the records of some whole lines of a history, numbered from `first` on, each with its figures."""
    records = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=first):
        record = read_as(dict[str, Any], parse_json(line))
        if type(record.get("iteration")) is not int or record["iteration"] != number:
            raise ValueError(f"line {number + 1} is not of iteration {number}")
        read_as(dict[str, Real], {name: record.get(name) for name in figures})
        records.append(record)
    return records


class History(Sequence[Record]):
    """The records of a run's steps, by number, as far as the history has been read or written.

    A history that is not short stays open, so that its records can be read even when its folder is removed.

    Attributes:
        path: the file; None for a history that is in no folder.
        length: its bytes.
        full: whether there was no room for a temporary file, so that memory holds the end of the history.
        figures: the names of what every record has.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.length, self.full = path, 0, False
        self.figures: tuple[str, ...] = ()
        self._count = 0
        self._starts = array("Q")  # where each page begins in the file
        self._last_page: tuple[int, list[Record]] = -1, []
        self._lock = threading.Lock()
        self._file: IO[bytes] = io.BytesIO()
        self._rest = b""  # the end of the history if the file is full
        self._hash = hashlib.sha256()
        self._line = 0  # where the line begins whose end has not been seen yet

    @classmethod
    def read(cls, path: Path, length: int, deadline: Deadline = NEVER) -> History:
        """Return the first `length` bytes of a file, or all of them if it has fewer.

        Raises `OSError` if there is no file, `DeadlinePassed` if it takes too long, and `ValueError` if it cannot be a
        history.
        """
        history = cls(path)
        for piece in files.pieces(path, length):
            deadline.check()
            history.add(piece)
        return history

    @classmethod
    def of(cls, data: bytes) -> History:
        """Return the history with this content, in no folder."""
        history = cls()
        history.add(data)
        return history

    @property
    def promise(self) -> Promise:
        """What a checkpoint says of the file."""
        return {"length": self.length, "sha256": self._hash.hexdigest()}

    def extend(self, records: Iterable[Record]) -> None:
        """Append records to a history that is in no folder; if there is no room for them on disk, `full` is then True.

        Even then all records can be read, since memory holds what is not on disk. But nothing more should be appended.
        """
        self.add(lines(records))

    def add(self, data: bytes) -> None:
        """Take note of what was read from the end of the file, or written there; write it if there is no folder."""
        with self._lock:
            if isinstance(self._file, io.BytesIO) or self.path is None:
                self._write(data)
            if isinstance(self._file, io.BytesIO) and not self.full and self.length + len(data) > SHORT:
                self._move_out_of_memory()
            self._hash.update(data)
            ends = self.length + 1 + np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
            begins = np.concatenate(([self._line], ends))  # of every line that ends here, and of the next
            self._starts.extend(begins[-self._count % PAGE : -1 : PAGE].tolist())
            self._count, self._line = self._count + len(ends), int(begins[-1])
            self.length += len(data)
        if self.length - self._line > _LONGEST_LINE:
            raise ValueError("a line is too long")

    def _write(self, data: bytes) -> None:
        """Write at the end of the file, or keep in memory what a temporary file has no room for."""
        if not self.full:
            try:
                self._file.seek(self.length)
                self.full = self._file.write(data) != len(data)
            except OSError:
                self.full = True
        if self.full:
            self._rest += data

    def _move_out_of_memory(self) -> None:
        """Read from the file from now on; without a folder, from a temporary one, if there is room for it."""
        assert isinstance(self._file, io.BytesIO)
        in_memory = self._file.getvalue()
        try:
            file = TemporaryFile(buffering=0) if self.path is None else self.path.open("rb")  # noqa: SIM115
            weakref.finalize(self, file.close)
            self.full = self.path is None and file.write(in_memory) != len(in_memory)
        except OSError:
            if self.path is not None:
                raise
            self.full = True
        if not self.full:
            self._file = file

    def check(self) -> None:
        """Raise `ValueError` unless every line of a short history is a record; of a long one the last page is read.

        The other pages of a long one are checked when they are read.
        """
        if self._line != self.length:
            raise ValueError("its last line has no end")
        pages = range(len(self._starts))
        for number in pages if isinstance(self._file, io.BytesIO) else pages[-1:]:
            self._records_of(number)

    def _records_of(self, number: int) -> list[Record]:
        """Return the records of a page, or raise `ValueError`."""
        start = self._starts[number]
        end = self._starts[number + 1] if number + 1 < len(self._starts) else self.length
        on_disk = self.length - len(self._rest)
        data = _read_at(self._file, start, max(start, min(end, on_disk)))
        data += self._rest[max(0, start - on_disk) : max(0, end - on_disk)]
        return _read_records(data, PAGE * number, self.figures)

    def _page(self, number: int) -> list[Record]:
        """Return the records of a page."""
        with self._lock:
            if self._last_page[0] != number or len(self._last_page[1]) < min(PAGE, self._count - PAGE * number):
                try:
                    self._last_page = number, self._records_of(number)
                except (OSError, ValueError) as error:
                    name = "the history of the run" if self.path is None else quoted(self.path)
                    raise RunError(
                        f"{name} is damaged or was edited ({error}): restore it from a copy, or solve again in another "
                        "folder"
                    ) from None
            return self._last_page[1]

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


def _read_at(file: IO[bytes], start: int, end: int) -> bytes:
    """Return bytes of a file; a process that was forked shares the file's position, so it is not used if possible."""
    if isinstance(file, io.BytesIO):
        return bytes(file.getbuffer()[start:end])
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), end - start, start)
    file.seek(start)
    return file.read(end - start)

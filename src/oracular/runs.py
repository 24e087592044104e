"""A run on disk: a folder that holds a solution in the making.

    manifest.json    what is solved: the game, the hashes of its words and answers, the solver and its settings
    words.txt        the words, where they are the user's own (or secrets.txt and guesses.txt)
    history.jsonl    a line a step: what the solver did (which secrets tied, say) and the figures of that iteration
    arrays-N.npz     the larger part of the solver's state, where it has one, as of the last checkpoint
    checkpoint.json  the solver's state, and the committed length and checksum of each other file

A folder appears whole, with an empty history and a first checkpoint. A line is appended at every step. About once a
second (once a minute where there are arrays to write) the history is flushed to disk and the checkpoint is replaced by
a new one, at once. A kill at any moment therefore loses no more than that: bytes beyond the committed length are
dropped at a resume, and the solver goes on from the checkpoint to the same bits as if it had never stopped. A file
that is shorter than was committed, or whose checksum differs, is an error that names it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from oracular.errors import RunError, UnknownGameError
from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.words import read_words

MANIFEST = "manifest.json"
HISTORY = "history.jsonl"
CHECKPOINT = "checkpoint.json"
CERTIFICATE = "certificate.json"
ARRAYS = ".npz"
ARRAYS_FILE = re.compile(r"arrays-[0-9]+\.npz")
FORMAT = 1


@dataclass(frozen=True)
class Run:
    """A run as its last checkpoint vouches for it; all files have been verified.

    Attributes:
        folder: where it is.
        manifest: what is solved, and how.
        solver: the solver's state, or None before the first checkpoint with a step.
        arrays: the larger part of it, by name.
        history: the records up to that state.
        seconds: how long solving has taken so far.
        stopped: why the run stopped, or None where it was cut off.
        length: the committed bytes of the history.
    """

    folder: Path
    manifest: dict[str, Any]
    solver: dict[str, Any] | None
    arrays: dict[str, NDArray[Any]]
    history: list[dict[str, Any]]
    seconds: float
    stopped: str | None
    length: int

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Return the run in a folder, or say what is wrong with it."""
        if not is_run(folder):
            raise RunError(f"{str(folder)!r} holds no run: make one with 'oracular solve GAME --out {folder}'")
        body = _read_checkpoint(folder / CHECKPOINT)
        contents = {name: _verified(folder / name, promise) for name, promise in body["files"].items()}
        manifest = json.loads(contents[MANIFEST])
        if manifest["format"] != FORMAT:
            raise RunError(f"the run in {str(folder)!r} is of format {manifest['format']}: this version reads {FORMAT}")
        history = [json.loads(line) for line in contents[HISTORY].splitlines()]
        length = len(contents[HISTORY])
        arrays = {}
        for name, data in contents.items():
            if name.endswith(ARRAYS):
                with np.load(io.BytesIO(data), allow_pickle=False) as kept:
                    arrays = dict(kept)
        return cls(folder, manifest, body["solver"], arrays, history, body["seconds"], body["stopped"], length)

    def game(self) -> Game:
        """Return the game that the run solves, with the words it was begun with."""
        lists = {name: read_words(self.folder / _list_file(name)) for name in self.manifest["own_lists"]}
        try:
            return game_of_name(self.manifest["game"], **lists)
        except UnknownGameError:
            raise RunError(
                f"{str(self.folder)!r} is a run of a game of one's own, {self.manifest['game']!r}: "
                "open it from Python with that game, oracular.load_run(folder, game)"
            ) from None

    def check_game(self, game: Game) -> None:
        """Raise an error unless the run is one of this game and word list."""
        if game.name != self.manifest["game"]:
            raise RunError(
                f"{str(self.folder)!r} is a run of {self.manifest['game']}, not of {game.name}: choose another --out"
            )
        if game.words_sha256 != self.manifest["words_sha256"]:
            raise RunError(f"{str(self.folder)!r} is a run with another word list: give that list, or another --out")
        if game.answers_sha256 != self.manifest["answers_sha256"]:
            raise RunError(f"{str(self.folder)!r} is a run of a game with other answers: choose another --out")

    def check_settings(self, solver: str, settings: dict[str, Any]) -> None:
        """Raise an error unless the run has this solver and these settings."""
        theirs = {"solver": self.manifest["solver"], **self.manifest["settings"]}
        for key, value in {"solver": solver, **settings}.items():
            if theirs.get(key) != value:
                raise RunError(
                    f"{str(self.folder)!r} was begun with {key} {theirs.get(key)!r}, not {value!r}: "
                    "give the same, or choose another --out"
                )


class RunWriter:
    """Appends steps to a run and commits them; one process at a time has it."""

    def __init__(self, run: Run, file: BinaryIO) -> None:
        self.run = run
        self._file = file
        self._begun = False
        kept = (run.folder / HISTORY).read_bytes()[: run.length]
        self._length = run.length
        self._hash = hashlib.sha256(kept)
        names = [MANIFEST, *map(_list_file, run.manifest["own_lists"])]
        self._fixed = {name: _promise((run.folder / name).read_bytes()) for name in names}

    def append(self, record: dict[str, Any]) -> None:
        """Append one step's record, in one write."""
        self._add((json.dumps(record) + "\n").encode())

    def _add(self, data: bytes) -> None:
        """Write to the end of the history in one write, or say that not all of it could be written."""
        try:
            self._begin()
            written = self._file.write(data)
        except OSError as error:
            _not_written(self.run.folder, error)
        if written != len(data):
            raise RunError(
                f"{str(self.run.folder)!r} cannot be written to the end: make room on the disk, then --resume"
            )
        self._hash.update(data)
        self._length += len(data)

    def _begin(self) -> None:
        """Drop what lies beyond the last checkpoint, before anything is written."""
        if not self._begun:
            self._file.truncate(self._length)
            self._file.seek(self._length)
            self._begun = True

    def commit(
        self, solver: dict[str, Any], arrays: dict[str, NDArray[Any]], seconds: float, stopped: str | None
    ) -> None:
        """Flush all to disk and replace the checkpoint."""
        files = {**self._fixed, HISTORY: {"length": self._length, "sha256": self._hash.hexdigest()}}
        folder = self.run.folder
        try:
            self._begin()
            os.fsync(self._file.fileno())
            if arrays:
                buffer = io.BytesIO()
                np.savez(buffer, allow_pickle=False, **arrays)
                name = f"arrays-{self._length}{ARRAYS}"  # another name for another state: the old one stays good
                _write_safely(folder / name, buffer.getvalue())
                files[name] = _promise(buffer.getvalue())
            body = {"files": files, "solver": solver, "seconds": seconds, "stopped": stopped}
            _write_safely(folder / CHECKPOINT, _checkpoint(body))
            for path in folder.glob(f"arrays-*{ARRAYS}"):
                if path.name not in files:
                    path.unlink()
        except OSError as error:
            _not_written(folder, error)

    def receive(self, files: Mapping[str, bytes]) -> None:
        """Take over a later state of this run, whose files were worked on elsewhere; the checkpoint comes last.

        Of the folder's other files none is touched: they may have changed meanwhile.
        """
        folder, history = self.run.folder, files.get(HISTORY, b"")
        news = files.keys() - {HISTORY, CHECKPOINT, *self._fixed}
        if (
            hashlib.sha256(history[: self._length]).digest() != self._hash.digest()
            or CHECKPOINT not in files
            or not all(name == CERTIFICATE or ARRAYS_FILE.fullmatch(name) for name in news)
        ):
            raise RunError(f"what was sent back is no later state of the run in {str(folder)!r}: sweep again")
        self._add(history[self._length :])
        try:
            os.fsync(self._file.fileno())
            for name in sorted(news):
                _write_safely(folder / name, files[name])
            _write_safely(folder / CHECKPOINT, files[CHECKPOINT])
            for path in folder.glob(f"arrays-*{ARRAYS}"):
                if path.name not in files:
                    path.unlink()
        except OSError as error:
            _not_written(folder, error)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a run by name, verified: those that its checkpoint vouches for, and its certificate.

    Whatever else is in the folder (bounds that were proved of the run, a user's notes) is no part of its state.
    """
    body = _read_checkpoint(folder / CHECKPOINT)
    files = {name: _verified(folder / name, promise) for name, promise in body["files"].items()}
    files[CHECKPOINT] = _checkpoint(body)
    if (folder / CERTIFICATE).is_file():
        files[CERTIFICATE] = (folder / CERTIFICATE).read_bytes()
    return files


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a run into a new folder."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def create(folder: Path, game: Game, solver: str, settings: dict[str, Any]) -> None:
    """Make a new run in a folder that is empty or does not exist yet; it appears whole or not at all."""
    if is_run(folder):
        raise RunError(f"{str(folder)!r} holds a run already: add --resume to go on with it, or choose another --out")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{str(folder)!r} is in the way (it is no run of ours): choose another --out")
    manifest = {
        "format": FORMAT,
        "game": game.name,
        "words_sha256": game.words_sha256,
        "answers_sha256": game.answers_sha256,
        "own_lists": sorted(game.own_lists),
        "solver": solver,
        "settings": settings,
        "versions": _versions(),
    }
    files = {_list_file(name): "".join(f"{w}\n" for w in words).encode() for name, words in game.own_lists.items()}
    files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    files[HISTORY] = b""
    promises = {name: _promise(data) for name, data in files.items()}
    files[CHECKPOINT] = _checkpoint({"files": promises, "solver": None, "seconds": 0.0, "stopped": None})
    beside = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        beside.chmod(0o755)
        for name, data in files.items():
            _write_safely(beside / name, data)
        beside.replace(folder)
        _flush_folder(folder.parent)
    except OSError as error:
        raise RunError(f"run folder {str(folder)!r} cannot be made ({error.strerror}): choose another --out") from None
    finally:
        if beside is not None and beside.exists():
            shutil.rmtree(beside)


def discard(folder: Path) -> None:
    """Remove the run in a folder, unless another process is writing it."""
    with writing(folder):
        shutil.rmtree(folder)


@contextmanager
def writing(folder: Path) -> Iterator[RunWriter]:
    """Give a writer for the run in a folder; the run is read only once no other process can write it."""
    if not is_run(folder):
        Run.open(folder)  # says so
    try:
        file = (folder / HISTORY).open("r+b", buffering=0)
    except (FileNotFoundError, IsADirectoryError):
        raise _damaged(folder / HISTORY) from None
    except OSError as error:
        _not_written(folder, error)
    with file:
        if not _lock(file.fileno()):
            raise RunError(f"{str(folder)!r} is in use by another process: wait for it, or choose another --out")
        yield RunWriter(Run.open(folder), file)


def is_run(folder: Path) -> bool:
    """Tell whether the folder holds a run, be it damaged."""
    return (folder / MANIFEST).is_file() or (folder / CHECKPOINT).is_file()


def _list_file(name: str) -> str:
    return f"{name}.txt"


def _promise(data: bytes) -> dict[str, Any]:
    """Return what a checkpoint says of a file."""
    return {"length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _checkpoint(body: dict[str, Any]) -> bytes:
    """Return a checkpoint with its own checksum."""
    text = json.dumps(body)
    return f'{{"sha256": "{hashlib.sha256(text.encode()).hexdigest()}", "checkpoint":\n{text}\n}}\n'.encode()


def _read_checkpoint(path: Path) -> dict[str, Any]:
    """Return a checkpoint's content, its checksum verified."""
    try:
        body: dict[str, Any] = json.loads(path.read_bytes())["checkpoint"]
        if path.read_bytes() != _checkpoint(body):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        raise _damaged(path) from None
    return body


def _verified(path: Path, promise: dict[str, Any]) -> bytes:
    """Return the committed bytes of a file, or say that they are not what the checkpoint promises."""
    try:
        data = path.read_bytes()
    except OSError:
        raise _damaged(path) from None
    if len(data) < promise["length"]:
        raise RunError(f"{str(path)!r} is truncated: restore it from a copy, or solve again in another folder")
    committed = data[: promise["length"]] if path.name == HISTORY else data  # only the history may go on
    if _promise(committed) != promise:
        raise _damaged(path)
    return committed


def _damaged(path: Path) -> RunError:
    return RunError(
        f"{str(path)!r} is missing, damaged or was edited: restore it from a copy, or solve again in another folder"
    )


def _not_written(folder: Path, error: OSError) -> NoReturn:
    raise RunError(
        f"the run in {str(folder)!r} cannot be written ({error.strerror}): mend that, then --resume"
    ) from None


def _write_safely(path: Path, data: bytes) -> None:
    """Write a file so that at any moment either the old or the new content is there."""
    beside = path.with_name(path.name + ".tmp")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make a renaming in the folder last; systems that cannot open folders do it by themselves."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _versions() -> dict[str, str]:
    """Return the versions of what may matter to a result."""
    found = {"python": platform.python_version()}
    for package in ("oracular", "numpy", "numba", "wordsegment"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _lock(descriptor: int) -> bool:
    """Take the lock of an open file until it is closed, or return False where another process has it."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

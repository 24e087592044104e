"""A run on disk: a folder that holds a solution in the making.

    manifest.json    what is solved: the game, the hash of its words, the solver and its settings, the versions
    words.txt        the words, where they are the user's own (or secrets.txt and guesses.txt)
    history.jsonl    a line a step: the hider's best response (which secrets tied) and the figures of that iteration
    checkpoint.json  the solver's state, and the committed length and checksum of each other file

A line is appended at every step. About once a second the files are flushed to disk and the checkpoint is replaced by
a new one, at once. A kill at any moment therefore loses about a second of work: bytes beyond the committed length are
dropped at a resume, and the solver goes on from the checkpoint to the same bits as if it had never stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from oracular.errors import RunError, UnknownGameError
from oracular.game import Game
from oracular.games import game as game_of_name
from oracular.words import read_words

MANIFEST = "manifest.json"
HISTORY = "history.jsonl"
CHECKPOINT = "checkpoint.json"
FORMAT = 1


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _as_json(data: dict[str, Any], indent: int | None = None) -> bytes:
    return (json.dumps(data, indent=indent, sort_keys=True) + "\n").encode()


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


@dataclass(frozen=True)
class Committed:
    """What a checkpoint vouches for.

    Attributes:
        solver: the solver's state.
        history: the records up to it.
        seconds: how long solving has taken so far.
        stopped: why the run stopped, or None where it was cut off.
    """

    solver: dict[str, Any]
    history: list[dict[str, Any]]
    seconds: float
    stopped: str | None


class Run:
    """A run's folder, opened for reading; `writer` opens it for more steps."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest

    @classmethod
    def create(cls, folder: Path, game: Game, solver: str, settings: dict[str, Any]) -> Run:
        """Return a new run in a folder that is empty or does not exist yet."""
        if is_run(folder):
            raise RunError(
                f"{str(folder)!r} holds a run already: add --resume to go on with it, or choose another --out"
            )
        if folder.exists() and (not folder.is_dir() or any(path.suffix != ".tmp" for path in folder.iterdir())):
            raise RunError(f"{str(folder)!r} is in the way (it is no run of ours): choose another --out")
        manifest: dict[str, Any] = {
            "format": FORMAT,
            "game": game.name,
            "words_sha256": game.words_sha256,
            "answers_sha256": game.answers_sha256,
            "own_lists": sorted(game.own_lists),
            "solver": solver,
            "settings": settings,
            "versions": _versions(),
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, words in game.own_lists.items():
                _write_safely(folder / _list_file(name), "".join(f"{word}\n" for word in words).encode())
            _write_safely(folder / MANIFEST, _as_json(manifest, indent=2))
        except OSError as error:
            raise RunError(
                f"run folder {str(folder)!r} cannot be made ({error.strerror}): choose another --out"
            ) from None
        return cls(folder, manifest)

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Return the run in a folder."""
        if not is_run(folder):
            raise RunError(f"{str(folder)!r} holds no run: make one with 'oracular solve GAME --out {folder}'")
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            if manifest["format"] != FORMAT:
                raise RunError(
                    f"the run in {str(folder)!r} is of format {manifest['format']}: this version reads {FORMAT}"
                )
            wanted = {"game", "words_sha256", "answers_sha256", "own_lists", "solver", "settings"}
            if not wanted <= manifest.keys():
                raise KeyError
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, RunError):
                raise
            raise _damaged(folder / MANIFEST) from None
        return cls(folder, manifest)

    def game(self) -> Game:
        """Return the game that the run solves, with the words it was begun with."""
        files = {name: self.folder / _list_file(name) for name in self.manifest["own_lists"]}
        for path in files.values():
            if not path.is_file():
                raise _damaged(path)
        try:
            game = game_of_name(self.manifest["game"], **{name: read_words(path) for name, path in files.items()})
        except UnknownGameError:
            raise RunError(
                f"{str(self.folder)!r} is a run of a game of one's own, {self.manifest['game']!r}: "
                "open it from Python with that game, oracular.load_run(folder, game)"
            ) from None
        if game.words_sha256 != self.manifest["words_sha256"]:
            raise _damaged(next(iter(files.values()), self.folder / MANIFEST))
        return game

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

    def committed(self) -> Committed | None:
        """Return what the last checkpoint vouches for, verified; None where the run was cut off before its first."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return None
        try:
            wrapped = json.loads(path.read_bytes())
            body = wrapped["checkpoint"]
            if wrapped["sha256"] != _sha256(_as_json(body)):
                raise KeyError
            for name, promise in body["files"].items():
                self._verify(name, promise)
            lines = (self.folder / HISTORY).read_bytes()[: body["files"][HISTORY]["length"]].splitlines()
            history = [json.loads(line) for line in lines]
            return Committed(body["solver"], history, body["seconds"], body["stopped"])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, RunError):
                raise
            raise _damaged(path) from None

    def _verify(self, name: str, promise: dict[str, Any]) -> None:
        """Raise an error unless a file begins with the bytes that the checkpoint promises."""
        path = self.folder / name
        data = path.read_bytes() if path.is_file() else b""
        if len(data) < promise["length"]:
            raise RunError(f"{str(path)!r} is truncated: restore it from a copy, or solve again in another folder")
        whole = name != HISTORY  # only the history may go on beyond what was committed
        if _sha256(data if whole else data[: promise["length"]]) != promise["sha256"]:
            raise _damaged(path)

    def writer(self, committed: Committed | None) -> RunWriter:
        """Return a writer that goes on behind what was committed."""
        return RunWriter(self, committed)


class RunWriter:
    """Appends steps to a run and commits them; one process at a time."""

    def __init__(self, run: Run, committed: Committed | None) -> None:
        self._folder = run.folder
        path = self._folder / HISTORY
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        if not _lock(self._file):
            os.close(self._file)
            raise RunError(f"{str(run.folder)!r} is in use by another process: wait for it, or choose another --out")
        kept = b"" if committed is None else b"".join(_line(record) for record in committed.history)
        os.ftruncate(self._file, len(kept))
        os.lseek(self._file, 0, os.SEEK_END)
        self._length = len(kept)
        self._hash = hashlib.sha256(kept)
        names = [MANIFEST, *map(_list_file, run.manifest["own_lists"])]
        contents = {name: (self._folder / name).read_bytes() for name in names}
        self._fixed = {name: {"length": len(data), "sha256": _sha256(data)} for name, data in contents.items()}

    def append(self, record: dict[str, Any]) -> None:
        """Append one step's record, in one write."""
        line = _line(record)
        os.write(self._file, line)
        self._hash.update(line)
        self._length += len(line)

    def commit(self, solver: dict[str, Any], seconds: float, stopped: str | None) -> None:
        """Flush all to disk and replace the checkpoint."""
        os.fsync(self._file)
        history = {"length": self._length, "sha256": self._hash.hexdigest()}
        body = {"files": {**self._fixed, HISTORY: history}, "solver": solver, "seconds": seconds, "stopped": stopped}
        _write_safely(self._folder / CHECKPOINT, _as_json({"checkpoint": body, "sha256": _sha256(_as_json(body))}))

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._file)


def _list_file(name: str) -> str:
    return f"{name}.txt"


def is_run(folder: Path) -> bool:
    """Tell whether the folder holds a run."""
    return (folder / MANIFEST).is_file()


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record) + "\n").encode()


def _damaged(path: Path) -> RunError:
    return RunError(f"{str(path)!r} is damaged or was edited: restore it from a copy, or solve again in another folder")


def _lock(descriptor: int) -> bool:
    """Take the lock of an open file until it is closed, or return False where another process has it."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

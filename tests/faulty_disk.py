"""A disk that fails at a chosen call: it takes the place of `os` in `oracular.system.files`.

Every call to the system is counted. At the chosen one the disk is full, breaks, takes only a part of what is written,
or the machine crashes, before the call or after it. After a crash every further call raises too, and `reboot` leaves
the files as a crash may leave them: what was not flushed may be lost.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

CALLS = frozenset(
    "open close read write lseek fstat stat lstat ftruncate fsync replace unlink mkdir makedirs rmdir listdir".split()
)
CHANGES = frozenset("open write ftruncate fsync replace unlink mkdir rmdir".split())
"""The calls that may change what is on disk, or what would be after a crash."""

FAULTS = ("full", "broken", "short", "short and full", "crash before", "crash after")
LOSSES = ("nothing", "data", "data and names")
"""What a crash may take with it that was not flushed: file contents, and files made, renamed or removed."""


class CrashError(BaseException):
    """The machine has stopped: nobody catches this."""


class FaultyDisk:
    """Stands in for the module `os`, counts its calls and fails at one of them.

    fault, at: what happens at which call, counted from 0, or at the first one of a name
    calls: the names of the calls so far
    """

    def __init__(self, fault: str | None = None, at: int | str = -1) -> None:
        self.fault, self.at = fault, at
        self.calls: list[str] = []
        self.crashed = False
        self.struck = False
        self._open: dict[int, Path] = {}
        self._lasting: dict[int, bytes] = {}
        self._undo: list[tuple[Path, Callable[[], None]]] = []

    def __getattr__(self, name: str) -> Any:
        if name not in CALLS:
            return getattr(os, name)

        def call(*arguments: Any, **named: Any) -> Any:
            return self._call(name, arguments, named)

        return call

    def _call(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if self.crashed:
            raise CrashError
        number = len(self.calls)
        self.calls.append(name)
        if self.fault == "short and full" and self.struck and name == "write":
            self.struck = False
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.at not in (number, name) or self.struck:
            return self._do(name, arguments, named)
        self.struck = True
        if self.fault in ("full", "broken"):
            if name == "close":
                self._do(name, arguments, named)  # a descriptor is gone even where closing it fails
            code = errno.ENOSPC if self.fault == "full" else errno.EIO
            raise OSError(code, os.strerror(code))
        if self.fault in ("short", "short and full"):
            if name == "write":
                descriptor, data = arguments
                return self._do(name, (descriptor, data[: max(1, len(data) // 2)]), {})
            return self._do(name, arguments, named)
        if self.fault == "crash after":
            with suppress(OSError):
                self._do(name, arguments, named)
        self.crashed = True
        raise CrashError

    def _do(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Make the call, and note what a crash would undo."""
        if name in ("write", "ftruncate"):
            self._remember(arguments[0])
        if name == "fsync":
            return self._flush(arguments[0])
        if name in ("replace", "unlink", "mkdir", "rmdir"):
            self._note_names(name, *map(Path, arguments[:2] if name == "replace" else arguments[:1]))
        if name == "open":
            path, flags = Path(arguments[0]), arguments[1]
            new = bool(flags & os.O_CREAT) and not path.exists()
            descriptor = os.open(*arguments, **named)
            self._open[descriptor] = path
            if new:
                self._lasting[os.fstat(descriptor).st_ino] = b""
                self._undo.append((path.parent, lambda: path.unlink(missing_ok=True)))
            return descriptor
        result = getattr(os, name)(*arguments, **named)
        if name == "close":
            self._open.pop(arguments[0], None)
        return result

    def _remember(self, descriptor: int) -> None:
        """Note the content of a file that lasts, before the first write after a flush."""
        status = os.fstat(descriptor)
        if status.st_ino not in self._lasting:
            self._lasting[status.st_ino] = self._open[descriptor].read_bytes()

    def _flush(self, descriptor: int) -> None:
        """Make a file's content last, or the names in a folder; the true disk need not be troubled."""
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            folder = self._open[descriptor]
            self._undo = [(where, undo) for where, undo in self._undo if where != folder]
        else:
            self._lasting.pop(status.st_ino, None)

    def _note_names(self, name: str, source: Path, target: Path | None = None) -> None:
        """Note how a change of names in a folder is undone."""
        if name == "mkdir":
            self._undo.append((source.parent, lambda: _remove(source)))
        elif name == "rmdir":
            self._undo.append((source.parent, lambda: source.mkdir(exist_ok=True)))
        elif name == "unlink":
            kept = source.read_bytes() if source.is_file() else None
            if kept is not None:
                self._undo.append((source.parent, lambda: _write(source, kept)))
        elif target is not None:
            old = target.read_bytes() if target.is_file() else None

            def back() -> None:
                if target.exists():
                    target.replace(source)
                if old is not None:
                    _write(target, old)

            self._undo.append((source.parent, back))

    def reboot(self, loss: str = "nothing") -> None:
        """Close what is open, as the end of the process does, and lose what a crash may lose."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open = {}
        if loss != "nothing":
            places = {path.stat().st_ino: path for folder in self._folders() for path in folder.iterdir()}
            for inode, content in self._lasting.items():
                if inode in places:
                    _write(places[inode], content)
        if loss == "data and names":
            for _, undo in reversed(self._undo):
                undo()

    def _folders(self) -> list[Path]:
        """Return the folders in which names may have changed, and those below."""
        return [folder for folder in self.watched.rglob("*") if folder.is_dir()]

    watched: Path = Path("/nowhere")


def _write(path: Path, content: bytes) -> None:
    """Write a file where its folder is still there."""
    if path.parent.is_dir():
        path.write_bytes(content)


def _remove(folder: Path) -> None:
    """Remove a folder whose files have lost their names already."""
    if folder.is_dir():
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()

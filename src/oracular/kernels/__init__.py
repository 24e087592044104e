"""Compiled inner loops; everything outside this folder is plain Python.

Compiling takes a minute or two, so Numba keeps compiled code in a folder and reads it again: as pickles, which means
that whoever can write into that folder decides what runs. So it must be a folder that nobody else can write: beside
these sources, or else below the user's folder of caches, or else among the temporary files; where none of them will
do, nothing is kept and nothing is read. `NUMBA_CACHE_DIR`, where it is set, comes first.

Numba notices a change in a function's own file, not one in a file it calls into. So the folder is named after all of
the sources: changed sources have another folder, and nothing is ever removed or written anew under a process that reads
it. Folders of earlier sources are removed once no process has them anymore.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile
from numba.misc.appdirs import AppDirs

FOLDER = Path(__file__).resolve().parent
IN_USE = "in-use"
"""A file in each folder of compiled code that every process which uses it holds a shared lock of."""

SAVING = "saving"
"""A file in each folder of compiled code whose lock is held by the process that writes there."""


def is_private(folder: Path) -> bool:
    """Tell whether a folder is our own, no link, closed to everybody else, and cannot be exchanged by others."""
    if not hasattr(os, "getuid"):  # a system with other rights, where the user's folders are the user's
        return folder.is_dir()
    status = folder.lstat()
    own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return own and is_guarded(folder.parent)


def is_guarded(place: Path) -> bool:
    """Tell whether others can neither remove nor exchange what we have in a place, nor the place itself.

    Whoever owns a folder can, whatever its mode: so it and all above it must be our own or the administrator's.
    """
    if not hasattr(os, "getuid"):
        return True
    path = place.resolve()
    return all(
        status.st_uid in (0, os.getuid()) and (status.st_mode & stat.S_ISVTX or not status.st_mode & 0o022)
        for status in (one.stat() for one in (path, *path.parents))
    )


def cache_folder(places: Iterable[Path], name: str) -> Path | None:
    """Return the folder of this name in the first place that will do, held by this process; None where there is none.

    Folders of other sources, whose names differ in the last part alone, are removed there unless they are in use.
    """
    for named in places:
        with suppress(OSError):
            named.mkdir(mode=0o700, parents=True, exist_ok=True)
            place = named.resolve()  # a link on the way could be made to lead elsewhere later
            folder = place / name
            while is_guarded(place):
                with suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                if not is_private(folder):
                    break
                if _hold(folder):
                    _remove_others(folder)
                    return folder
    return None


def _hold(folder: Path) -> bool:
    """Hold a folder until this process ends, and tell whether it is still there; also see whether it can be written."""
    descriptor = os.open(folder / IN_USE, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    _lock(descriptor, shared=True)
    try:
        there = (folder / IN_USE).stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        there = False
    if not there:  # it was removed just before it was ours to hold
        os.close(descriptor)
    return there


def _remove_others(folder: Path) -> None:
    """Remove the folders of other sources that no process holds."""
    for other in folder.parent.glob(f"{folder.name.rpartition('-')[0]}-*"):
        if other == folder:
            continue
        with suppress(OSError):
            if not is_private(other):
                continue
            descriptor = os.open(other / IN_USE, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                if _lock(descriptor, wait=False):
                    shutil.rmtree(other, ignore_errors=True)
            finally:
                os.close(descriptor)


def _lock(descriptor: int, shared: bool = False, wait: bool = True) -> bool:
    """Take the lock of an open file, and tell whether it could be had: some systems have no such locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):
        return False
    return True


def _places() -> Iterator[Path]:
    """Give the places where compiled code may be kept, the best first."""
    named = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    if named:
        yield Path(named)
    yield FOLDER / "__pycache__"
    user = Path(AppDirs(appname="oracular", appauthor=False).user_cache_dir)
    if user.is_absolute():  # there may be nobody at home
        yield user
    with suppress(OSError):
        yield Path(tempfile.gettempdir())


def _name() -> str:
    """Return what the folder of these sources is called: after the user, where they lie, and what is in them."""
    content = hashlib.sha256(numba.__version__.encode())
    for path in sorted(FOLDER.rglob("*.py")):
        content.update(f"\n{path.relative_to(FOLDER)}\n".encode())
        content.update(path.read_bytes())
    where = hashlib.sha256(str(FOLDER).encode()).hexdigest()[:12]
    user = os.getuid() if hasattr(os, "getuid") else 0
    return f"oracular-kernels-{user}-{where}-{content.hexdigest()[:16]}"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file, once every other process has let it go."""
    with path.open("w") as file:
        _lock(file.fileno())
        yield


def _one_at_a_time(save: Callable[..., None], lock: Path) -> Callable[..., None]:
    """Return Numba's way to save, for one process at a time.

    It reads an index, gives the next number to what it saves, and writes both. Two processes at once would give the
    same number to two functions, and the index of one would lead to the code of the other.
    """

    def save_alone(self: Any, key: Any, data: Any) -> None:
        with _alone(lock):
            save(self, key, data)

    return save_alone


def _keep_nothing() -> Path:
    """Have Numba read and write no compiled code, and return an empty folder, which it insists on."""
    IndexDataCacheFile.load = lambda self, key: None
    IndexDataCacheFile.save = lambda self, key, data: None
    folder = Path(tempfile.mkdtemp(prefix="oracular-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


KEPT = cache_folder(_places(), _name())
"""Where compiled code is kept, if anywhere."""

if KEPT is not None:
    IndexDataCacheFile.save = _one_at_a_time(IndexDataCacheFile.save, KEPT / SAVING)
numba.config.CACHE_DIR = str(KEPT or _keep_nothing())  # type: ignore[attr-defined]

"""The one door to files: what is read is checked first, and what is written is there whole or not at all.

Runs, bounds, certificates, strategies and word lists all come and go through here. A file may be anything by the time
it is opened: a pipe that never ends, a device, a link to something else, a gigabyte of brackets. So only ordinary files
of a bounded size are read, and what is parsed never raises anything but `ValueError`. A writer that is killed leaves
the old content and perhaps a temporary file, which the next writer of the folder removes.

Every call to the operating system is made through the module's name `os`, so that a test can make each of them fail.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any, NoReturn

MOST_BYTES = 1 << 30
"""A file that is larger than this is not read unless its reader says otherwise."""

MOST_DIGITS = 4000
"""Whole numbers in a file have at most so many digits; Python refuses to read longer ones slowly."""

TEMPORARY = re.compile(r".+\.[0-9a-f]{12}\.tmp")
"""What the temporary files of `write_whole` are called."""

MOST_ATTEMPTS = 100
"""How often something is tried again that another process got in the way of."""

_FRACTION = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}(/[0-9]{{1,{MOST_DIGITS}}})?", flags=re.ASCII)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_DO_NOT_WAIT = getattr(os, "O_NONBLOCK", 0)


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of an ordinary file of at most so many bytes.

    Anything else is an `OSError` whose `strerror` says what it is.
    """
    descriptor = os.open(path, os.O_RDONLY | _BINARY | _DO_NOT_WAIT)  # opening a pipe would wait for its other end
    try:
        return read_open(descriptor, most)
    finally:
        os.close(descriptor)


def read_beginning(path: Path, length: int) -> bytes:
    """Return the first so many bytes of an ordinary file, or all where it has fewer."""
    descriptor = os.open(path, os.O_RDONLY | _BINARY | _DO_NOT_WAIT)
    try:
        return _read_up_to(descriptor, length)
    finally:
        os.close(descriptor)


def read_open(descriptor: int, most: int = MOST_BYTES) -> bytes:
    """Return the content of an open file from its beginning, under the conditions of `read_bytes`."""
    data = _read_up_to(descriptor, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return data


def _read_up_to(descriptor: int, length: int) -> bytes:
    """Return the first so many bytes of an open file, which must be an ordinary one."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file")
    pieces, left = [], length
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left > 0 and (piece := os.read(descriptor, min(1 << 20, left))):  # it may grow while it is read
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def is_file(path: Path) -> bool:
    """Tell whether there is an ordinary file at a path."""
    return _kind(path) == stat.S_IFREG


def in_the_way(folder: Path) -> bool:
    """Tell whether there is anything at a path but an empty folder."""
    kind = _kind(folder)
    return kind is not None and (kind != stat.S_IFDIR or bool(os.listdir(folder)))


def _kind(path: Path) -> int | None:
    """Return what kind of thing is at a path, or None where there is nothing or it cannot be told."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except OSError:
        return None


def names_in(folder: Path) -> list[str]:
    """Return the names of what is in a folder; none where there is no folder that can be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def is_same_file(path: Path, descriptor: int) -> bool:
    """Tell whether an open file is still the one at a path: it may have been removed or replaced."""
    try:
        there, ours = os.stat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def open_to_write(path: Path, make: bool = False) -> int:
    """Return the descriptor of an ordinary file, open for reading and writing; it must be there unless it is made."""
    made = os.O_CREAT | _NO_LINK if make else 0
    descriptor = os.open(path, os.O_RDWR | made | _BINARY | _DO_NOT_WAIT, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_folder(folder: Path) -> int | None:
    """Return the descriptor of a folder, or None on a system that cannot open folders."""
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError:
        return None


def close(descriptor: int | None) -> None:
    """Close what was opened, if it was; what was flushed is safe, whatever comes of it."""
    if descriptor is not None:
        with suppress(OSError):
            os.close(descriptor)


def cut_off(descriptor: int, length: int) -> None:
    """Drop what an open file has beyond so many bytes, and go on writing there."""
    if os.fstat(descriptor).st_size > length:
        os.ftruncate(descriptor, length)
    os.lseek(descriptor, length, os.SEEK_SET)


def flush(descriptor: int) -> None:
    """Make what was written to an open file last."""
    os.fsync(descriptor)


def parse_json(data: bytes | str) -> Any:
    """Return what a JSON text says, or raise `ValueError`: also where it is nested too deeply or no number is meant."""
    try:
        return json.loads(data, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def parse_fraction(text: object) -> Fraction:
    """Return the fraction that a text such as `7/3` or `-2` stands for, or raise `ValueError`; decimals are none."""
    if not isinstance(text, str) or _FRACTION.fullmatch(text) is None:
        raise ValueError("not a fraction of whole numbers")
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ValueError("a fraction over zero")
    return Fraction(int(top), int(bottom or 1))


def check_whole(value: object, what: str, least: int, most: int) -> int:
    """Return a value out of a file, which must be a whole number in a range."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{what} is not a whole number in its range")
    return value


def check_number(value: object, what: str, least: float = -1e300, most: float = 1e300) -> float:
    """Return a value out of a file, which must be a number in a range."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{what} is not a number in its range")
    return value


def check_list(value: object, what: str) -> list[Any]:
    """Return a value out of a file, which must be a list."""
    if not isinstance(value, list):
        raise ValueError(f"{what} is no list")
    return value


def check_object(value: object, what: str, names: Iterable[str]) -> dict[str, Any]:
    """Return a value out of a file, which must be an object that has these fields at least."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no object")
    for name in names:
        if name not in value:
            raise ValueError(f"{what} has no {name}")
    return value


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that at any moment, a crash included, either the old or the new content is there."""
    beside = path.with_name(f"{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY, 0o644)
    try:
        try:
            write_all(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
    flush_folder(path.parent)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the data to an open file; the system may take it in several pieces."""
    rest = memoryview(data)
    while rest:
        written = os.write(descriptor, rest)
        if written <= 0:
            raise OSError(errno.EIO, "nothing more is taken in")
        rest = rest[written:]


def flush_folder(folder: Path) -> None:
    """Make a renaming in the folder last; systems that cannot open folders do it by themselves."""
    descriptor = open_folder(folder)
    if descriptor is None:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder with these files in it; it appears whole or not at all, a crash included.

    What killed writers of the same folder left beside it is removed first. A folder in the making is locked, so that
    nobody takes it for such a leftover.
    """
    os.makedirs(folder.parent, exist_ok=True)
    sweep_beside(folder)
    with ExitStack() as stack:
        beside = _folder_in_the_making(folder, stack)
        try:
            for name, data in contents.items():
                write_whole(beside / name, data)
            os.replace(beside, folder)
        except BaseException:
            with suppress(OSError):
                _remove_below(beside)
            raise
        flush_folder(folder.parent)


def _folder_in_the_making(folder: Path, stack: ExitStack) -> Path:
    """Return a new folder beside this one, locked until the stack is left."""
    for _ in range(MOST_ATTEMPTS):  # somebody who sweeps up may take it before it is locked
        beside = _beside(folder)
        os.mkdir(beside, 0o755)
        descriptor = open_folder(beside)
        if descriptor is None and _kind(beside) is not None:
            return beside  # a system that cannot open folders
        if descriptor is None:
            continue
        stack.callback(os.close, descriptor)
        if stack.enter_context(locked(descriptor)) and is_same_file(beside, descriptor):
            return beside
    raise OSError(errno.EBUSY, "others make it at the same time")


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; it disappears at once, and a crash leaves at most a leftover beside."""
    beside = _beside(folder)
    os.replace(folder, beside)
    flush_folder(folder.parent)
    _remove_below(beside)


def sweep_beside(folder: Path) -> None:
    """Remove what killed calls of `write_folder` and `remove_folder` left beside a folder."""
    for name in os.listdir(folder.parent):
        if TEMPORARY.fullmatch(name) and name[:-17] == f".{folder.name}":
            leftover = folder.parent / name
            descriptor = open_folder(leftover)
            if descriptor is None:
                continue
            try:
                with locked(descriptor) as free:
                    if free:
                        with suppress(OSError):
                            _remove_below(leftover)
            finally:
                os.close(descriptor)


def _beside(folder: Path) -> Path:
    """Return a name for a folder in the making, or for one that is being removed."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.tmp")


def _remove_below(folder: Path) -> None:
    """Remove a folder and all that is in it; links are removed, not followed."""
    for name in os.listdir(folder):
        path = folder / name
        if stat.S_ISDIR(os.lstat(path).st_mode):
            _remove_below(path)
        else:
            os.unlink(path)
    os.rmdir(folder)


def sweep_temporary(folder: Path, of: Callable[[str], bool] = lambda name: True) -> None:
    """Remove the temporary files that a killed writer left of the files of certain names.

    Call it only while no other process writes those.
    """
    for name in os.listdir(folder):
        if TEMPORARY.fullmatch(name) and of(name[:-17]):
            with suppress(FileNotFoundError):
                os.unlink(folder / name)


def remove_files(folder: Path, unwanted: Callable[[str], bool]) -> None:
    """Remove the files in a folder whose names are unwanted, as far as that can be done."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if unwanted(name):
                os.unlink(folder / name)


@contextmanager
def locked(descriptor: int) -> Iterator[bool]:
    """Take the lock of an open file, and tell whether it could be had; closing the file lets it go.

    Another process that has it keeps it: nobody waits.
    """
    try:
        import fcntl
    except ImportError:  # a system without such locks
        yield True
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    except OSError:  # a file system without such locks
        yield True
        return
    try:
        yield True
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def quoted(text: object, limit: int = 60) -> str:
    """Return a text in quotation marks, cut to a length that fits an error message."""
    return repr(cut(text, limit))


def cut(text: object, limit: int = 60) -> str:
    """Return a text, or how a value is written, cut to a length that fits an error message."""
    try:
        written = str(text)
    except ValueError:  # Python writes no whole number of thousands of digits
        written = f"a {type(text).__name__} too long to write"
    if len(written) <= limit:
        return written
    return f"…{written[-limit:]}" if isinstance(text, PurePath) else f"{written[:limit]}…"  # a path's end says more

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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

MOST_BYTES = 1 << 30
"""A file that is larger than this is not read unless its reader says otherwise."""

MOST_DIGITS = 4000
"""Whole numbers in a file have at most so many digits; Python refuses to read longer ones slowly."""

TEMPORARY = re.compile(r".+\.[0-9a-f]{12}\.tmp")
"""What the temporary files of `write_whole` are called."""

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


def read_open(descriptor: int, most: int = MOST_BYTES) -> bytes:
    """Return the content of an open file from its beginning, under the conditions of `read_bytes`."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file")
    pieces, length = [], 0
    os.lseek(descriptor, 0, os.SEEK_SET)
    while piece := os.read(descriptor, min(1 << 20, most + 1 - length)):  # it may grow while it is read
        pieces.append(piece)
        length += len(piece)
        if length > most:
            raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return b"".join(pieces)


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
    except OSError:
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
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep_temporary(folder: Path, beginning: str = "") -> None:
    """Remove the temporary files that a killed writer left; call it only while no other process writes there.

    Where several write into one folder, each sweeps its own: those of files whose names have its beginning.
    """
    for name in os.listdir(folder):
        if name.startswith(beginning) and TEMPORARY.fullmatch(name):
            with suppress(FileNotFoundError):
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
    return written if len(written) <= limit else f"{written[:limit]}…"

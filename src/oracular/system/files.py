"""Reading and writing files safely: what is read is checked first, and a write succeeds as a whole or not at all.

Runs, bounds, certificates, strategies and word lists are all read and written here. By the time a path is opened there
may be anything there: a pipe that never ends, a device, a link to something else, a gigabyte of brackets. So only
ordinary files of a bounded size are read, and parsing raises nothing but `ValueError`. A writer that is killed leaves
the old content, and perhaps a temporary file that the next writer of the folder removes.

Every call to the operating system is made through the module's name `os`, so that a test can make each of them fail.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Annotated, Any, NoReturn, TypeAlias

import msgspec
from msgspec import Meta

from oracular.errors import RunError

MOST_BYTES = 1 << 30
"""By default, a larger file is not read."""

MOST_DIGITS = 4000
"""The most digits of a whole number in a file; by default, Python refuses to parse much longer ones."""

TEMPORARY = re.compile(r"(.+)\.[0-9a-f]{12}\.tmp")
"""The name of a temporary file: that of the file which it is to become, and twelve random digits."""

MOST_ATTEMPTS = 100
"""How often to try again what another process interfered with."""

_FRACTION = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}(/[0-9]{{1,{MOST_DIGITS}}})?", flags=re.ASCII)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_DO_NOT_WAIT = getattr(os, "O_NONBLOCK", 0)


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of an ordinary file of at most that many bytes.

    Anything else raises an `OSError` whose `strerror` says what it is.
    """
    data = read_beginning(path, most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")
    return data


def read_beginning(path: Path, length: int) -> bytes:
    """Return the first bytes, up to a number, of an ordinary file, or all of them if it has fewer."""
    return b"".join(pieces(path, length))


def pieces(path: Path, length: int, at_a_time: int = 1 << 20) -> Iterator[bytes]:
    """Yield the first bytes, up to a number, of an ordinary file, or all of them if it has fewer, piece by piece."""
    descriptor = os.open(path, os.O_RDONLY | _BINARY | _DO_NOT_WAIT)  # opening a pipe would wait for its other end
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _check_ordinary(status)
        left = length
        while left > 0 and (piece := os.read(descriptor, min(at_a_time, left))):  # it may grow while it is read
            yield piece
            left -= len(piece)
    finally:
        os.close(descriptor)


def _check_ordinary(status: os.stat_result) -> None:
    """Raise an error unless this is the status of an ordinary file."""
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file")


def is_file(path: Path) -> bool:
    """Return whether there is an ordinary file at a path."""
    return _kind(path) == stat.S_IFREG


def in_the_way(folder: Path) -> bool:
    """Return whether there is anything but an empty folder at a path; one without a name cannot be replaced."""
    kind = _kind(folder)
    return not folder.name or (kind is not None and (kind != stat.S_IFDIR or bool(os.listdir(folder))))


def _kind(path: Path) -> int | None:
    """Return the file type of what is at a path, or None if there is nothing or it cannot be looked at."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode)
    except OSError:
        return None


def is_same_file(path: Path, descriptor: int) -> bool:
    """Return whether an open file is still the one at a path: it may have been removed or replaced."""
    try:
        there, ours = os.stat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def open_to_write(path: Path, make: bool = False) -> int:
    """Return the descriptor of an ordinary file, open for reading and writing; `make` creates it if it is missing."""
    made = os.O_CREAT | _NO_LINK if make else 0
    descriptor = os.open(path, os.O_RDWR | made | _BINARY | _DO_NOT_WAIT, 0o644)
    try:
        _check_ordinary(os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_folder(folder: Path) -> int | None:
    """Return the descriptor of a folder, or None if it cannot be opened; some systems never open folders."""
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError:
        return None


def close(descriptor: int | None) -> None:
    """Close a descriptor, if there is one; errors are ignored, since what was flushed is safe."""
    if descriptor is not None:
        with suppress(OSError):
            os.close(descriptor)


def cut_off(descriptor: int, length: int) -> None:
    """Cut an open file to that many bytes, and continue writing at its end."""
    if os.fstat(descriptor).st_size > length:
        os.ftruncate(descriptor, length)
    os.lseek(descriptor, length, os.SEEK_SET)


def flush(descriptor: int) -> None:
    """Wait until what was written to an open file is on the disk."""
    os.fsync(descriptor)


Whole: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 62)]
Real: TypeAlias = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)] | Annotated[float, Meta(ge=-1e300, le=1e300)]
Sha256: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""Counts, finite numbers and checksums in files: see `read_as`."""


def parse_json(data: bytes | str, **hooks: Any) -> Any:
    """Return the content of a JSON text, or raise `ValueError`, also if it nests too deeply or has NaN or infinity.

    The hooks are those of `json.loads`.
    """
    try:
        return json.loads(data, parse_constant=_no_number, **hooks)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def parse_fraction(text: object) -> Fraction:
    """Return the fraction that a text such as `7/3` or `-2` stands for, or raise `ValueError`, also for decimals."""
    if not isinstance(text, str) or _FRACTION.fullmatch(text) is None:
        raise ValueError("not a fraction of whole numbers")
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ValueError("a fraction over zero")
    return Fraction(int(top), int(bottom or 1))


def read_as(kind: Any, data: object) -> Any:
    """Return data from a file as a value of a type, or raise `ValueError` where it is of another shape.

    The type is one of msgspec's: a dataclass or `TypedDict` stands for an object, and `Meta` for a range. Fractions are
    texts such as `7/3`. Fields that the type does not name are ignored.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=_from_text)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def _from_text(kind: type[Any], value: object) -> Any:
    """Return what msgspec cannot read by itself."""
    if kind is Fraction:
        return parse_fraction(value)
    raise NotImplementedError(f"no {kind.__name__} can be read")


MOST_SEALED_BYTES = 1 << 28
"""A file of sealed data is no larger than this."""


def sealed(data: object) -> bytes:
    """Return plain data as the content of a file: a checksum in the first line, the data in the second."""
    body = json.dumps(data)
    return f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n".encode()


def unsealed(content: bytes) -> Any:
    """Return the data that `sealed` wrote, or raise `ValueError` if it wrote no such thing."""
    digest, body, rest = content.decode().split("\n")
    data = parse_json(body)
    if rest or hashlib.sha256(body.encode()).hexdigest() != digest:
        raise ValueError("the checksum is wrong")
    return data


def not_written(path: Path, error: OSError) -> RunError:
    """Return the error for a file that cannot be written."""
    return RunError(f"{quoted(path)} cannot be written ({error.strerror}): fix that, then try again")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that at any moment, even in a crash, either the old or the new content is there."""
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
    """Write all of the data to an open file, in as many calls as the system needs."""
    rest = memoryview(data)
    while rest:
        written = os.write(descriptor, rest)
        if written <= 0:
            raise OSError(errno.EIO, "nothing more can be written")
        rest = rest[written:]


def flush_folder(folder: Path) -> None:
    """Wait until a renaming in a folder is on the disk; systems that cannot open folders do that by themselves."""
    descriptor = open_folder(folder)
    if descriptor is None:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Create a folder with these files in it, as a whole or not at all, even in a crash.

    What killed writers of the same folder left beside it is removed first. The folder is locked while it is written, so
    that nobody takes it for such a leftover.
    """
    os.makedirs(folder.parent, exist_ok=True)
    sweep_beside(folder)
    with ExitStack() as stack:
        beside = _locked_new_folder(folder, stack)
        try:
            for name, data in contents.items():
                write_whole(beside / name, data)
            os.replace(beside, folder)
        except BaseException:
            with suppress(OSError):
                _remove_below(beside)
            raise
        flush_folder(folder.parent)


def _locked_new_folder(folder: Path, stack: ExitStack) -> Path:
    """Return a new folder beside this one, locked until the stack is closed."""
    for _ in range(MOST_ATTEMPTS):  # another process may remove it as a leftover before it is locked
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
    raise OSError(errno.EBUSY, "other processes create it at the same time")


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, at once; a crash leaves at most a renamed leftover beside it."""
    beside = _beside(folder)
    os.replace(folder, beside)
    flush_folder(folder.parent)
    _remove_below(beside)


def sweep_beside(folder: Path) -> None:
    """Remove what killed calls of `write_folder` and `remove_folder` left beside a folder."""
    for name in os.listdir(folder.parent):
        if final_name(name) == f".{folder.name}":
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
    """Return a temporary name beside a folder, for one that is being written or removed."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.tmp")


def _remove_below(folder: Path) -> None:
    """Remove a folder and all that is in it; links are not followed."""
    for name in os.listdir(folder):
        path = folder / name
        if stat.S_ISDIR(os.lstat(path).st_mode):
            _remove_below(path)
        else:
            os.unlink(path)
    os.rmdir(folder)


def final_name(name: str) -> str | None:
    """Return the name that a temporary file was to get; None where a name is not that of a temporary file."""
    temporary = TEMPORARY.fullmatch(name)
    return temporary[1] if temporary else None


def sweep_temporary(folder: Path, of: Callable[[str], bool] = lambda name: True) -> None:
    """Remove the temporary files that a killed writer left for files of certain names.

    Call it only while no other process writes these files.
    """
    for name in os.listdir(folder):
        final = final_name(name)
        if final is not None and of(final):
            with suppress(FileNotFoundError):
                os.unlink(folder / name)


def remove_files(folder: Path, unwanted: Callable[[str], bool]) -> None:
    """Remove the files in a folder whose names are unwanted; errors are ignored."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if unwanted(name):
                os.unlink(folder / name)


@contextmanager
def locked(descriptor: int) -> Iterator[bool]:
    """Take the lock of an open file within this context, and yield whether it could be taken, without waiting."""
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
    """Return a text in quotation marks, cut to fit into an error message."""
    return repr(cut(text, limit))


def cut(text: object, limit: int = 60) -> str:
    """Return a value as text, cut to fit into an error message, and on one line unless it is a text itself."""
    try:
        written = text if isinstance(text, str) else " ".join(str(text).split("\n"))
    except (ValueError, RecursionError):  # a whole number of thousands of digits, or lists nested as deeply
        written = f"a {type(text).__name__} too long to write"
    if len(written) <= limit:
        return written
    return f"…{written[-limit:]}" if isinstance(text, PurePath) else f"{written[:limit]}…"  # a path's end says more


def duration(seconds: float) -> str:
    """Return a time as text, in a suitable unit."""
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 word`, `2,833 words`; the plural is given where it takes more than an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or f'{noun}s'}"

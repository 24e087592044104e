"""Memory and cores: how much this process may use, sizes as people write them, and values cached on an object."""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from oracular.errors import NotEnoughMemoryError, SettingsError
from oracular.system.files import cut, quoted

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}

GROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
"""Where Linux lists the control groups of a process, and so its limits."""


_M_MMAP_THRESHOLD = -3
"""From `malloc.h`: the size from which a block is a mapping of its own."""


COMPILED_CODE = 650_000_000
"""Bytes of address space that Python needs with Numba and the compiled code of a small game, on two cores.

Of `solve`, `suggest` and `respond`, exact searches of three letters need most: with 570 MB LLVM ends the process, with
630 MB they run.
"""


def parse_size(text: str) -> int:
    """Return the bytes that a size such as `1.5GB` or `800 MB` stands for."""
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{0,9})?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in UNITS:
        raise SettingsError(f"{quoted(text)} is not a size: write it like 800MB or 1.5GB")
    size = int(float(match[1]) * UNITS[match[2].upper()])
    if size < 1:
        raise SettingsError(f"a memory of {quoted(text)} asked for: give more than nothing")
    return size


def size_text(size: int) -> str:
    """Return a size as people read it: `1.5 GB`."""
    for unit in ("GB", "MB"):
        if size >= UNITS[unit]:
            return f"{size / UNITS[unit]:.3g} {unit}"
    return f"{max(1, round(size / 1000))} KB"


def available_memory() -> int:
    """Return how many bytes this process could still take, within the limits of machine and container."""
    free = min(_free_on_machine(), address_limit() - _addresses_used())
    for group in _own_groups("memory"):
        try:
            if (group / "memory.max").is_file():
                limit, used, cached = "memory.max", "memory.current", "inactive_file"
            else:
                limit, used, cached = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
            figures = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            taken = int((group / used).read_text()) - int(figures.get(cached, 0))  # cached files can be dropped
            free = min(free, int((group / limit).read_text()) - taken)
        except (OSError, ValueError):  # no such limit here
            continue
    return max(0, free)


def address_limit() -> int:
    """Return how many bytes of address space this process may have: what `ulimit -v` sets."""
    try:
        import resource
    except ImportError:  # a system without such limits
        return 2**62
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return 2**62 if soft == resource.RLIM_INFINITY else soft


def _addresses_used() -> int:
    """Return how many bytes of address space this process has, or 0 if the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def check_room_for_compiled_code() -> None:
    """Raise `NotEnoughMemoryError` if compiled code would not fit: refused memory, LLVM ends the process or hangs."""
    if (limit := address_limit()) < COMPILED_CODE:
        raise NotEnoughMemoryError(
            f"compiled code needs {size_text(COMPILED_CODE)} of address space, and this process may have "
            f"{size_text(limit)}: raise the limit ('ulimit -v' shows it in KiB)"
        )


def return_freed_arrays() -> None:
    """Have the C library give arrays back to the system when they are freed, where it is glibc.

    By default it does so only with blocks larger than any that was freed before, up to 32 MB: freed tables of answers
    would stay with a server for ever.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, 1 << 18)


def check_threads(threads: int | None) -> int:
    """Return the number of threads to use: as many as there are usable cores where none is given."""
    if threads is None:
        return usable_cores()
    most = cores()
    if type(threads) is not int or not 1 <= threads <= most:
        raise SettingsError(
            f"{cut(threads)} threads asked for: give a whole number from 1 to {most}, what this machine can use"
        )
    return threads


def cores() -> int:
    """Return how many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_cores() -> int:
    """Return how many cores this process may keep busy, at least 1, within the limits of machine and container."""
    usable = cores()
    for group in _own_groups("cpu"):
        try:
            if (group / "cpu.max").is_file():
                quota, period = (group / "cpu.max").read_text().split()
            else:
                quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
            if int(quota) > 0:
                usable = min(usable, math.ceil(int(quota) / int(period)))
        except (OSError, ValueError, ZeroDivisionError):  # no such limit here
            continue
    return max(1, usable)


def _own_groups(controller: str) -> list[Path]:
    """Return the folders of this process's control groups, from the innermost to the outermost."""
    folders = []
    try:
        lines = MEMBERSHIP.read_text().splitlines()
    except OSError:
        lines = []
    for line in [*lines, "::/"]:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and controller not in controllers.split(","):
            continue
        root = GROUPS / controllers if controllers else GROUPS
        own = root.joinpath(*Path(path).parts[1:])
        folders += [own, *(parent for parent in own.parents if parent.is_relative_to(root))]
    return list(dict.fromkeys(folders))


def _free_on_machine() -> int:
    """Return how many bytes the machine has free, or has at all if it does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # the system says neither: nothing is refused
        return 2**62


Value = TypeVar("Value")

_locks: dict[tuple[int, str], threading.RLock] = {}
"""A lock for each value that is being computed, by the id of its owner and its name."""


def cached_on(owner: object, name: str, compute: Callable[[], Value]) -> Value:
    """Return the value that an object has under a name; the first call computes it while other threads wait.

    It lives as long as the object. A cache by function would keep objects alive: whole games with their tables.
    """
    attributes, key = vars(owner), (id(owner), name)
    if name not in attributes:
        with _locks.setdefault(key, threading.RLock()):
            try:
                if name not in attributes:
                    attributes.setdefault(name, compute())
            finally:
                _locks.pop(key, None)
    return cast("Value", attributes[name])

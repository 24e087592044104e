"""How much memory and how many cores there are, and sizes as people write them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from oracular.errors import SettingsError

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def parse_size(text: str) -> int:
    """Return the bytes that a size such as `1.5GB` or `800 MB` stands for."""
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{0,9})?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in UNITS:
        raise SettingsError(f"{text!r} is not a size: write it like 800MB or 1.5GB")
    size = int(float(match[1]) * UNITS[match[2].upper()])
    if size < 1:
        raise SettingsError(f"a memory of {text!r} asked for: give more than nothing")
    return size


def size_text(size: int) -> str:
    """Return a size as people read it: `1.5 GB`."""
    for unit in ("GB", "MB"):
        if size >= UNITS[unit]:
            return f"{size / UNITS[unit]:.3g} {unit}"
    return f"{max(1, round(size / 1000))} KB"


def available_memory() -> int:
    """Return how many bytes a program could still take on this machine, its container's limit included."""
    free = _free_on_machine()
    for group, limit, used, cached in (
        (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
        (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            figures = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            taken = int((group / used).read_text()) - int(figures.get(cached, 0))  # files may be read again
            free = min(free, int((group / limit).read_text()) - taken)
        except (OSError, ValueError):  # no such limit here
            continue
    return max(0, free)


def usable_cores() -> int:
    """Return how many cores this process may use: those it is bound to, its container's share of time included."""
    counted = getattr(os, "process_cpu_count", os.cpu_count)() or 1
    if hasattr(os, "sched_getaffinity"):
        counted = min(counted, len(os.sched_getaffinity(0)))
    group = Path("/sys/fs/cgroup")
    for read in (
        lambda: (group / "cpu.max").read_text().split(),
        lambda: [(group / "cpu" / name).read_text() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us")],
    ):
        try:
            quota, period = map(int, read())
        except (OSError, ValueError):  # no such limit here
            continue
        if quota > 0 and period > 0:
            counted = min(counted, -(-quota // period))
    return max(1, counted)


def _free_on_machine() -> int:
    """Return how many bytes the machine has free, or all that it has where it does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # a system that tells neither: nothing is refused
        return 2**62

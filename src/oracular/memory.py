"""How much memory there is, how much a run will need, and sizes as people write them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from oracular.errors import SettingsError

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def parse_size(text: str) -> int:
    """Return the bytes that a size such as `1.5GB` or `800 MB` stands for."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([A-Za-z]*)\s*", text)
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
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            free = min(free, int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):  # no such limit here
            continue
    return max(0, free)


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

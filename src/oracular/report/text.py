"""Figures as text."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Return a time as text, in a suitable unit."""
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"

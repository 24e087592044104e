"""What is worked out once for an object, and kept with it for as long as it lives.

A cache by function would keep the objects themselves alive: whole games with their tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

Value = TypeVar("Value")


def kept_with(owner: object, name: str, make: Callable[[], Value]) -> Value:
    """Return what is kept with an object under a name; it is made at the first call."""
    kept = vars(owner)
    if name not in kept:
        kept.setdefault(name, make())  # of two threads, both get what the first has made
    return cast("Value", kept[name])

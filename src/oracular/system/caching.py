"""What is worked out once for an object, and kept with it for as long as it lives.

A cache by function would keep the objects themselves alive: whole games with their tables.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar, cast

Value = TypeVar("Value")


_making: dict[tuple[int, str], threading.RLock] = {}
"""The locks of what is being made, by the id of its owner and its name."""


def kept_with(owner: object, name: str, make: Callable[[], Value]) -> Value:
    """Return what is kept with an object under a name; at the first call it is made, and other threads wait."""
    kept, key = vars(owner), (id(owner), name)
    if name not in kept:
        with _making.setdefault(key, threading.RLock()):
            try:
                if name not in kept:
                    kept.setdefault(name, make())
            finally:
                _making.pop(key, None)
    return cast("Value", kept[name])

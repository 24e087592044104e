"""How many random examples a check takes: few in `make test`, many where `make test-slow` runs it too."""

from __future__ import annotations

from hypothesis import settings

MANY = False
"""Whether this run does not leave the slow tests out; `conftest.py` sets it."""


def examples(few: int, many: int) -> settings:
    """Return the settings of a check: few examples, or many in a run that does not leave the slow tests out."""
    return settings(max_examples=many if MANY else few)


def count(few: int, many: int) -> int:
    """Return how many cases a check with its own random numbers takes, in the same way."""
    return many if MANY else few

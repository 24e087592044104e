"""How many random examples a check takes: few in `make test`, many where `make test-slow` runs it too."""

from __future__ import annotations

import sys

from hypothesis import settings


def examples(few: int, many: int) -> settings:
    """Return the settings of a check: few examples, or many in a run that does not leave the slow tests out."""
    marks = [sys.argv[at + 1] for at, word in enumerate(sys.argv[:-1]) if word == "-m"]
    return settings(max_examples=many if "slow or not slow" in marks else few)

"""The callbacks of long work: one that may stop it, one that hears how it comes along.

A function that may take long takes its `deadline`, `stop` and `progress` under these names and in this order.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

SECONDS_BETWEEN_LOOKS = 0.1
"""While threads work, whoever waits for them looks up so often, to tell those who watch or to stop."""

ShouldStop: TypeAlias = Callable[[], bool]
"""Called at least ten times a second. Once it returns True, the work ends soon, with what it has by then."""

ShowProgress: TypeAlias = Callable[[str], None]
"""Called a few times a second, with a few words on what is being done."""


def never_stop() -> bool:
    """Return False: nobody stops the work."""
    return False


def show_nothing(text: str) -> None:
    """Ignore the text: nobody watches the work."""


@contextmanager
def shown(text: str) -> Iterator[ShowProgress]:
    """Yield what shows a text on one line, in a terminal or a notebook, until the work ends; elsewhere nothing is."""
    from rich.console import Console

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="install .ipywidgets.")  # a notebook without them shows nothing
        with Console(stderr=True).status(text) as status:
            yield status.update

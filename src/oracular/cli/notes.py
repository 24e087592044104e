"""Notes on stderr: what was left out of a word list, told once a command, whichever command reads it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from oracular.errors import WordListWarning


@contextmanager
def notes_of_word_lists() -> Iterator[None]:
    """While this lasts, print the library's warnings about word lists as notes, each of them once."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", WordListWarning)
        show_others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, WordListWarning):
                show_others(message, category, *place, **more)
            elif str(message) not in told:
                told.add(str(message))
                click.echo(f"note: {message}", err=True)

        warnings.showwarning = show
        yield

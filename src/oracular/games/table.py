"""Tables of answers [guesses, secrets]: how large they may be, and how they are worked out.

A large table takes seconds, so it is worked on some rows at a time, with a look at the deadline between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from oracular.errors import GameTooLargeError, SettingsError
from oracular.system.control import Deadline
from oracular.system.files import quoted

MOST_ANSWERS = 256
"""The most answers that a game may have: each is one byte of its table."""

MANY_ANSWERS = 64
"""A game of more answers than this has many, as Wordle has: its states are small after any two guesses."""

TABLE_LIMIT = 2 << 30
"""The largest table of answers, in bytes, that is kept in memory."""

TABLE_BESIDE_TOKENS = 1 << 28
"""The largest table, in bytes, that is kept where answers can be worked out from tokens as well."""

ROWS_A_PIECE = 256
"""Guesses whose answers are worked out, turned round or hashed between two looks at a deadline."""


def pieces(rows: int, deadline: Deadline) -> Iterator[slice]:
    """Yield the rows of a table, some at a time; raise `DeadlinePassed` once the deadline has passed."""
    for start in range(0, rows, ROWS_A_PIECE):
        deadline.check()
        yield slice(start, min(start + ROWS_A_PIECE, rows))


def turned_round(table: NDArray[np.uint8], deadline: Deadline) -> NDArray[np.uint8]:
    """Return a table [secrets, guesses] from one [guesses, secrets], or raise `DeadlinePassed`."""
    turned = np.empty(table.shape[::-1], dtype=np.uint8)
    for rows in pieces(len(table), deadline):
        turned[:, rows] = table[rows].T
    return turned


def fits_table(guesses: int, secrets: int) -> bool:
    """Tell whether a table of so many guesses and secrets may be kept in memory."""
    return guesses * secrets <= TABLE_LIMIT


def check_table_size(name: str, guesses: int, secrets: int) -> None:
    """Raise an error where the table of a game would not fit, before anything is allocated."""
    if not fits_table(guesses, secrets):
        raise GameTooLargeError(
            f"{name} has {guesses:,} guesses and {secrets:,} secrets, a table of {guesses * secrets / 2**30:,.1f} GiB: "
            f"choose a game of at most {TABLE_LIMIT >> 30} GiB"
        )


def table_of_function(
    name: str, secrets: Sequence[str], guesses: Sequence[str], answer: Callable[[str, str], object]
) -> tuple[NDArray[np.uint8], tuple[str, ...], int]:
    """Return the table of what a function answers, how each answer is written, and which one ends the game."""
    if not secrets:
        raise SettingsError(f"game {quoted(name)} has no secret: give at least one")
    missing = set(secrets) - set(guesses)
    if missing:
        raise SettingsError(
            f"secret {quoted(min(missing))} of game {quoted(name)} is not among the guesses: give first the secrets, "
            "then the guesses, with each secret among them"
        )
    check_table_size(name, len(guesses), len(secrets))
    written = [[str(answer(guess, secret)) for secret in secrets] for guess in guesses]
    labels = tuple(sorted({label for row in written for label in row}))
    if len(labels) > MOST_ANSWERS:
        raise SettingsError(f"game {quoted(name)} has {len(labels)} answers: at most {MOST_ANSWERS} are possible")
    index = {label: number for number, label in enumerate(labels)}
    table = np.array([[index[label] for label in row] for row in written], dtype=np.uint8)
    own = {table[guesses.index(secret), number] for number, secret in enumerate(secrets)}
    found = next(iter(own))
    if len(own) != 1 or (table == found).sum() != len(secrets):
        raise SettingsError(
            f"game {quoted(name)}: answer every secret's own text alike, and no other guess or secret so"
        )
    return table, labels, int(found)

"""The memory that a run of fictitious play will need, known before it begins: the sizes of what the engine holds."""

from __future__ import annotations

from dataclasses import dataclass

from oracular.errors import NotEnoughMemoryError, SettingsError
from oracular.games.game import Game
from oracular.games.table import TABLE_BESIDE_TOKENS, check_table_size
from oracular.responses.incremental import CACHE
from oracular.system.counting import counted
from oracular.system.files import quoted
from oracular.system.memory import available_memory, size_text

ENGINES = ("incremental", "scratch")

PROGRAM = 340_000_000
"""Bytes for Python, its libraries and the compiled code, measured."""

LEAST_CACHE = 20_000_000
"""With fewer bytes than this for earlier trees, the incremental engine is no faster than the other."""


@dataclass(frozen=True)
class Needs:
    """The memory that a run needs.

    Attributes:
        engine: how trees are built: `incremental` or `scratch`.
        fixed: the bytes that it needs in any case.
        cache: the bytes that it may use for earlier trees as well; 0 from scratch.
    """

    engine: str
    fixed: int
    cache: int

    def sentence(self) -> str:
        """Return the needs as a sentence."""
        cache = f" and up to {size_text(self.cache)} for earlier trees" if self.cache else ""
        return f"{self.engine} engine: {size_text(self.fixed)}{cache}"


def needs_of(game: Game, engine: str | None, memory: int | None) -> Needs:
    """Return what fictitious play on a game needs, or raise an error if there is not enough memory."""
    if engine is not None and engine not in ENGINES:
        raise SettingsError(f"{quoted(engine)} is not an engine: choose one of {', '.join(ENGINES)}")
    guesses, secrets = len(game.guesses), len(game.secrets)
    with_table = game.tokens is None or guesses * secrets <= TABLE_BESIDE_TOKENS
    if game.tokens is None:
        check_table_size(game.name, guesses, secrets)
    fixed = PROGRAM + _bytes_of_game(game, with_table)
    free = available_memory()
    limit = free if memory is None else memory
    if fixed > min(limit, free):
        fewer = f"{size_text(free)} are available: free some"
        if limit < free:
            fewer = f"the memory given allows {size_text(limit)}: allow more"
        raise NotEnoughMemoryError(
            f"{game.name} with {counted(guesses, 'guess', 'guesses')} and {counted(secrets, 'secret')} needs "
            f"{size_text(fixed)} and "
            f"{fewer}, or choose a smaller game"
        )
    left = min(limit, free) - fixed
    engine = engine or ("incremental" if left >= LEAST_CACHE else "scratch")
    cache = min(left, CACHE if memory is None else left) if engine == "incremental" else 0
    return Needs(engine, fixed, cache)


def _bytes_of_game(game: Game, with_table: bool) -> int:
    """Return the bytes that a game takes, with what the kernels derive from it."""
    guesses, secrets = len(game.guesses), len(game.secrets)
    table = 2 * guesses * secrets if with_table else 0  # the table and its transpose
    if game.tokens is None:
        return table
    letters = game.tokens.shape[1]
    sets = 1 << letters if letters <= 6 else 0
    words = (guesses + secrets) * (200 + 2 * letters + 16 + 4 * sets)
    numbering = 4 * 8 * guesses * sets  # sorting the sets, which numbers them, needs copies
    return table + words + numbering

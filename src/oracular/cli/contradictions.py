"""How answers that contradict each other are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracular.games.game import Game, HistoryLike
    from oracular.play.contradiction import Correction

NO_SINGLE_ONE = "no single one of them explains it"


def told(found: list[Correction]) -> str:
    """Return which single answer, changed, makes the answers agree, as part of a sentence."""
    return "; ".join(map(str, found)) if found else NO_SINGLE_ONE


def check_agreement(game: Game, history: HistoryLike) -> None:
    """Raise an error that names what may be wrong where no secret gives all these answers."""
    from oracular.errors import InconsistentHistoryError
    from oracular.play.contradiction import agree, corrections

    if not agree(game, history):
        found = corrections(game, history)
        remedy = f"one of them, changed, makes them agree ({told(found)})" if found else f"{told(found)}, so check all"
        raise InconsistentHistoryError(f"the answers contradict each other: {remedy}")

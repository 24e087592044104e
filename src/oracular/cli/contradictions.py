"""Messages about answers that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracular.games.game import Game, HistoryLike

NO_SINGLE_ONE = "no single one of them explains it"


def check_consistency(game: Game, history: HistoryLike) -> None:
    """Raise `InconsistentHistoryError` where no secret gives all these answers, and name those that may be wrong."""
    from oracular.errors import InconsistentHistoryError
    from oracular.play.contradiction import corrections, is_consistent

    if not is_consistent(game, history):
        found = "; ".join(map(str, corrections(game, history)))
        remedy = f"one of them, changed, makes them agree ({found})" if found else f"{NO_SINGLE_ONE}, so check all"
        raise InconsistentHistoryError(f"the answers contradict each other: {remedy}")

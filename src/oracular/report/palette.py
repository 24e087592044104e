"""The colours of all pictures: one for each thing, the same in every picture.

They come from the palettes of Okabe and Ito and of Tol, a little darker where that is needed: each stands out against
white by at least 3 to 1, and those that meet in one picture are told apart by people who see no red or no green.
Solvers have a pattern of line as well.
"""

from __future__ import annotations

HIDER = "#d05000"
GUESSER = "#0072b2"
GUARANTEE = "#882255"
SELF_PLAY = "#009e73"
LOWER_BOUND = "#000000"
UNIFORM = "#6b6b6b"
BEST = "#000000"
GRID = "#d8d8d8"

SOLVERS = {
    "fictitious play": ("#0072b2", "-"),
    "fictitious play, ties to possible": ("#009e73", "-"),
    "fictitious play, re-optimized": ("#009e73", ":"),
    "regret matching+": ("#882255", "-"),
    "exact": ("#d05000", "--"),
}
"""The colour and the pattern of the line of each way to solve."""

OTHER_SOLVERS = (("#6b6b6b", "-."), ("#000000", ":"))
"""Colours and patterns for what `SOLVERS` does not name, in turn."""

TIME = "#0072b2"
PART_OF_TIME = "#d05000"
MEMORY = "#882255"


def of_solver(name: str, others: list[str]) -> tuple[str, str]:
    """Return the colour and the pattern of a solver's line; `others` are all names that may have none of their own."""
    if name in SOLVERS:
        return SOLVERS[name]
    unknown = [other for other in others if other not in SOLVERS]
    return OTHER_SOLVERS[unknown.index(name) % len(OTHER_SOLVERS)]

"""What an opening costs at least, by the parts that its answers leave: which of them is asked for what bound.

The bound of an opening to k plies is the number of secrets plus the bounds to k - 1 guesses of its parts. Cut at a
ceiling, it is one certain number, and so is whether it is known to be the optimum, whoever bounds the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


class TotalBound(NamedTuple):
    """A lower bound on a total of weight times guesses, and whether it is the optimum."""

    total: int
    exact: bool


class Asked(NamedTuple):
    """Which part is asked for its bound, to how many guesses, and at what the bound is cut."""

    part: int
    plies: int
    target: int


def answered(steps: Generator[Question, Answer, Result], answer: Callable[[Question], Answer]) -> Result:
    """Return what a search comes to whose questions are answered one by one."""
    try:
        question = next(steps)
        while True:
            question = steps.send(answer(question))
    except StopIteration as end:
        return end.value


def ask_parts(
    first: Sequence[TotalBound], secrets: int, plies: int, ceiling: int
) -> Generator[Asked, TotalBound, TotalBound]:
    """Yield what is asked of which part, take what was found, and return the bound of the opening.

    To each number of guesses there are two turns: first each part whose bound may rise is asked for its share of what
    is missing, then for all of it.

    Args:
        first: the bounds of the parts to one guess, in the order in which the parts are asked.
        secrets: how many secrets there are.
        plies: to how many plies the opening is searched, two or more.
        ceiling: at which its bound is cut.
    """
    parts = list(first)
    total = secrets + sum(part.total for part in parts)
    for depth in range(2, plies):
        rising = [not part.exact for part in parts]
        for shared in (True, False):
            for number in range(len(parts)):
                if rising[number] and total < ceiling:
                    bound = parts[number].total
                    among = sum(part.total for part, may in zip(parts, rising, strict=True) if may) if shared else bound
                    target = bound - (total - ceiling) * bound // among
                    parts[number] = yield Asked(number, depth, target)
                    total += parts[number].total - bound
                    rising[number] = parts[number].total >= target
    return TotalBound(min(total, ceiling), total < ceiling and all(part.exact for part in parts))

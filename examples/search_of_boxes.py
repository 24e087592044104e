"""Search of boxes: something is hidden in one of 20 boxes, each with a cost to open.

The hider is the small side: she picks one of 20 boxes. The searcher is the large side:
he opens them in any of 20! orders and pays for each box up to the right one. His best
response opens the boxes by weight over cost, the largest first (exchange two
neighbours to see it). With costs c and their sum C the value of the game is known:

    (C + sum of c^2 / C) / 2,

and the hider's best strategy is to hide in proportion to the costs.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import oracular

COSTS = [1, 2, 3, 5, 7, 4, 9, 12, 6, 8, 10, 15, 11, 3, 2, 20, 14, 5, 6, 13]


class SearchOfBoxes:
    """The game as a problem that `oracular.solve` takes."""

    exact = True  # opening by weight over cost is a true best response

    def __init__(self, costs: list[int]) -> None:
        self.costs = np.array(costs, dtype=np.int64)
        self.size = len(costs)
        self.largest_payoff = int(self.costs.sum())
        self.identity = f"search of boxes that cost {costs}"

    def respond(self, weights: NDArray[np.int64]) -> oracular.Response:
        """Return the order by weight over cost, and what it pays for each box."""
        pairs = zip(weights.tolist(), self.costs.tolist(), strict=True)
        ratios = [Fraction(weight, cost) for weight, cost in pairs]
        order = np.array(sorted(range(self.size), key=lambda box: -ratios[box]))
        paid = np.empty(self.size, dtype=np.int64)
        paid[order] = np.cumsum(self.costs[order])
        return oracular.Response(paid, order.tolist())

    def save(self, order: list[int]) -> list[int]:
        """Return an order as plain data."""
        return order

    def load(self, data: list[int]) -> list[int]:
        """Return the order that `save` wrote."""
        if sorted(data) != list(range(self.size)):
            raise ValueError("it is not an order of all boxes")
        return data


def known_value(costs: list[int]) -> Fraction:
    """Return the value of the game by its formula."""
    whole = sum(costs)
    return (whole + Fraction(sum(cost * cost for cost in costs), whole)) / 2


def main() -> None:
    """Solve the game, and compare its value with the formula."""
    problem = SearchOfBoxes(COSTS)
    solution = oracular.solve(problem, solver="regret-matching", iterations=400)
    lower, upper = float(solution.lower), float(solution.upper)
    print(f"value: between {lower:.4f} and {upper:.4f}, both proved")
    print(f"known: {float(known_value(COSTS)):.4f}")


if __name__ == "__main__":
    main()

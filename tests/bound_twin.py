"""The slow twin of the search for lower bounds: the same numbers in plain Python, straight from their definition.

`table[guess][secret]` is an answer, `found` the one that ends the game. Every secret weighs the same.

    C_0 = 0,   C_1 = 1,   C_{d+1} = max over guesses g of  h(g) + sum over a of min(c_a(g), C_d),   d < 16
    f(m) = sum over d = 0..16 of max(0, m - C_d)
    B_1(S) = n + min over g of the sum over a of f(c_a(g))
    B_k(S) = n + min over g of the sum over a of B_{k-1}(S_a(g))

over the guesses that tell some of the n secrets of S apart. B_k of one or two secrets is what they cost: 1 and 3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count

DEPTHS = 16


class Bounds:
    """Bounds of states of one game, each a sorted tuple of secrets."""

    def __init__(self, table: Sequence[Sequence[int]], found: int) -> None:
        self.table = table
        self.found = found
        self.to = cache(self._to)
        self.optimum = cache(self._optimum)

    def splits(self, state: tuple[int, ...]) -> Iterator[tuple[int, list[tuple[int, ...]]]]:
        """Yield how many secrets each useful guess finds, 0 or 1, and the parts that it leaves."""
        for row in self.table:
            parts: dict[int, list[int]] = defaultdict(list)
            for secret in state:
                parts[row[secret]].append(secret)
            if len(parts) > 1:
                finds = len(parts.pop(self.found, []))
                yield finds, [tuple(part) for part in parts.values()]

    def _to(self, state: tuple[int, ...], guesses: int) -> int:
        """Return the bound of a state to so many guesses."""
        size = len(state)
        if size <= 2:
            return size * (size + 1) // 2
        splits = list(self.splits(state))
        if guesses > 1:
            return size + min(sum(self.to(part, guesses - 1) for part in parts) for _, parts in splits)
        within = [0, 1]
        while len(within) <= DEPTHS:
            within.append(max(finds + sum(min(len(part), within[-1]) for part in parts) for finds, parts in splits))
        return size + min(sum(max(0, len(part) - c) for part in parts for c in within) for _, parts in splits)

    def _optimum(self, state: tuple[int, ...]) -> int:
        """Return what the best tree needs for all secrets of a state together."""
        size = len(state)
        if size <= 2:
            return size * (size + 1) // 2
        return size + min(sum(map(self.optimum, parts)) for _, parts in self.splits(state))

    def of_opening(self, opening: int, secrets: Sequence[int], plies: int) -> int:
        """Return the bound on all trees that begin with an opening, to so many plies, two or more."""
        parts: dict[int, list[int]] = defaultdict(list)
        for secret in secrets:
            parts[self.table[opening][secret]].append(secret)
        parts.pop(self.found, None)
        return len(secrets) + sum(self.to(tuple(part), plies - 1) for part in parts.values())

    def depth_of_optimum(self, state: tuple[int, ...]) -> int:
        """Return to how many guesses a state's bound is its optimum."""
        return next(guesses for guesses in count(1) if self.to(state, guesses) == self.optimum(state))

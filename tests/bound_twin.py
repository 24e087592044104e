"""The slow twin of the search for lower bounds: the same numbers in plain Python, straight from their definition.

`table[guess][secret]` is an answer, `found` the one that ends the game. Every secret weighs the same.

    C_0 = 0,   C_1 = 1,   C_{d+1} = max over guesses g of  h(g) + sum over a of min(c_a(g), C_d),   d < 16
    f(m) = sum over d = 0..16 of max(0, m - C_d)
    B_1(S) = n + min over g of the sum over a of f(c_a(g))
    B_k(S) = n + min over g of the sum over a of B_{k-1}(S_a(g))

over the guesses that tell some of the n secrets of S apart. B_k of one or two secrets is what they cost: 1 and 3.

B_k(S) is known to be the optimum where a guess that counting finds best leaves at most two secrets to any answer, or
where k > 1 and the first guess that reaches B_k(S) leaves parts that are each known to be optima, to k - 1 guesses or
to fewer. First are guesses with a low score, n plus the sum of f(c_a(g)), and of those with the same the first in the
table; scores of 255 or more above the least count as the same.
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
        self.is_known = cache(self._is_known)
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
        if guesses == 1:
            return min(self._scores(state))
        return size + min(sum(self.to(part, guesses - 1) for part in parts) for _, parts in self.splits(state))

    def _scores(self, state: tuple[int, ...]) -> list[int]:
        """Return the score of each useful guess."""
        splits = list(self.splits(state))
        within = [0, 1]
        while len(within) <= DEPTHS:
            within.append(max(finds + sum(min(len(part), within[-1]) for part in parts) for finds, parts in splits))
        return [len(state) + sum(max(0, len(part) - c) for part in parts for c in within) for _, parts in splits]

    def _is_known(self, state: tuple[int, ...], guesses: int) -> bool:
        """Tell whether the bound of a state to so many guesses is known to be the optimum."""
        if len(state) <= 2:
            return True
        scores, splits = self._scores(state), [parts for _, parts in self.splits(state)]
        least = min(scores)
        if any(
            score == least and max(map(len, parts), default=0) <= 2 for score, parts in zip(scores, splits, strict=True)
        ):
            return True
        for _, parts in sorted(enumerate(splits), key=lambda split: min(scores[split[0]] - least, 255)):
            if guesses > 1 and len(state) + sum(self.to(part, guesses - 1) for part in parts) == self.to(
                state, guesses
            ):
                return all(self.is_known_by(part, guesses - 1) for part in parts)
        return False

    def is_known_by(self, state: tuple[int, ...], guesses: int) -> bool:
        """Tell whether the bound of a state to so many guesses or to fewer is known to be the optimum."""
        return any(self.is_known(state, fewer) for fewer in range(1, guesses + 1))

    def _optimum(self, state: tuple[int, ...]) -> int:
        """Return what the best tree needs for all secrets of a state together."""
        size = len(state)
        if size <= 2:
            return size * (size + 1) // 2
        return size + min(sum(map(self.optimum, parts)) for _, parts in self.splits(state))

    def of_opening(self, opening: int, secrets: Sequence[int], plies: int) -> int:
        """Return the bound on all trees that begin with an opening, to so many plies, two or more."""
        return len(secrets) + sum(self.to(part, plies - 1) for part in self.parts(opening, secrets))

    def is_known_of_opening(self, opening: int, secrets: Sequence[int], plies: int) -> bool:
        """Tell whether that bound is known to be the optimum."""
        return all(self.is_known_by(part, plies - 1) for part in self.parts(opening, secrets))

    def parts(self, opening: int, secrets: Sequence[int]) -> list[tuple[int, ...]]:
        """Return what the answers to an opening leave."""
        parts: dict[int, list[int]] = defaultdict(list)
        for secret in secrets:
            parts[self.table[opening][secret]].append(secret)
        parts.pop(self.found, None)
        return [tuple(part) for part in parts.values()]

    def depth_of_optimum(self, state: tuple[int, ...]) -> int:
        """Return to how many guesses a state's bound is its optimum."""
        return next(guesses for guesses in count(1) if self.to(state, guesses) == self.optimum(state))

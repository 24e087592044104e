"""Playing states out where only some guesses are allowed: the quick rule of advice and duels in such games.

The guesses to try are those that are expected to leave least, by the logarithm, of all that the game's rule of guessing
allows (`games/guessing.py`). After each of them the greedy oracle plays on, which keeps to the rule as well. In hard
mode a state is the secrets left and the demand on the next guess.

Games without such a rule are played out by other code (`kernels/planning/playout.py`), which looks ahead besides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, Indices
from oracular.responses.greedy import GreedyEngine

CACHED_DEMANDS = 2_000
"""Of so many demands it is kept which guesses meet them."""

SCORED_AT_ONCE = 1 << 22
"""So many answers are counted at once."""

MOST_SCORED = 60_000_000
"""Where guesses times secrets are more than this, only some of the guesses, spread evenly, are scored."""

SCALE = 1 << 20
"""A logarithm of one as a whole number."""


@dataclass(frozen=True, eq=False)
class RuledPlay:
    """Plays one game out against weights of its secrets [secrets]; any number of threads may use it at once."""

    game: Game
    weights: NDArray[np.int64]
    _meeting: dict[int, Indices] = field(default_factory=dict, repr=False)
    _losses: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        counts = np.arange(len(self.game.secrets) + 1)
        losses = np.rint(SCALE * counts * np.log2(np.maximum(counts, 1))).astype(np.int64)
        object.__setattr__(self, "_losses", losses)

    @cached_property
    def _engine(self) -> GreedyEngine:
        return GreedyEngine(self.game, "possible")

    def allowed(self, possible: Indices, demand: int) -> Indices:
        """Return the guesses that are allowed at a state, sorted."""
        if not self.game.guessing.demands:
            return self.game.allowed(possible, demand)
        if demand not in self._meeting:
            if len(self._meeting) >= CACHED_DEMANDS:
                self._meeting.clear()
            self._meeting[demand] = self.game.allowed(possible, demand)
        return self._meeting[demand]

    def scored(self, possible: Indices, demand: int) -> tuple[Indices, NDArray[np.int64]]:
        """Return guesses that are allowed at a state and what each is expected to leave: twice the score [guesses].

        One more is added where the guess cannot be the secret.
        """
        guesses = self.allowed(possible, demand)
        if len(guesses) * len(possible) > MOST_SCORED:
            step = -(-len(guesses) * len(possible) // MOST_SCORED)
            guesses = np.union1d(guesses[::step], self.game.guess_of_secret[possible[::step]]).astype(np.int32)
        answers, found = len(self.game.labels), self.game.found
        scores = np.empty(len(guesses), dtype=np.int64)
        rows = max(1, SCORED_AT_ONCE // max(answers, len(possible)))
        for start in range(0, len(guesses), rows):
            block = self.game.table[np.ix_(guesses[start : start + rows], possible)].astype(np.int32)
            block += (np.arange(len(block), dtype=np.int32) * answers)[:, None]
            counts = np.bincount(block.ravel(), minlength=len(block) * answers).reshape(-1, answers)
            counts[:, found] = 0
            scores[start : start + rows] = self._losses[counts].sum(axis=1)
        finders = np.isin(guesses, self.game.guess_of_secret[possible])
        return guesses, 2 * scores + ~finders

    def likely(self, possible: Indices, want: int, demand: int) -> Indices:
        """Return the best guesses at a state by score, best first, no two with the same split.

        There are at most `want` of them, and one more where none of these may be the secret: the best that may.
        """
        guesses, scores = self.scored(possible, demand)
        order = np.argsort(scores, kind="stable")
        kept: list[int] = []
        seen: set[bytes] = set()
        for place in order[: 8 * want].tolist():
            split = self._split(int(guesses[place]), possible)
            if split not in seen and len(kept) < want:
                seen.add(split)
                kept.append(int(guesses[place]))
        finders = set(self.game.guess_of_secret[possible].tolist())
        if not finders & set(kept):
            kept.append(next(int(guesses[place]) for place in order.tolist() if int(guesses[place]) in finders))
        return np.array(kept, dtype=np.int32)

    def _split(self, guess: int, possible: Indices) -> bytes:
        """Return how a guess splits a state, whatever the answers are, and which secret it finds."""
        row = self.game.table[guess][possible]
        _, first, parts = np.unique(row, return_index=True, return_inverse=True)
        return np.append(first[parts], row == self.game.found).astype(np.int32).tobytes()

    def depths(self, possible: Indices, guesses: Indices, demand: int) -> NDArray[np.int32]:
        """Return how many guesses each secret of a state takes after each of some guesses, these included.

        The shape is [guesses, possible].
        """
        result = np.empty((len(guesses), len(possible)), dtype=np.int32)
        for row, guess in zip(result, guesses.tolist(), strict=True):
            answers = self.game.table[guess][possible]
            row[answers == self.game.found] = 1
            for answer in np.unique(answers[answers != self.game.found]).tolist():
                part = answers == answer
                after = self.game.guessing.demand_after(demand, guess, answer)
                row[part] = 1 + self._engine.depths_from(self.weights, possible[part], demand=after)
        return result

    def noisy_depths(
        self, possible: Indices, targets: Indices, demand: int, width: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return how many guesses are made for each target by an oracle that makes one of the best few by score.

        Each but the first is made half as often as the one before it.
        """
        taken = np.zeros(len(targets), dtype=np.int64)
        chances = 0.5 ** np.arange(width)
        for number, target in enumerate(targets.tolist()):
            state, asked, answer = possible, demand, -1
            while answer != self.game.found:
                guesses, scores = self.scored(state, asked)
                few = np.argsort(scores, kind="stable")[: width if len(state) > 2 else 1]
                share = chances[: len(few)] / chances[: len(few)].sum()
                guess = int(guesses[few[rng.choice(len(few), p=share)]])
                if len(np.unique(self.game.table[guess][state])) == 1:
                    guess = int(guesses[few[0]])  # what tells nothing would never end
                answer = int(self.game.table[guess, target])
                state = state[self.game.table[guess][state] == answer]
                asked = self.game.guessing.demand_after(asked, guess, answer)
                taken[number] += 1
        return taken

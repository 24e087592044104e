"""The restricted linear program over states and guess numbers, for objectives other than the mean.

What finding a secret loses depends on the guess number, so a row is a state together with the number of the guess that
is made there, and subtrees may be exchanged wherever both are the same. With x(S, t, g) the chance that the guesser
comes to state S at guess t and guesses g there, given that the secret is in S,

    min v   subject to   sum over g of x(S, t, g) = sum of x(P, t - 1, h) over the moves that lead to S   (root: 1)
                         sum over the moves that find s of x(S, t, g) times the loss of s at t <= v   for every secret s

(by orbits: averaged). Once losses rise no more nothing is left to choose, and there are no rows.
"""

from __future__ import annotations

import highspy
import numpy as np

from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.kernels.exact.types import Bounds, Counts
from oracular.objectives import Objective
from oracular.responses.greedy import guesser_gbr_uniform
from oracular.solvers.exact.flow_program import FlowProgram
from oracular.strategies.tree import Tree, walk


class LayeredProgram(FlowProgram):
    """Moves in, the guesser's chances and the hider's weights out; values are parts of the largest loss."""

    def __init__(self, game: Game, objective: Objective, orbit_of: Bounds, orbit_sizes: Bounds) -> None:
        self.losses = objective.losses_in(game) / max(1, objective.largest_loss or 1)
        self.last = self.losses.shape[1] - 1
        self.greedy = guesser_gbr_uniform(game, "possible")
        super().__init__(game, orbit_of, orbit_sizes)

    def code(self, state: Counts, column: int, demand: int) -> bytes:
        """Return what tells the row of a state at a column of the losses from others."""
        return column.to_bytes(2, "little") + super().code(state, column, demand)

    def add_move(self, state: Counts, guess: int, column: int = 0, demand: int = FREE) -> bool:
        """Tell whether the move, an allowed one, is new; it and the states it leads to are in the program now."""
        row = self.state_row(state, column, demand)
        if guess in self.moves[row]:
            return False
        answers = self.game.table[guess][state]
        lost = np.zeros(self.orbits)
        rows, values = [row], [1.0]
        self.moves[row][guess] = -1
        for answer in np.unique(answers).tolist():
            part = state[answers == answer]
            at = column if answer == self.game.found else min(column + 1, self.last)
            if answer == self.game.found or len(part) == 1 or at == self.last:
                np.add.at(lost, self.orbit_of[part], self.losses[part, at])
            else:
                after = self.game.guessing.demand_after(demand, guess, answer)
                rows.append(self.state_row(part, at, after))
                values.append(-1.0)
        for orbit in np.flatnonzero(lost):
            rows.append(int(orbit))
            values.append(-float(lost[orbit]) / float(self.orbit_sizes[orbit]))
        self.moves[row][guess] = self.columns
        self.columns += 1
        self.model.addCol(0.0, 0.0, highspy.kHighsInf, len(rows), np.array(rows, np.int32), np.array(values))
        return True

    def add_tree(self, tree: Tree) -> int:
        """Return how many of the tree's moves are new."""
        columns: list[int] = []
        new = 0
        for visit in tree.visits():
            columns.append(0 if visit.parent < 0 else columns[visit.parent] + 1)
            if len(visit.state) > 1 and (columns[-1] < self.last or visit.parent < 0):
                new += self.add_move(visit.state, visit.guess, columns[-1], visit.demand)
        return new

    def likeliest_tree(self, left: np.ndarray, used: list[int]) -> Tree:
        """Return the tree of the likeliest moves, whose columns are noted; where nothing counts it is greedy."""
        columns: list[int] = []

        def choose(state: Indices, parent: int, answer: int, demand: int) -> int:
            columns.append(0 if parent < 0 else columns[parent] + 1)
            if len(state) == 1:
                return int(self.game.guess_of_secret[state[0]])
            row = self.states.get(self.code(state, columns[-1], demand))
            return self.greedy.guess(state, demand) if row is None else self.likeliest(row, left, used)

        guesses = [visit.guess for visit in walk(self.game, choose) if len(visit.state) > 1]
        return Tree(self.game, np.array(guesses, dtype=np.int32))

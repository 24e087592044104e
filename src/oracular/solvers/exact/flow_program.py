"""The restricted linear program over states: all trees that the moves of the trees found so far can make up.

A tree found brings its moves (state, guess). Subtrees may be exchanged wherever the state is the same, so the program
ranges over every recombination of the trees found, far more than their mixtures. With x(S, g) the chance that the
guesser comes to state S and guesses g there, given that the secret is in S,

    min v   subject to   sum over g of x(S, g) = sum of x(P, h) over the moves (P, h) that lead to S   (root: 1)
                         sum over S with s in S, over g, of x(S, g) <= v                          for every secret s

(by orbits: averaged). The second rows' duals are the hider's best weights. This is the sequence form of Koller, Megiddo
and von Stengel, with histories that leave the same secrets possible taken together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import highspy
import numpy as np

from oracular.games.game import Game
from oracular.kernels.exact.types import Bounds, Counts
from oracular.strategies.tree import Tree, tree_by
from oracular.system.deadline import NEVER, Deadline, DeadlinePassed

SMALL = 4
"""States of at most so many secrets get all of their own secrets as moves, not only those that a tree played."""


def run_until(model: highspy.Highs, deadline: Deadline) -> None:
    """Solve a program; where the deadline passes first, `DeadlinePassed` is raised and there is no result.

    The clock only ever ends the work: a program that is solved in time is solved just as without a deadline.
    """
    deadline.check()
    model.setOptionValue("time_limit", model.getRunTime() + deadline.left)  # its clock is never set back
    model.run()
    if model.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        raise DeadlinePassed


def written_basis(basis: highspy.HighsBasis) -> tuple[list[int], list[int]]:
    """Return a basis as whole numbers, columns and rows."""
    return [int(status) for status in basis.col_status], [int(status) for status in basis.row_status]


class FlowProgram:
    """Moves in, the guesser's chances and the hider's weights out."""

    def __init__(self, game: Game, orbit_of: Bounds, orbit_sizes: Bounds) -> None:
        self.game = game
        self.orbit_of, self.orbit_sizes = orbit_of, orbit_sizes
        self.orbits = len(orbit_sizes)
        self.model = highspy.Highs()  # type: ignore[no-untyped-call]
        self.model.setOptionValue("output_flag", False)
        self.model.setOptionValue("threads", 1)
        self.model.setOptionValue("primal_feasibility_tolerance", 1e-9)
        self.model.setOptionValue("dual_feasibility_tolerance", 1e-9)
        for _ in range(self.orbits):
            self.add_row(0.0, highspy.kHighsInf)
        rows = np.arange(self.orbits, dtype=np.int32)
        self.model.addCol(1.0, -highspy.kHighsInf, highspy.kHighsInf, self.orbits, rows, np.ones(self.orbits))
        self.states: dict[bytes, int] = {}
        self.moves: dict[int, dict[int, int]] = {}
        self.columns = 1
        self.chances = np.zeros(0)
        self.state_row(game.all_secrets)

    def add_row(self, lower: float, upper: float) -> None:
        """Add an empty row."""
        self.model.addRow(lower, upper, 0, np.zeros(0, np.int32), np.zeros(0))

    def state_row(self, state: Counts) -> int:
        """Return the row of a state of two secrets or more, added if need be."""
        code = state.tobytes()
        row = self.states.get(code)
        if row is None:
            row = self.orbits + len(self.states)
            flow = 1.0 if len(self.states) == 0 else 0.0
            self.states[code] = row
            self.moves[row] = {}
            self.add_row(flow, flow)
            if len(state) <= SMALL:
                for secret in state:
                    self.add_move(state, int(self.game.guess_of_secret[secret]))
        return row

    def add_move(self, state: Counts, guess: int) -> bool:
        """Tell whether the move is new; it and the states it leads to are in the program now."""
        row = self.state_row(state)
        if guess in self.moves[row]:
            return False
        answers = self.game.table[guess][state]
        counts = np.bincount(self.orbit_of[state], minlength=self.orbits)
        rows = [row]
        values = [1.0]
        self.moves[row][guess] = -1
        for answer in np.unique(answers):
            if answer == self.game.found:
                continue
            part = state[answers == answer]
            if len(part) == 1:
                # a single secret is found at the next guess: no row of its own
                counts[self.orbit_of[part[0]]] += 1
            else:
                rows.append(self.state_row(part))
                values.append(-1.0)
        for orbit in np.nonzero(counts)[0]:
            rows.append(int(orbit))
            values.append(-counts[orbit] / self.orbit_sizes[orbit])
        self.moves[row][guess] = self.columns
        self.columns += 1
        self.model.addCol(0.0, 0.0, highspy.kHighsInf, len(rows), np.array(rows, np.int32), np.array(values))
        return True

    def add_tree(self, tree: Tree) -> int:
        """Return how many of the tree's moves are new."""
        moves = ((visit.state, visit.guess) for visit in tree.visits() if len(visit.state) > 1)
        return sum(self.add_move(state, guess) for state, guess in moves)

    def solve(self, deadline: Deadline = NEVER) -> tuple[float, np.ndarray]:
        """Return the value and the hider's weight on each orbit; nothing is known where the deadline passes."""
        basis = self.model.getBasis()
        self.model.clearSolver()  # so that a program restored from its basis goes on just as this one does
        if basis.valid:
            self.model.setBasis(basis)
        run_until(self.model, deadline)
        if self.model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self.model.clearSolver()
            run_until(self.model, deadline)
        solution = self.model.getSolution()
        self.chances = np.array(solution.col_value)
        weights = np.maximum(np.array(solution.row_dual)[: self.orbits], 0.0)
        return float(self.chances[0]), weights / weights.sum()

    def basis(self) -> tuple[list[int], list[int]]:
        """Return the solver's basis as whole numbers, columns and rows, for `set_basis` to start from again."""
        return written_basis(self.model.getBasis())

    def set_basis(self, statuses: Sequence[Sequence[int]]) -> None:
        """Let the next solve start from this basis."""
        basis = highspy.HighsBasis()
        basis.col_status = [highspy.HighsBasisStatus(status) for status in statuses[0]]
        basis.row_status = [highspy.HighsBasisStatus(status) for status in statuses[1]]
        basis.valid = True
        self.model.setBasis(basis)

    def assemble(self, choose: Callable[[Counts], int]) -> tuple[Tree, list[int]]:
        """Return the tree that makes the chosen move at every state, and the columns of its moves."""
        used: list[int] = []

        def play(state: Counts) -> int:
            guess = choose(state)
            used.append(self.moves[self.states[state.tobytes()]][guess])
            return guess

        return tree_by(self.game, play), used

    def trees(self, least: float = 1e-9, deadline: Deadline = NEVER) -> list[tuple[float, Tree]]:
        """Return the solution as a mixture of trees, each move's chance used up by the trees that make it."""
        left = self.chances.copy()

        def likeliest(state: Counts) -> int:
            moves = self.moves[self.states[state.tobytes()]]
            return max(moves, key=lambda guess: (left[moves[guess]], -guess))

        mixture: list[tuple[float, Tree]] = []
        while True:
            deadline.check()
            tree, used = self.assemble(likeliest)
            if not used:
                # a game of one secret: there is one tree and nothing to mix
                return [(1.0, tree)]
            share = float(left[used].min())
            if share <= least:
                return mixture
            left[used] -= share
            mixture.append((share, tree))

"""The restricted linear program over states: all trees that the moves of the trees found so far can make up.

A tree found brings its moves (state, guess). Subtrees may be exchanged wherever the state is the same, so the program
ranges over every recombination of the trees found, far more than their mixtures. With x(S, g) the chance that the
guesser comes to state S and guesses g there, given that the secret is in S,

    min v   subject to   sum over g of x(S, g) = sum of x(P, h) over the moves (P, h) that lead to S   (root: 1)
                         sum over S with s in S, over g, of x(S, g) <= v                          for every secret s

(by orbits: averaged). The second rows' duals are the hider's best weights. This is the sequence form of Koller, Megiddo
and von Stengel, with histories that leave the same secrets possible taken together. In hard mode a state is more than
the secrets left: there only histories that also ask the same of later guesses are taken together.

Beside it stands the small program over whole trees, `tree_basis`, whose basis the certificate solves exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.strategies.tree import Tree, tree_by
from oracular.system.control import NEVER, Deadline, DeadlinePassed

SMALL = 4
"""States of at most so many secrets get all of their own secrets as moves, not only those that a tree played."""


def new_program(tolerance: float) -> highspy.Highs:
    """Return an empty linear program, solved quietly on one thread."""
    model = highspy.Highs()  # type: ignore[no-untyped-call]
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("primal_feasibility_tolerance", tolerance)
    model.setOptionValue("dual_feasibility_tolerance", tolerance)
    return model


def add_row(model: highspy.Highs, lower: float, upper: float) -> None:
    """Add an empty row."""
    model.addRow(lower, upper, 0, np.zeros(0, np.int32), np.zeros(0))


def tree_basis(
    sums: list[NDArray[np.int64]], sizes: NDArray[np.int64], deadline: Deadline = NEVER, scale: int = 1
) -> tuple[list[int], list[int]]:
    """Return the basic trees and tight orbits of: min v, mixture's depth <= v at every orbit, shares add up to 1.

    Where payoffs are no depths, the scale is the largest of them.
    """
    rows = len(sizes)
    model = new_program(1e-10)
    infinity = highspy.kHighsInf
    for lower, upper in [(0.0, infinity)] * rows + [(1.0, 1.0)]:
        add_row(model, lower, upper)
    model.addCol(1.0, -infinity, infinity, rows, np.arange(rows, dtype=np.int32), np.ones(rows))
    places = np.arange(rows + 1, dtype=np.int32)
    for tree in sums:
        model.addCol(0.0, 0.0, infinity, rows + 1, places, np.append(-tree / (sizes * scale), 1.0))
    run_until(model, deadline)
    basis = model.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    trees = [place - 1 for place, status in enumerate(basis.col_status) if place > 0 and status == basic]
    tight = [row for row in range(rows) if basis.row_status[row] != basic]
    return trees, tight


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

    def __init__(self, game: Game, orbit_of: NDArray[np.int64], orbit_sizes: NDArray[np.int64]) -> None:
        self.game = game
        self.orbit_of, self.orbit_sizes = orbit_of, orbit_sizes
        self.orbits = len(orbit_sizes)
        self.model = new_program(1e-9)
        for _ in range(self.orbits):
            add_row(self.model, 0.0, highspy.kHighsInf)
        rows = np.arange(self.orbits, dtype=np.int32)
        self.model.addCol(1.0, -highspy.kHighsInf, highspy.kHighsInf, self.orbits, rows, np.ones(self.orbits))
        self.states: dict[bytes, int] = {}
        self.moves: dict[int, dict[int, int]] = {}
        self.columns = 1
        self.chances = np.zeros(0)
        self.state_row(game.all_secrets)

    def code(self, state: Indices, column: int, demand: int) -> bytes:
        """Return what tells the row of a state from others; the guess number, from 0, makes no difference here.

        What is asked of the guesses does, in hard mode; where two secrets are left, either is allowed and best.
        """
        if not self.game.guessing.demands:
            return state.tobytes()
        return (demand if len(state) > 2 else FREE).to_bytes(8, "little") + state.tobytes()

    def state_row(self, state: Indices, column: int = 0, demand: int = FREE) -> int:
        """Return the row of a state of two secrets or more at a guess number, added if need be."""
        code = self.code(state, column, demand)
        row = self.states.get(code)
        if row is None:
            row = self.orbits + len(self.states)
            flow = 1.0 if len(self.states) == 0 else 0.0
            self.states[code] = row
            self.moves[row] = {}
            add_row(self.model, flow, flow)
            if len(state) <= SMALL:
                for secret in state:
                    self.add_move(state, int(self.game.guess_of_secret[secret]), column, demand)
        return row

    def add_move(self, state: Indices, guess: int, column: int = 0, demand: int = FREE) -> bool:
        """Tell whether the move, an allowed one, is new; it and the states it leads to are in the program now."""
        row = self.state_row(state, demand=demand)
        if guess in self.moves[row]:
            return False
        answers = self.game.table[guess][state]
        counts = np.bincount(self.orbit_of[state], minlength=self.orbits)
        rows = [row]
        values = [1.0]
        self.moves[row][guess] = -1
        for answer in np.unique(answers).tolist():
            if answer == self.game.found:
                continue
            part = state[answers == answer]
            if len(part) == 1:
                # a single secret is found at the next guess: no row of its own
                counts[self.orbit_of[part[0]]] += 1
            else:
                after = self.game.guessing.demand_after(demand, guess, answer)
                rows.append(self.state_row(part, demand=after))
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
        visits = (visit for visit in tree.visits() if len(visit.state) > 1)
        return sum(self.add_move(visit.state, visit.guess, demand=visit.demand) for visit in visits)

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

    def set_basis(self, statuses: Sequence[Sequence[int]]) -> None:
        """Let the next solve start from this basis."""
        basis = highspy.HighsBasis()
        basis.col_status = [highspy.HighsBasisStatus(status) for status in statuses[0]]
        basis.row_status = [highspy.HighsBasisStatus(status) for status in statuses[1]]
        basis.valid = True
        self.model.setBasis(basis)

    def trees(self, least: float = 1e-9, deadline: Deadline = NEVER) -> list[tuple[float, Tree]]:
        """Return the solution as a mixture of trees, each move's chance used up by the trees that make it."""
        left = self.chances.copy()
        mixture: list[tuple[float, Tree]] = []
        while True:
            deadline.check()
            used: list[int] = []
            tree = self.likeliest_tree(left, used)
            if not used:
                # a game of one secret: there is one tree and nothing to mix
                return [(1.0, tree)]
            share = float(left[used].min())
            if share <= least:
                return mixture
            left[used] -= share
            mixture.append((share, tree))

    def likeliest_tree(self, left: np.ndarray, used: list[int]) -> Tree:
        """Return the tree of the likeliest moves, whose columns are noted."""
        return tree_by(
            self.game, lambda state, demand: self.likeliest(self.states[self.code(state, 0, demand)], left, used)
        )

    def likeliest(self, row: int, left: np.ndarray, used: list[int]) -> int:
        """Return the likeliest guess of a row, the first of several; its column is noted."""
        moves = self.moves[row]
        guess = max(moves, key=lambda guess: (left[moves[guess]], -guess))
        used.append(moves[guess])
        return guess

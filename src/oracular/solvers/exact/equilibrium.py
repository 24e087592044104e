"""Exact equilibria by column generation: a linear program over the moves found so far, and the exact best response.

The program (`flow_program`) gives an upper bound on the game's value and the hider's best weights against the moves so
far. The exact response to any weights gives a lower bound and a tree whose moves enter the program. The weights
responded to lie between the program's and the best so far (Wentges smoothing), which damps the program's swings. In a
game with symmetries a tree stands for its images under all of them, played with equal chances: one row an orbit.

Once the bounds are close, the program's solution is taken apart into trees, the basis of the small program over those
is solved in exact arithmetic, and the exact response to the exact weights either completes the certificate or finds a
tree that refutes them, with which the search goes on.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Annotated, Any, NotRequired, TypedDict

import highspy
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.costs import LARGEST_TOTAL, Costs, fits_search
from oracular.games.game import Game, Indices
from oracular.games.guessing import FREE
from oracular.games.symmetry import OpeningPlan, no_symmetry, plan_openings
from oracular.games.table import check_table_size
from oracular.objectives import Objective
from oracular.search.best_response import greedy_tree
from oracular.search.trees import search
from oracular.solvers.exact.certificate import (
    MEAN,
    Certificate,
    guarantee,
    has_symmetries,
    orbits_for,
    solve_basis,
    trees_of,
)
from oracular.solvers.exact.flow_program import FlowProgram, tree_basis, written_basis
from oracular.strategies.greedy import guesser_gbr_uniform
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree, walk
from oracular.system.control import NEVER, Control, Deadline
from oracular.system.files import Real, Whole, read_as


class LayeredProgram(FlowProgram):
    """Moves in, the guesser's chances and the hider's weights out; values are parts of the largest loss."""

    def __init__(
        self, game: Game, objective: Objective, orbit_of: NDArray[np.int64], orbit_sizes: NDArray[np.int64]
    ) -> None:
        self.losses = objective.losses_in(game) / max(1, objective.largest_loss or 1)
        self.last = self.losses.shape[1] - 1
        self.greedy = guesser_gbr_uniform(game, "possible")
        super().__init__(game, orbit_of, orbit_sizes)

    def code(self, state: Indices, column: int, demand: int) -> bytes:
        """Return what tells the row of a state at a column of the losses from others."""
        return column.to_bytes(2, "little") + super().code(state, column, demand)

    def add_move(self, state: Indices, guess: int, column: int = 0, demand: int = FREE) -> bool:
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


SCALE = 1 << 24
"""Weights are rounded to whole numbers that add up to about this."""

SMOOTHING = 0.5
"""The share of the best weights so far in those that are responded to first."""

NEAR = 1e-3
"""Bounds this close are worth an attempt at the proof."""

CLOSED = 1e-6
"""Bounds this close leave only the proof to be attempted, as long as that finds trees to go on with."""

FIRST_EFFORT = 4000
"""States that the first responses may search; twice as many after each that this was too few to prove."""

KEPT = ("center", "lower", "value", "attempted", "steps", "nodes", "effort", "response_proved", "stuck", "proof", "met")
"""What a step changes besides the program and the lists of trees; none of it is changed in place."""

ROOM = 1 << 57
"""For the mean, exact weights may add up, times the number of secrets, to this; see `ExactEquilibrium.fits`."""

MOST_STATES = 1 << 60
"""More states than this nobody searches."""


class _State(TypedDict):
    """What a checkpoint holds of the solver."""

    trees: list[list[Any]]
    refuting: list[list[Any]]
    center: list[Annotated[int, Meta(ge=0, le=LARGEST_TOTAL)]]
    lower: Fraction
    steps: Whole
    nodes: Annotated[int, Meta(ge=0, le=MOST_STATES)]
    effort: Annotated[int, Meta(ge=1, le=MOST_STATES)]
    attempted: Real
    stuck: bool
    basis: Annotated[list[list[Annotated[int, Meta(ge=0, le=4)]]], Meta(min_length=2, max_length=2)] | None
    chances: list[Annotated[float, Meta(ge=-1e9, le=1e9)]]
    proof: dict[str, Any] | None


class _SavedProof(TypedDict):
    """What a checkpoint holds of a certificate."""

    lower: Fraction
    upper: Fraction
    weights: list[str]
    shares: list[Fraction]
    trees: list[list[Any]]
    objective: NotRequired[Any]


class ExactEquilibrium:
    """The solver's state: `step()` until `solved` or `stuck`, then `certificate()`.

    stuck: the program's exact basis could not be used (not feasible in exact arithmetic, or weights beyond 64 bits,
    which are rounded down then), so that the certificate keeps a gap
    """

    def __init__(self, game: Game, objective: Objective = MEAN) -> None:
        check_table_size(game.name, len(game.guesses), len(game.secrets))
        self.game, self.objective = game, objective
        secrets = len(game.secrets)
        self.labels = orbits_for(game, objective)
        _, self.orbit_of = np.unique(self.labels, return_inverse=True)
        self.orbit_sizes = np.bincount(self.orbit_of).astype(np.int64)
        self.plan: OpeningPlan | None = None
        self._program: FlowProgram | None = None
        self._basis: highspy.HighsBasis | None = None
        self._chances = np.zeros(0)
        self.trees: list[Tree] = []
        self.met: list[Tree] = []
        self.refuting: list[Tree] = []
        self.center: NDArray[np.int64] = np.ones(secrets, np.int64)
        self.largest = max(1, secrets if objective.largest_loss is None else objective.largest_loss)
        self.lower = self.least
        self.value = self.largest / self.unit
        self.attempted = -1.0
        self.steps = 0
        self.nodes = 0
        self.effort = FIRST_EFFORT
        self.response_proved = False
        self.stuck = False
        self.proof: Certificate | None = None
        self.deadline = NEVER

    @property
    def program(self) -> FlowProgram:
        """The program over the moves of all trees found so far, made anew where a step was taken back."""
        if self._program is None:
            if self.objective.is_mean:
                self._program = FlowProgram(self.game, self.orbit_of, self.orbit_sizes)
            else:
                self._program = LayeredProgram(self.game, self.objective, self.orbit_of, self.orbit_sizes)
            for tree in self.trees:
                self._program.add_tree(tree)
            if self._basis is not None and self._basis.valid:
                self._program.model.setBasis(self._basis)
            self._program.chances = self._chances
        return self._program

    @property
    def least(self) -> Fraction:
        """What any guesser loses at least: a guess, or nothing."""
        return Fraction(1 if self.objective.is_mean else 0)

    @property
    def unit(self) -> int:
        """So many units of loss count as one where bounds are compared: the program's values are in them."""
        return 1 if self.objective.is_mean else self.largest

    @property
    def most_weight(self) -> int:
        """The most that one weight may be for the search, in another objective than the mean."""
        return max(1, (LARGEST_TOTAL - 1) // (self.largest * len(self.orbit_of)))

    def fits(self, weights: list[int]) -> bool:
        """Tell whether the search can respond to such weights, one a secret."""
        secrets = len(weights)
        if self.objective.is_mean:
            return sum(weights) * secrets < ROOM
        return fits_search(weights, self.objective)

    def kept(self) -> dict[str, Any]:
        """Return the state in a form that costs little, for `put_back`."""
        state = {name: getattr(self, name) for name in KEPT}
        lists = {name: list(getattr(self, name)) for name in ("trees", "refuting")}
        program = {"_basis": self.program.model.getBasis(), "_chances": self.program.chances}
        return state | lists | program

    def put_back(self, state: dict[str, Any]) -> None:
        """Take up the state that `kept` returned: the same as if what came after had not been begun."""
        for name, value in state.items():
            setattr(self, name, value)
        self._program = None  # no column of a program can be forgotten: it is made anew when it is needed
        self.deadline = NEVER

    @property
    def solved(self) -> bool:
        """Whether the certificate is complete."""
        return self.proof is not None

    def step(self, deadline: Deadline = NEVER) -> None:
        """Solve the program and respond to one set of weights, or attempt the proof.

        Where the deadline passes first, `DeadlinePassed` is raised: then `put_back` what `kept` gave before the step.
        """
        if self.solved or self.stuck:
            return
        self.deadline = deadline
        self.steps += 1
        if self.steps == 1:
            self.respond(self.center)
            return
        self.value, masses = self.program.solve(deadline)
        gap = self.value - float(self.lower / self.unit)
        if gap < NEAR and (self.value != self.attempted or gap < CLOSED):
            self.attempted = self.value
            if self.prove():
                return
        share = SMOOTHING
        center = np.bincount(self.orbit_of, weights=self.center / self.center.sum())
        while not self.respond(self.rounded(share * center + (1 - share) * masses)):
            if share == 0.0:
                # nothing new at the program's own weights: only the exact weights, or a longer search, can tell more
                self.stuck = self.response_proved and not self.prove()
                return
            share = share / 2 if share > 0.2 else 0.0

    def respond(self, weights: NDArray[np.int64]) -> int:
        """Return how many moves are new in the exact best response to these weights and the trees met on the way."""
        if self.plan is None:
            alike = has_symmetries(self.game, self.objective) or not self.game.symmetries
            self.plan = (
                plan_openings(self.game, np.ones(len(self.orbit_of), np.int64), self.deadline)
                if alike
                else no_symmetry(len(self.game.guesses))
            )
        self.met = []
        costs, before = Costs.against(weights, self.objective), Costs.against(self.center, self.objective)
        known = max(0, costs.carried_over(before, int(self.lower * int(self.center.sum()))))
        response = search(
            self.game, costs, states=self.effort, lower=known, control=Control(self.deadline), plan=self.plan
        )
        self.deadline.check()  # what a search that was cut off has proved is no part of a step
        greedy = greedy_tree(Hider(self.game, weights), self.deadline)
        self.met += [greedy] if response.tree is None else [greedy, response.tree]
        self.nodes += response.states
        self.response_proved = response.proved
        if not response.proved:
            self.effort *= 2
        bound = Fraction(response.lower, int(weights.sum()))
        if bound > self.lower:
            self.lower, self.center = bound, weights
        new = 0
        for tree in self.met:
            self.deadline.check()
            moves = self.program.add_tree(tree)
            if moves:
                self.trees.append(tree)
                new += moves
        return new

    def orbit_sums(self, tree: Tree) -> NDArray[np.int64]:
        """Return the tree's depths, or losses, added up by orbit."""
        return np.bincount(self.orbit_of, weights=self.objective.payoffs(tree.depths())).astype(np.int64)

    def rounded(self, masses: np.ndarray) -> NDArray[np.int64]:
        """Return whole-number weights by secret for these weights by orbit."""
        chances = masses / self.orbit_sizes
        scale = SCALE if self.objective.is_mean else min(SCALE, int(self.most_weight / chances.max()))
        return np.rint(chances * scale).astype(np.int64)[self.orbit_of]

    def mixture(self) -> tuple[list[Tree], list[Fraction]]:
        """Return the program's solution as trees and shares, the shares as fractions that add up to exactly 1."""
        if len(self.program.chances) != self.program.columns:
            self.value = self.program.solve(self.deadline)[0]
        parts = self.program.trees(deadline=self.deadline)
        total = sum(Fraction(share) for share, _ in parts)
        return [tree for _, tree in parts], [Fraction(share) / total for share, _ in parts]

    def prove(self) -> bool:
        """Tell whether the certificate is complete, or trees that refute the exact weights have been found.

        The program over moves may have many solutions, and the few trees of one of them need not pin the hider's
        weights down. So the trees met so far count too, and whatever tree refutes the weights is kept for the next
        attempt.
        """
        trees, shares = self.mixture()
        pool: dict[bytes, Tree] = {}
        for tree in [*trees, *self.trees, *self.refuting]:
            self.deadline.check()
            pool.setdefault(self.orbit_sums(tree).tobytes(), tree)
        trees_of_pool = list(pool.values())
        sums = [self.orbit_sums(tree) for tree in trees_of_pool]
        new = 0
        try:
            basic, tight = tree_basis(sums, self.orbit_sizes, self.deadline, self.unit)
            exact_shares, by_orbit = solve_basis(
                [sums[place] for place in basic], self.orbit_sizes.tolist(), tight, self.deadline
            )
            feasible = min(exact_shares) >= 0 and min(by_orbit) >= 0
        except ValueError:
            feasible = False
        if feasible:
            trees, shares = [trees_of_pool[place] for place in basic], exact_shares
            new = self.refute(by_orbit, pool)
        attempt = self._certified(trees, shares)
        if attempt.complete:
            self.proof = attempt
        return attempt.complete or new > 0

    def refute(self, by_orbit: list[Fraction], pool: dict[bytes, Tree]) -> int:
        """Return how many moves and trees are new in the exact response to exact weights, rounded where too large."""
        common = lcm(*(weight.denominator for weight in by_orbit))
        whole = [int(weight * common) for weight in by_orbit]
        if not self.fits([whole[orbit] for orbit in self.orbit_of]):
            if self.objective.is_mean:
                return 0
            scale = min(self.most_weight / max(by_orbit), Fraction(LARGEST_TOTAL - 1, len(self.orbit_of) + 3))
            whole = [int(weight * scale) for weight in by_orbit]
        new = self.respond(np.array(whole, np.int64)[self.orbit_of])
        for tree in self.met:
            # made of known moves perhaps, and still a tree that the small program has not seen
            if self.orbit_sums(tree).tobytes() not in pool:
                self.refuting.append(tree)
                new += 1
        return new

    def certificate(self) -> Certificate:
        """Return both sides' strategies and the bounds they prove, so far as the search has come."""
        return self.proof or self._certified(*self.mixture())

    def _certified(self, trees: list[Tree], shares: list[Fraction]) -> Certificate:
        """Return the certificate with this mixture of the guesser."""
        upper = guarantee(trees, shares, self.labels, self.deadline, self.objective)
        return Certificate.of_losses(self.center.tolist(), (trees, shares), (self.lower, upper), self.objective)

    def to_data(self) -> dict[str, Any]:
        """Return numbers, lists and strings from which `restore` goes on."""
        known = self._basis if self._program is None else None  # where a step was taken back, no program is needed
        basis = known or self.program.model.getBasis()
        return {
            "trees": [tree.to_list() for tree in self.trees],
            "refuting": [tree.to_list() for tree in self.refuting],
            "center": self.center.tolist(),
            "lower": str(self.lower),
            "steps": self.steps,
            "nodes": self.nodes,
            "effort": self.effort,
            "attempted": self.attempted,
            "stuck": self.stuck,
            "basis": written_basis(basis),
            "chances": (self._chances if self._program is None else self._program.chances).tolist(),
            "proof": None if self.proof is None else self.proof.to_data(),
        }

    def restore(self, data: object, steps: int, deadline: Deadline = NEVER) -> None:
        """Take up, in a solver made anew for the same game, the state that `to_data` returned after so many steps.

        The data come from a file, which may hold anything: what is no such state is a `ValueError`.
        """
        secrets = len(self.game.secrets)
        kept: _State = read_as(_State, data)
        trees, refuting = (trees_of(self.game, kept[name], deadline) for name in ("trees", "refuting"))
        center = kept["center"]
        if len(center) != secrets or not any(center) or not self.fits(center):
            raise ValueError("the hider's weights are not one a secret, or add up to nothing, or to too much")
        if not self.least <= kept["lower"] <= self.largest:
            raise ValueError(f"the lower bound is not between {self.least} and {self.largest}")
        if kept["steps"] != steps:
            raise ValueError("the state is that of another step")
        for tree in trees:
            deadline.check()
            self.program.add_tree(tree)
        self.trees, self.refuting = trees, refuting
        self.center, self.lower = np.array(center, np.int64), kept["lower"]
        self.steps, self.nodes, self.effort = steps, kept["nodes"], kept["effort"]
        self.attempted, self.stuck = kept["attempted"], kept["stuck"]
        self._restore_program(kept["basis"], kept["chances"])
        if kept["proof"] is not None:
            self.proof = self._checked_proof(kept["proof"], deadline)
        elif len(self.program.chances) != self.program.columns or not self.program.trees(deadline=deadline):
            raise ValueError("the chances make up no mixture of trees")

    def _restore_program(self, basis: list[list[int]] | None, chances: list[float]) -> None:
        """Give the program the basis and the chances of a checkpoint."""
        if basis is not None:
            sizes = self.program.columns, self.program.orbits + len(self.program.states)
            if any(len(side) not in (0, size) for side, size in zip(basis, sizes, strict=True)):
                raise ValueError("the basis is of another size")
            self.program.set_basis(basis)
        if any(not -1e-3 <= chance <= 1 + 1e-3 for chance in chances[1:]):
            raise ValueError("a chance is not between 0 and 1")
        self.program.chances = np.array(chances, np.float64)

    def _checked_proof(self, data: object, deadline: Deadline) -> Certificate:
        """Return the certificate that a checkpoint holds, its upper bound worked out again."""
        kept: _SavedProof = read_as(_SavedProof, data)
        trees, shares = trees_of(self.game, kept["trees"], deadline), kept["shares"]
        upper = guarantee(trees, shares, self.labels, objective=self.objective)
        weights = [str(weight) for weight in self.center.tolist()]
        bounds = {self.objective.loss(kept["lower"]), self.objective.loss(kept["upper"]), upper}
        if kept["weights"] != weights or bounds != {self.lower}:
            raise ValueError("the proof is not one of these weights and bounds")
        if not self.objective.is_mean and kept.get("objective") != self.objective.to_data(self.game):
            raise ValueError("the proof is for another objective")
        return Certificate.of_losses(self.center.tolist(), (trees, shares), (self.lower, upper), self.objective)

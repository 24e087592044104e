"""Best responses: the guesser's tree that is best against a hider, exact and proved, or greedy.

The search comes first, for a while, without any tree to beat: most games need no more. If it isn't done then, the
greedy tree and a planned one are what it has to beat, and what is returned if it is stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oracular import objectives
from oracular.costs import LARGEST_TOTAL, Costs
from oracular.errors import OutOfTimeError, SettingsError
from oracular.evaluation import payoff
from oracular.games.game import Game, Indices
from oracular.games.table import check_table_size
from oracular.objectives import Objective
from oracular.planner.start import is_planned, load_planner, planned_tree
from oracular.search import two_guesses
from oracular.search.states import ENDLESS, search_table
from oracular.search.trees import SearchProgress, SearchResult, TreeSearch, is_useful, opened, search, search_threads
from oracular.strategies.greedy import GreedyOracle, guesser_gbr_uniform
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree, tree_by
from oracular.system.checking import checked
from oracular.system.control import Control, Deadline, DeadlinePassed, Stopped, ignored, is_finite, never, seconds_of
from oracular.system.files import cut, quoted

FIRST_WORK = 1 << 33
"""The answers that a search without a tree to beat looks up in each part, if its states are as large as can be."""

FIRST_TREE_SECONDS = 10.0
"""A first tree may take this much longer than the time given: without one there would be nothing to return."""

MOST_CELLS = 1 << 24
"""The mean is not searched for if the guesses that suffice times the secrets are more than this."""


@checked
@dataclass(frozen=True, eq=False)
class BestResponse:
    """The best tree found against a hider, and what is proved about the best that there is.

    Attributes:
        lower, upper: the best of all trees is proved to be between them. One of them is the tree's own value, exact:
            the upper one if less is better, as with the expected number of guesses, the lower one if more is.
        states: how many states were searched.
        openings: how many openings were worked out, if no state is searched: within three guesses in a game of many
            answers.
        objective: what both are bounds on.
        opening: the guesses that all trees compared begin with, if any were given; each is left out at the states
            where it is not allowed or would eliminate nothing.
        mean: for the objective `worst` the tree's expected number of guesses; else None.
        mean_lower: no tree that needs at most `upper` guesses has a smaller one: proved; None for other objectives.
    """

    hider: Hider
    tree: Tree
    lower: Fraction
    upper: Fraction
    states: int
    objective: Objective = field(default_factory=objectives.mean)
    mean: Fraction | None = None
    mean_lower: Fraction | None = None
    opening: tuple[int, ...] = ()
    openings: int = 0

    @property
    def proved(self) -> bool:
        """Whether the tree is proved to be a best response; for `worst` the best mean among those is part of it."""
        if self.lower != self.upper:
            return False
        return not self.objective.is_worst or self.mean == self.mean_lower

    @property
    def left_out(self) -> int:
        """The weights of secrets by how many guesses of the opening were left out: made all the same, they cost this.

        The expected number of guesses times the total weight would be larger by this.
        """
        weights = self.hider.weights
        left_out = opened(self.hider.game, Costs.mean(weights), self.opening).left_out
        return sum(int(weights[secrets].sum()) for secrets in left_out)

    @property
    def most_guesses(self) -> int:
        """The most guesses that the tree needs for any secret."""
        return int(self.tree.depths().max())

    @property
    def oracle(self) -> Tree:
        """The tree, with a greedy oracle for states that it never comes to."""
        return with_greedy_fallback(self.tree)


def with_greedy_fallback(tree: Tree) -> Tree:
    """Return the tree with the greedy response to a uniform hider for states that it never comes to."""
    return replace(tree, fallback=guesser_gbr_uniform(tree.game, "possible"))


@checked
def best_response(
    game: Game,
    weights: ArrayLike | Hider,
    *,
    opening: str | int | Sequence[str | int] | None = None,
    objective: Objective | str | Path = "mean",
    exact: bool = True,
    threads: int | None = None,
    time_limit: float | None = None,
    node_limit: int | None = None,
    watcher: Callable[[SearchProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> BestResponse:
    """Return the tree with the least expected number of guesses against a hider, or the best for another objective.

    The exact search is branch and bound. Stopped early by a limit it returns the best tree found and a proved bound.
    Secrets of weight zero are found by the tree as well.

    Args:
        game: the game.
        weights: a whole number for each secret, or a hider.
        opening: a guess, or its index: only trees that begin with it count. Or several, to be made one after the other
            whatever the answers. Each is left out at the states where it is not allowed or would eliminate nothing,
            as with one secret left.
        objective: `mean`, `within-4`, `worst`, an `Objective`, or a file with a table of utilities. With `worst` all
            secrets count, whatever their weights: the least number of guesses that always suffices, and against the
            weights the least expected number among the trees that need no more.
        exact: whether to search; if not, the greedy tree is returned, with the bound that counting gives.
        threads: how many parts of an opening are searched at a time, or how many openings within three guesses in a
            game of many answers; by default as many as there are cores, and memory for. It changes nothing in what is
            found.
        time_limit: stop after this many seconds, including setup but not compiling; a first tree may take a few
            seconds more.
        node_limit: stop after this many states; the result is the same every time.
        watcher: called about ten times a second.
        stop: called as often; once it returns True, the search ends with what is proved.
    """
    hider = weights if isinstance(weights, Hider) else Hider(game, np.asarray(weights))
    if not hider.game.is_same(game):
        raise SettingsError(f"the hider plays {hider.game!r}, not {game!r}: give one of the same game")
    for name, limit in (("a time limit", time_limit), ("a limit of states", node_limit)):
        if limit is not None and not (is_finite(limit) and limit > 0):
            raise SettingsError(f"{name} of {cut(limit)} asked for: give a number above 0")
    chosen = objectives.objective(objective, game)
    first = () if opening is None else _checked_openings(game, opening)
    at_a_time = search_threads(threads)
    if exact:  # every search needs the table: a list that is far too large is refused before anything is built
        check_table_size(game.name, len(game.guesses), len(game.secrets))
    costs = Costs.mean(hider.weights) if chosen.is_worst else Costs.against(hider.weights, chosen)
    swept = exact and not first and node_limit is None and two_guesses.is_swept(game, chosen)
    deadline = Deadline.after(time_limit)
    if time_limit is not None:
        deadline = deadline.later(seconds_of(lambda: _load(game, exact, swept)))  # compiling is not counted
    control = Control(deadline, stop or never, watcher or ignored)
    states = node_limit or ENDLESS
    if chosen.is_worst:
        return _worst_case(hider, control, first, states if exact else 0, at_a_time)

    def in_objective(at: SearchProgress) -> SearchProgress:
        lower, upper = sorted(float(chosen.value(Fraction(loss))) for loss in (at.lower, at.upper))
        return replace(at, lower=lower, upper=upper)

    own = control if chosen.is_mean else control.reporting(in_objective)
    openings = 0
    if swept:
        found, openings = _within_three(hider, costs, own, threads)
    elif exact:
        found = least_cost_tree(hider, costs, own, first, at_a_time, states)
    else:
        tree = first_tree(hider, deadline, first)
        found = SearchResult(costs.counted(len(game.labels) - 1), costs.total(tree.depths()), tree, 0)
    ends = chosen.bounds(Fraction(found.lower, hider.total), Fraction(found.upper, hider.total))
    assert found.tree is not None
    return BestResponse(hider, found.tree, *ends, found.states, chosen, opening=first, openings=openings)


def least_cost_tree(
    hider: Hider,
    costs: Costs,
    control: Control[SearchProgress],
    opening: Sequence[int] = (),
    threads: int = 1,
    states: int = ENDLESS,
) -> SearchResult:
    """Return a tree that costs least, of all or of those with an opening, or the best found; there always is one."""
    game, deadline = hider.game, control.deadline
    try:
        searching = TreeSearch(search_table(game, costs, deadline), opening, threads=threads)
    except DeadlinePassed:
        tree = first_tree(hider, deadline, opening)
        return SearchResult(costs.counted(len(game.labels) - 1), costs.total(tree.depths()), tree, 0)
    planned = is_planned(game)
    few = max(1, FIRST_WORK // (len(game.guesses) * len(game.secrets))) if planned else ENDLESS
    with suppress(Stopped):
        searching.run(control, states=states, states_a_part=few)
    found = searching.result()
    if found.tree is not None and found.proved:
        return found
    start = first_tree(hider, deadline, opening)
    if planned and len(opening) <= 1 and not control.ended:  # after two guesses there is little left to plan
        start = _better(start, _planned(hider, costs, control, opening, found), costs)
    with suppress(Stopped):
        searching.run(control, start=start, states=states - searching.states)
    return searching.result(start)


def _planned(
    hider: Hider, costs: Costs, control: Control[SearchProgress], opening: Sequence[int], known: SearchResult
) -> Tree | None:
    """Return a planned tree, or None if there was no time for it; of an opening, the first guess is planned with."""
    first = opening[0] if opening else None
    one_by_one = np.arange(1, len(hider.game.secrets) + 1, dtype=np.int32)
    at = SearchProgress(known.lower / costs.unit, costs.total(one_by_one) / costs.unit, known.states)
    planning: Control[object] = control.reporting(lambda _: at)
    return planned_tree(hider.game, costs, planning, first).tree


def _better(tree: Tree, other: Tree | None, costs: Costs) -> Tree:
    """Return the tree that costs less; the first if they cost the same."""
    return tree if other is None or costs.total(tree.depths()) <= costs.total(other.depths()) else other


def _within_three(
    hider: Hider, costs: Costs, control: Control[SearchProgress], threads: int | None
) -> tuple[SearchResult, int]:
    """Return the best tree for three guesses, and how many openings were worked out."""
    most = two_guesses.most_within_three(hider.game, hider.weights, control, threads)
    tree = _better(first_tree(hider, control.deadline), most.tree, costs)
    lower = max(costs.counted(len(hider.game.labels) - 1), hider.total - most.upper)
    return SearchResult(lower, costs.total(tree.depths()), tree, 0), most.openings


def start_for_mean(hider: Hider, control: Control[Any]) -> Tree:
    """Return a good tree to compare others with: the greedy one, or a planned one if that needs fewer guesses.

    Planning takes a part of the time.
    """
    tree = greedy_tree(hider, control.deadline)
    if not is_planned(hider.game):
        return tree
    costs = Costs.mean(hider.weights)
    return _better(tree, planned_tree(hider.game, costs, control).tree, costs)


def _load(game: Game, exact: bool, swept: bool) -> None:
    """Load or compile what a search with a time limit needs."""
    GreedyOracle.against(Hider(game, np.ones(len(game.secrets), np.int64))).engine.warm_up()
    if exact:
        warm_up()
        load_planner(game)
    if swept:
        two_guesses.warm_up()


def warm_up() -> None:
    """Load or compile the search, on a game of five secrets."""
    tiny = Game.from_function("abcde", "abcde", lambda guess, secret: guess == secret)
    search(tiny, Costs.mean(np.ones(5, np.int64)))


def _checked_openings(game: Game, given: str | int | Sequence[str | int]) -> tuple[int, ...]:
    """Return the indices of the guesses of an opening, or say why no tree can be asked to begin with them."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        return (_checked_opening(game, given),)
    guesses: list[int] = []
    ones = Costs.mean(np.ones(len(game.secrets), np.int64))
    for guess in given:
        if not guesses:
            guesses.append(_checked_opening(game, guess))
            continue
        index = _guess_index(game, guess)
        before, left = quoted(",".join(game.guesses[one] for one in guesses)), opened(game, ones, guesses).parts
        if not any(is_useful(game, index, part.secrets, part.constraint) for part in left):
            raise SettingsError(
                f"{quoted(game.guesses[index])} is not allowed or eliminates nothing in {game.name} whatever the "
                f"answers to {before}: leave it out, or choose another"
            )
        guesses.append(index)
    return tuple(guesses)


def _checked_opening(game: Game, opening: str | int) -> int:
    """Return the index of an opening, or say why no tree can be asked to begin with it."""
    index = _guess_index(game, opening)
    against = game.reason_against(index, (), game.all_secrets)
    if against:
        raise SettingsError(against)
    row = game.answers(np.array([index], dtype=np.int32), game.all_secrets)[0]
    if (row == row[0]).all() and row[0] != game.found:
        raise SettingsError(
            f"{quoted(game.guesses[index])} distinguishes no secrets of {game.name}, and no tree has a guess that "
            "eliminates nothing: begin with another"
        )
    return index


def _guess_index(game: Game, guess: str | int) -> int:
    if isinstance(guess, str):
        return game.guess_index(guess)
    if type(guess) is int and 0 <= guess < len(game.guesses):
        return guess
    raise SettingsError(
        f"opening {cut(guess)} is no guess of {game.name}: give a guess, or its index from 0 to {len(game.guesses) - 1}"
    )


@dataclass
class _WorstCase:
    """The searches for the least number of guesses that always suffices, then for the best mean that it allows.

    All secrets count, those of weight zero too. Whether K guesses suffice is asked as a loss of 1 for every secret that
    is found later; a tree that loses nothing answers yes, a lower bound above 0 no. Then finding a secret costs its
    weight times the guess number, and more than any such tree in all if that is above K. If there is a limit, a
    question that stays open takes half of the rest, so that the others are asked too.
    """

    hider: Hider
    control: Control[SearchProgress]
    opening: tuple[int, ...]
    states_left: int
    threads: int
    tree: Tree
    lower: int
    states: int = 0

    @property
    def upper(self) -> int:
        """How many guesses the best tree so far needs at most."""
        return int(self.tree.depths().max())

    @property
    def ended(self) -> bool:
        """Whether a limit is reached."""
        return self.control.ended or self.states_left <= 0

    def suffices(self, guesses: int) -> bool:
        """Return whether a tree that needs at most this many guesses has been found."""
        secrets = len(self.hider.game.secrets)
        table = np.zeros((secrets, guesses + 1), np.int64)
        table[:, guesses] = 1
        deadline = self.control.deadline
        if deadline.left < math.inf:
            deadline = deadline.or_after(deadline.left / 2)
        costs = Costs.of_table(table, np.ones(secrets, np.int64))
        found = self.searched(costs, deadline, self.states_left // 2 if self.states_left < ENDLESS else ENDLESS, 1)
        if found.lower > 0:  # nor do fewer guesses suffice, even if that stayed open
            self.lower = max(self.lower, guesses + 1)
        return found.upper == 0

    def best_mean(self) -> Fraction:
        """Return what is proved about the mean of trees that need no more guesses than the best one."""
        table = self.mean_table(self.upper)
        if table is None or self.ended:
            return Fraction(1)
        costs = Costs.of_table(table, self.hider.weights)
        found = self.searched(costs, self.control.deadline, self.states_left, None)
        return Fraction(found.lower, self.hider.total)

    def mean_table(self, most: int) -> NDArray[np.int64] | None:
        """Return weight times guess number, with guesses above the `most` costing more than all else, if that fits."""
        weights, secrets = self.hider.weights, len(self.hider.game.secrets)
        beyond = (most - 1) * self.hider.total + 1
        if secrets * (beyond + most * int(weights.max())) >= LARGEST_TOTAL or secrets * most > MOST_CELLS:
            return None
        late = weights * most + beyond
        return np.concatenate([np.outer(weights, np.arange(1, most + 1)), late[:, None]], axis=1)

    def searched(self, costs: Costs, deadline: Deadline, states: int, target: int | None) -> SearchResult:
        """Return what a search finds that begins with the best tree so far, which becomes that tree."""
        before = self.states
        control: Control[SearchProgress] = Control(
            deadline,
            self.control.cancelled,
            lambda at: self.control.report(SearchProgress(self.lower, self.upper, before + at.states)),
        )
        found = search(
            self.hider.game, costs, opening=self.opening, start=self.tree, threads=self.threads, states=max(1, states),
            target=target, control=control,
        )  # fmt: skip
        self.states += found.states
        if self.states_left < ENDLESS:
            self.states_left -= found.states
        if found.tree is not None:
            self.tree = found.tree
        return found

    def plan(self) -> None:
        """Take planned trees, each of which needs fewer guesses at worst than the one before, while any does."""
        while self.lower < self.upper and len(self.opening) <= 1 and not self.ended:
            table = self.mean_table(self.upper - 1)
            if table is None:
                return
            costs = Costs.of_table(table, self.hider.weights)
            tree = planned_tree(self.hider.game, costs, self.control.silent(), *self.opening).tree
            if tree is None or int(tree.depths().max()) >= self.upper:
                return
            self.tree = tree


def _worst_case(
    hider: Hider, control: Control[SearchProgress], opening: tuple[int, ...], states: int, threads: int
) -> BestResponse:
    """Return the tree that needs the fewest guesses at worst, and of these the fewest on average."""
    game, branches = hider.game, len(hider.game.labels) - 1
    costs = Costs.mean(hider.weights)
    depths = [part.made + _deepest(len(part.secrets), branches) for part in opened(game, costs, opening).parts]
    start = first_tree(hider, control.deadline, opening)
    case = _WorstCase(hider, control, opening, states, threads, start, max(depths, default=1))
    if states > 0 and is_planned(game) and not opening:  # after an opening the search is quicker than the planner
        case.plan()
    within = case.lower
    while within < case.upper and not case.ended and not case.suffices(within):
        within += 1
    counted = Fraction(costs.counted(branches), hider.total)
    mean_lower = counted if counted == payoff(hider, case.tree) else max(counted, case.best_mean())
    ends = Fraction(case.lower), Fraction(case.upper)
    mean = payoff(hider, case.tree)
    return BestResponse(hider, case.tree, *ends, case.states, objectives.worst(), mean, mean_lower, opening)


def _deepest(secrets: int, branches: int) -> int:
    """Return how many guesses are needed for this many secrets by counting: one is found first, then b, then b²."""
    depth, found, room = 0, 0, 1
    while found < secrets:
        depth, found, room = depth + 1, found + room, room * max(branches, 1)
    return depth


def first_tree(hider: Hider, deadline: Deadline, opening: Sequence[int] = ()) -> Tree:
    """Return the greedy tree, even where the time is over a little before it is there."""
    return greedy_tree(hider, deadline.later(FIRST_TREE_SECONDS), opening)


def greedy_tree(hider: Hider, deadline: Deadline, opening: Sequence[int] = ()) -> Tree:
    """Return the greedy tree, or that with a given opening, or say that there was no time even for that."""
    oracle = GreedyOracle.against(hider, ties="possible")
    given = opened(hider.game, Costs.mean(hider.weights), opening).guesses

    def choose(state: Indices, demand: int) -> int:
        deadline.check()
        known = given.get(np.asarray(state, np.int32).tobytes())
        return known if known is not None else oracle.engine.guess(oracle.weights, state, deadline, demand)

    try:
        hider.game.prepare(deadline)
        return tree_by(hider.game, choose)
    except DeadlinePassed:
        raise OutOfTimeError(
            f"the time given was over before there was a first tree for {hider.game.name}: give more time, or choose a "
            "smaller game"
        ) from None

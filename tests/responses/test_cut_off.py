"""Work that is cut off by its deadline leaves no trace: made again, it gives the same bits as if it had not been."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import oracular
from oracular.games.symmetry import plan_openings
from oracular.kernels import planner as kernels
from oracular.kernels import planner_tidying, planner_values
from oracular.kernels.exact.tables import EXACT, NO_BOUND
from oracular.kernels.planner_graph import SORTED
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import ExactSearch, WeightedGame
from oracular.responses.limits import SearchLimits
from oracular.responses.planned import Planner
from oracular.search.costs import Costs
from oracular.solvers.regret_matching import reweighted
from oracular.strategies.tree import tree_of
from oracular.system.control import Deadline, DeadlinePassed

PASSED = Deadline.after(0)


def planners(jotto) -> list[Planner]:
    """Return two planners for the same game; the second response already finds that there is much to tidy."""
    return [Planner(jotto(3), width=32, large_width=32, room=1 << 17) for _ in range(2)]


def asked(planner: Planner, count: int) -> list[np.ndarray]:
    """Return weights to respond to."""
    rng = np.random.default_rng(4)
    return [planner.rounded(rng.random(len(planner.game.secrets)) ** 3) for _ in range(count)]


def remembered(planner: Planner) -> dict[str, np.ndarray]:
    """Return all that a planner remembers, the hash table among it."""
    return {**planner.as_arrays(), "slots": planner.graph.slots.copy()}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("module", "stage", "number"),  # the first response plays the root out, the second tidies
    [
        (kernels, "play_out", 0),
        (kernels, "explore", 0),
        (planner_tidying, "compact", 1),
        (planner_values, "value_all", 1),
        (kernels, "explore", 1),
        (kernels, "read_tree", 1),
    ],
)
def test_a_response_that_is_cut_off_leaves_no_trace(jotto, monkeypatch, module, stage, number, when):
    whole, broken = planners(jotto)
    weights = asked(whole, 3)
    for before in weights[:number]:
        whole.respond(Costs.mean(before), explorations=1)
        broken.respond(Costs.mean(before), explorations=1)
    kernel, deadline, kept = getattr(module, stage), Deadline(), remembered(broken)

    def cut(*arguments: object) -> object:
        deadline.flag[0] = when == "before"
        result = kernel(*arguments)
        deadline.flag[0] = 1
        return result

    with monkeypatch.context() as patched, pytest.raises(DeadlinePassed):
        patched.setattr(module, stage, cut)
        broken.respond(Costs.mean(weights[number]), explorations=1, deadline=deadline)
    assert_same(remembered(broken), kept)
    for later in weights[number:]:
        one, other = whole.respond(Costs.mean(later), explorations=1), broken.respond(Costs.mean(later), explorations=1)
        assert np.array_equal(one.guesses, other.guesses) and np.array_equal(one.depths(), other.depths())
    assert_same(remembered(broken), remembered(whole))
    assert whole.graph.counters[SORTED] > len(whole.game.secrets)  # it was tidied


def test_wherever_the_clock_cuts_responses_off_they_come_out_the_same(jotto):
    whole, broken = planners(jotto)
    for weights in asked(whole, 3):
        expected = whole.respond(Costs.mean(weights), explorations=1)
        for attempt in itertools.count():
            try:
                deadline = Deadline.after(0.001 * 1.6**attempt)
                tree = broken.respond(Costs.mean(weights), explorations=1, deadline=deadline)
                break
            except DeadlinePassed:
                continue
        assert np.array_equal(tree.guesses, expected.guesses)
        assert_same(remembered(broken), remembered(whole))


def test_a_tidying_that_is_cut_off_leaves_no_trace(jotto):
    planner, _ = planners(jotto)
    planner.respond(Costs.mean(asked(planner, 1)[0]))
    kept = remembered(planner)
    with pytest.raises(DeadlinePassed):
        planner.tidy(1, PASSED)
    assert_same(remembered(planner), kept)


def test_wherever_the_clock_cuts_an_exact_search_off_it_comes_out_the_same():
    game = oracular.game("mastermind-3x6")
    whole, broken = (ExactSearch(WeightedGame.of(oracular.hider_uniform(game))) for _ in range(2))
    for one in (whole, broken):
        one.begin(one.everything, NO_BOUND, EXACT)
    while whole.advance(1 << 40):
        pass
    for attempt in itertools.count():
        if not broken.advance(1 << 40, Deadline.after(0.0005 * 1.2**attempt)):
            break
    assert broken.result() == whole.result() and broken.nodes == whole.nodes
    for one, other in zip(broken.memo, whole.memo, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("watched", ["tick", "watch"])
def test_a_tree_whose_time_is_over_while_it_is_built_is_given_up(jotto, monkeypatch, watched):
    """Compiled code does nothing once the flag is set: whoever looks must be asked, or it would be called for ever."""
    search, deadline, slices = ExactSearch(WeightedGame.of(oracular.hider_uniform(jotto(2)))), Deadline(), []
    deadline.flag.fill(1)
    search.deadline = deadline
    truly = search.run_slice
    monkeypatch.setattr(search, "run_slice", lambda *given: slices.append(1) or truly(*given))

    def look() -> None:
        if slices:
            deadline.check_flag()

    def bystander() -> None:
        assert len(slices) < 100

    with pytest.raises(DeadlinePassed):
        search.tree(EXACT, **{"watch": bystander, watched: look})
    assert slices == [1]


def test_a_search_without_time_gives_the_tree_it_has_or_none(jotto):
    two = jotto(2)
    weighted = WeightedGame.of(oracular.hider_uniform(two))
    tree = tree_of(oracular.guesser_gbr_uniform(two))
    response = exact_response(weighted, SearchLimits(PASSED), incumbent=tree)
    assert (response.tree, response.lower, response.nodes) == (tree, 249, 0)
    with pytest.raises(DeadlinePassed):
        exact_response(weighted, SearchLimits(PASSED))


def test_openings_are_not_planned_beyond_the_deadline():
    game = oracular.game("mastermind-3x6")
    with pytest.raises(DeadlinePassed):
        plan_openings(game, np.ones(len(game.secrets), dtype=np.int64), PASSED)


def test_self_play_that_is_cut_off_gives_a_mixture_or_says_that_there_was_no_time():
    depths = np.random.default_rng(2).integers(1, 9, (300, 2000)).astype(np.int16)
    with pytest.raises(DeadlinePassed):
        reweighted(depths, deadline=PASSED)
    for attempt in itertools.count():
        try:
            mixture = reweighted(depths, iterations=10**9, deadline=Deadline.after(0.01 * 1.6**attempt))
            break
        except DeadlinePassed:
            continue
    assert mixture.weights.sum() > 0 and mixture.prices.sum() == pytest.approx(1)
    assert mixture.guarantee < int(depths.max())

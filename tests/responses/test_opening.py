"""The best response with a given opening is the best of the trees that begin with it, and says only what is proved."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Hider, OracularError, Tree
from oracular.bounds.opening import counting_bounds
from oracular.errors import SettingsError
from oracular.objectives import within
from oracular.responses import exact, exact_search, limits, opening_search, planned_start, worst
from oracular.responses.costed_opening import costed_opening_response
from oracular.responses.costed_search import CostedGame
from oracular.responses.deepening import ExactResponse, exact_response
from oracular.responses.exact import greedy_tree, mean_response
from oracular.responses.exact_search import WeightedGame
from oracular.responses.limits import SearchLimits, counting_bound
from oracular.responses.opening_search import opening_response
from oracular.responses.planned import Planner
from oracular.responses.planned_start import planned_for_mean
from oracular.runs.whole_response import whole_response
from oracular.system.control import NEVER, Deadline, DeadlinePassed

from how_many import examples
from random_games import random_games, weights_for
from ruled_twin import least_cost, mean_costs, moves, random_ruled_game, random_weights


def brute_force_by_opening(game, weights) -> dict[int, int]:
    """Return the least total of the trees with each opening that tells secrets apart, by plain recursion over sets."""

    def after(row, state) -> int | None:
        parts: dict[int, set] = {}
        for secret in state:
            parts.setdefault(row[secret], set()).add(secret)
        if len(parts) == 1 and game.found not in parts:
            return None
        return sum(int(weights[s]) for s in state) + sum(
            best(frozenset(p)) for a, p in parts.items() if a != game.found
        )

    @cache
    def best(state: frozenset) -> int:
        return min(total for row in game.table.tolist() if (total := after(row, state)) is not None)

    everything = frozenset(range(len(game.secrets)))
    totals = {guess: after(row, everything) for guess, row in enumerate(game.table.tolist())}
    return {guess: total for guess, total in totals.items() if total is not None}


@examples(15, 30)
@given(data=st.data())
def test_with_an_opening_the_response_is_the_best_of_its_trees_and_the_least_of_them_is_the_optimum(data):
    game = data.draw(random_games(most_secrets=8))
    weights = data.draw(weights_for(game))
    expected = brute_force_by_opening(game, weights)
    found = {}
    for opening in range(len(game.guesses)):
        if opening not in expected:
            with pytest.raises(SettingsError, match=r"tells no secrets .* eliminates nothing: begin with another"):
                oracular.best_response(game, weights, opening=opening)
            continue
        response = oracular.best_response(game, weights, opening=opening, threads=1)
        assert response.proved and response.opening == opening
        assert response.tree.guess(game.all_secrets) == opening
        assert response.upper == Fraction(int(weights @ response.tree.depths()), int(weights.sum()))
        found[opening] = response.upper * int(weights.sum())
    assert found == expected
    assert min(found.values()) == oracular.best_response(game, weights).upper * int(weights.sum())


@examples(12, 25)
@given(data=st.data(), states=st.integers(1, 8))
def test_a_search_with_an_opening_that_is_stopped_tells_the_truth_and_the_same_truth(data, states):
    game = data.draw(random_games(most_secrets=12))
    weights = data.draw(weights_for(game))
    opening = int(game.guess_of_secret[0])
    whole = oracular.best_response(game, weights, opening=opening)
    cut, again = (oracular.best_response(game, weights, opening=opening, node_limit=states) for _ in range(2))
    assert cut.lower <= whole.upper <= cut.upper
    assert (cut.lower, cut.upper, cut.states) == (again.lower, again.upper, again.states)
    assert cut.tree.to_list() == again.tree.to_list()


def test_a_search_without_time_has_the_bounds_that_counting_gives():
    game = oracular.game("mastermind-4x4")
    hider = oracular.hider_uniform(game)
    opening = game.guess_index("1122")
    counted = counting_bounds(hider)[game.guess_index("1122")]
    over = SearchLimits(Deadline(0.0))
    tree = greedy_tree(hider, NEVER, opening)
    assert opening_response(WeightedGame.of(hider), opening, over, incumbent=tree).lower == counted > 2 * 256
    everything = exact_response(WeightedGame.of(hider), over, incumbent=tree)
    assert 2 * 256 < everything.lower == counting_bound(hider.weights, len(game.labels) - 1) <= counted
    few = oracular.best_response(game, hider, node_limit=1)
    assert few.lower * 256 >= everything.lower


@pytest.mark.parametrize("seed", range(8))
def test_rules_of_guessing_hold_after_an_opening(seed, tmp_path):
    game, weights = random_ruled_game(seed), random_weights(seed, 7)
    least = Fraction(least_cost(game, mean_costs(weights)), int(weights.sum()))
    found = []
    for opening in game.allowed(game.all_secrets).tolist():
        if len(np.unique(game.table[opening])) > 1:
            response = oracular.best_response(game, weights, opening=opening, threads=1)
            assert response.proved and response.tree.guess(game.all_secrets) == opening
            assert response.upper == Fraction(int(weights @ response.tree.depths()), int(weights.sum()))
            found.append(response.upper)
    assert min(found) == least
    whole = whole_response(Hider(game, weights), tmp_path, threads=1)
    assert whole.proved and whole.upper == least


def test_known_openings_of_mastermind():
    game = oracular.game("mastermind-4x4")
    totals = {
        word: oracular.best_response(game, np.ones(256, int), opening=word).upper * 256
        for word in ("1111", "1112", "1122", "1123", "1234")
    }
    assert totals == {"1111": 1035, "1112": 932, "1122": 912, "1123": 905, "1234": 954}
    assert min(totals.values()) == oracular.best_response(game, np.ones(256, int)).upper * 256


@pytest.mark.slow
def test_known_openings_of_larger_games():
    ones = np.ones(1296, int)
    response = oracular.best_response(oracular.game("mastermind-4x6"), ones, opening="1123")
    assert response.proved and response.upper == Fraction(5625, 1296)
    response = oracular.best_response(oracular.game("wordle"), np.ones(2315, int), opening="salet")
    assert response.proved and response.upper == Fraction(7920, 2315)


def test_threads_change_nothing_in_what_is_found():
    game = oracular.game("mastermind-4x4")
    hider = oracular.hider_uniform(game)
    opening = game.guess_index("1122")
    start = greedy_tree(hider, NEVER, opening)
    one, two = (
        opening_response(WeightedGame.of(hider), opening, SearchLimits(), incumbent=start, threads=threads)
        for threads in (1, 2)
    )
    assert (one.lower, one.upper, one.nodes, one.tree.to_list()) == (
        two.lower,
        two.upper,
        two.nodes,
        two.tree.to_list(),
    )


def test_all_threads_search_after_planning_too_unless_states_are_limited(monkeypatch):
    hider, asked = oracular.hider_uniform(oracular.game("mastermind-4x4")), []
    opening = hider.game.guess_index("1112")
    monkeypatch.setattr(opening_search, "ThreadPoolExecutor", lambda n: asked.append(n) or ThreadPoolExecutor(n))
    monkeypatch.setattr(exact, "FIRST_WORK", 1)  # the short search before planning settles nothing
    for limited, threads in ((SearchLimits(), 3), (SearchLimits(states=1000), 1)):
        asked.clear()
        assert mean_response(hider, limited, lambda _: None, opening, 3).nodes > 1
        assert asked == [1, threads]


def test_the_planner_begins_with_the_opening_that_is_asked_for_and_is_no_worse_than_greed():
    hider = oracular.hider_uniform(oracular.game("mastermind-4x4"))
    for word in ("1111", "1234"):
        opening = hider.game.guess_index(word)
        tree = planned_for_mean(hider, NEVER, lambda: None, opening).tree
        assert tree.guess(hider.game.all_secrets) == opening
        assert tree.depths().sum() <= greedy_tree(hider, NEVER, opening).depths().sum()


def test_in_every_objective_the_planner_begins_with_the_opening_that_is_asked_for():
    """Within three guesses of 256 codes the greedy tree is for something else."""
    game = oracular.game("mastermind-4x4")
    hider = oracular.hider_uniform(game)
    costed = CostedGame.against(game, hider.weights, within(3))
    for word in ("1111", "1234"):
        opening = game.guess_index(word)
        planned = planned_start.planned_tree(game, costed.costs, NEVER, lambda: None, opening)
        assert planned.guess(game.all_secrets) == opening
        assert costed.total(planned) <= costed.total(greedy_tree(hider, NEVER, opening))
        for objective in ("within-3", "worst"):
            response = oracular.best_response(game, hider, opening=word, objective=objective)
            assert response.proved and response.tree.guess(game.all_secrets) == opening


@pytest.mark.parametrize(("module", "objective"), [(planned_start, "within-3"), (worst, "worst")])
def test_with_an_opening_a_search_in_another_objective_starts_from_a_planned_tree_too(module, objective, monkeypatch):
    game, asked = oracular.game("mastermind-4x4"), []
    monkeypatch.setattr(module, "planned_tree", lambda *given: asked.append(given[-1]))
    oracular.best_response(game, np.ones(256, int), opening="1111", objective=objective, node_limit=100)
    assert asked == [game.guess_index("1111")]


def test_planning_that_is_cut_short_gives_the_best_tree_by_then(monkeypatch):
    hider = oracular.hider_uniform(oracular.game("mastermind-4x4"))
    whole = planned_for_mean(hider, NEVER, lambda: None)
    respond, calls = Planner.respond, []

    def once(*given, **settings):
        calls.append(given)
        if len(calls) > 1:
            raise DeadlinePassed
        return respond(*given, **settings)

    monkeypatch.setattr(Planner, "respond", once)
    cut = planned_for_mean(hider, NEVER, lambda: None)
    assert whole.whole and not cut.whole and cut.tree is not None
    assert cut.tree.depths().sum() >= whole.tree.depths().sum()
    assert planned_for_mean(hider, NEVER, lambda: None) == (None, False)


def test_symmetries_are_worked_out_once_for_all_searches_of_a_game(monkeypatch):
    game, calls = oracular.game("mastermind-4x4"), []
    plan_openings = exact_search.plan_openings
    monkeypatch.setattr(exact_search, "plan_openings", lambda *given: calls.append(given) or plan_openings(*given))
    for opening, threads in ((None, 1), ("1122", 2)):
        calls.clear()
        oracular.best_response(game, np.ones(256, int), opening=opening, threads=threads, node_limit=300)
        assert [given[0] for given in calls].count(game) == 1


def test_the_best_response_starts_from_a_planned_tree():
    game = oracular.game("jotto-3")
    hider = oracular.hider_uniform(game)
    response = oracular.best_response(game, hider, node_limit=2)
    greedy = exact_response(WeightedGame.of(hider), SearchLimits(states=2), incumbent=greedy_tree(hider, NEVER))
    assert response.upper * 421 <= 2900 < greedy.upper


@pytest.mark.parametrize(
    ("name", "opening", "message"),
    [
        ("mastermind-2x3", "zz", "zz"),
        ("mastermind-2x3", 9, "opening 9 is no guess of mastermind-2x3"),
        ("mastermind-2x3", True, "opening True"),
        ("jotto-2-possible", "xx", "xx"),
    ],
)
def test_an_opening_that_is_none_is_refused(name, opening, message):
    game = oracular.game(name)
    with pytest.raises(OracularError, match=message):
        oracular.best_response(game, np.ones(len(game.secrets), int), opening=opening)


def test_no_more_searches_at_a_time_than_there_is_memory_for(monkeypatch):
    monkeypatch.setattr(limits, "usable_cores", lambda: 64)
    monkeypatch.setattr(limits, "available_memory", lambda: 3 * limits.SEARCH_BYTES)
    assert (limits.search_threads(None), limits.search_threads(1)) == (3, 1)
    asked = []
    monkeypatch.setattr(opening_search, "ThreadPoolExecutor", lambda n: asked.append(n) or ThreadPoolExecutor(n))
    game = oracular.game("mastermind-2x3")
    assert oracular.best_response(game, np.ones(9, int), opening="12").proved and asked == [3]


def best_with_opening(game, costs, opening) -> int:
    """Return the least that trees with an opening cost, by trying everything, in games with rules of guessing too."""

    def after(parts, state, level, left_to) -> int:
        left = {secret for part, _ in parts for secret in part}
        found = sum(costs[secret][min(level, len(costs[secret]) - 1)] for secret in state if secret not in left)
        return found + sum(left_to(part, turns, level + 1) for part, turns in parts)

    def choices(state, turns):
        if not game.guessing.is_any:
            yield from moves(game, state, turns)
            return
        for guess, row in enumerate(game.table.tolist()):
            parts = [tuple(s for s in state if row[s] == a) for a in {row[s] for s in state} - {game.found}]
            if parts != [state]:
                yield guess, [(part, turns) for part in parts]

    @cache
    def least(state, turns, level) -> int:
        return min(after(parts, state, level, least) for _, parts in choices(state, turns))

    everything = tuple(range(len(game.secrets)))
    (parts,) = [parts for guess, parts in choices(everything, frozenset()) if guess == opening]
    return after(parts, everything, 0, least)


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 3)) for seed in range(20)])
def test_an_opening_goes_with_every_objective(seed):
    ruled = random_ruled_game(seed)
    for game in (ruled, oracular.game("mastermind-2x3")):
        secrets, opening = len(game.secrets), int(game.guess_of_secret[seed % len(game.secrets)])
        weights = random_weights(seed, secrets)
        response = oracular.best_response(game, weights, opening=opening, objective="worst")
        late = [best_with_opening(game, [[0] * k + [1]] * secrets, opening) > 0 for k in range(1, secrets + 1)]
        least = late.index(False) + 1
        penalty = int(weights.sum()) * secrets + 1
        costs = [[int(w) * k for k in range(1, least + 1)] + [penalty * secrets] for w in weights]
        assert response.proved and response.opening == response.tree.guess(game.all_secrets) == opening
        assert (response.upper, response.most_guesses) == (least, least)
        assert response.mean * int(weights.sum()) == best_with_opening(game, costs, opening)
        for guesses in (2, 3):
            chance = oracular.best_response(game, weights, opening=opening, objective=f"within-{guesses}")
            missed = best_with_opening(game, [[0] * guesses + [int(w)] for w in weights], opening)
            assert chance.proved and chance.lower == 1 - Fraction(missed, int(weights.sum()))
        cut = oracular.best_response(game, weights, opening=opening, objective="worst", node_limit=1)
        assert cut.lower <= least <= cut.upper


def test_a_target_is_asked_for_within_a_part_and_what_a_search_has_proved_by_its_end_is_kept():
    game = oracular.game("mastermind-3x5")
    hider = oracular.hider_uniform(game)
    opening = game.guess_index("111")
    costed = CostedGame.against(game, hider.weights, within(4))
    start = greedy_tree(hider, NEVER, opening)

    def respond(**limits) -> ExactResponse:
        return costed_opening_response(costed, opening, SearchLimits(**limits), incumbent=start)

    whole = respond()
    assert whole.proved
    for target in range(whole.upper - 5, whole.upper + 4):
        found = respond(target=target)
        assert found.lower <= whole.upper <= found.upper and found.nodes <= whole.nodes
        assert found.lower >= target if target <= whole.upper else found.upper < target
    assert respond(target=whole.upper - 3).nodes < whole.nodes
    cut = [respond(states=whole.nodes * tenth // 10).lower for tenth in range(1, 11)]
    assert cut == sorted(cut) and cut[-1] <= whole.lower
    assert len(set(cut)) > 3  # more than one bound for each of the two parts


@pytest.mark.parametrize("objective", ["mean", "within-4", "worst"])
@pytest.mark.parametrize("exact", [True, False])
def test_there_are_bounds_however_short_the_time(jotto, objective, exact):
    game = jotto(3)
    weights = np.ones(421, int)
    response = oracular.best_response(game, weights, objective=objective, exact=exact, time_limit=1e-9)
    assert response.lower < response.upper and not response.proved
    if objective == "mean":
        begun = oracular.best_response(game, weights, opening="fox", exact=exact, time_limit=1e-9)
        assert begun.lower < begun.upper and not begun.proved
        assert game.guesses[begun.tree.guess(game.all_secrets)] == "fox"


@pytest.mark.slow
def test_a_planned_tree_is_shown_only_where_it_beats_the_greedy_one():
    game = oracular.game("mastermind-4x6-possible")
    greedy = greedy_tree(oracular.hider_uniform(game), NEVER)
    response = oracular.best_response(game, np.ones(1296, int), node_limit=1)
    assert response.upper * 1296 <= greedy.depths().sum()


def test_most_of_a_limited_time_may_be_planned_in():
    """A planned tree is what a short search gains most by: in Wordle it needs 7920 guesses, the greedy one 8059."""
    left: list[float] = []

    def plan(ends: Deadline) -> Tree:
        left.append(ends.left)
        raise DeadlinePassed

    planned_start._in_time(plan, Deadline.after(1000), lambda: None)
    assert 700 < left[0] <= 750

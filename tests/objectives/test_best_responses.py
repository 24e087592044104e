"""The exact best response is the best of all trees in every objective, and says only what is proved."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oracular
from objective_twin import least_cost, least_worst, seeded_game, seeded_utilities, seeded_weights
from oracular import Hider, Objective, objective
from oracular.bounds.proved import proved_bound
from oracular.errors import SettingsError
from oracular.objectives import mean, table, within, worst
from oracular.responses.costed_search import CostedGame
from oracular.responses.deepening import exact_response
from oracular.responses.exact_search import ProvedBound
from oracular.responses.limits import SearchLimits, StopSearch
from oracular.responses.planned_start import planned_tree
from oracular.responses.worst import WorstCaseSearch
from oracular.system.control import NEVER, Deadline, DeadlinePassed

WORDS = (
    "crane slate trace crate brine shine whine spine swine stale steal least plate place plane grape graph brave "
    "brake bread dream cream break baker maker taker wider rider"
).split()


def seeded_objective(rng: random.Random, game) -> Objective:
    """Return within-k, a table for all secrets, or one for each."""
    kind = rng.randrange(3)
    if kind == 0:
        return within(rng.randint(1, 4))
    if kind == 1:
        return table(seeded_utilities(rng, rng.randint(1, 6)))
    return table({secret: seeded_utilities(rng, rng.randint(1, 6)) for secret in game.secrets}, game)


def value_of(objective: Objective, hider: Hider, tree) -> Fraction:
    """Return what a tree is worth, worked out from its depths."""
    lost = sum(
        weight * loss
        for weight, loss in zip(hider.weights.tolist(), objective.payoffs(tree.depths()).tolist(), strict=True)
    )
    return objective.value(Fraction(lost, hider.total))


def check_against_all_trees(seed: int, games: int, most_secrets: int) -> None:
    rng = random.Random(seed)
    for _ in range(games):
        game = seeded_game(rng, most_secrets)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        chosen = seeded_objective(rng, game)
        response = oracular.best_response(game, hider, objective=chosen)
        costs = (hider.weights[:, None] * chosen.losses_in(game)).tolist()
        best = chosen.value(Fraction(least_cost(game, costs), hider.total))
        assert response.proved and response.lower == response.upper == best
        assert value_of(chosen, hider, response.tree) == best
        assert response.most_guesses == response.tree.depths().max()


def test_in_any_objective_the_response_is_the_best_of_all_trees():
    check_against_all_trees(1, 120, most_secrets=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_in_any_objective_the_response_is_the_best_of_all_trees_of_many_games(seed):
    check_against_all_trees(seed, 300, most_secrets=10)


def check_worst(seed: int, games: int, most_secrets: int) -> None:
    rng = random.Random(seed)
    for _ in range(games):
        game = seeded_game(rng, most_secrets)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        response = oracular.best_response(game, hider, objective="worst")
        guesses, total = least_worst(game, hider.weights.tolist())
        assert response.proved and response.lower == response.upper == response.most_guesses == guesses
        assert response.mean == response.mean_lower == Fraction(total, hider.total)
        assert response.mean == Fraction(int(hider.weights @ response.tree.depths()), hider.total)


def test_the_least_number_of_guesses_is_that_of_all_trees_and_the_mean_the_best_among_those():
    check_worst(1, 40, most_secrets=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_the_least_number_of_guesses_is_that_of_all_trees_of_many_games(seed):
    check_worst(seed, 200, most_secrets=9)


def test_secrets_of_weight_zero_count_where_the_worst_case_does():
    game = oracular.game("mastermind-2x3")
    weights = np.zeros(9, np.int64)
    weights[0] = 5
    response = oracular.best_response(game, weights, objective="worst")
    assert response.lower == response.upper == 3
    assert response.mean == 2  # the one that counts could be guessed first: that tree needs 4 for some other
    anywhere = oracular.best_response(game, weights)
    assert anywhere.upper == 1 and anywhere.tree.depths().max() > 3


@pytest.mark.parametrize("words, guesses", [(WORDS[:18], 3), (WORDS[:18], 4), (WORDS[10:], 3), (WORDS[10:], 4)])
def test_small_wordles_within_some_guesses(words, guesses):
    game = oracular.game("wordle", secrets=words, guesses=["moist", "album"])
    hider = Hider(game, np.arange(1, len(game.secrets) + 1))
    response = oracular.best_response(game, hider, objective=f"within-{guesses}")
    costs = (hider.weights[:, None] * within(guesses).losses_in(game)).tolist()
    assert response.lower == response.upper == 1 - Fraction(least_cost(game, costs), hider.total)
    found = response.tree.depths() <= guesses
    assert response.lower == Fraction(int(hider.weights[found].sum()), hider.total)


@pytest.mark.parametrize(
    "name, guesses",
    [
        ("2x8", 6),
        ("3x6", 5),
        pytest.param("4x5", 5, marks=pytest.mark.slow),
        pytest.param("4x6", 5, marks=pytest.mark.slow),
    ],
)
def test_mastermind_needs_so_many_guesses_at_worst(name, guesses):
    game = oracular.game(f"mastermind-{name}")
    response = oracular.best_response(game, np.ones(len(game.secrets), np.int64), objective="worst")
    assert response.proved
    assert response.lower == response.upper == response.most_guesses == guesses
    if name == "4x6":
        assert response.mean == Fraction(5626, 1296)  # with six guesses it is 5625/1296


def test_symmetries_change_no_result():
    for name, guesses in (("2x5", 3), ("3x3", 3)):
        game = oracular.game(f"mastermind-{name}")
        costs = within(guesses).losses_in(game)
        response = oracular.best_response(game, np.ones(len(costs), np.int64), objective=within(guesses))
        assert response.upper == 1 - Fraction(least_cost(game, costs.tolist()), len(costs))
        few = table({game.secrets[0]: [3, 2, 0], "others": [2, 1, 0]}, game)  # most symmetries do not keep that
        response = oracular.best_response(game, np.ones(len(costs), np.int64), objective=few)
        least = least_cost(game, few.losses_in(game).tolist())
        assert response.lower == response.upper == few.value(Fraction(least, len(costs)))


def test_stopped_early_the_bounds_hold_and_are_the_same_every_time():
    rng = random.Random(3)
    for states in (1, 2, 3, 5, 9) * 2:
        game = seeded_game(rng, 12)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        chosen = seeded_objective(rng, game)
        whole = oracular.best_response(game, hider, objective=chosen)
        cut, again = (oracular.best_response(game, hider, objective=chosen, node_limit=states) for _ in range(2))
        assert cut.lower <= whole.lower <= whole.upper <= cut.upper
        assert cut.lower == value_of(chosen, hider, cut.tree)
        assert (cut.lower, cut.upper, cut.states, cut.tree.to_list()) == (
            again.lower,
            again.upper,
            again.states,
            again.tree.to_list(),
        )
        worst_whole = oracular.best_response(game, hider, objective="worst")
        worst_cut = oracular.best_response(game, hider, objective="worst", node_limit=states)
        assert worst_cut.lower <= worst_whole.lower <= worst_cut.upper == worst_cut.most_guesses


def test_stopped_early_the_worst_case_is_that_of_the_tree_that_the_best_mean_came_to():
    """The search for the mean, among trees of four guesses, meets one of three."""
    game = oracular.game("jotto-2-repeats-anagrams", words="aa ba bc ca cd da".split())
    for states in range(1, 9):
        for opening in (None, "ba"):
            response = oracular.best_response(
                game, np.ones(6, int), objective="worst", node_limit=states, opening=opening
            )
            assert response.lower <= response.upper == response.most_guesses


def test_the_greedy_tree_is_never_better_and_counting_never_claims_too_much():
    rng = random.Random(4)
    for _ in range(20):
        game = seeded_game(rng, 8)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        for chosen in (seeded_objective(rng, game), worst()):
            exact = oracular.best_response(game, hider, objective=chosen)
            greedy = oracular.best_response(game, hider, objective=chosen, exact=False)
            assert greedy.lower <= exact.lower <= exact.upper <= greedy.upper


def test_a_large_game_that_is_stopped_early_has_a_tree_and_bounds(jotto):
    game = jotto(3)
    weights = np.ones(len(game.secrets), np.int64)
    for chosen in ("within-5", "worst"):
        response = oracular.best_response(game, weights, objective=chosen, node_limit=3)
        greedy = oracular.best_response(game, weights, objective=chosen, exact=False)
        assert greedy.lower <= response.lower < response.upper <= greedy.upper
        assert len(response.tree.depths()) == len(game.secrets)
        if chosen == "within-5":  # the planner's tree, which so short a search would not come to
            assert response.lower * len(game.secrets) >= 80 > greedy.lower * len(game.secrets)
        else:
            assert response.upper < greedy.upper


def test_planning_ends_when_it_is_stopped_or_the_time_is_up(jotto):
    def stop() -> None:
        raise StopSearch

    costs = within(5).losses_in(jotto(3))
    assert planned_tree(jotto(3), costs, NEVER, stop) is None
    assert planned_tree(jotto(3), costs, Deadline(0.0), lambda: None) is None
    assert not NEVER.flag[0]


def test_a_refuted_number_of_guesses_refutes_all_below(monkeypatch):
    game = oracular.game("mastermind-2x3")
    search = WorstCaseSearch(
        oracular.hider_uniform(game), SearchLimits(), oracular.best_response(game, np.ones(9, int)).tree, lambda _: None
    )
    search.lower = 1
    found = exact_response(CostedGame(game, np.ones((9, 1), np.int64), np.ones(9, np.int64)))
    monkeypatch.setattr(search, "respond", lambda game, limits: replace(found, lower=int(game.costs.shape[1] > 2)))
    assert not search.suffices(1) and search.lower == 1
    assert not search.suffices(2) and search.lower == 3


def test_what_needs_no_search_is_stopped_as_well():
    def stop(_: object) -> None:
        raise StopSearch

    game = oracular.game("mastermind-2x3")
    costed = CostedGame.against(game, np.arange(1, 10), within(1))
    start = oracular.best_response(game, np.ones(9, int)).tree
    cut = exact_response(costed, incumbent=start, progress=stop)
    assert cut.tree is start and cut.lower <= 36 <= cut.upper == costed.total(start)
    whole = exact_response(costed, incumbent=start)
    assert whole.lower == whole.upper == 36
    with pytest.raises(DeadlinePassed):
        exact_response(costed, SearchLimits(Deadline(0.0)))


def test_a_watcher_sees_bounds_in_the_objective_and_may_stop_the_search(jotto):
    game = jotto(3)
    weights = np.ones(len(game.secrets), np.int64)
    seen = []
    for chosen, most in (("within-5", 1), ("worst", len(game.secrets))):
        response = oracular.best_response(
            game, weights, objective=chosen, watcher=seen.append, stop=lambda: len(seen) > 1
        )
        assert not response.proved
        assert all(0 <= at.lower <= at.upper <= most for at in seen)
        assert seen
        seen.clear()


def test_the_mean_is_the_mean_however_it_is_asked_for():
    game = oracular.game("mastermind-2x4")
    weights = np.arange(1, 17)
    plain = oracular.best_response(game, weights)
    for same in ("mean", mean(), objective("mean", game)):
        named = oracular.best_response(game, weights, objective=same)
        assert (named.lower, named.upper, named.states, named.tree.to_list()) == (
            plain.lower,
            plain.upper,
            plain.states,
            plain.tree.to_list(),
        )
    losing = table([-guess for guess in range(1, 17)])
    response = oracular.best_response(game, weights, objective=losing)
    assert -response.lower == -response.upper == plain.lower


def test_a_bound_is_proved_for_weights_of_any_size():
    game = oracular.game("mastermind-2x3")
    for chosen in (mean(), within(2), table({game.secrets[3]: [5, 0], "others": [4, 2, 1]}, game)):
        small = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
        lower, tree = proved_bound(game, small, chosen)
        response = oracular.best_response(game, small, objective=chosen)
        assert tree is not None and chosen.value(lower) in (response.lower, response.upper)
        huge = np.array([int(weight) << 90 for weight in small], dtype=object)
        theirs, _ = proved_bound(game, huge, chosen)
        assert lower - Fraction(1, 10**6) <= theirs <= lower
        at_once, none = proved_bound(game, small, chosen, Deadline(0.0))
        assert at_once <= lower and none is None
    with pytest.raises(SettingsError, match="worst"):
        proved_bound(game, np.ones(9, np.int64), worst())


@pytest.mark.parametrize("chosen", [mean(), within(3)])
def test_a_bound_in_a_large_game_starts_from_a_planned_tree(chosen):
    """The search for a bound has no time for a tree of its own that were as good."""
    game = oracular.game("jotto-3")
    planned, response = [], oracular.best_response(game, np.ones(421, int), objective=chosen, node_limit=1)

    def look(at):
        planned.append(at.upper)
        if at.upper < math.inf:
            raise StopSearch

    loss, tree = proved_bound(game, np.ones(421, int), chosen, progress=look)
    assert tree is not None and planned[0] == math.inf > planned[-1]
    payoff = chosen.value(Fraction(int(chosen.payoffs(tree.depths()).sum()), 421))
    assert payoff in (response.lower, response.upper) and loss <= planned[-1]


def test_a_bound_on_the_mean_needs_no_table_of_losses(monkeypatch):
    monkeypatch.setattr(Objective, "losses_in", None)
    game = oracular.game("mastermind-2x3")
    assert proved_bound(game, np.full(9, 1 << 70, dtype=object), mean())[0] == Fraction(7, 3)


def test_a_bound_carries_over_to_other_weights():
    rng = random.Random(5)
    for _ in range(40):
        game = seeded_game(rng, 7)
        chosen = seeded_objective(rng, game)
        first, second = (seeded_weights(rng, len(game.secrets)) for _ in range(2))
        before = CostedGame.against(game, first, chosen)
        now = CostedGame.against(game, second, chosen)
        known = ProvedBound(first, least_cost(game, before.costs.tolist()))
        assert now.carried_over(known) <= least_cost(game, now.costs.tolist())
        response = exact_response(now, SearchLimits(NEVER), previous=known)
        assert response.lower == response.upper == least_cost(game, now.costs.tolist())


def test_what_cannot_be_searched_is_said_in_a_sentence():
    game = oracular.game("mastermind-2x3")
    huge = np.full(9, 1 << 40, dtype=np.int64)
    fine = table([Fraction(1, 1 << 29), 0])
    steep = table([1 << 29, 1, 0])
    assert oracular.best_response(game, np.ones(9, np.int64), objective=fine).proved
    with pytest.raises(SettingsError, match="too large for the exact search: scale the weights down"):
        oracular.best_response(game, huge, objective=steep)
    other = table({"others": [1, 0], "11": [2, 0]}, game)
    with pytest.raises(SettingsError, match="the objective has 9 rows of utilities, and mastermind-2x4 has 16 secrets"):
        oracular.best_response(oracular.game("mastermind-2x4"), np.ones(16, np.int64), objective=other)


def test_a_chain_of_yes_and_no_needs_no_search():
    names = [f"n{number}" for number in range(200)]
    game = oracular.Game.from_function(names, names, lambda guess, secret: guess == secret)
    ones = np.ones(200, np.int64)
    response = oracular.best_response(game, ones, objective="worst", node_limit=50)
    assert response.lower == response.upper == 200 and response.mean == response.mean_lower == Fraction(201, 2)
    response = oracular.best_response(game, ones, objective="within-30", node_limit=50)
    assert response.lower == response.upper == Fraction(30, 200)


def test_of_three_secrets_a_guess_that_is_none_of_them_may_be_the_best():
    """Each of a, b and c leaves the other two alike; d tells all three apart: worth it where two guesses count."""
    answers = {"a": "=xx", "b": "x=x", "c": "xx=", "d": "xyz"}
    game = oracular.Game.from_function("abc", "abcd", lambda guess, secret: answers[guess]["abc".index(secret)])
    ones = np.ones(3, np.int64)
    for chosen, best, opening in (
        (within(2), Fraction(1), "d"),
        (within(1), Fraction(1, 3), "a"),
        (table([4, 3, 0]), Fraction(3), "d"),
        (table([6, 3, 1]), Fraction(10, 3), "a"),
        (table({"a": [9, 3, 0], "others": [4, 3, 0]}, game), Fraction(4), "a"),
    ):
        response = oracular.best_response(game, ones, objective=chosen)
        assert response.lower == response.upper == best
        assert game.guesses[response.tree.guess(game.all_secrets)] == opening
    names = "abcdef"
    answers = {**{name: "".join("=" if other == name else "x" for other in names) for name in names}, "g": "xyzuuu"}
    game = oracular.Game.from_function(
        names, [*names, "g", "h"], lambda guess, secret: (answers | {"h": "uuuxyz"})[guess][names.index(secret)]
    )
    for guesses in range(1, 6):  # after g and then one of the others three are left, which only h tells apart
        least = least_cost(game, within(guesses).losses_in(game).tolist())
        response = oracular.best_response(game, np.ones(6, np.int64), objective=within(guesses))
        assert response.lower == response.upper == 1 - Fraction(least, 6)

"""The exact best response is the best of all trees, in every objective and after every opening, and claims no more."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import oracular
from oracular import BestResponse, Game, Hider, Objective, OracularError, Symmetry, best_response, objective
from oracular.objectives import table, within

from objective_twin import least_cost, least_worst, seeded_game, seeded_utilities, seeded_weights
from ruled_twin import random_ruled_game, random_weights

WORDS = (
    "crane slate trace crate brine shine whine spine swine stale steal least plate place plane grape graph brave "
    "brake bread dream cream break baker maker taker wider rider"
).split()


def objectives_for(rng: random.Random, game: Game) -> list[Objective]:
    """Return the mean, within-k, a table for all secrets, and one with a row for each."""
    rows = {secret: seeded_utilities(rng, rng.randint(1, 6)) for secret in game.secrets}
    return [
        objective("mean", game),
        within(rng.randint(1, 4)),
        table(seeded_utilities(rng, rng.randint(1, 6))),
        table(rows, game),
    ]


def worth(response: BestResponse, chosen: Objective) -> Fraction:
    """Return what the tree of a response is worth, worked out from its depths."""
    hider = response.hider
    lost = sum(
        int(w) * int(loss) for w, loss in zip(hider.weights, chosen.payoffs(response.tree.depths()), strict=True)
    )
    return chosen.value(Fraction(lost, hider.total))


def facts(response: BestResponse) -> tuple[Any, ...]:
    """Return what two searches of the same must agree on."""
    return response.lower, response.upper, response.states, response.tree.to_list()


def check_against_all_trees(seed: int, games: int, most_secrets: int) -> None:
    rng = random.Random(seed)
    for number in range(games):
        game = seeded_game(rng, most_secrets)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        chosen = objectives_for(rng, game)[number % 4]
        response = best_response(game, hider, objective=chosen)
        costs = (hider.weights[:, None] * chosen.losses_in(game)).tolist()
        best = chosen.value(Fraction(least_cost(game, costs), hider.total))
        assert response.proved and response.lower == response.upper == best == worth(response, chosen)
        assert response.most_guesses == response.tree.depths().max()


def test_the_response_is_the_best_of_all_trees():
    check_against_all_trees(1, 320, most_secrets=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_the_response_is_the_best_of_all_trees_of_many_games(seed):
    check_against_all_trees(seed, 400, most_secrets=10)


def check_worst(seed: int, games: int, most_secrets: int) -> None:
    rng = random.Random(seed)
    for _ in range(games):
        game = seeded_game(rng, most_secrets)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        response = best_response(game, hider, objective="worst")
        guesses, total = least_worst(game, hider.weights.tolist())
        assert response.proved and response.lower == response.upper == response.most_guesses == guesses
        assert response.mean == response.mean_lower == Fraction(total, hider.total)
        assert response.mean == Fraction(int(hider.weights @ response.tree.depths()), hider.total)


def test_the_worst_case_is_that_of_all_trees_and_the_mean_the_best_among_those():
    check_worst(1, 120, most_secrets=7)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_the_worst_case_is_that_of_all_trees_of_many_games(seed):
    check_worst(seed, 200, most_secrets=9)


def test_secrets_of_weight_zero_count_in_the_worst_case_alone():
    game = oracular.game("mastermind-2x3")
    weights = np.zeros(9, np.int64)
    weights[0] = 5
    response = best_response(game, weights, objective="worst")
    assert response.lower == response.upper == 3
    assert response.mean == 2  # the one that counts could be guessed first: that tree needs 4 for some other
    anywhere = best_response(game, weights)
    assert anywhere.upper == 1 and anywhere.tree.depths().max() > 3


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 3)) for seed in range(20)])
def test_with_an_opening_the_response_is_the_best_of_its_trees(seed):
    for game in (random_ruled_game(seed), oracular.game("mastermind-2x3")):
        secrets, opening = len(game.secrets), int(game.guess_of_secret[seed % len(game.secrets)])
        weights = random_weights(seed, secrets)
        total = int(weights.sum())

        def respond(chosen, game=game, weights=weights, opening=opening, **limits):
            return best_response(game, weights, opening=opening, objective=chosen, **limits)

        for chosen in ("mean", "within-2", "within-3"):
            losses = objective(chosen, game).losses_in(game)
            best = least_cost(game, (weights[:, None] * losses).tolist(), opening)
            response = respond(chosen)
            assert response.proved and response.opening == (response.tree.guess(game.all_secrets),) == (opening,)
            assert response.lower == response.upper == objective(chosen, game).value(Fraction(best, total))
        response = respond("worst")
        late = [least_cost(game, [[0] * k + [1]] * secrets, opening) > 0 for k in range(1, secrets + 1)]
        least = late.index(False) + 1
        costs = [[int(w) * k for k in range(1, least + 1)] + [(total * secrets + 1) * secrets] for w in weights]
        assert response.proved and (response.upper, response.most_guesses) == (least, least)
        assert response.mean * total == least_cost(game, costs, opening)
        cut = respond("worst", node_limit=1)
        assert cut.lower <= least <= cut.upper


def test_the_best_opening_gives_the_optimum_and_a_useless_one_is_refused():
    rng = random.Random(3)
    for _ in range(6):
        game = seeded_game(rng, 7)
        weights, found = seeded_weights(rng, len(game.secrets)), []
        for opening in range(len(game.guesses)):
            if len(set(game.table[opening].tolist())) == 1 and game.found not in game.table[opening]:
                with pytest.raises(OracularError, match=r"distinguishes no secrets .* nothing: begin with another"):
                    best_response(game, weights, opening=opening)
            else:
                found.append(best_response(game, weights, opening=opening, threads=1).upper)
        assert min(found) == best_response(game, weights).upper


def plain(game: Game) -> Game:
    """Return the game without its symmetries."""
    return dataclasses.replace(game, symmetries=())


@pytest.mark.parametrize("name", ["mastermind-2x3", "mastermind-3x2", "mastermind-3x3", "mastermind-4x2", "bulls-2x4"])
def test_symmetries_do_not_change_the_optimum(name):
    game, rng = oracular.game(name), np.random.default_rng(4)
    kinds = [tuple(sorted(Counter(code).values())) for code in game.secrets]
    alike = dict(zip(sorted(set(kinds)), rng.integers(1, 5, len(kinds)), strict=False))
    few = table({game.secrets[0]: [3, 2, 0], "others": [2, 1, 0]}, game)  # most symmetries do not keep that
    for weights in ([alike[kind] for kind in kinds], list(range(1, len(kinds) + 1)), [1] * len(kinds)):
        for chosen in ("mean", "within-3", few):
            response = best_response(game, weights, objective=chosen)
            without = best_response(plain(game), weights, objective=chosen)
            assert response.proved and (response.lower, response.upper) == (without.lower, without.upper)


def test_games_with_many_symmetries_are_searched_without_listing_them_all():
    response = best_response(oracular.game("bulls-1x12"), np.ones(12, dtype=np.int64))
    assert response.proved and response.upper == Fraction(13, 2)


slow = pytest.mark.slow
KNOWN = [
    ("jotto-2", "mean", None, "295/51"),
    ("mastermind-3x6", "mean", None, "854/216"),
    ("mastermind-4x4", "mean", None, "905/256"),
    *(
        ("mastermind-4x4", "mean", word, f"{total}/256")
        for word, total in (("1111", 1035), ("1112", 932), ("1122", 912), ("1123", 905), ("1234", 954))
    ),
    ("bulls-4x7", "mean", None, "3639/840"),
    pytest.param("mastermind-4x6", "mean", None, "5625/1296", marks=slow),
    pytest.param("mastermind-4x6", "mean", "1123", "5625/1296", marks=slow),
    pytest.param("wordle", "mean", "salet", "7920/2315", marks=slow),
    ("mastermind-2x8", "worst", None, "6"),
    ("mastermind-3x6", "worst", None, "5"),
    pytest.param("mastermind-4x5", "worst", None, "5", marks=slow),
    pytest.param("mastermind-4x6", "worst", None, "5", marks=slow),
]


@pytest.mark.parametrize(("name", "chosen", "opening", "value"), KNOWN)
def test_known_values_are_found_and_proved(name, chosen, opening, value):
    game = oracular.game(name)
    response = best_response(game, np.ones(len(game.secrets), int), objective=chosen, opening=opening)
    assert response.proved and response.lower == response.upper == Fraction(value)
    if (name, chosen) == ("mastermind-4x6", "worst"):
        assert response.mean == Fraction(5626, 1296)  # with six guesses it is 5625/1296


def test_the_response_to_codes_not_of_one_colour_totals_wieners_5600():
    game = oracular.game("mastermind-4x6")
    weights = np.array([len(set(code)) > 1 for code in game.secrets], dtype=np.int64)
    response = best_response(game, weights)
    assert weights.sum() == 1290 and response.lower == response.upper == Fraction(5600, 1290)
    assert response.tree.depths().min() >= 1


@pytest.mark.parametrize("words", [WORDS[:18], WORDS[10:]])
@pytest.mark.parametrize("guesses", [3, 4])
def test_small_wordles_within_some_guesses(words, guesses):
    game = oracular.game("wordle", secrets=words, guesses=["moist", "album"])
    hider = Hider(game, np.arange(1, len(game.secrets) + 1))
    response = best_response(game, hider, objective=f"within-{guesses}")
    costs = (hider.weights[:, None] * within(guesses).losses_in(game)).tolist()
    assert response.lower == response.upper == 1 - Fraction(least_cost(game, costs), hider.total)


def test_stopped_early_the_bounds_hold_and_are_the_same_every_time():
    rng = random.Random(3)
    for states in (1, 2, 3, 5, 9) * 2:
        game = seeded_game(rng, 12)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        opening = rng.choice([None, int(game.guess_of_secret[0])])
        for chosen in objectives_for(rng, game):
            whole = best_response(game, hider, objective=chosen, opening=opening)
            cut, again = (
                best_response(game, hider, objective=chosen, opening=opening, node_limit=states) for _ in range(2)
            )
            assert cut.lower <= whole.lower <= whole.upper <= cut.upper and cut.states <= states
            assert worth(cut, chosen) in (cut.lower, cut.upper) and facts(cut) == facts(again)
        whole = best_response(game, hider, objective="worst", opening=opening)
        cut = best_response(game, hider, objective="worst", opening=opening, node_limit=states)
        assert cut.lower <= whole.lower <= cut.upper == cut.most_guesses


def test_the_greedy_tree_is_never_better_and_counting_never_claims_too_much():
    rng = random.Random(4)
    for _ in range(15):
        game = seeded_game(rng, 8)
        hider = Hider(game, seeded_weights(rng, len(game.secrets)))
        for chosen in (*objectives_for(rng, game), "worst"):
            exact = best_response(game, hider, objective=chosen)
            greedy = best_response(game, hider, objective=chosen, exact=False)
            assert greedy.lower <= exact.lower <= exact.upper <= greedy.upper


@pytest.mark.parametrize(("chosen", "most"), [("mean", 421), ("within-5", 1), ("worst", 421)])
def test_a_search_reports_bounds_and_may_be_stopped(jotto, chosen, most):
    seen: list[Any] = []
    response = best_response(
        jotto(3), np.ones(421, int), objective=chosen, watcher=seen.append, stop=lambda: len(seen) > 1
    )
    assert not response.proved and response.lower < response.upper and seen
    assert all(0 <= at.lower <= at.upper <= most for at in seen)
    lowers = [at.lower for at in seen]
    assert chosen != "mean" or lowers == sorted(lowers)


@pytest.mark.parametrize("chosen", ["mean", "within-4", "worst"])
@pytest.mark.parametrize("exact", [True, False])
def test_there_are_bounds_however_short_the_time(jotto, chosen, exact):
    game = jotto(3)
    for opening in (None, "fox") if chosen == "mean" else (None,):
        response = best_response(
            game, np.ones(421, int), objective=chosen, exact=exact, time_limit=1e-9, opening=opening
        )
        assert response.lower < response.upper and not response.proved
        assert opening is None or game.guesses[response.tree.guess(game.all_secrets)] == opening


def test_a_search_that_is_stopped_at_once_still_has_a_good_tree(jotto):
    game, ones = jotto(3), np.ones(421, int)
    assert best_response(game, ones, node_limit=2).upper * 421 <= 2900
    within_5 = best_response(game, ones, objective="within-5", node_limit=3)
    greedy = best_response(game, ones, objective="within-5", exact=False)
    assert within_5.lower * 421 >= 80 > greedy.lower * 421
    worst, greedy = (best_response(game, ones, objective="worst", node_limit=3, exact=exact) for exact in (True, False))
    assert worst.upper < greedy.upper


@pytest.mark.parametrize("chosen", ["mean", "within-4"])
def test_threads_change_nothing_in_what_is_found(chosen):
    game = oracular.game("mastermind-4x4")
    one, two = (
        best_response(game, np.ones(256, int), opening="1122", objective=chosen, threads=threads) for threads in (1, 2)
    )
    assert one.proved and (one.lower, one.upper, one.tree.to_list()) == (two.lower, two.upper, two.tree.to_list())


def test_the_tree_plays_as_an_oracle_and_falls_back_off_its_path(jotto):
    two = jotto(2)
    response = best_response(two, np.ones(51, dtype=np.int64))
    oracle = response.oracle
    assert oracle.guess(two.all_secrets) == response.tree.guesses[0]
    assert (oracle.depths() == response.tree.depths()).all()
    off_path = np.array([1, 5, 9, 33], dtype=np.int32)
    assert oracle.guess(off_path) == oracle.fallback.guess(off_path)


def test_the_mean_is_the_mean_however_it_is_written():
    game, weights = oracular.game("mastermind-2x4"), np.arange(1, 17)
    plain_mean = best_response(game, weights)
    for same in ("mean", objective("mean", game)):
        assert facts(best_response(game, weights, objective=same)) == facts(plain_mean)
    losing = best_response(game, weights, objective=table([-guess for guess in range(1, 17)]))
    assert -losing.lower == -losing.upper == plain_mean.lower


def test_a_chain_of_yes_and_no_needs_no_search():
    names = [f"n{number}" for number in range(200)]
    game = Game.from_function(names, names, lambda guess, secret: guess == secret)
    ones = np.ones(200, np.int64)
    response = best_response(game, ones, objective="worst", node_limit=50)
    assert response.lower == response.upper == 200 and response.mean == response.mean_lower == Fraction(201, 2)
    response = best_response(game, ones, objective="within-30", node_limit=50)
    assert response.lower == response.upper == Fraction(30, 200)


def test_of_three_secrets_a_guess_that_is_none_of_them_may_be_the_best():
    """Each of a, b and c leaves the other two alike; d splits all three: worth it if two guesses count."""
    answers = {"a": "=xx", "b": "x=x", "c": "xx=", "d": "xyz"}
    game = Game.from_function("abc", "abcd", lambda guess, secret: answers[guess]["abc".index(secret)])
    for chosen, best, opening in (
        (within(2), Fraction(1), "d"),
        (within(1), Fraction(1, 3), "a"),
        (table([4, 3, 0]), Fraction(3), "d"),
        (table([6, 3, 1]), Fraction(10, 3), "a"),
        (table({"a": [9, 3, 0], "others": [4, 3, 0]}, game), Fraction(4), "a"),
    ):
        response = best_response(game, np.ones(3, np.int64), objective=chosen)
        assert response.lower == response.upper == best
        assert game.guesses[response.tree.guess(game.all_secrets)] == opening


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"weights": [1] * 50}, "weights"),
        ({"weights": [0] * 51}, "weights"),
        ({"weights": [-1] + [1] * 50}, "weights"),
        ({"weights": [1 << 58] * 51}, "weights"),
        ({"weights": [1 << 40] * 51, "objective": table([1 << 29, 1, 0])}, "too large for the exact search: scale the"),
        ({"time_limit": 0}, "give a number above 0"),
        ({"time_limit": -1}, "give a number above 0"),
        ({"node_limit": 0}, "give a number above 0"),
        ({"opening": "zz"}, "zz"),
        ({"opening": 51}, "opening 51 is no guess of jotto-2"),
        ({"opening": True}, "opening True"),
        ({"objective": table({"others": [1, 0], "11": [2, 0]}, oracular.game("mastermind-2x3"))}, "has 9 rows of"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_a_sentence(jotto, given, sentence):
    with pytest.raises(OracularError, match=sentence):
        best_response(jotto(2), **{"weights": [1] * 51} | given)


def test_a_false_symmetry_and_a_hider_of_another_game_are_refused(jotto):
    turned = np.roll(np.arange(51), 1).astype(np.int32)
    for moved in (turned, turned * 0):
        game = dataclasses.replace(jotto(2), symmetries=(Symmetry(moved, moved),))
        for search in (
            lambda game=game: best_response(game, [1] * 51),
            lambda g=game: oracular.solve(g, solver="exact"),
        ):
            with pytest.raises(OracularError, match="changes its answers"):
                search()
    with pytest.raises(OracularError, match="give one of the same game"):
        best_response(jotto(2), oracular.hider_uniform(jotto(3)))

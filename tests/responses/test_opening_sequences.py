"""The best response after a sequence of fixed guesses is the best of all trees that begin with them, by brute force."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest

import oracular as package
from oracular import Game, OracularError, best_response, objective
from oracular.objectives import table

from objective_twin import least_cost, least_worst, seeded_game, seeded_utilities, seeded_weights
from ruled_twin import moves, random_ruled_game


def reached(game: Game, guesses: list[int]) -> list[tuple]:
    """Return the states, and the turns before, that guesses lead to, each left out where it tells nothing."""
    states = [(tuple(range(len(game.secrets))), frozenset())]
    for guess in guesses:
        after = [next((parts for one, parts in moves(game, *state) if one == guess), [state]) for state in states]
        states = [state for parts in after for state in parts]
    return states


def random_sequence(rng: random.Random, game: Game, most: int) -> list[int]:
    """Return some guesses, each of which is allowed and tells something at a state that those before it leave."""
    sequence: list[int] = []
    for _ in range(most):
        useful = sorted({guess for state in reached(game, sequence) for guess, _ in moves(game, *state)})
        sequence += [rng.choice(useful)] if useful else []
    return sequence


def check(seed: int, threads: int) -> None:
    rng = random.Random(seed)
    game = seeded_game(rng, 7) if seed % 2 else random_ruled_game(seed // 2)
    weights, sequence = seeded_weights(rng, len(game.secrets)), random_sequence(rng, game, rng.randint(2, 3))
    total = int(weights.sum())
    rows = {secret: seeded_utilities(rng, rng.randint(1, 5)) for secret in game.secrets}
    for chosen in (objective("mean", game), objective(f"within-{rng.randint(1, 4)}", game), table(rows, game)):
        least = least_cost(game, weights[:, None] * chosen.losses_in(game), sequence)
        response = best_response(game, weights, opening=sequence, objective=chosen, threads=threads)
        assert response.proved and response.lower == response.upper == chosen.value(Fraction(least, total))
        depths = response.tree.depths()
        paid = sum(int(w) * int(x) for w, x in zip(weights, chosen.payoffs(depths), strict=True))
        assert paid == least and response.opening == tuple(sequence)
        assert_begins_with(response.tree, sequence)
    response = best_response(game, weights, opening=sequence, objective="worst", threads=threads)
    most, least = least_worst(game, weights.tolist(), sequence)
    assert response.proved and response.upper == response.most_guesses == most
    assert response.mean == Fraction(least, total) == Fraction(int(weights @ response.tree.depths()), total)
    assert_begins_with(response.tree, sequence)


def assert_begins_with(tree: package.Tree, sequence: list[int]) -> None:
    """See that a tree makes the guesses of a sequence, each where it is allowed and tells something."""
    for made, guess in enumerate(sequence):
        for state, turns in reached(tree.game, sequence[:made]):
            if len(state) > 1 and any(one == guess for one, _ in moves(tree.game, state, turns)):
                assert tree.guess(np.array(state, np.int32), tree.game.demand_after(tuple(turns))) == guess


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in (0, 20, 40)], ids=str)
def test_after_a_sequence_of_guesses_the_response_is_the_best_of_its_trees(seeds):
    for seed in seeds:
        check(seed, threads=1 + seed % 2)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(start, start + 50) for start in range(1000, 1200, 50)], ids=str)
def test_after_many_sequences_the_response_is_the_best_of_its_trees(seeds):
    for seed in seeds:
        check(seed, threads=1 + seed % 2)


@pytest.mark.parametrize("chosen", ["mean", "within-3", "worst"])
def test_a_sequence_of_one_guess_is_that_opening(chosen):
    game, weights = package.game("mastermind-3x3"), np.arange(1, 28)
    one, same = (best_response(game, weights, opening=given, objective=chosen) for given in ("112", ["112"]))
    assert (one.lower, one.upper, one.states, one.opening) == (same.lower, same.upper, same.states, same.opening)
    assert one.tree.to_list() == same.tree.to_list()


def test_a_sequence_stopped_early_has_bounds_that_hold():
    game = package.game("mastermind-4x4")
    given = {"weights": np.ones(256, int), "opening": ["1122", "1334"]}
    whole, cut = best_response(game, **given), best_response(game, **given, node_limit=3)
    assert cut.lower <= whole.lower == whole.upper <= cut.upper and cut.opening == whole.opening
    assert whole.upper >= best_response(game, given["weights"], opening="1122").upper


@pytest.mark.slow
def test_parse_and_clint_take_the_published_number_of_guesses_with_the_later_list():
    later = set(package.game("wordle").secrets) - {"agora", "fibre", "lynch", "pupal", "slave", "wench"}
    game = package.game("wordle", secrets=sorted(later), guesses=list(package.game("wordle").guesses))
    response = best_response(game, np.ones(2309, int), opening=["parse", "clint"])
    assert response.proved and response.upper * 2309 + response.left_out == 8302


@pytest.mark.parametrize(
    ("name", "opening", "sentence"),
    [
        ("mastermind-2x3", ["11", "11"], "'11' is not allowed or eliminates nothing in mastermind-2x3 whatever the"),
        ("mastermind-2x3", ["11", "99"], "99"),
        ("mastermind-2x3", ["12", 9], "opening 9 is no guess"),
        ("mastermind-2x3-possible", ["11", "22", "11"], "'11' is not allowed .* answers to '11,22'"),
    ],
)
def test_a_guess_that_can_nowhere_be_made_is_refused(name, opening, sentence):
    with pytest.raises(OracularError, match=sentence):
        best_response(package.game(name), np.ones(9, int), opening=opening)


def test_the_command_names_the_sequence(oracular):
    said = json.loads(oracular("respond", "mastermind-2x4", "--opening", "12,34", "--json").out)
    assert said["proved"] and said["opening"] == "12,34" and said["opening_given"]
    assert said["left_out"] == 1  # both misplaced after 12: 21, whatever 34 would say
    refused = oracular("respond", "mastermind-2x4", "--opening", "12,34", "--proof", "any")
    assert refused.code == 2 and "opening of one guess at most" in refused.err
    text = oracular("respond", "mastermind-2x4", "--opening", "12,34").out
    assert "the best that begins with 12,34" in text and "12,34, as asked" in text

"""Trees of games that allow only some guesses: none with a forbidden guess is believed, wherever it comes from."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import Tree, guesser_gbr_uniform
from oracular.errors import RunError, SettingsError
from oracular.search.best_response import with_greedy_fallback
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.tree import tree_by, tree_of

from ruled_twin import is_allowed, random_ruled_game, trap_game

RULES = ("hard", "possible")


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_is_refused_just_where_a_guess_is_forbidden(seed):
    game = random_ruled_game(seed, secrets=8, guesses=12)
    tree, rng = tree_of(guesser_gbr_uniform(game)), np.random.default_rng(seed)
    for place in range(len(tree.guesses)):
        changed = tree.guesses.copy()
        changed[place] = rng.integers(len(game.guesses))
        other = Tree(game, changed)
        try:
            depths = other.depths()
        except SettingsError as error:
            if "no tree" in str(error):
                continue
            assert "does not allow it" in str(error)
            depths = None
        legal, pending, guesses = True, [(tuple(range(8)), frozenset())], iter(changed.tolist())
        while pending:
            state, turns = pending.pop()
            if len(state) > 1:
                guess = next(guesses)
                legal = legal and is_allowed(game, guess, state, turns)
                row = game.table[guess]
                for answer in sorted({int(row[secret]) for secret in state} - {game.found}, reverse=True):
                    part = tuple(secret for secret in state if row[secret] == answer)
                    pending.append((part, turns | {(guess, answer)}))
        assert legal == (depths is not None)


@pytest.mark.parametrize("rule", RULES)
def test_a_strategy_file_with_a_forbidden_guess_is_refused(rule, tmp_path):
    free, strict = oracular.game("wordle-3"), oracular.game(f"wordle-3-{rule}")
    legal, path = tree_of(guesser_gbr_uniform(strict)), tmp_path / "one.strategy"
    save_mixture(path, strict, [legal], [1], {})
    assert np.array_equal(load_mixture(path, strict)[0].oracles[0].guesses, legal.guesses)
    rebel = Tree(strict, tree_of(guesser_gbr_uniform(free)).guesses)
    save_mixture(path, strict, [rebel], [1], {})
    with pytest.raises(RunError, match="does not allow it"):
        load_mixture(path, strict)[0].oracles[0]


def test_a_tree_that_is_asked_where_other_guesses_led_makes_an_allowed_guess():
    game, _ = trap_game()
    first, then, other = (game.guess_index(word) for word in ("dcbxx", "efgxx", "bcdzx"))
    tree = tree_by(
        game,
        lambda state, demand: (
            first if len(state) == 8 else then if len(state) == 5 else int(game.guess_of_secret[state[0]])
        ),
    )
    left = game.all_secrets[3:]  # both guesses leave the same secrets, and only one of them shows a z
    assert tree.guess(left, game.demand_after([(first, int(game.table[first, 7]))])) == then
    demand = game.demand_after([(other, int(game.table[other, 7]))])
    assert not game.allows(then, left, demand)
    assert game.allows(tree.guess(left, demand), left, demand)
    assert game.allows(with_greedy_fallback(tree).guess(left, demand), left, demand)

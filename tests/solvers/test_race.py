"""The blind race: what pairs are worth, the exact value of tiny games, and the solver beside it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from oracular import Game, RaceMix
from oracular.errors import SettingsError
from oracular.runs.solution import make_solver
from oracular.solvers.race import values as trees_module
from oracular.solvers.race.measure import NO_PLANS, exact_race, measure
from oracular.solvers.race.solver import pair_mix
from oracular.solvers.race.values import WHOLE, RaceOpponent, all_trees
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, product_mix, shared_out

from conftest import module_at
from objective_twin import depth_vectors, matrix_value
from random_games import game_of_table

MOST_ROWS = 160
ROOT = Path(__file__).parent.parent.parent


def random_game(seed: int, most_secrets: int = 6) -> Game:
    """Return a random game of two or more secrets."""
    rng = np.random.default_rng(seed)
    secrets, answers = int(rng.integers(2, most_secrets + 1)), int(rng.integers(2, 5))
    guesses, found = secrets + int(rng.integers(0, 4)), int(rng.integers(answers))
    table = rng.choice([answer for answer in range(answers) if answer != found], (guesses, secrets))
    for secret, finder in enumerate(sorted(rng.permutation(guesses)[:secrets])):
        table[finder, secret] = found
    return game_of_table(table.tolist(), answers, found)


def all_depths(game: Game) -> np.ndarray:
    """Return the depths of all trees, each row once [rows, secrets]."""
    return np.array(sorted(depth_vectors(game)))


def value_of_all_pairs(depths: np.ndarray) -> float:
    """Return player 1's chance in the game of all pairs of a secret and a row of depths."""
    rows, secrets = depths.shape
    pairs = [(secret, row) for secret in range(secrets) for row in range(rows)]
    return matrix_value([[depths[r1, s2] <= depths[r2, s1] for s1, r1 in pairs] for s2, r2 in pairs])


def tiny_games(count: int, start: int = 0, most_rows: int = MOST_ROWS) -> Iterator[Game]:
    """Yield random games of up to six secrets that have few enough trees to list them all."""
    seed = start
    while count:
        game = random_game(seed)
        seed += 1
        if len(all_trees(game).trees) <= most_rows // 2 and len(all_depths(game)) <= most_rows:
            count -= 1
            yield game


def random_mix(game: Game, seed: int, grouped: bool) -> RaceMix:
    """Return some mix of some trees."""
    rng = np.random.default_rng(seed)
    trees = all_trees(game).trees
    trees = [trees[i] for i in rng.integers(0, len(trees), 4)]
    secrets = len(game.secrets)
    groups = np.arange(secrets) if grouped else np.zeros(secrets, np.int64)
    weights = [shared_out(rng.integers(0, 5, 4) + np.eye(4, dtype=int)[0], TREE_UNIT) for _ in range(groups.max() + 1)]
    own = shared_out(rng.integers(0, 4, secrets) + 1, SECRET_UNIT)
    return RaceMix(game, own, trees, groups, np.array(weights))


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_worth_what_playing_them_out_gives(seed, grouped):
    """The plain way: every pair against every pair, guess by guess."""
    game = random_game(seed, 5)
    first, second = random_mix(game, seed, grouped), random_mix(game, seed + 100, grouped)
    trees = all_trees(game)
    seen = RaceOpponent.of(second, moves_first=False), RaceOpponent.of(first, moves_first=True)
    values = [other.values(trees.depths) for other in seen]
    secrets = range(len(game.secrets))
    for own, tree in product(secrets, range(len(trees.trees))):
        won = [0, 0]
        for theirs in secrets:
            for player, mix in enumerate((second, first)):
                weight = int(mix.secret_weights[theirs])
                for number, share in enumerate(mix.tree_weights[mix.group_of[theirs]].tolist()):
                    mine, other = trees.depths[tree, theirs], mix.depths[number, own]
                    won[player] += weight * share * bool(mine <= other if player == 0 else mine < other)
        assert [int(value[own, tree]) for value in values] == won
    assert seen[0].chance_of(first) + seen[1].chance_of(second) == 1
    costs = seen[0].costs(np.eye(len(secrets), dtype=np.int64)[0])
    for tree, row in enumerate(trees.depths):
        columns = np.minimum(row, costs.shape[1]) - 1
        assert costs[np.arange(len(row)), columns].sum() == WHOLE - values[0][0, tree]


def check_exact(game: Game) -> None:
    """Check the exact value, and that both strategies hold it against every pair."""
    depths = all_depths(game)
    solved = exact_race(game)
    assert solved.value == pytest.approx(value_of_all_pairs(depths), abs=1e-6)
    for s2, row in product(range(len(game.secrets)), depths):
        held = sum(
            share
            for (s1, number), share in np.ndenumerate(solved.first)
            if share > 0 and solved.depths[number, s2] <= row[s1]
        )
        assert held >= solved.value - 1e-6


def check_solver(game: Game, steps: int) -> None:
    """Check that the solver comes within 0.005 of the value, and that nobody can gain much."""
    solver = make_solver("race", game, {"room": 1 << 10})
    for _ in range(steps):
        solver.step()
    solver.conclude()
    first, second = solver.outcome().mix
    measured = measure(first, second)
    value = exact_race(game).value
    assert measured.first_mover_wins == pytest.approx(value, abs=0.005)
    assert max(measured.epsilon_first, measured.epsilon_second) < 0.01


def test_the_exact_value_is_that_of_the_program_over_all_pairs():
    for game in tiny_games(10, most_rows=60):
        check_exact(game)


@pytest.mark.slow
def test_the_exact_value_of_many_games():
    for game in tiny_games(100, start=1000):
        check_exact(game)


def test_the_solver_comes_close_to_the_exact_value():
    for game in tiny_games(4, start=50, most_rows=60):
        check_solver(game, 25)


@pytest.mark.slow
def test_the_solver_comes_close_to_the_exact_value_of_many_games():
    for game in tiny_games(60, start=5000):
        check_solver(game, 100)


def test_gains_of_a_small_game_are_exact():
    """No tree of all that there are does better than the deviation found, for any secret of its own."""
    compared = 0
    for seed in range(20, 40):
        game = random_game(seed)
        depths = all_trees(game).depths
        first, second = random_mix(game, seed, grouped=False), random_mix(game, seed + 100, grouped=True)
        measured = measure(first, second)
        seen = RaceOpponent.of(second, moves_first=False), RaceOpponent.of(first, moves_first=True)
        best = [Fraction(int(other.values(depths).max()), WHOLE) for other in seen]
        chance = seen[0].chance_of(first)
        assert measured.exact
        gains = float(best[0] - chance), float(best[1] - (1 - chance))
        assert (measured.epsilon_first, measured.epsilon_second) == gains
        unplanned = measure(first, second, plans=NO_PLANS)
        compared += unplanned.epsilon_first < measured.epsilon_first
        assert not unplanned.exact
    assert compared >= 3


def test_only_tiny_games_are_solved_exactly(jotto):
    with pytest.raises(SettingsError, match="51 secrets"):
        exact_race(jotto(2))


@pytest.mark.parametrize("secrets", [7, 8])
def test_games_of_too_many_trees_are_refused_before_they_are_listed(secrets, monkeypatch):
    """With yes and no alone every order of the secrets is a tree that nothing dominates."""
    compared = []
    plain = trees_module.undominated
    monkeypatch.setattr(trees_module, "undominated", lambda rows: compared.append(len(rows)) or plain(rows))
    with pytest.raises(SettingsError, match="too many different trees"):
        exact_race(game_of_table(np.eye(secrets, dtype=int).tolist(), 2, 1))
    assert max(compared) <= 720  # states of six secrets were listed, none of seven


def test_a_mix_draws_secrets_and_trees_by_their_weights(jotto):
    game = jotto(2)
    trees = make_solver("race", game, {}).problem.responder
    pairs = [
        trees.respond(np.cumsum(np.ones((51, 4), np.int64), axis=1) * (np.arange(51) == s)[:, None]) for s in (3, 9)
    ]
    mix = pair_mix(game, (np.array([3, 9, 9]), np.array([0, 0, 1])), np.array([0.5, 0.125, 0.375]), pairs)
    rng = np.random.default_rng(5)
    drawn = [mix.sample(rng) for _ in range(400)]
    assert {pair.secret for pair in drawn} == {game.secrets[3], game.secrets[9]}
    assert all(pair.tree is pairs[0] for pair in drawn if pair.secret == game.secrets[3])
    second = sum(pair.tree is pairs[1] for pair in drawn)
    assert 110 < second < 190 and mix.probability(game.secrets[9]) == 0.5
    assert mix.guesser(game.secrets[9]).weights == (TREE_UNIT // 4, 3 * TREE_UNIT // 4)


def test_weights_that_are_none_are_refused(jotto):
    game = jotto(2)
    tree = make_solver("race", game, {}).problem.responder.respond(np.ones((51, 1), np.int64))
    good = product_mix(game, np.ones(51), [tree], np.ones(1))
    for name, value in (
        ("secret_weights", good.secret_weights * 2),
        ("secret_weights", good.secret_weights[:50]),
        ("tree_weights", good.tree_weights - 1),
        ("group_of", good.group_of + 1),
    ):
        with pytest.raises(SettingsError):
            RaceMix(**{entry: getattr(good, entry) for entry in RaceMix.__dataclass_fields__} | {name: value})


def test_a_thinned_mix_finds_secrets_nearly_as_likely():
    """A few trees that are picked for it stand for many."""
    thinned = module_at(ROOT / "tools" / "make_strategies.py").thinned
    game = random_game(0)
    every = all_trees(game)
    rng = np.random.default_rng(2)
    own, weights = shared_out(np.ones(len(game.secrets)), SECRET_UNIT), rng.integers(1, 100, (2, len(every.trees)))
    groups = (np.arange(len(game.secrets)) % 2).astype(np.int64)
    mix = RaceMix(game, own, every.trees, groups, np.array([shared_out(row, TREE_UNIT) for row in weights]))
    few = thinned(mix, 30)
    assert np.count_nonzero(few.tree_weights, axis=1).max() <= 30 < len(every.trees)
    values = [RaceOpponent.of(one, moves_first=True).values(every.depths) / WHOLE for one in (mix, few)]
    assert np.abs(values[0] - values[1]).max() < 0.03
    assert np.array_equal(thinned(mix, 1000).tree_weights, mix.tree_weights)

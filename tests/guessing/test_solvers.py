"""Solvers in games that allow only some guesses: they agree with a program over all trees, found by brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Behavioural, Game, Hider, Tree, behavioural_payoff, guesser_gbr_uniform, hider_uniform, payoff
from oracular.errors import RunError, SettingsError
from oracular.games.game import Indices
from oracular.games.guessing import FREE
from oracular.solvers.exact.certificate import Certificate, verify_certificate
from oracular.solvers.exact.flow_program import FlowProgram
from oracular.solvers.race.values import all_trees
from oracular.strategies.oracle import pure
from oracular.strategies.tree import tree_by, tree_of

from objective_twin import matrix_value
from ruled_twin import all_depths, random_ruled_game, trap_game


def value_of(game: Game, losses: np.ndarray | None = None) -> float:
    """Return the value of a tiny game by a program over all its trees, where losses by depth are given of those."""
    depths = np.array(sorted(all_depths(game)))
    return matrix_value(depths if losses is None else losses[depths - 1])


@pytest.mark.parametrize("seed", range(8))
def test_all_solvers_find_the_value_of_brute_force(seed):
    game = random_ruled_game(seed, secrets=6, guesses=9)
    value = value_of(game)
    exact = oracular.solve(game, solver="exact")
    assert exact.lower == exact.upper == pytest.approx(value)
    planned = oracular.solve(game, solver="regret-matching", iterations=150)
    assert value - 1e-9 <= planned.guarantee <= value + 0.03
    greedy = oracular.solve(game, iterations=30)
    assert greedy.guarantee >= value - 1e-9


def test_the_exact_solver_sees_a_trap():
    game, _ = trap_game()
    exact = oracular.solve(game, solver="exact")
    assert exact.lower == exact.upper
    assert exact.certificate is not None and verify_certificate(game, exact.certificate)


def test_the_program_tells_states_with_different_demands_apart_but_for_two_secrets():
    game, _ = trap_game()
    program = FlowProgram(game, np.arange(8), np.ones(8, dtype=np.int64))
    demand = game.demand_after([(game.guess_index("bcdzx"), int(game.table[game.guess_index("bcdzx"), 7]))])
    four, two = game.all_secrets[4:], game.all_secrets[6:]
    assert program.state_row(four) != program.state_row(four, demand=demand)
    assert program.state_row(two) == program.state_row(two, demand=demand)


@pytest.mark.parametrize("seed", range(6))
def test_the_exact_solver_finds_the_chance_within_two_guesses(seed):
    game = random_ruled_game(seed, secrets=6, guesses=9)
    missed = value_of(game, np.array([0, 0, 1, 1, 1, 1, 1, 1]))
    exact = oracular.solve(game, solver="exact", objective="within-2")
    assert exact.lower == exact.upper == pytest.approx(1 - missed)


@pytest.mark.parametrize("seed", range(8))
def test_the_trees_of_a_tiny_race_are_those_of_brute_force(seed):
    game = random_ruled_game(seed, secrets=5, guesses=9)
    every = all_trees(game)
    assert set(map(tuple, every.depths.tolist())) == all_depths(game)
    for tree, depths in zip(every.trees, every.depths, strict=True):
        assert np.array_equal(tree.depths(), depths)  # an error where a guess is forbidden


@pytest.mark.parametrize("rule", ["hard", "possible"])
def test_a_certificate_with_a_forbidden_guess_is_refused(rule):
    free, strict = oracular.game("wordle-2"), oracular.game(f"wordle-2-{rule}")
    tree = tree_of(guesser_gbr_uniform(free))
    upper = Fraction(int(tree.depths().max()))
    certificate = Certificate([1] * len(free.secrets), [tree], [Fraction(1)], Fraction(1), upper)
    assert verify_certificate(free, certificate)
    with pytest.raises(RunError, match="does not allow it"):
        verify_certificate(strict, Certificate.from_data(strict, certificate.to_data()))


def test_what_an_oracle_is_worth_is_worked_out_with_its_demands():
    game = oracular.game("wordle-3-hard")
    oracle, hider = guesser_gbr_uniform(game), hider_uniform(game)
    rng = np.random.default_rng(1)
    exact = behavioural_payoff(hider, Behavioural(pure(oracle)), rng)
    assert exact.exact and exact.value == pytest.approx(float(payoff(hider, oracle)))
    sampled = behavioural_payoff(hider, Behavioural(pure(oracle)), rng, samples=20, most_questions=1)
    assert not sampled.exact and 1 <= sampled.value <= 20


class Rebel:
    """An oracle that makes the same guesses as in the game without the rule."""

    def __init__(self, game: Game, free: Game) -> None:
        self.game, self.free = game, guesser_gbr_uniform(free)

    def guess(self, possible: Indices, demand: int = FREE) -> int:
        return self.free.guess(possible)

    def depths(self) -> np.ndarray:
        return self.free.depths()


@pytest.mark.parametrize("most_questions", [10_000, 1])
@pytest.mark.parametrize("rule", ["hard", "possible"])
def test_an_oracle_that_breaks_the_rule_is_an_error(rule, most_questions):
    game, free = oracular.game(f"wordle-3-{rule}"), oracular.game("wordle-3")
    rebel = Behavioural(pure(Rebel(game, free)))
    with pytest.raises(SettingsError, match=f"where wordle-3-{rule} does not allow it"):
        behavioural_payoff(hider_uniform(game), rebel, np.random.default_rng(0), most_questions=most_questions)
    with pytest.raises(SettingsError, match="does not allow it"):
        Tree(game, tree_by(free, lambda state, demand: Rebel(game, free).guess(state)).guesses).depths()


def test_hiders_of_ruled_games_may_leave_secrets_out():
    game = oracular.game("mastermind-2x3-possible")
    weights = np.zeros(len(game.secrets), dtype=np.int64)
    weights[:4] = 1
    assert payoff(Hider(game, weights), guesser_gbr_uniform(game)) >= 1

"""The planner in games that allow only some guesses: legal trees, and the best ones where nothing is left out."""

from __future__ import annotations

import numpy as np
import pytest

import oracular
from oracular import Game, Tree
from oracular.costs import Costs
from oracular.errors import RunError
from oracular.games.guessing import FREE
from oracular.kernels.lookahead import Board, likely_guesses, played_out, stakes_of_few_guesses
from oracular.planner.planner import Planner, choices, score_of_name, scored_game

from objective_twin import least_cost
from random_games import table_costs
from ruled_twin import assert_legal, mean_costs, random_ruled_game, random_weights, trap_game, within_costs

EVERYTHING = {"width": 64, "root_width": 64, "large_width": 64, "small": 20, "small_width": 64, "room": 1 << 14}
"""With these settings every guess is tried at every state of a small game."""


def cost_of(tree: Tree, costs: list[list[int]]) -> int:
    return sum(row[min(depth, len(row)) - 1] for row, depth in zip(costs, tree.depths().tolist(), strict=True))


def assert_legal_tree(game: Game, tree: Tree) -> None:
    depths = assert_legal(
        game, lambda state, turns: tree.guess(np.array(state, dtype=np.int32), game.demand_after(turns))
    )
    assert depths == tree.depths().tolist() == Tree(game, tree.guesses).depths().tolist()


@pytest.mark.parametrize("seed", range(16))
def test_the_planner_finds_the_best_tree_where_it_leaves_nothing_out(seed):
    game, weights = random_ruled_game(seed), random_weights(seed, 7)
    planner = Planner(game, **EVERYTHING)
    tree = planner.respond(Costs.mean(weights))
    assert_legal_tree(game, tree)
    assert cost_of(tree, mean_costs(weights)) == least_cost(game, mean_costs(weights))
    for guesses in (2, 3):
        costs = within_costs(weights, guesses)
        planned = planner.respond(table_costs(np.array(costs, dtype=np.int64)))
        assert_legal_tree(game, planned)
        assert cost_of(planned, costs) == least_cost(game, costs)


def test_the_planner_sees_a_trap():
    game, weights = trap_game()
    planner = Planner(game, **EVERYTHING)
    assert cost_of(planner.respond(Costs.mean(weights)), mean_costs(weights)) == least_cost(game, mean_costs(weights))
    costs = np.array(mean_costs([1] * 8), dtype=np.int64)
    left = np.arange(3, 8, dtype=np.int32)
    (free,) = choices(Planner(game, **EVERYTHING), left, table_costs(costs))
    demand = game.demand_after([(game.guess_index("bcdzx"), int(game.table[game.guess_index("bcdzx"), 7]))])
    (strict,) = choices(Planner(game, **EVERYTHING), left, table_costs(costs), 1, demand)
    assert free.value == 2 + 2 + 2 + 2 + 3 and strict.value == 1 + 2 + 3 + 4 + 5


@pytest.mark.parametrize("name", ["wordle-3-hard", "mastermind-3x4-possible"])
def test_guesses_that_look_for_a_heavy_secret_are_allowed(name):
    game = oracular.game(name)
    planner = Planner(game, width=2, root_width=2, large_width=2, seek=16, again=2, room=1 << 17)
    weights = np.ones(len(game.secrets))
    weights[::9] = 40
    for _ in range(3):
        tree = planner.respond(Costs.mean(planner.rounded(weights)))
        assert np.array_equal(Tree(game, tree.guesses).depths(), tree.depths())  # an error where a guess is forbidden


@pytest.mark.parametrize("seed", range(8))
def test_the_best_guess_at_a_state_with_its_demand_is_worth_what_the_tree_is(seed):
    game, weights = random_ruled_game(seed), random_weights(seed, 7)
    costs = np.array(mean_costs(weights), dtype=np.int64)
    (best,) = choices(Planner(game, **EVERYTHING), game.all_secrets, table_costs(costs))
    assert best.value == least_cost(game, costs.tolist())
    whole = game.table[best.guess]
    total = int(costs[whole == game.found, 0].sum())
    for answer in sorted(set(whole.tolist()) - {game.found}):
        part, demand = game.all_secrets[whole == answer], game.guessing.demand_after(FREE, best.guess, answer)
        (after,) = choices(Planner(game, **EVERYTHING), part, table_costs(costs[:, 1:]), 1, demand)
        assert game.allows(after.guess, part, demand)
        total += after.value
    assert total == best.value


@pytest.mark.parametrize("name", ["jotto-3-possible", "mastermind-3x4-possible", "wordle-3-hard"])
def test_a_graph_that_was_kept_goes_on_as_without_the_break(name):
    game = oracular.game(name)
    rng, room = np.random.default_rng(3), 1 << 17
    planner = Planner(game, width=2, root_width=2, large_width=2, room=room)
    weights = planner.rounded(rng.random(len(game.secrets)))
    planner.respond(Costs.mean(weights), explorations=1)
    planner.tidy(2)
    arrays = planner.as_arrays()
    assert ("node_demand" in arrays) == game.guessing.demands
    again = Planner(game, width=2, root_width=2, large_width=2, room=room)
    again.restore(arrays)
    weights = planner.rounded(rng.random(len(game.secrets)))
    one, other = planner.respond(Costs.mean(weights)), again.respond(Costs.mean(weights))
    assert np.array_equal(one.guesses, other.guesses)
    assert np.array_equal(Tree(game, one.guesses).depths(), one.depths())  # an error where a guess is forbidden


def test_a_graph_that_breaks_the_rule_is_refused():
    game = oracular.game("wordle-3-hard")
    planner = Planner(game, width=2, root_width=2, large_width=2, room=1 << 17)
    planner.respond(Costs.mean(planner.rounded(np.ones(len(game.secrets)))))
    arrays = planner.as_arrays()
    with pytest.raises(RunError, match="states and guesses"):
        planner.restore({key: value for key, value in arrays.items() if key != "node_demand"})
    free = Planner(oracular.game("wordle-3"), width=2, root_width=2, large_width=2, room=1 << 17)
    free.respond(Costs.mean(free.rounded(np.ones(len(game.secrets)))))
    for other in (game, oracular.game("wordle-3-possible")):
        strict = Planner(other, width=2, root_width=2, large_width=2, room=1 << 17)
        with pytest.raises(RunError, match="states and guesses"):
            strict.restore(free.as_arrays())
    with pytest.raises(RunError, match="states and guesses"):
        free.restore(arrays)


@pytest.mark.parametrize("seed", range(6))
def test_states_are_played_out_with_allowed_guesses(seed):
    game, weights = random_ruled_game(seed, secrets=12, guesses=20), random_weights(seed, 12)
    scored = scored_game(game, score_of_name("depth", 12))
    packed = ((weights << scored.shift) | 1).astype(np.int32)
    board = Board(scored, packed, stakes_of_few_guesses(scored), 6, 3)
    opening = int(np.random.default_rng(seed).choice(game.allowed(game.all_secrets)))
    row = game.table[opening]
    depths = played_out(board, game.all_secrets, np.array([opening], dtype=np.int32))[0]
    for answer in sorted(set(row.tolist()) - {game.found}):
        part, demand = game.all_secrets[row == answer], game.guessing.demand_after(FREE, opening, answer)
        likely = likely_guesses(board, part, 5, demand)
        assert all(game.allows(int(guess), part, demand) for guess in likely)
        below = played_out(board, part, likely, demand)
        assert (1 + (below @ weights[part]).min()) <= 1 + (depths[part] - 1) @ weights[part]

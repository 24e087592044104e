"""A second opinion: OpenSpiel and our exact solver agree on tiny games, and it finds nothing to exploit in ours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import oracular
from oracular import Game, Solution

from random_games import game_of_table

pyspiel = pytest.importorskip("pyspiel", reason="the second opinion needs open_spiel: pip install open_spiel")

GAMES: dict[str, Callable[[], Game]] = {
    "five words": lambda: oracular.game("jotto-3", ["cab", "fix", "hub", "jot", "box"]),
    "a table": lambda: game_of_table([[0, 1, 2, 1], [1, 0, 1, 2], [2, 2, 0, 1], [1, 1, 2, 0], [2, 1, 1, 1]], 3, 0),
}


def sensible_guesses(game: Game, possible: np.ndarray) -> list[int]:
    """Return the guesses that tell some of the possible secrets apart, or find the only one."""
    if len(possible) == 1:
        return [int(game.guess_of_secret[possible[0]])]
    return [g for g in range(len(game.guesses)) if len(set(game.table[g, possible])) > 1]


def as_extensive_form(game: Game) -> str:
    """Return the whole game tree in Gambit's format; the guesser knows the history of guesses and answers."""
    lines = ['EFG 2 R "guessing" { "hider" "guesser" } ""']
    secrets = " ".join(f'"{secret}"' for secret in game.secrets)
    lines.append(f'p "" 1 1 "" {{ {secrets} }} 0')
    information: dict[tuple, int] = {}
    outcomes = 0

    def visit(secret: int, possible: np.ndarray, history: tuple) -> None:
        nonlocal outcomes
        number = information.setdefault(history, len(information) + 1)
        guesses = sensible_guesses(game, possible)
        names = " ".join(f'"{game.guesses[guess]}"' for guess in guesses)
        lines.append(f'p "" 2 {number} "" {{ {names} }} 0')
        for guess in guesses:
            answer = int(game.table[guess, secret])
            if answer == game.found:
                outcomes += 1
                taken = len(history) + 1
                lines.append(f't "" {outcomes} "" {{ {taken} {-taken} }}')
            else:
                visit(secret, game.narrow(possible, (guess, answer)), (*history, (guess, answer)))

    for secret in range(len(game.secrets)):
        visit(secret, game.all_secrets, ())
    return "\n".join(lines) + "\n"


def as_policy(solution: Solution, tree_game):
    """Return our strategies as a policy of OpenSpiel's, the guesser's mixture turned into chances at each history."""
    from open_spiel.python import policy

    game = solution.game
    tabular = policy.TabularPolicy(tree_game)
    oracles = list(zip(solution.guesser.oracles, solution.guesser.weights, strict=True))

    def visit(state, secret: int, possible: np.ndarray, playing: list) -> None:
        if state.is_terminal():
            return
        chances = tabular.policy_for_key(state.information_state_string())
        chances[:] = 0.0
        made = [(oracle.guess(possible), oracle, weight) for oracle, weight in playing]
        for action in state.legal_actions():
            guess = game.guess_index(state.action_to_string(action))
            below, stay, hidden = possible, playing, secret
            if state.current_player() == 0:
                hidden = int(game.secret_of_guess[guess])
                chances[action] = solution.hider.probabilities[hidden]
            else:
                stay = [(oracle, weight) for own, oracle, weight in made if own == guess]
                answer = int(game.table[guess, secret])
                below = game.narrow(possible, (guess, answer))
                reached = sum(weight for _, weight in playing)
                chances[action] = sum(w for _, w in stay) / reached if reached else 1 / len(state.legal_actions())
            visit(state.child(action), hidden, below, stay)

    visit(tree_game.new_initial_state(), -1, game.all_secrets, oracles)
    return tabular


@pytest.mark.parametrize("name", GAMES)
def test_cfr_plus_finds_the_value_that_we_prove(name):
    from open_spiel.python.algorithms import cfr, expected_game_score

    game = GAMES[name]()
    solution = oracular.solve(game, solver="exact")
    assert solution.closed
    tree_game = pyspiel.load_efg_game(as_extensive_form(game))
    solver = cfr.CFRPlusSolver(tree_game)
    for _ in range(400):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    value = expected_game_score.policy_value(tree_game.new_initial_state(), [average, average])[0]
    assert value == pytest.approx(float(solution.guarantee), abs=1e-3)


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_finds_nothing_to_exploit_in_our_certificate(name):
    from open_spiel.python.algorithms import exploitability

    game = GAMES[name]()
    solution = oracular.solve(game, solver="exact")
    tree_game = pyspiel.load_efg_game(as_extensive_form(game))
    assert exploitability.exploitability(tree_game, as_policy(solution, tree_game)) < 1e-9

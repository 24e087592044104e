"""Exact equilibria: those of the linear program over all trees, with certificates that are checked, not trusted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import oracular
from oracular import Mixture, Tree, payoff
from oracular.errors import RunError, SettingsError
from oracular.solvers.exact.certificate import (
    Certificate,
    read_certificate,
    verify_certificate,
    write_certificate,
)
from oracular.strategies.oracle import ExchangedOracle, all_symmetries, random_symmetry

from how_many import examples
from objective_twin import depth_vectors, matrix_value
from random_games import random_games

CERTIFICATES = Path(__file__).parent.parent.parent / "docs" / "certificates"

MASTERMIND = {
    "2x2": "2", "2x3": "29/12", "2x4": "45/16", "2x5": "49/15", "2x6": "11/3", "2x7": "227/56", "2x8": "71/16",
    "3x2": "23/10", "3x3": "73/27", "3x4": "219/68", "3x5": "1591/440", "3x6": "619/156",
    "4x2": "39/14", "4x3": "67/22", "4x4": "1629/460",
    "5x2": "46/15", "5x3": "118/35", "6x2": "18/5",
}  # fmt: skip


@examples(30, 80)
@given(game=random_games(most_secrets=5))
def test_the_equilibrium_is_that_of_the_game_over_all_trees(game):
    solution = oracular.solve(game, solver="exact")
    assert solution.closed and solution.stopped == "finished"
    assert float(solution.lower) == pytest.approx(matrix_value(depth_vectors(game)), abs=1e-7)


@examples(10, 20)
@given(game=random_games(most_secrets=12))
def test_larger_random_games_end_with_a_certificate_that_checks(game):
    solution = oracular.solve(game, solver="exact")
    assert solution.closed
    verify_certificate(game, solution.certificate)
    assert payoff(solution.hider, solution.guesser) == solution.lower == solution.guarantee


@pytest.mark.parametrize(("size", "value"), MASTERMIND.items())
def test_mastermind_is_settled_in_all_small_sizes(size, value):
    solution = oracular.solve(f"mastermind-{size}", solver="exact")
    assert solution.closed
    assert solution.lower == solution.guarantee == Fraction(value)
    verify_certificate(solution.game, solution.certificate)


@pytest.mark.parametrize("name", ["mastermind-2x3", "mastermind-3x2", "bulls-2x4"])
def test_the_value_is_the_same_without_symmetry(name):
    game = oracular.game(name)
    plain = oracular.Game.from_function(
        game.secrets, game.guesses, lambda g, s: game.labels[game.table[game.guess_index(g), game.guess_index(s)]]
    )
    assert oracular.solve(plain, solver="exact").lower == oracular.solve(game, solver="exact").lower


@pytest.mark.slow
def test_mastermind_4x6_has_wieners_value():
    solution = oracular.solve("mastermind-4x6", solver="exact")
    assert solution.lower == solution.guarantee == Fraction(5600, 1290)


def test_the_guarantee_of_a_symmetric_mixture_is_the_mean_over_all_symmetries():
    solution = oracular.solve("mastermind-2x3", solver="exact")
    game = solution.game
    elements = all_symmetries(game)
    assert len(elements) == 6 * 2
    exchanged = [ExchangedOracle(oracle, element) for oracle in solution.guesser.oracles for element in elements]
    weights = [weight for weight in solution.guesser.weights for _ in elements]
    written_out = Mixture(exchanged, weights)
    assert written_out.guarantee == solution.guarantee
    assert written_out.expected_depths == pytest.approx(solution.guesser.expected_depths)
    drawn = {random_symmetry(game, np.random.default_rng(seed)).secrets.tobytes() for seed in range(300)}
    assert drawn == {element.secrets.tobytes() for element in elements}


def test_a_player_under_a_symmetry_finds_every_secret():
    solution = oracular.solve("mastermind-2x4", solver="exact")
    game = solution.game
    for seed in range(5):
        player = solution.guesser.new_game(np.random.default_rng(seed))
        for secret in range(len(game.secrets)):
            history = []
            while True:
                guess = player.guess(history)
                answer = game.table[game.guess_index(guess), secret]
                if answer == game.found:
                    break
                history.append((guess, game.labels[answer]))
            assert guess == game.secrets[secret]


def test_the_certificate_of_two_letter_jotto_is_valid():
    written = read_certificate(CERTIFICATES / "jotto-2.json")
    game = oracular.game(written.game)
    certificate = written.of(game)
    verify_certificate(game, certificate)
    assert certificate.lower == certificate.upper == Fraction(60882015, 10367053)
    assert sum(certificate.shares) == 1


def test_a_certificate_of_another_game_or_list_of_words_is_refused(tmp_path):
    path = tmp_path / "certificate.json"
    solution = oracular.solve("mastermind-2x3", solver="exact")
    write_certificate(path, solution.game, solution.certificate)
    assert read_certificate(path).of(solution.game).to_data() == solution.certificate.to_data()
    with pytest.raises(RunError, match="not of mastermind-2x4"):
        read_certificate(path).of(oracular.game("mastermind-2x4"))
    path.write_text(path.read_text().replace(solution.game.words_sha256, "0" * 64))
    with pytest.raises(RunError, match="another word list"):
        read_certificate(path).of(solution.game)


def test_a_certificate_written_again_is_the_same_file(tmp_path):
    game = oracular.game("jotto-2")
    write_certificate(tmp_path / "again.json", game, read_certificate(CERTIFICATES / "jotto-2.json").of(game))
    assert (tmp_path / "again.json").read_bytes() == (CERTIFICATES / "jotto-2.json").read_bytes()


def test_stopped_early_the_bounds_hold_the_value_and_get_closer(jotto):
    early = oracular.solve(jotto(2), solver="exact", iterations=2)
    later = oracular.solve(jotto(2), solver="exact", iterations=6)
    value = Fraction(60882015, 10367053)
    assert early.lower <= later.lower <= value <= later.guarantee <= early.guarantee
    assert not later.closed
    assert later.epsilon <= float(later.guarantee - later.lower)


def test_the_exact_solver_has_no_rule_for_ties(jotto):
    with pytest.raises(SettingsError, match="leave ties out"):
        oracular.solve(jotto(2), solver="exact", settings={"ties": "first"})


@pytest.mark.slow
def test_two_letter_jotto_is_settled(jotto):
    solution = oracular.solve(jotto(2), solver="exact")
    assert solution.closed
    assert solution.lower == Fraction(60882015, 10367053)


def test_certificates_with_other_trees_or_weights_prove_nothing():
    solution = oracular.solve("mastermind-2x4", solver="exact")
    honest, game = solution.certificate, solution.game
    numbers = honest.trees[0].to_list()
    for wrong in ([*numbers[:3], 10**6, *numbers[4:]], [-1, *numbers[1:]], numbers[:-3]):
        with pytest.raises(ValueError, match="tree"):
            Certificate.from_data(game, honest.to_data() | {"trees": [wrong, *honest.to_data()["trees"][1:]]})
    forgeries = [
        replace(honest, trees=[Tree(game, honest.trees[0].guesses[:-1]), *honest.trees[1:]]),
        replace(honest, weights=[2**70, *honest.weights[1:]]),
        replace(honest, weights=[0] * len(honest.weights)),
        replace(honest, weights=[1] + [0] * (len(honest.weights) - 1)),
        replace(honest, lower=honest.upper + 1),
    ]
    for forged in forgeries:
        with pytest.raises(RunError, match="proves nothing"):
            verify_certificate(game, forged)


def test_a_certificate_with_a_gap_is_verified_without_searching_to_the_end(tmp_path):
    solution = oracular.solve("jotto-3", solver="exact", iterations=1, out=tmp_path / "run")
    assert not solution.closed
    certificate = read_certificate(tmp_path / "run" / "certificate.json").of(solution.game)
    assert certificate.lower < certificate.upper
    verify_certificate(solution.game, certificate)

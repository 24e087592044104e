"""The shipped strategies are what they say: every guarantee is worked out again from the trees alone."""

from __future__ import annotations

import importlib.resources
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Mixture, OracularError, Shipped
from oracular.errors import RunError
from oracular.runs.verify import verify
from oracular.search.openings import different_openings
from oracular.strategies.oracle import SymmetricMixture
from oracular.strategies.shipped import (
    CODE_GAMES,
    ENDING,
    FAMILIAR_GAMES,
    SHIPPED_GAMES,
    HiderBound,
    read_strategies,
    write_strategies,
)

MUST = {"jotto-2": Fraction(60882015, 10367053), "jotto-3": 6.96, "jotto-4": 6.77, "jotto-5": 6.64, "wordle": 3.60}
GAP = {"jotto-2": 0, "jotto-3": 0.25, "jotto-4": 0.30, "jotto-5": 0.36, "wordle": 0.25, "bulls-4x10": 0.01}
GAP_OF_ANAGRAMS = 1.35
VALUES = {"mastermind-4x6": Fraction(5600, 1290)}
LOWER = {"jotto-3": 6.54, "jotto-4": 6.25, "jotto-5": 6.10, "wordle": Fraction(7920, 2315)}


@pytest.fixture(params=SHIPPED_GAMES + FAMILIAR_GAMES, scope="module")
def shipped(request):
    return oracular.load(request.param)


def test_the_guarantee_follows_from_the_trees_alone(shipped):
    again = type(shipped.guesser)(list(shipped.guesser.oracles), shipped.guesser.weights)
    assert again.guarantee == shipped.guarantee


@pytest.mark.parametrize("name", ["jotto-2", "jotto-3"])
def test_the_guarantee_follows_from_playing_every_tree_in_plain_python(name):
    shipped = oracular.load(name)
    table = shipped.game.table
    expected = [0] * len(shipped.game.secrets)
    for tree, weight in zip(shipped.guesser.oracles, shipped.guesser.weights, strict=True):
        guesses = iter(tree.guesses.tolist())
        stack = [(list(range(len(expected))), 1)]
        while stack:
            state, depth = stack.pop()
            if len(state) == 1:
                expected[state[0]] += weight * depth
                continue
            parts: dict[int, list[int]] = {}
            guess = next(guesses)
            for secret in state:
                parts.setdefault(int(table[guess, secret]), []).append(secret)
            for secret in parts.pop(shipped.game.found, []):
                expected[secret] += weight * depth
            stack.extend((part, depth + 1) for _, part in sorted(parts.items(), reverse=True))
    assert Fraction(max(expected), shipped.guesser.total) == shipped.guarantee


def test_the_guarantee_is_far_below_the_papers(shipped):
    full = shipped.game.name.removesuffix("-familiar")
    if full not in MUST:
        return  # anagrams take guesses of their own to tell apart, which the paper's game does not have
    assert shipped.guarantee <= MUST[full]
    if full != shipped.game.name:
        assert shipped.guarantee < oracular.load(full).guarantee  # fewer secrets are found sooner


def test_the_bounds_are_near_each_other(shipped):
    assert shipped.lower <= shipped.guarantee
    assert shipped.guarantee - shipped.lower <= GAP.get(shipped.game.name.removesuffix("-familiar"), GAP_OF_ANAGRAMS)
    assert shipped.lower >= LOWER.get(shipped.game.name, 1)


def test_the_bounds_closed_in_step_by_step(shipped):
    if not shipped.history:
        return  # a best response, which is made in one step
    steps, guarantees, _ = zip(*shipped.history, strict=True)
    assert list(steps) == sorted(set(steps)) and steps[-1] == shipped.made_by["steps"] - 1
    assert list(guarantees) == sorted(guarantees, reverse=True)
    assert float(shipped.guarantee) <= guarantees[-1] + 1e-6


def test_the_lower_bound_is_the_best_of_all_hiders(shipped):
    hiders = [bound.hider for bound in shipped.lower_bounds]
    assert len(set(hiders)) == len(hiders) > 0
    assert shipped.lower == max(bound.value for bound in shipped.lower_bounds)


def test_a_lower_bound_is_the_weakest_of_all_openings(shipped):
    for bound in shipped.lower_bounds:
        if not bound.proof:
            continue  # only the search for it proves it: `oracular verify`
        hider = shipped.hider_of(bound)
        assert {opening for opening, _, _ in bound.proof} == set(different_openings(hider))
        assert Fraction(min(total for _, total, _ in bound.proof), hider.total) == bound.value


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jotto-2", "mastermind-4x6", *FAMILIAR_GAMES])
def test_all_that_is_said_can_be_proved_again(name):
    result = verify(name)  # some minutes each
    assert result.proved and result.lower.value == oracular.load(name).lower


@pytest.mark.parametrize("name", VALUES)
def test_code_games_are_settled_at_the_values_that_are_known(name):
    shipped = oracular.load(name)
    assert shipped.lower == shipped.guarantee == VALUES[name]


@pytest.mark.parametrize("name", CODE_GAMES)
def test_secrets_that_a_symmetry_exchanges_are_hidden_and_found_alike(name):
    shipped = oracular.load(name)
    assert isinstance(shipped.guesser, SymmetricMixture)
    for symmetry in shipped.game.checked_symmetries:
        for figures in (shipped.hider.weights, shipped.guesser.depth_totals):
            assert (figures[symmetry.secrets] == figures).all()


def test_a_mixture_that_is_not_played_under_the_symmetries_is_not_written(tmp_path):
    shipped = oracular.load("mastermind-4x4")
    plain = Mixture(shipped.guesser.oracles, shipped.guesser.weights)
    strategies = replace(shipped, guesser=plain, recorded_guarantee=plain.guarantee)
    with pytest.raises(OracularError, match="not played under its symmetries"):
        write_strategies(tmp_path / "plain.strategy", strategies)


def test_a_shipped_guesser_plays_and_a_shipped_hider_hides(shipped):
    game = shipped.game
    secret = shipped.hider.draw(np.random.default_rng(5))
    player = shipped.guesser.new_game(np.random.default_rng(5))
    history = []
    while (guess := player.guess(history)) != secret:
        history.append((guess, game.labels[game.table[game.guess_index(guess), game.secrets.index(secret)]]))
    assert len(history) < 20


def test_they_load_quickly_and_take_little_room():
    script = "import oracular; oracular.load('jotto-5')"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)  # a second, on a machine with nothing else
    files = [
        path for path in importlib.resources.files("oracular.strategies.data").iterdir() if path.name.endswith(ENDING)
    ]
    assert len(files) == len(SHIPPED_GAMES + FAMILIAR_GAMES)
    assert sum(len(path.read_bytes()) for path in files) < 6_000_000


def test_strategies_written_read_back_the_same(jotto, tmp_path):
    solution = oracular.solve(jotto(2), solver="exact", iterations=3)
    path = tmp_path / "two.strategy"
    strategies = Shipped(
        game=solution.game,
        hider=solution.hider,
        guesser=solution.guesser,
        recorded_guarantee=solution.guarantee,
        lower_bounds=[
            HiderBound(Fraction(2), "uniform", effort={"command": "test"}),
            HiderBound(solution.lower, "shipped"),
        ],
        made_by={"solver": "test"},
    )
    assert write_strategies(path, strategies) == path.stat().st_size
    again = read_strategies(path, jotto(2))
    assert again.guarantee == again.guesser.guarantee == solution.guarantee
    assert (again.hider.weights == solution.hider.weights).all()
    assert again.lower == solution.lower and again.best_bound.hider == "shipped"
    assert list(again.lower_bounds) == list(strategies.lower_bounds)


def test_a_file_that_is_damaged_or_of_another_game_is_refused(jotto, tmp_path):
    source = importlib.resources.files("oracular.strategies.data").joinpath(f"jotto-2{ENDING}").read_bytes()
    path = tmp_path / "damaged.strategy"
    path.write_bytes(source[:-40])
    with pytest.raises(RunError, match="damaged"):
        read_strategies(path, jotto(2))
    path.write_bytes(source)
    with pytest.raises(RunError, match="not for this jotto-3"):
        read_strategies(path, jotto(3))


def test_a_game_without_strategies_is_told_so():
    with pytest.raises(OracularError, match="no strategies of jotto-6 come with the package"):
        oracular.load("jotto-6")

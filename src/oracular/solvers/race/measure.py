"""What the best deviation gains in the blind race: exact in small games, elsewhere by the best deviation found.

A weak response would make any epsilon small. So for each side every own secret is tried with every tree that is known,
then a planner plans trees for the own secrets that did best and for some drawn at random, and at last, with all that it
has looked at by then, again for the very best. Each planned tree is tried with every own secret. A deviation that
nobody found may still gain more.

If a tree was planned for every own secret, which is so in games of at most a hundred, an exact search follows. It asks
for each own secret, the best first, whether any tree gains more than the best deviation so far; if every search comes
to an end, the gain is exact.

Each measure has a planner of its own, which has looked at nothing before. It plans for player 1 and then, with what it
knows of the game by then, for player 2. The secrets drawn at random are drawn with the same seed in every measure, for
both players, so that a measure of the same strategies finds the same figures.

The value of the race of a tiny game is that of a linear program over all pairs of a secret and a tree (`exact_race`).
A tree matters only by its depths, and one that is nowhere faster than another and somewhere slower is never needed.
So for every state the lists of depths that can be reached there are made from those of the states after each guess,
without what is dominated. Over the pairs (s1, D1) of player 1 and (s2, D2) of player 2, in which player 1 wins where
D1[s2] <= D2[s1], the program is

    max v   such that   sum over pairs (s1, D1) of x(s1, D1) [D1[s2] <= D2[s1]] >= v for every pair (s2, D2).

Its duals are player 2's mix. It grows fast: for games of six secrets there are some hundred lists of depths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.costs import Costs
from oracular.errors import SettingsError
from oracular.games.game import Game
from oracular.search.trees import search
from oracular.solvers.race.values import WHOLE, RaceOpponent, Responder, different_trees, listed_depths
from oracular.solvers.regret_matching import matrix_game
from oracular.strategies.race import TREE_UNIT, RaceFigures, RaceMix, product_mix
from oracular.strategies.shipped import has_shipped, load
from oracular.strategies.tree import Tree, tree_of
from oracular.system.control import UNLIMITED, Control

SEED = 13
"""The others are drawn with this seed: the same measure gives the same figures."""

MOST_STATES = 20_000_000
"""The states that an exact search may look at for one own secret, before the gain is only measured."""


class Plans(NamedTuple):
    """For how many own secrets of a side trees are planned to deviate with.

    Attributes:
        best: for so many that did best with the trees that are known.
        random: for so many of the others, drawn at random.
        again: for so many of the best a second time, when all these are planned.
    """

    best: int = 50
    random: int = 50
    again: int = 10

    @property
    def secrets(self) -> int:
        """For how many different own secrets trees are planned, if there are so many."""
        return self.best + self.random


USUAL_PLANS, NO_PLANS = Plans(), Plans(0, 0, 0)
"""What figures are measured with unless said otherwise; and known trees alone, which is quick and tells less."""


def measure(
    first: RaceMix,
    second: RaceMix,
    more_trees: Sequence[Tree] = (),
    *,
    plans: Plans = USUAL_PLANS,
    control: Control[str] = UNLIMITED,
) -> RaceFigures:
    """Return what the best deviation found gains each side; `more_trees` are tried beside those of both mixes."""
    game = first.game
    depths = np.array([tree.depths() for tree in different_trees([*first.trees, *second.trees, *more_trees])])
    responder = Responder.fresh(game)
    seen_by_first, seen_by_second = RaceOpponent.of(second, moves_first=False), RaceOpponent.of(first, moves_first=True)
    best_first, exact = _best_deviation(game, seen_by_first, depths, responder, plans, _for_player(control, 1))
    best_second, exact_too = _best_deviation(game, seen_by_second, depths, responder, plans, _for_player(control, 2))
    chance = seen_by_first.chance_of(first)
    return RaceFigures(
        first_mover_wins=float(chance),
        epsilon_first=float(best_first - chance),
        epsilon_second=float(best_second - (1 - chance)),
        planned_secrets=min(plans.secrets, len(game.secrets)),
        exact=exact and exact_too,
    )


def _for_player(control: Control[str], player: int) -> Control[str]:
    return control.reporting(lambda text: f"player {player}: {text}")


def _best_deviation(
    game: Game,
    other: RaceOpponent,
    depths: NDArray[np.int32],
    responder: Responder,
    plans: Plans,
    control: Control[str],
) -> tuple[Fraction, bool]:
    """Return the chance to win of the best own secret with the best tree found, and whether no deviation is better."""
    control.report(f"every secret with {len(depths):,} trees")
    by_secret = other.values(depths).max(axis=1)
    best = by_secret.copy()

    def plan_for(secrets: NDArray[np.intp], what: str) -> None:
        for number, secret in enumerate(secrets.tolist(), 1):
            control.check()
            control.report(f"planning {what}, {number} of {len(secrets)}")
            own = np.zeros(len(best), dtype=np.int64)
            own[secret] = 1
            tree = responder.respond(other.costs(own), explorations=1, deadline=control.deadline)
            values = other.values(tree.depths()[None, :])[:, 0]
            np.maximum(best, values, out=best)

    order = np.argsort(-by_secret, kind="stable")
    top, rest = order[: plans.best], order[plans.best :]
    drawn = np.random.default_rng(SEED).permutation(rest)[: plans.random]
    plan_for(np.concatenate([top, drawn]), "trees")
    plan_for(np.argsort(-best, kind="stable")[: plans.again], "again")  # the planner knows the game by now
    exact = plans.secrets >= len(best)
    for number, secret in enumerate(np.argsort(-best, kind="stable").tolist() if exact else (), 1):
        control.report(f"searching all trees, {number} of {len(best)}")
        value, exact = _best_value(game, other, secret, int(best.max()), control)
        best[secret] = max(best[secret], value)
        if not exact:
            break
    return Fraction(int(best.max()), WHOLE), exact


def _best_value(game: Game, other: RaceOpponent, secret: int, known: int, control: Control[str]) -> tuple[int, bool]:
    """Return a chance that trees reach with an own secret, and whether none reaches more than that and what is known.

    A search ends at the first tree that is better than what is known, so there is another one after it.
    """
    own = np.zeros(len(game.secrets), dtype=np.int64)
    own[secret] = 1
    costs = other.secret_weights[:, None] * (TREE_UNIT - other.held_for(own))
    table = Costs.of_table(costs, np.maximum(other.secret_weights, 1))
    value = 0
    while True:
        target = WHOLE - max(known, value)
        found = search(game, table, target=target, states=MOST_STATES, control=control.silent())
        control.check()
        value = max(value, WHOLE - found.upper)
        if found.upper >= target:
            return value, found.lower >= target


def one_sided_mix(name: str) -> RaceMix | None:
    """Return the one-sided strategies that come with the package as a mix for the race, or None if there are none."""
    if not has_shipped(name):
        return None
    shipped = load(name)
    trees = [tree_of(oracle) for oracle in shipped.guesser.oracles]
    weights = np.array([float(weight) for weight in shipped.guesser.weights])
    return product_mix(shipped.game, shipped.hider.probabilities, trees, weights)


def figures_of(
    first: RaceMix,
    second: RaceMix,
    *,
    plans: Plans = USUAL_PLANS,
    control: Control[str] = UNLIMITED,
) -> RaceFigures:
    """Return all that is measured of race strategies, and of the one-sided ones beside them where they come with it.

    Where no tree is to be planned, the one-sided ones are left out.
    """
    game = first.game
    one_sided = None if game.own_lists or plans == NO_PLANS else one_sided_mix(game.name)
    others = [] if one_sided is None else list(one_sided.trees)
    race = measure(first, second, others, plans=plans, control=control)
    if one_sided is None:
        return race
    both = measure(
        one_sided,
        one_sided,
        [*first.trees, *second.trees],
        plans=plans,
        control=control.reporting(lambda text: f"one-sided strategies, {text}"),
    )
    return replace(
        race,
        one_sided_first_mover_wins=both.first_mover_wins,
        one_sided_epsilon_first=both.epsilon_first,
        one_sided_epsilon_second=both.epsilon_second,
        exact=race.exact and both.exact,
    )


MOST_SECRETS = 8
"""Larger games have too many trees."""

MOST_PAIRS = 5_000
"""The program has a row and a column for each pair of a secret and a list of depths: with more it would take too long
and too much memory."""


@dataclass(frozen=True, eq=False)
class ExactRace:
    """The equilibrium of a blind race: the value is player 1's chance to win.

    Attributes:
        depths: the lists of depths that trees can have and that no other dominates [lists, secrets].
        first: how likely each pair of player 1 is [secrets, lists].
        second: the same for player 2.
    """

    game: Game
    value: float
    depths: NDArray[np.int64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]


def exact_race(game: Game) -> ExactRace:
    """Return the value of the blind race of a tiny game, to about nine digits, with a strategy for each player."""
    if len(game.secrets) > MOST_SECRETS:
        raise SettingsError(
            f"{game.name} has {len(game.secrets):,} secrets: the race is solved exactly for at most {MOST_SECRETS}"
        )
    depths = np.array(sorted(listed_depths(game)), dtype=np.int64)
    secrets, lists = len(game.secrets), len(depths)
    if secrets * lists > MOST_PAIRS:
        raise SettingsError(
            f"{game.name} has {secrets * lists:,} pairs of a secret and a tree: the race is solved exactly for at most "
            f"{MOST_PAIRS:,}, so solve it in steps"
        )
    # player 1 with (s1, D1) against player 2 with (s2, D2), pairs in the order of secrets first
    wins = (depths.T[None, :, :, None] <= depths.T[:, None, None, :]).transpose(0, 2, 1, 3)
    matrix = wins.reshape(secrets * lists, secrets * lists).astype(np.float64)
    value, first, second = matrix_game(matrix)
    return ExactRace(game, value, depths, first.reshape(secrets, lists), second.reshape(secrets, lists))

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game
from oracular.responses.costed_search import CostedGame
from oracular.responses.deepening import exact_response
from oracular.responses.limits import SearchLimits
from oracular.solvers.race.values import WHOLE, RaceOpponent, Responder, different_trees
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


@dataclass(frozen=True)
class Deviation:
    """The best deviation found for a side.

    Attributes:
        secret: its own secret.
        chance: its chance to win.
        planned: whether its tree was planned or found by a search, and not known before.
        exact: whether no deviation is better.
    """

    secret: str
    chance: Fraction
    planned: bool
    exact: bool


@dataclass(frozen=True)
class Measured:
    """What was measured of a pair of mixes: player 1's chance, exact, and the best deviation found for each side."""

    chance: Fraction
    first: Deviation
    second: Deviation
    planned_secrets: int

    @property
    def exact(self) -> bool:
        """Whether no deviation of either side gains more."""
        return self.first.exact and self.second.exact

    @property
    def epsilon_first(self) -> float:
        """What player 1 gains by the best deviation found."""
        return float(self.first.chance - self.chance)

    @property
    def epsilon_second(self) -> float:
        """What player 2 gains by the best deviation found."""
        return float(self.second.chance - (1 - self.chance))


def measure(
    first: RaceMix,
    second: RaceMix,
    more_trees: Sequence[Tree] = (),
    *,
    plans: Plans = USUAL_PLANS,
    control: Control[str] = UNLIMITED,
) -> Measured:
    """Return what the best deviation found gains each side; `more_trees` are tried beside those of both mixes."""
    game = first.game
    depths = np.array([tree.depths() for tree in different_trees([*first.trees, *second.trees, *more_trees])])
    responder = Responder.fresh(game)
    seen_by_first, seen_by_second = RaceOpponent.of(second, moves_first=False), RaceOpponent.of(first, moves_first=True)
    by_first = _best_deviation(game, seen_by_first, depths, responder, plans, _for_player(control, 1))
    by_second = _best_deviation(game, seen_by_second, depths, responder, plans, _for_player(control, 2))
    return Measured(seen_by_first.chance_of(first), by_first, by_second, min(plans.secrets, len(game.secrets)))


def _for_player(control: Control[str], player: int) -> Control[str]:
    return control.reporting(lambda text: f"player {player}: {text}")


def _best_deviation(
    game: Game,
    other: RaceOpponent,
    depths: NDArray[np.int32],
    responder: Responder,
    plans: Plans,
    control: Control[str],
) -> Deviation:
    """Return the best own secret with the best tree found against the other's mix."""
    control.report(f"every secret with {len(depths):,} trees")
    by_secret = other.values(depths).max(axis=1)
    best, planned = by_secret.copy(), np.zeros(len(by_secret), dtype=bool)

    def plan_for(secrets: NDArray[np.intp], what: str) -> None:
        for number, secret in enumerate(secrets.tolist(), 1):
            control.check()
            control.report(f"planning {what}, {number} of {len(secrets)}")
            own = np.zeros(len(best), dtype=np.int64)
            own[secret] = 1
            tree = responder.respond(other.costs(own), explorations=1, deadline=control.deadline)
            values = other.values(tree.depths()[None, :])[:, 0]
            planned[values > best] = True
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
        planned[secret] |= value > best[secret]
        best[secret] = max(best[secret], value)
        if not exact:
            break
    place = int(best.argmax())
    return Deviation(game.secrets[place], Fraction(int(best[place]), WHOLE), bool(planned[place]), exact)


def _best_value(game: Game, other: RaceOpponent, secret: int, known: int, control: Control[str]) -> tuple[int, bool]:
    """Return a chance that trees reach with an own secret, and whether none reaches more than that and what is known.

    A search ends at the first tree that is better than what is known, so there is another one after it.
    """
    own = np.zeros(len(game.secrets), dtype=np.int64)
    own[secret] = 1
    costs = other.secret_weights[:, None] * (TREE_UNIT - other.held_for(own))
    costed = CostedGame(game, costs, np.maximum(other.secret_weights, 1))
    value = 0
    while True:
        target = WHOLE - max(known, value)
        found = exact_response(costed, SearchLimits(control.deadline, states=MOST_STATES, target=target))
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
    figures: dict[str, Any] = {}
    if one_sided is not None:
        both = measure(
            one_sided,
            one_sided,
            [*first.trees, *second.trees],
            plans=plans,
            control=control.reporting(lambda text: f"one-sided strategies, {text}"),
        )
        figures = {
            "one_sided_first_mover_wins": float(both.chance),
            "one_sided_epsilon_first": both.epsilon_first,
            "one_sided_epsilon_second": both.epsilon_second,
        }
    return RaceFigures(
        exact=race.exact and (one_sided is None or both.exact),
        first_mover_wins=float(race.chance),
        epsilon_first=race.epsilon_first,
        epsilon_second=race.epsilon_second,
        planned_secrets=race.planned_secrets,
        **figures,
    )

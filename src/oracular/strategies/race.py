"""Strategies for the blind race: both players hide a secret and guess the other's, and the first to find it wins.

Player 1 guesses first, so where they need d1 and d2 guesses player 1 wins if d1 <= d2. The race is *blind*: neither
side's guesses depend on what the other does. A pure strategy is then a pair: the own secret, and the tree to find the
other's with. A `RaceMix` is a mix of such pairs, drawn once a game: first the secret, then a tree from the mixture that
goes with this secret. Secrets that play the same mixture form a group.

Race strategies are kept in the file of a mixture of trees (`file.py`): all trees of both sides, by index, and beside
them in its first line the weights of secrets and trees of each side, and what was measured of them. Nothing of it is
believed: the trees are played through when they are read, and `oracular race GAME --show --verify` measures all figures
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.hider import Hider, draw_index
from oracular.strategies.oracle import Mixture
from oracular.strategies.tree import Tree
from oracular.system.checking import checked, frozen
from oracular.system.files import Real, Whole, quoted, read_as

SECRET_UNIT = 1 << 20
"""What the weights of the own secrets sum to."""

TREE_UNIT = 1 << 16
"""What the weights of the trees sum to that go with a secret."""


class RacePair(NamedTuple):
    """A pure strategy of the blind race: the own secret, and the tree that guesses the other's."""

    secret: str
    tree: Tree


@checked
@dataclass(frozen=True, eq=False)
class RaceMix:
    """One side's strategy in the blind race: a mix over pairs of an own secret and a tree.

    Attributes:
        secret_weights: how likely each own secret is, whole numbers that sum to `SECRET_UNIT` [secrets].
        trees: the trees that are played.
        group_of: the group that each own secret belongs to [secrets].
        tree_weights: how likely each tree is for the secrets of a group, whole numbers that sum to `TREE_UNIT` in
            every group [groups, trees].
    """

    game: Game
    secret_weights: NDArray[np.int64]
    trees: Sequence[Tree]
    group_of: NDArray[np.int64]
    tree_weights: NDArray[np.int64]

    def __post_init__(self) -> None:
        secrets, groups = len(self.game.secrets), len(self.tree_weights)
        shapes = ((secrets,), (secrets,), (groups, len(self.trees)))
        arrays = (self.secret_weights, self.group_of, self.tree_weights)
        if any(array.shape != shape or array.dtype != np.int64 for array, shape in zip(arrays, shapes, strict=True)):
            raise SettingsError(f"the arrays given are no strategy for the race of {self.game.name}: mend their shapes")
        if self.secret_weights.min() < 0 or self.secret_weights.sum() != SECRET_UNIT:
            raise SettingsError(f"the weights of the secrets must be 0 or more and sum to {SECRET_UNIT:,}: scale them")
        if not 0 <= self.group_of.min() <= self.group_of.max() < groups:
            raise SettingsError(f"a secret of {self.game.name} belongs to a group that there is not: mend the groups")
        if self.tree_weights.min() < 0 or (self.tree_weights.sum(axis=1) != TREE_UNIT).any():
            raise SettingsError(f"the weights of the trees must be 0 or more and sum to {TREE_UNIT:,}: scale them")
        for name, array in zip(("secret_weights", "group_of", "tree_weights"), arrays, strict=True):
            object.__setattr__(self, name, frozen(array))

    def __repr__(self) -> str:
        return f"RaceMix({self.game!r}, {np.count_nonzero(self.secret_weights)} secrets, {len(self.trees)} trees)"

    @cached_property
    def hider(self) -> Hider:
        """How likely each own secret is, whatever the tree: the marginal over secrets."""
        return Hider(self.game, self.secret_weights)

    def guesser(self, secret: str) -> Mixture:
        """Return the mixture of trees that goes with an own secret."""
        place = int(self.game.secret_of_guess[self.game.guess_index(secret)])
        if place < 0:
            raise SettingsError(f"{secret!r} is no secret of {self.game.name}: give one that may be hidden")
        weights = self.tree_weights[self.group_of[place]]
        chosen = np.flatnonzero(weights).tolist()
        return Mixture([self.trees[i] for i in chosen], weights[chosen].tolist())

    def draw(self, rng: np.random.Generator | None = None) -> RacePair:
        """Return an own secret and a tree to guess with, for a game against a person.

        The secret is never a word that may offend: see `Hider.draw`.
        """
        rng = rng or np.random.default_rng()
        return self._pair(self.hider.draw(rng), rng)

    def sample(self, rng: np.random.Generator | None = None) -> RacePair:
        """Return an own secret and a tree drawn from exactly this strategy, for simulations."""
        rng = rng or np.random.default_rng()
        return self._pair(self.hider.sample(rng), rng)

    def _pair(self, secret: str, rng: np.random.Generator) -> RacePair:
        """Return a secret with a tree that is drawn from those that go with it."""
        group = self.group_of[self.game.secrets.index(secret)]
        return RacePair(secret, self.trees[draw_index(self.tree_weights[group].tolist(), rng)])

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """How many guesses each tree takes for each secret [trees, secrets]."""
        return np.array([tree.depths() for tree in self.trees], dtype=np.int32)

    def probability(self, secret: str) -> float:
        """Return how likely an own secret is."""
        return self.hider.probability(secret)


def product_mix(game: Game, secret_weights: NDArray[Any], trees: Sequence[Tree], weights: NDArray[Any]) -> RaceMix:
    """Return the mix that draws secret and tree apart from each other, from weights of any size.

    Trees whose share rounds to nothing are left out.
    """
    shares = shared_out(weights, TREE_UNIT)
    kept = np.flatnonzero(shares).tolist()
    groups = np.zeros(len(game.secrets), np.int64)
    own = shared_out(secret_weights, SECRET_UNIT)
    return RaceMix(game, own, [trees[i] for i in kept], groups, shares[None, kept])


def shared_out(weights: NDArray[Any], unit: int) -> NDArray[np.int64]:
    """Return whole numbers in proportion to weights that sum to the unit exactly.

    All are rounded down, and the largest remainders are then rounded up, the first of equal ones first.
    """
    numbers = weights.astype(np.float64)
    parts = numbers / float(weights.sum()) * unit
    whole = np.floor(parts).astype(np.int64)
    missing = unit - int(whole.sum())
    order = np.argsort(whole - parts, kind="stable")
    for place in range(abs(missing)):  # one each, a second round where floats were that far off
        whole[order[place % len(order)]] += 1 if missing > 0 else -1
    return whole


RACE_ENDING = ".race"

BLIND = "blind race"
"""What every output calls it: neither side's guesses depend on the other's."""

Weight: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 32)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
"""A weight or an index in a file; a chance, or what a deviation gains, which is not below 0."""


@checked
@dataclass(frozen=True)
class RaceFigures:
    """What was measured of race strategies; unless the epsilons are exact, a better deviation may gain more.

    Attributes:
        first_mover_wins: player 1's chance to win, exact for these strategies.
        epsilon_first: what player 1 gains by the best deviation found.
        epsilon_second: the same for player 2.
        one_sided_first_mover_wins: player 1's chance where both play the one-sided strategies that come with the
            package; None where there are none.
        one_sided_epsilon_first: what player 1 gains by the best deviation found where both play them.
        one_sided_epsilon_second: the same for player 2.
        planned_secrets: for how many own secrets of each side a tree was planned to deviate with; where it is 0, only
            the trees of the strategies were tried.
        exact: whether all epsilons are exact: no deviation gains more.
    """

    first_mover_wins: Share
    epsilon_first: Share
    epsilon_second: Share
    one_sided_first_mover_wins: Share | None = None
    one_sided_epsilon_first: Share | None = None
    one_sided_epsilon_second: Share | None = None
    planned_secrets: Whole = 0
    exact: bool = False

    @property
    def epsilon(self) -> float:
        """The larger of the two players' epsilons."""
        return max(self.epsilon_first, self.epsilon_second)


@checked
@dataclass(frozen=True, eq=False)
class RaceStrategies:
    """A strategy for each player of the blind race.

    Attributes:
        first: what player 1 plays, who moves first.
        second: what player 2 plays.
        recorded: what was measured of them: by this call, or as a file says.
        made_by: how they were made.
        history: how the solver came along: (step, first mover's chance, epsilon of player 1, epsilon of player 2).
    """

    game: Game
    first: RaceMix
    second: RaceMix
    recorded: RaceFigures
    made_by: dict[str, Any]
    history: list[list[float]] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"RaceStrategies({self.game!r}, first mover wins {self.recorded.first_mover_wins:.4f})"


class _Mix(TypedDict):
    """A mix as plain data: weights of secrets, their groups, and of each group (tree, weight) in turn."""

    secrets: list[Weight]
    groups: list[Weight]
    trees: list[list[Weight]]


class _Race(TypedDict):
    """What the first line of a file says."""

    race: Literal["blind race"]
    first: _Mix
    second: _Mix
    figures: RaceFigures
    made_by: dict[str, Any]
    history: list[Annotated[list[Real], Meta(min_length=4, max_length=4)]]


def has_race(name: str) -> bool:
    """Tell whether race strategies for the game of this name come with the package."""
    return files("oracular.strategies.data").joinpath(f"{name}{RACE_ENDING}").is_file()


def race_games() -> list[str]:
    """Return the games for which race strategies come with the package."""
    names = [entry.name for entry in files("oracular.strategies.data").iterdir()]
    return sorted(name.removesuffix(RACE_ENDING) for name in names if name.endswith(RACE_ENDING))


@checked
def load_race(name: str) -> RaceStrategies:
    """Return the strategies for the blind race of a game that come with the package, such as `jotto-5`."""
    game = game_of_name(name)
    if not has_race(game.name):
        raise UnknownGameError(
            f"no strategies for the blind race of {quoted(name)} come with the package: choose one of "
            f"{', '.join(race_games())}, or solve it with 'oracular race {game.name}'"
        )
    return _loaded(game.name)


@cache
def _loaded(name: str) -> RaceStrategies:
    with as_file(files("oracular.strategies.data").joinpath(f"{name}{RACE_ENDING}")) as path:
        return read_race(path, game_of_name(name))


def write_race(path: Path, race: RaceStrategies) -> int:
    """Write race strategies to a file and return its size in bytes."""
    if race.game.symmetries and any(tree.fallback is not None for tree in race.first.trees):
        raise SettingsError(f"strategies of {race.game.name} are played under symmetries: they cannot be written")
    trees = {tree.guesses.tobytes(): tree for mix in (race.first, race.second) for tree in mix.trees}
    order = {key: place for place, key in enumerate(sorted(trees))}  # the order that trees have in the file
    facts = {
        "race": BLIND,
        "first": _written(race.first, order),
        "second": _written(race.second, order),
        "figures": vars(race.recorded),
        "made_by": race.made_by,
        "history": race.history,
    }
    return save_mixture(path, race.game, [trees[key] for key in order], [1] * len(order), facts)


def _written(mix: RaceMix, order: dict[bytes, int]) -> _Mix:
    """Return a mix as plain data."""
    places = np.array([order[tree.guesses.tobytes()] for tree in mix.trees])
    rows = []
    for weights in mix.tree_weights:
        chosen = np.flatnonzero(weights)
        chosen = chosen[np.argsort(places[chosen], kind="stable")]
        rows.append(np.stack([places[chosen], weights[chosen]], axis=1).ravel().tolist())
    groups = mix.group_of.tolist() if len(rows) > 1 else []
    return {"secrets": mix.secret_weights.tolist(), "groups": groups, "trees": rows}


def read_race(path: Path, game: Game) -> RaceStrategies:
    """Return the race strategies that a file holds."""
    mixture, facts = load_mixture(path, game)
    try:
        race: _Race = read_as(_Race, facts)
        figures = replace(race["figures"])  # msgspec leaves out fields with defaults
        one_sided = [value for name, value in vars(figures).items() if name.startswith("one_sided")]
        if None in one_sided and any(value is not None for value in one_sided):
            raise ValueError("some figures of the one-sided strategies without the others")
        trees = [tree for tree in mixture.oracles if isinstance(tree, Tree)]
        return RaceStrategies(
            game=game,
            first=_mix_of(race["first"], game, trees),
            second=_mix_of(race["second"], game, trees),
            recorded=figures,
            made_by=race["made_by"],
            history=race["history"],
        )
    except RunError:
        raise
    except (TypeError, ValueError):
        raise RunError(f"{quoted(path)} is damaged or holds no strategies for the race: get it again") from None


def _mix_of(data: _Mix, game: Game, trees: list[Tree]) -> RaceMix:
    """Return the mix that `_written` wrote, or raise `ValueError`; trees that it does not play are left out."""
    rows, secrets = data["trees"], len(game.secrets)
    groups = np.array(data["groups"] if len(rows) > 1 else [0] * secrets, dtype=np.int64)
    if not 1 <= len(rows) <= secrets or groups.max(initial=0) > secrets:
        raise ValueError("too many groups")
    weights = np.zeros((len(rows), len(trees)), dtype=np.int64)
    for group, row in enumerate(rows):
        numbers = np.array(row, dtype=np.int64)
        if len(numbers) % 2 or (numbers[::2] >= len(trees)).any() or len(set(numbers[::2].tolist())) * 2 < len(numbers):
            raise ValueError("trees that there are not, or twice")
        weights[group, numbers[::2]] = numbers[1::2]
    used = np.flatnonzero(weights.any(axis=0))
    hidden = np.array(data["secrets"], dtype=np.int64)
    return RaceMix(game, hidden, [trees[i] for i in used], groups, np.ascontiguousarray(weights[:, used]))

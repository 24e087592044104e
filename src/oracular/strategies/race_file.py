"""Race strategies in one small file, and those that come with the package.

The file is that of a mixture of trees (`file.py`): all trees of both sides, by index, and beside them in its first line
the weights of secrets and trees of each side, and what was measured of them. Nothing of it is believed: the trees are
played through when they are read, and `oracular race GAME --show --verify` measures all figures again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

import numpy as np
from msgspec import Meta

from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.race import RaceMix
from oracular.strategies.tree import Tree
from oracular.system.checking import checked
from oracular.system.files import Real, Whole, quoted, read_as

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

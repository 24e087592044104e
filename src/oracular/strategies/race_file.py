"""Race strategies in one small file, and those that come with the package.

The file is that of a mixture of trees (`file.py`): all trees of both sides, by index, and beside them in its first line
the weights of secrets and trees of each side, and what was measured of them. Nothing of it is believed: the trees are
played through when they are read, and `oracular race GAME --show --verify` measures all figures again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracular.errors import RunError, SettingsError, UnknownGameError
from oracular.games.game import Game
from oracular.games.names import game as game_of_name
from oracular.strategies.file import load_mixture, save_mixture
from oracular.strategies.race import SECRET_UNIT, TREE_UNIT, RaceMix
from oracular.strategies.tree import Tree
from oracular.system.checking import checked
from oracular.system.files import check_list, check_number, check_object, check_whole, quoted

RACE_ENDING = ".race"

BLIND = "blind race"
"""What every output calls it: neither side's guesses depend on the other's."""


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

    first_mover_wins: float
    epsilon_first: float
    epsilon_second: float
    one_sided_first_mover_wins: float | None = None
    one_sided_epsilon_first: float | None = None
    one_sided_epsilon_second: float | None = None
    planned_secrets: int = 0
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


def _written(mix: RaceMix, order: dict[bytes, int]) -> dict[str, Any]:
    """Return a mix as plain data: weights of secrets, their groups, and of each group (tree, weight) in turn."""
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
        check_object(facts, "the race", ("race", "first", "second", "figures", "made_by", "history"))
        if facts["race"] != BLIND:
            raise ValueError("another race")
        trees = [tree for tree in mixture.oracles if isinstance(tree, Tree)]
        return RaceStrategies(
            game=game,
            first=_read_mix(facts["first"], game, trees),
            second=_read_mix(facts["second"], game, trees),
            recorded=_read_figures(facts["figures"]),
            made_by=check_object(facts["made_by"], "made_by", ()),
            history=[_read_row(row) for row in check_list(facts["history"], "the history")],
        )
    except RunError:
        raise
    except (TypeError, ValueError):
        raise RunError(f"{quoted(path)} is damaged or holds no strategies for the race: get it again") from None


def _read_mix(data: Any, game: Game, trees: list[Tree]) -> RaceMix:
    """Return the mix that `_written` wrote, or raise `ValueError`; trees that it does not play are left out."""
    check_object(data, "a mix", ("secrets", "groups", "trees"))
    secrets = _whole(data["secrets"], SECRET_UNIT)
    rows = check_list(data["trees"], "the trees")
    groups = _whole(data["groups"], len(game.secrets)) if len(rows) > 1 else np.zeros(len(game.secrets), np.int64)
    if not 1 <= len(rows) <= len(game.secrets):
        raise ValueError("too many groups")
    weights = np.zeros((len(rows), len(trees)), dtype=np.int64)
    for group, row in enumerate(rows):
        numbers = _whole(row, max(TREE_UNIT, len(trees)))
        if len(numbers) % 2 or (numbers[::2] >= len(trees)).any() or len(set(numbers[::2].tolist())) * 2 < len(numbers):
            raise ValueError("trees that there are not, or twice")
        weights[group, numbers[::2]] = numbers[1::2]
    used = np.flatnonzero(weights.any(axis=0))
    return RaceMix(game, secrets, [trees[i] for i in used], groups, np.ascontiguousarray(weights[:, used]))


def _whole(numbers: Any, most: int) -> NDArray[np.int64]:
    """Return a list of whole numbers from 0 as an array, or raise `ValueError`."""
    for number in check_list(numbers, "a list of weights"):
        check_whole(number, "a weight", 0, most)
    return np.array(numbers, dtype=np.int64)


def _read_figures(data: Any) -> RaceFigures:
    """Return the figures of a file, or raise `ValueError`."""
    names = [entry.name for entry in fields(RaceFigures)]
    check_object(data, "the figures", [name for name in names if name != "exact"])
    figures: dict[str, Any] = {"exact": data.get("exact", False)}  # earlier versions had no exact figures
    if type(figures["exact"]) is not bool:
        raise ValueError("exact is neither true nor false")
    for entry in fields(RaceFigures):
        if entry.name == "exact":
            continue
        value = data[entry.name]
        if entry.name == "planned_secrets":
            figures[entry.name] = check_whole(value, entry.name, 0, 1 << 31)
        elif value is None and entry.name.startswith("one_sided"):
            figures[entry.name] = None
        else:  # chances, and what is gained by a deviation: playing on as before is one, so that it is not below 0
            figures[entry.name] = check_number(value, entry.name, 0, 1)
    if len({figures[name] is None for name in figures if name.startswith("one_sided")}) > 1:
        raise ValueError("some figures of the one-sided strategies without the others")
    return RaceFigures(**figures)


def _read_row(row: Any) -> list[float]:
    """Return one line of the history, or raise `ValueError`."""
    if len(check_list(row, "a row")) != 4:
        raise ValueError("a row of another length")
    return [check_number(number, "a figure") for number in row]

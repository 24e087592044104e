"""A search over all openings on disk: a folder in which it can be resumed, and verified by itself.

    response-hider.json   the hider: the game, its words if they are custom, and the weights
    response.json         the best tree known, whether the search found it, and whether planning had ended
    response-bounds.json  the bound of each opening (`search/lower_bound.py`)
    response.lock         held by the process that searches

Each of the first three is replaced as a whole, with a checksum in its first line. A checksum shows damage and proves
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import numpy as np

from oracular.costs import Costs
from oracular.errors import OracularError, RunError, SettingsError, UnknownGameError
from oracular.games.names import game as game_of_name
from oracular.games.names import present_name
from oracular.games.words import checked_words
from oracular.runs.folder import locked_folder
from oracular.strategies.hider import Hider
from oracular.strategies.tree import Tree
from oracular.system import files
from oracular.system.files import Whole, quoted

HIDER, TREE, BOUNDS = "response-hider.json", "response.json", "response-bounds.json"
LOCK = "response.lock"

AGAIN = "call 'oracular respond' again with the same game and folder, which writes it"
"""How a file with the hider of a search is read back."""


class _Hider(TypedDict):
    """The hider of a search, as plain data."""

    game: str
    words_sha256: str
    own_lists: dict[Literal["words", "secrets", "guesses"], list[str]]
    weights: list[int]


class _Tree(TypedDict):
    """A tree that a folder keeps, as plain data."""

    weights_sha256: str
    found: int | None
    planned: NotRequired[bool]
    tree: list[Whole]


class KeptTree(NamedTuple):
    """The tree that a folder keeps.

    Attributes:
        found: the opening that was proved to begin it, where a search found it; else None.
        planned: whether planning had come to its end.
    """

    tree: Tree
    found: int | None
    planned: bool


def is_search(folder: Path) -> bool:
    """Return whether a folder holds a search, be it damaged."""
    return any(files.is_file(folder / name) for name in (HIDER, BOUNDS))


def write_hider(folder: Path, hider: Hider) -> None:
    """Write the hider of a search, unless the folder has it already; raise an error if it has another."""
    try:
        kept = _read(folder / HIDER)
    except FileNotFoundError:
        _write(folder / HIDER, _of_hider(hider))
        return
    except (ValueError, TypeError):
        raise _damaged_hider(folder) from None
    if kept != _of_hider(hider):
        raise another_hider(folder)


def read_hider(folder: Path) -> Hider:
    """Return the hider of the search in a folder, in the game that it names and with the words that it stores."""
    path = folder / HIDER
    try:
        data: _Hider = files.read_as(_Hider, _read(path))
        name, weights = data["game"], data["weights"]
        words: dict[str, tuple[str, ...]] = {key: checked_words(one, key) for key, one in data["own_lists"].items()}
    except FileNotFoundError:
        raise RunError(f"{quoted(path)} is missing, which says what the search is of: restore it, or {AGAIN}") from None
    except (ValueError, TypeError):
        raise _damaged_hider(folder) from None
    try:
        game = game_of_name(present_name(name, data["words_sha256"], words), **words)
        if game.words_sha256 != data["words_sha256"]:
            raise UnknownGameError("other words")
    except UnknownGameError:
        raise RunError(
            f"{quoted(folder)} is a search in a game of one's own, {quoted(name)}, or with other words than the "
            "installed ones: search again where that game is, in a new folder"
        ) from None
    except OracularError:
        raise _damaged_hider(folder) from None
    try:
        hider = Hider(game, np.array(weights, dtype=object))
        Costs.mean(hider.weights)  # refuses weights that are too large
    except SettingsError:
        raise _damaged_hider(folder) from None
    return hider


def _of_hider(hider: Hider) -> dict[str, Any]:
    """Return a hider as plain data."""
    game = hider.game
    return {
        "game": game.name,
        "words_sha256": game.words_sha256,
        "own_lists": {name: list(words) for name, words in game.own_lists.items()},
        "weights": hider.weights.tolist(),
    }


def write_tree(folder: Path, hider: Hider, kept: KeptTree) -> None:
    """Replace the tree that a folder keeps."""
    from oracular.search.lower_bound import weights_sha256

    data = {
        "weights_sha256": weights_sha256(hider),
        "found": kept.found,
        "planned": kept.planned,
        "tree": kept.tree.guesses.tolist(),
    }
    _write(folder / TREE, data)


def read_tree(folder: Path, hider: Hider) -> KeptTree | None:
    """Return the tree that a folder keeps, or None without a file.

    Earlier versions kept no tree of a planning that was cut short, and said nothing of it.
    """
    from oracular.search.lower_bound import weights_sha256

    path = folder / TREE
    try:
        data: _Tree = files.read_as(_Tree, _read(path))
        found, numbers = data["found"], data["tree"]
    except FileNotFoundError:
        return None
    except ValueError:
        raise _damaged_tree(path) from None
    if data["weights_sha256"] != weights_sha256(hider):
        raise another_hider(folder)
    try:
        if max(numbers, default=0) >= len(hider.game.guesses):
            raise ValueError("no guesses")
        tree = Tree(hider.game, np.array(numbers, dtype=np.int32))
        first = tree.guess(hider.game.all_secrets)
        tree.depths()
        if found is not None and found != first:
            raise ValueError("another opening")
    except (ValueError, SettingsError):
        raise _damaged_tree(path) from None
    return KeptTree(tree, found, data.get("planned", True))


def another_hider(folder: Path) -> RunError:
    """Return the error for a folder whose search, or part of it, is against another hider."""
    return RunError(
        f"{quoted(folder)} holds the search of another game or against another hider: give another folder, or restore "
        "this one from a copy"
    )


def _damaged_hider(folder: Path) -> RunError:
    return RunError(f"{quoted(folder / HIDER)} is damaged or was edited: remove it, then {AGAIN}")


def _damaged_tree(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is damaged or was edited: remove it to begin again")


def _read(path: Path) -> Any:
    """Return what a file of a search holds, or raise `ValueError`, or `FileNotFoundError` where it is missing."""
    from oracular.system.files import MOST_SEALED_BYTES, unsealed

    try:
        return unsealed(files.read_bytes(path, MOST_SEALED_BYTES))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise RunError(f"{quoted(path)} cannot be read ({error.strerror}): fix that, then try again") from None


def _write(path: Path, data: dict[str, Any]) -> None:
    """Replace a file of a search as a whole."""
    from oracular.system.files import not_written, sealed

    try:
        files.write_whole(path, sealed(data))
    except OSError as error:
        raise not_written(path, error) from None


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Make the folder where it is missing, and hold its lock, or raise an error where that cannot be."""
    from oracular.system.files import not_written

    try:
        folder.mkdir(parents=True, exist_ok=True)
        strange = {path.name for path in folder.iterdir() if files.final_name(path.name) is None}
    except OSError as error:
        raise not_written(folder, error) from None
    if strange and not strange & {HIDER, TREE, BOUNDS, LOCK}:
        raise RunError(f"{quoted(folder)} holds something else than a search: give a new folder")
    with locked_folder(folder, LOCK, "response", f"another process is working on the search in {quoted(folder)}"):
        yield

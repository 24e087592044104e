"""A mixture of trees in one small file: guesses by index, weights as whole numbers, the word list's hash, no words.

The file is a line of JSON and a compressed body. The body holds, for all trees one after another, first the codes of
the states of two and three secrets (four to a byte), then the guesses of all other states (two bytes each); see
`kernels/trees.py`. The line says how many of each a tree has. Depths are not kept: they follow from the trees.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypedDict

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from oracular.errors import RunError, SettingsError
from oracular.games.game import Game
from oracular.games.names import present_name
from oracular.strategies.oracle import MadeWhenAsked, Mixture
from oracular.strategies.tree import Tree
from oracular.system import files
from oracular.system.files import Whole, quoted, read_as

FORMAT = 1

MOST_BYTES = 1 << 28
"""A strategy's file is no larger than this, and its trees, unpacked, no larger than four times as much."""

LARGEST_WEIGHT = 1 << 2048
"""The weights of a tree are below this: those of an exact equilibrium have tens of digits."""

MEMORY_TO_UNPACK = 1 << 28
"""What unpacking may take by itself; the strongest compression takes a quarter of it."""


def save_mixture(path: Path, game: Game, trees: Sequence[Tree], weights: Sequence[int], facts: dict[str, Any]) -> int:
    """Return the size in bytes of the file that now holds the mixture; trees of weight zero are left out."""
    from oracular.kernels.trees import pack_tree

    chosen = [(tree, int(weight)) for tree, weight in zip(trees, weights, strict=True) if weight > 0]
    chosen.sort(key=lambda pair: pair[0].guesses.tobytes())  # trees that begin alike side by side pack better
    all_codes, all_written, lengths = [], [], []
    for tree, _ in chosen:
        codes, written, whole = pack_tree(game.table, game.found, game.guess_of_secret, tree.guesses)
        if not whole:
            raise tree.not_whole
        all_codes.append(codes)
        all_written.append(written)
        lengths.append([len(codes), len(written)])
    flat = np.concatenate(all_codes)
    flat = np.concatenate([flat, np.zeros(-len(flat) % 4, np.uint8)]).reshape(-1, 4)
    quarters = flat[:, 0] | flat[:, 1] << 2 | flat[:, 2] << 4 | flat[:, 3] << 6
    guesses = np.concatenate(all_written).astype("<u2")
    body = lzma.compress(quarters.tobytes() + guesses.tobytes(), preset=9)
    head = {
        "format": FORMAT,
        "game": game.name,
        "words_sha256": game.words_sha256,
        "weights": [weight for _, weight in chosen],
        "lengths": lengths,
        "facts": facts,
    }
    data = json.dumps(head, separators=(",", ":")).encode() + b"\n" + body
    files.write_whole(path, data)
    return len(data)


Count: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 20)]
"""How many codes or guesses a tree has."""


class Head(TypedDict):
    """What the first line of a file says."""

    format: Whole
    game: str
    words_sha256: str
    weights: list[int]
    lengths: list[Annotated[list[Count], Meta(min_length=2, max_length=2)]]
    facts: dict[str, Any]


@dataclass(frozen=True, eq=False)
class PackedTrees(MadeWhenAsked[Tree]):
    """The trees of a file, each unpacked when it is asked for.

    The codes and the written-out guesses of all trees stand one after another; `ends` [trees, 2] tells them apart.
    """

    game: Game
    codes: NDArray[np.uint8]
    written: NDArray[np.uint16]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def made(self, index: int) -> Tree:
        """Return a tree, or say that the file is damaged."""
        from oracular.kernels.trees import unpack_tree

        game = self.game
        begin = self.ends[index - 1] if index else np.zeros(2, np.int64)
        codes, written = self.codes[begin[0] : self.ends[index, 0]], self.written[begin[1] : self.ends[index, 1]]
        guesses, depths, whole = unpack_tree(game.table, game.found, game.guess_of_secret, codes, written)
        if not whole:
            raise RunError(f"tree {index} of the strategy of {game.name} is damaged: get the file again")
        if game.guessing.is_any:
            return Tree.with_depths(game, guesses, depths)
        tree = Tree(game, guesses)
        try:
            tree.depths()
        except SettingsError as error:
            raise RunError(
                f"tree {index} of the strategy of {game.name} is none ({error}): get the file again"
            ) from None
        return tree


def load_mixture(path: Path, game: Game) -> tuple[Mixture, dict[str, Any]]:
    """Return the mixture that a file holds, and the facts that were kept with it."""
    head, body = read_head(path)
    if head["game"] != game.name or head["words_sha256"] != game.words_sha256:
        raise RunError(
            f"{quoted(path)} is for {quoted(head['game'])} with its own word list, not for this {game.name}: "
            "give a file of this game"
        )
    try:
        weights = head["weights"]
        if not any(weights) or not all(0 <= weight < LARGEST_WEIGHT for weight in weights):
            raise ValueError("no weights")
        if len(head["lengths"]) != len(weights):
            raise ValueError("other lengths than weights")
        ends = np.cumsum(np.array(head["lengths"], dtype=np.int64), axis=0)
        coded, spelt = int(ends[-1, 0]), int(ends[-1, 1])
        if coded + spelt > 2 * MOST_BYTES:
            raise ValueError("too much to unpack")
        data = _unpacked_body(body, (coded + 3) // 4 + 2 * spelt)
    except (ValueError, EOFError, lzma.LZMAError):
        raise _damaged(path) from None
    quarters = np.frombuffer(data, np.uint8, (coded + 3) // 4)
    codes = np.stack([quarters >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).reshape(-1)[:coded]
    written = np.frombuffer(data, "<u2", offset=len(quarters)).astype(np.uint16)
    return Mixture(PackedTrees(game, codes, written, ends), weights), head["facts"]


def read_head(path: Path) -> tuple[Head, bytes]:
    """Return what the first line of a strategy's file says, its types checked, and the rest of the file."""
    try:
        line, body = files.read_bytes(path, MOST_BYTES).split(b"\n", 1)
        head = files.parse_json(line)
    except OSError as error:
        raise RunError(f"strategy {quoted(path)} cannot be read ({error.strerror}): give a strategy's file") from None
    except ValueError:
        raise _damaged(path) from None
    its_format = head.get("format") if isinstance(head, dict) else None
    if type(its_format) is int and its_format != FORMAT:
        raise RunError(f"{quoted(path)} is of format {its_format}: this version reads {FORMAT}, get a newer one")
    try:
        read: Head = read_as(Head, head)
    except ValueError:
        raise _damaged(path) from None
    read["game"] = present_name(read["game"], read["words_sha256"])
    return read, body


def _unpacked_body(body: bytes, length: int) -> bytes:
    """Return the body unpacked, or raise an error where it does not come to just that length."""
    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MEMORY_TO_UNPACK)
    data = unpacker.decompress(body, max_length=length + 1)
    if len(data) == length and not unpacker.eof:
        data += unpacker.decompress(b"", max_length=1)  # the end may be still to come
    if len(data) != length or not unpacker.eof or unpacker.unused_data:
        raise ValueError("another length")
    return data


def _damaged(path: Path) -> RunError:
    return RunError(f"{quoted(path)} is damaged or no strategy: get it again")

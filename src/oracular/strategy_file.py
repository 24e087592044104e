"""A mixture of trees in one small file: guesses by index, weights as whole numbers, the word list's hash, no words.

The file is a line of JSON and a compressed body. The body holds, for all trees one after another, first the codes of
the states of two and three secrets (four to a byte), then the guesses of all other states (two bytes each); see
`kernels.tree_codec`. The line says how many of each a tree has. Depths are not kept: they follow from the trees.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from oracular.compact_tree import CompactTree
from oracular.errors import RunError, SettingsError
from oracular.game import Game
from oracular.strategy import Mixture

FORMAT = 1


def save_mixture(
    path: Path, game: Game, trees: Sequence[CompactTree], weights: Sequence[int], facts: dict[str, Any]
) -> int:
    """Return the size in bytes of the file that now holds the mixture; trees of weight zero are left out."""
    from oracular.kernels.tree_codec import pack_tree

    chosen = [(tree, int(weight)) for tree, weight in zip(trees, weights, strict=True) if weight > 0]
    chosen.sort(key=lambda pair: pair[0].guesses.tobytes())  # trees that begin alike side by side pack better
    codes, written = np.zeros(2 * len(game.secrets), np.uint8), np.zeros(2 * len(game.secrets), np.uint16)
    all_codes, all_written, lengths = [], [], []
    for tree, _ in chosen:
        coded, spelt = pack_tree(game.by_secret, game.guess_of_secret, game.found, tree.guesses, codes, written)
        if coded < 0:
            raise SettingsError(f"{len(tree.guesses)} guesses are no tree of {game.name}: give one for each state")
        all_codes.append(codes[:coded].copy())
        all_written.append(written[:spelt].copy())
        lengths.append([int(coded), int(spelt)])
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
    path.write_bytes(data)
    return len(data)


@dataclass(frozen=True, eq=False)
class PackedTrees(Sequence[CompactTree]):
    """The trees of a file, each unpacked when it is asked for.

    Attributes:
        game: the game they play.
        codes: the codes of all trees [codes].
        written: the written-out guesses of all trees [guesses].
        ends: where each tree's codes and guesses end [trees, 2].
    """

    game: Game
    codes: NDArray[np.uint8]
    written: NDArray[np.uint16]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, index: int) -> CompactTree: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[CompactTree]: ...
    def __getitem__(self, index: int | slice) -> CompactTree | Sequence[CompactTree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"tree {index} of {len(self)}")
        return CompactTree(self.game, self._unpacked(index % len(self))[0])

    def __iter__(self) -> Iterator[CompactTree]:
        return (self[index] for index in range(len(self)))

    def _unpacked(self, index: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return a tree's guesses [states] and depths [secrets]."""
        from oracular.kernels.tree_codec import unpack_tree

        game = self.game
        begin = self.ends[index - 1] if index else np.zeros(2, np.int64)
        codes, written = self.codes[begin[0] : self.ends[index, 0]], self.written[begin[1] : self.ends[index, 1]]
        guesses = np.zeros(len(codes) + len(written), np.int32)
        depths = np.zeros(len(game.secrets), np.int32)
        used = unpack_tree(game.by_secret, game.guess_of_secret, game.found, codes, written, guesses, depths)
        if used < 0:
            raise RunError(f"tree {index} of the strategy of {game.name} is damaged: get the file again")
        return guesses[:used], depths

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """How many guesses each tree takes for each secret, worked out from the trees alone [trees, secrets]."""
        return np.array([self._unpacked(index)[1] for index in range(len(self))])


def load_mixture(path: Path, game: Game) -> tuple[Mixture, dict[str, Any]]:
    """Return the mixture that a file holds, and the facts that were kept with it."""
    try:
        line, body = path.read_bytes().split(b"\n", 1)
        head = json.loads(line)
        if head["format"] != FORMAT:
            raise RunError(f"{str(path)!r} is of format {head['format']}: this version reads {FORMAT}")
        ends = np.cumsum(np.array(head["lengths"], dtype=np.int64), axis=0)
        data = lzma.decompress(body)
    except (OSError, ValueError, KeyError, TypeError, lzma.LZMAError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{str(path)!r} is damaged or no strategy: get it again") from None
    if head["game"] != game.name or head["words_sha256"] != game.words_sha256:
        raise RunError(f"{str(path)!r} is for {head['game']} with its own word list, not for this {game.name}")
    coded = int(ends[-1, 0])
    quarters = np.frombuffer(data, np.uint8, (coded + 3) // 4)
    codes = np.stack([quarters >> shift & 3 for shift in (0, 2, 4, 6)], axis=1).reshape(-1)[:coded]
    written = np.frombuffer(data, "<u2", offset=len(quarters)).astype(np.uint16)
    return Mixture(PackedTrees(game, codes, written, ends), head["weights"]), head["facts"]

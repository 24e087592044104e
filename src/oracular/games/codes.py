"""What Mastermind and Bulls and Cows share: codes of pegs, answered by black and white pegs.

A black peg for each place where guess and secret agree; a white one for each further colour they share. The answer is
written `black.white`: `1122:1.2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from oracular.games.game import Game, Indices, Symmetry, Words

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
ROWS_A_BLOCK = 256


@dataclass(frozen=True, eq=False)
class BlackAndWhite:
    """Answers codes by black and white pegs.

    Attributes:
        codes: the codes by the index of each peg's symbol, uint8 [codes, pegs].
        symbols: the symbols in play.
        code_of: the answer's index for each (black, white), uint8 [pegs + 1, pegs + 1].
        takes: what the game takes as a code, for people.
    """

    codes: NDArray[np.uint8]
    symbols: str
    code_of: NDArray[np.uint8]
    takes: str

    @cached_property
    def _counts(self) -> NDArray[np.uint8]:
        """How often each symbol stands in each code [codes, symbols]."""
        return np.stack(
            [(self.codes == symbol).sum(axis=1, dtype=np.uint8) for symbol in range(len(self.symbols))], axis=1
        )

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        result = np.empty((len(guesses), len(secrets)), dtype=np.uint8)
        for start in range(0, len(guesses), ROWS_A_BLOCK):
            rows = guesses[start : start + ROWS_A_BLOCK]
            black = np.zeros((len(rows), len(secrets)), dtype=np.uint8)
            for peg in range(self.codes.shape[1]):
                black += self.codes[rows, None, peg] == self.codes[secrets, peg]
            shared = np.zeros_like(black)
            for symbol in range(len(self.symbols)):
                shared += np.minimum(self._counts[rows, None, symbol], self._counts[secrets, symbol])
            result[start : start + ROWS_A_BLOCK] = self.code_of[black, shared - black]
        return result

    def refusal(self, word: str) -> str:
        """Return why a text is not a code of this game."""
        return f"is not a code: {self.takes}"


def peg_labels(pegs: int) -> tuple[str, ...]:
    """Return every answer as text; all pegs but one black and that one white cannot be."""
    return tuple(
        f"{black}.{white}"
        for black in range(pegs + 1)
        for white in range(pegs + 1 - black)
        if (black, white) != (pegs - 1, 1)
    )


def code_game(name: str, codes: Words, symbols: str, takes: str, kind: str, reading: str) -> Game:
    """Return the game of these codes, whose symbols and places may be permuted without changing it."""
    pegs = len(codes[0])
    labels = peg_labels(pegs)
    code_of = np.zeros((pegs + 1, pegs + 1), dtype=np.uint8)
    for index, label in enumerate(labels):
        black, white = label.split(".")
        code_of[int(black), int(white)] = index
    places = {symbol: index for index, symbol in enumerate(symbols)}
    digits = np.array([[places[symbol] for symbol in code] for code in codes], dtype=np.uint8)
    return Game(
        name=name,
        secrets=codes,
        guesses=codes,
        labels=labels,
        found=labels.index(f"{pegs}.0"),
        rules=BlackAndWhite(digits, symbols, code_of, takes),
        symmetries=tuple(_symmetries(codes, symbols)),
        draw_symmetry=lambda rng: _draw_symmetry(codes, symbols, rng),
        kind=kind,
        reading=reading,
    )


def _symmetries(codes: Words, symbols: str) -> Iterable[Symmetry]:
    """Return permutations that generate all exchanges of symbols and of places."""
    swap_symbols = str.maketrans(symbols[0] + symbols[1], symbols[1] + symbols[0])
    rotate_symbols = str.maketrans(symbols, symbols[1:] + symbols[0])
    changes: list[Callable[[str], str]] = [lambda code: code.translate(swap_symbols)]
    if len(symbols) > 2:
        changes.append(lambda code: code.translate(rotate_symbols))
    if len(codes[0]) > 1:
        changes.append(lambda code: code[1] + code[0] + code[2:])
    if len(codes[0]) > 2:
        changes.append(lambda code: code[1:] + code[0])
    for change in changes:
        yield _exchange(codes, change)


def _draw_symmetry(codes: Words, symbols: str, rng: np.random.Generator) -> Symmetry:
    """Return an exchange of symbols and of places, all equally likely."""
    renamed = str.maketrans(symbols, "".join(symbols[number] for number in rng.permutation(len(symbols))))
    places = rng.permutation(len(codes[0]))
    return _exchange(codes, lambda code: "".join(code.translate(renamed)[place] for place in places))


def _exchange(codes: Words, change: Callable[[str], str]) -> Symmetry:
    """Return the symmetry that takes each code to what the change makes of it."""
    index = {code: number for number, code in enumerate(codes)}
    moved = np.array([index[change(code)] for code in codes], dtype=np.int32)
    return Symmetry(moved, moved)


def all_different(symbols: str, pegs: int) -> Words:
    """Return the codes whose symbols are all different, in order."""
    return tuple("".join(code) for code in permutations(symbols, pegs))

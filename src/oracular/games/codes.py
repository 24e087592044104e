"""Mastermind and Bulls and Cows: codes of pegs, answered by black and white pegs.

`mastermind-4x6` has four pegs of six colours, written 1 to 6, and any colour may repeat. `bulls-4x10` has four
different digits out of ten; a bull is a black peg, a cow a white one.

A black peg for each place where guess and secret agree; a white one for each further colour they share. The answer is
written `black.white`: `1122:1.2`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from oracular.errors import UnknownGameError
from oracular.games.game import Game, Indices, Words
from oracular.games.notation import read_pegs
from oracular.games.symmetry import Symmetry
from oracular.games.table import check_table_size
from oracular.system.files import quoted

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
ROWS_A_BLOCK = 256
MOST_COLOURS = len(SYMBOLS) - 1
MOST_PEGS = 12


@dataclass(frozen=True, eq=False)
class BlackAndWhite:
    """Answers codes by black and white pegs.

    Codes are written by the index of each peg's symbol [codes, pegs]. `code_of` has the answer's index for each (black,
    white) [pegs + 1, pegs + 1]. For people, `takes` says what is a code, and `names` what the pegs are called.
    """

    codes: NDArray[np.uint8]
    symbols: str
    code_of: NDArray[np.uint8]
    takes: str
    names: tuple[str, str]

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

    @property
    def ways_to_answer(self) -> str:
        """The ways to write an answer, to follow the word `give`."""
        pegs = self.codes.shape[1]
        black, white = self.names
        one, two = self._example
        ways = [self.example, f"{one}.{two}", *([f"{one}{two}"] if pegs <= 9 else [])]
        return f"the {black}s and {white}s of at most {pegs} in all, like {' or '.join(map(quoted, ways))}"

    @property
    def example(self) -> str:
        """An answer that there can be, such as `1b2w`."""
        (one, two), (black, white) = self._example, self.names
        return f"{one}{black[0]}{two}{white[0]}"

    @property
    def _example(self) -> tuple[int, int]:
        """Blacks and whites that an answer can have; two pegs cannot be one black and one white."""
        return {1: (0, 0), 2: (0, 1)}.get(self.codes.shape[1], (1, 2))

    def read_answer(self, text: str) -> str | None:
        """Return the label of two counts, however they are written."""
        return read_pegs(text, self.codes.shape[1], self.names)


def code_game(
    name: str, codes: Words, symbols: str, takes: str, kind: str, reading: str, names: tuple[str, str]
) -> Game:
    """Return the game of these codes, whose symbols and places may be permuted without changing it."""
    pegs = len(codes[0])
    pairs = [(black, white) for black in range(pegs + 1) for white in range(pegs + 1 - black)]
    pairs.remove((pegs - 1, 1))  # all pegs but one black and that one white cannot be
    labels = tuple(f"{black}.{white}" for black, white in pairs)
    code_of = np.zeros((pegs + 1, pegs + 1), dtype=np.uint8)
    for index, pair in enumerate(pairs):
        code_of[pair] = index
    places = {symbol: index for index, symbol in enumerate(symbols)}
    digits = np.array([[places[symbol] for symbol in code] for code in codes], dtype=np.uint8)
    return Game(
        name=name,
        secrets=codes,
        guesses=codes,
        labels=labels,
        found=labels.index(f"{pegs}.0"),
        rules=BlackAndWhite(digits, symbols, code_of, takes, names),
        symmetries=_symmetries(codes, symbols),
        draw_symmetry=lambda rng: _draw_symmetry(codes, symbols, rng),
        kind=kind,
        reading=reading,
        family=name.partition("-")[0],
    )


def _symmetries(codes: Words, symbols: str) -> tuple[Symmetry, ...]:
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
    return tuple(_exchange(codes, change) for change in changes)


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


def mastermind(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return the Mastermind game of a variant such as `4x6`: pegs and colours."""
    pegs, colours = _sizes("mastermind", variant, "pegs x colours, like 'mastermind-4x6'")
    name = f"mastermind-{pegs}x{colours}"
    if not 1 <= pegs <= MOST_PEGS:
        raise UnknownGameError(f"{quoted(name)} has {pegs} pegs: give 1 to {MOST_PEGS}")
    if not 2 <= colours <= MOST_COLOURS:
        raise UnknownGameError(f"{quoted(name)} has a colour count of {colours}: give 2 to {MOST_COLOURS}")
    check_table_size(name, colours**pegs, colours**pegs)
    symbols = SYMBOLS[1 : colours + 1]
    return code_game(
        name,
        tuple("".join(code) for code in product(symbols, repeat=pegs)),
        symbols,
        takes=f"give {pegs} colours from {symbols[0]} to {symbols[-1]}",
        kind=f"codes of {pegs} colours from {symbols[0]} to {symbols[-1]}",
        reading="1.2 is one peg of the right colour in its place (black) and two elsewhere (white)",
        names=("black", "white"),
    )


def bulls_and_cows(variant: str, lists: Mapping[str, Words]) -> Game:
    """Return the game of a variant such as `4x10`: places and digits."""
    places, digits = _sizes("bulls", variant, "places x digits, like 'bulls-4x10'")
    name = f"bulls-{places}x{digits}"
    if not 2 <= digits <= len(SYMBOLS):
        raise UnknownGameError(f"{quoted(name)} has {digits} digits: give 2 to {len(SYMBOLS)}")
    if not 1 <= places <= digits:
        raise UnknownGameError(f"{quoted(name)} has {places} places for {digits} different digits: give 1 to {digits}")
    codes = math.perm(digits, places)
    check_table_size(name, codes, codes)
    symbols = SYMBOLS[:digits]
    span = f"{places} different digits from {symbols[0]} to {symbols[-1]}"
    return code_game(
        name,
        tuple("".join(code) for code in permutations(symbols, places)),
        symbols,
        takes=f"give {span}",
        kind=f"codes of {span}",
        reading="1.2 is one digit in its place (a bull) and two elsewhere (cows)",
        names=("bull", "cow"),
    )


def _sizes(family: str, variant: str, form: str) -> tuple[int, int]:
    """Return the two numbers of a variant such as `4x6`."""
    match = re.fullmatch(r"(\d{1,2})x(\d{1,2})", variant, flags=re.ASCII)
    if match is None:
        raise UnknownGameError(f"{quoted(f'{family}-{variant}')} is not a game: write {form}")
    return int(match[1]), int(match[2])

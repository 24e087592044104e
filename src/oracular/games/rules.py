"""What a family of games must tell of its rules; all that the rest of the package asks of them.

Every family answers guesses in blocks. Some tell more: the tokens that answers count, the ways in which people write
answers, or the answer for a word that is in no list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = NDArray[np.int32]


class Rules(Protocol):
    """What a family of games must tell: the answers, in blocks, and why a text is no guess."""

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets] of some guesses to some secrets."""

    def refusal(self, word: str) -> str:
        """Return why a text may not be guessed and what may, to follow the text itself in a sentence."""


@runtime_checkable
class TokenRules(Rules, Protocol):
    """Rules by which an answer is the number of tokens (letters, say) that guess and secret have in common."""

    @property
    def tokens(self) -> NDArray[np.uint16]:
        """The tokens of each guess, all different [guesses, tokens of a guess]."""


@runtime_checkable
class WrittenRules(Rules, Protocol):
    """Rules whose answers people write in more ways than one."""

    @property
    def ways_to_answer(self) -> str:
        """The ways to write an answer, with an example, to follow the word `give` in a sentence."""

    @property
    def example(self) -> str:
        """An answer that there can be, in the shortest way that tells how it is meant."""

    def read_answer(self, text: str) -> str | None:
        """Return what a text says as a label, which need not be one of the game's; None where it cannot be read."""


@runtime_checkable
class WordRules(Rules, Protocol):
    """Rules about the letters of words, which hold for any two words of the same length."""

    def answer_to_words(self, guess: str, secret: str) -> int:
        """Return the answer, by index, to a guess for any other secret of its length, in a list or not."""

    def hiding(self, words: tuple[str, ...]) -> WordRules:
        """Return the same rules if these words, all of them guesses, are what may be hidden."""


@dataclass(frozen=True, eq=False)
class TableRules:
    """The answers of a game that is its table."""

    table: NDArray[np.uint8]

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets]."""
        return self.table[np.ix_(guesses, secrets)]

    def refusal(self, word: str) -> str:
        """Return why a text may not be guessed."""
        return f"is not a guess: give one of the game's {len(self.table):,}"


def have_same_facts(one: Rules, other: Rules) -> bool:
    """Tell whether two rules of this package are of one kind and made of the same facts, so that all answers are alike.

    Where that is not known they may still answer alike: then the answers themselves have to be compared.
    """
    facts = getattr(type(one), "__dataclass_fields__", None)
    if facts is None or type(one) is not type(other) or not type(one).__module__.startswith("oracular.games."):
        return False
    pairs = [(getattr(one, name), getattr(other, name)) for name in facts]
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a is b or a == b for a, b in pairs)

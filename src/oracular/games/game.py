"""A guessing game: secrets, guesses, and the answer of each guess to each secret.

One side hides a secret, the other guesses until the answer is the one that ends the game. All that the rest of the
package knows of a game's rules is this table of answers, and which guesses are allowed (`guessing.py`). A state of the
game is the set of secrets still possible: the paper's bit-vector S, here a sorted array of their indices; in text, a
history such as `giant:2 pecan:3`. In hard mode a state has a demand beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError, SettingsError
from oracular.games.guessing import ANY_GUESS, FREE, ONLY_POSSIBLE, RULES, Guessing
from oracular.games.notation import FOUND_WORDS, enumerated, given_turns, written_turns
from oracular.games.offensive import inoffensive
from oracular.games.symmetry import Symmetry
from oracular.games.table import (
    MOST_ANSWERS,
    TABLE_BESIDE_TOKENS,
    check_table_size,
    fits_table,
    pieces,
    table_of_function,
    turned_round,
)
from oracular.games.words import sha256_of_words, without_accents
from oracular.system.checking import checked, frozen
from oracular.system.control import NEVER, Deadline
from oracular.system.files import quoted

Indices: TypeAlias = NDArray[np.int32]
"""Indices of secrets or of guesses, sorted."""

Turn: TypeAlias = tuple[int, int]
"""A guess and its answer, both by index."""

History: TypeAlias = tuple[Turn, ...]
Words: TypeAlias = tuple[str, ...]

HistoryLike: TypeAlias = "str | Iterable[tuple[str, object]]"
"""A history as people write it: `"giant:2 pecan:3"` or `[("giant", 2), ("pecan", 3)]`."""

USUAL_WORDS = ("giant", "milk", "hen", "of")
"""Words to show how guesses are written, one of each usual length."""


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


class Identity(NamedTuple):
    """What makes a game the same as another; answers are hashed as numbers, so their labels are listed as well.

    The rule of guessing is listed only if the name does not imply it: otherwise it is neither written nor hashed.
    """

    name: str
    words_sha256: str
    answers_sha256: str
    labels: tuple[str, ...]
    found: int
    untold_rule: str = ""

    @property
    def facts(self) -> tuple[object, ...]:
        """All that is listed, to be hashed."""
        return tuple(self) if self.untold_rule else tuple(self)[:-1]

    def __repr__(self) -> str:
        listed = zip(self._fields, self.facts, strict=False)
        return f"{type(self).__name__}({', '.join(f'{name}={fact!r}' for name, fact in listed)})"


@checked
@dataclass(frozen=True, eq=False)
class Game:
    """An immutable guessing game; made by `oracular.game(name)`.

    Attributes:
        name: how the game is written everywhere: `jotto-5`.
        secrets: the words that may be hidden, in dictionary order.
        guesses: the words that may be guessed, in dictionary order; each secret is among them.
        labels: how each answer is written; an answer is an index into this.
        found: the answer that ends the game; a secret's own word gets it and no other guess does.
        rules: what computes the answers.
        symmetries: exchanges that leave the table as it is, from which all others that are known can be made.
        draw_symmetry: draws one of all symmetries with equal chances, where that takes no list of them.
        kind: what its secrets and guesses are, in a few words for people: `words of TWL06`.
        reading: how an answer is to be read, in a few words for people.
        family: which rules it has: `jotto`, `mastermind`, `bulls`, `wordle`; empty for a game of one's own.
        own_lists: a user's own word lists by the names of their options, where the words are not the usual ones.
        guessing: which guesses are allowed.
    """

    name: str
    secrets: tuple[str, ...]
    guesses: tuple[str, ...]
    labels: tuple[str, ...]
    found: int
    rules: Rules
    symmetries: tuple[Symmetry, ...] = ()
    draw_symmetry: Callable[[np.random.Generator], Symmetry] | None = None
    kind: str = "texts"
    reading: str = ""
    family: str = ""
    own_lists: Mapping[str, Words] = field(default_factory=dict)
    guessing: Guessing = ANY_GUESS

    def __post_init__(self) -> None:
        if not 1 <= len(self.labels) <= MOST_ANSWERS or not 0 <= self.found < len(self.labels):
            raise SettingsError(
                f"game {quoted(self.name)} has {len(self.labels)} answers: at most {MOST_ANSWERS} are possible"
            )
        for texts in (self.secrets, self.guesses, self.labels):
            if not texts or len(set(texts)) < len(texts):
                raise SettingsError(f"game {quoted(self.name)} has no secret, or a text twice: give each once")

    @classmethod
    def from_function(
        cls,
        secrets: Iterable[str],
        guesses: Iterable[str],
        answer: Callable[[str, str], object],
        *,
        name: str = "own",
        symmetries: Sequence[Symmetry] = (),
        only_possible: bool = False,
    ) -> Game:
        """Return a game of your own.

        Args:
            secrets: the texts that may be hidden.
            guesses: the texts that may be guessed; each secret must be among them.
            answer: gives the answer to a guess and a secret; answers are told apart by their text. A secret's own
                text must be answered in a way that no other guess is.
            name: what to call the game.
            symmetries: exchanges that leave the answers as they are.
            only_possible: whether only what may still be the secret may be guessed; the name then ends in `-possible`.
        """
        secrets, guesses = tuple(secrets), tuple(guesses)
        name = name if not only_possible or name.endswith("-possible") else f"{name}-possible"
        table, labels, found = table_of_function(name, secrets, guesses, answer)
        rules, guessing = TableRules(frozen(table)), ONLY_POSSIBLE if only_possible else ANY_GUESS
        game = cls(name, secrets, guesses, labels, found, rules, tuple(symmetries), guessing=guessing)
        game._check_symmetries(NEVER)  # so that a wrong one is told now
        return game

    def __repr__(self) -> str:
        return f"game({quoted(self.name)})"

    @property
    def noun(self) -> str:
        """What a secret is called before people: a word or a code."""
        return "word" if self.secrets[0].isalpha() else "code"

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """The whole table of answers [guesses, secrets]."""
        return self.table_by(NEVER)

    def table_by(self, deadline: Deadline) -> NDArray[np.uint8]:
        """Return the whole table of answers, or raise `DeadlinePassed`; it is worked out once."""
        if "table" not in vars(self):
            twin = self._twin
            table = self._turned("by_secret", deadline) if twin is None else twin.table_by(deadline)
            if table is None:
                check_table_size(self.name, len(self.guesses), len(self.secrets))
                table = np.empty((len(self.guesses), len(self.secrets)), dtype=np.uint8)
                for rows in pieces(len(table), deadline):
                    table[rows] = self.answers_of_rows(rows)
            table = table.view()
            table.flags.writeable = False  # of the view alone: the kernels are compiled for tables that may be written
            vars(self)["table"] = table
        return vars(self)["table"]

    @cached_property
    def by_secret(self) -> NDArray[np.uint8]:
        """The table turned round [secrets, guesses], as the kernels read it."""
        return self.by_secret_by(NEVER)

    def by_secret_by(self, deadline: Deadline) -> NDArray[np.uint8]:
        """Return the table turned round, or raise `DeadlinePassed`.

        It is worked out without the table, which takes as much memory and which many games never need.
        """
        if "by_secret" not in vars(self):
            twin = self._twin
            turned = self._turned("table", deadline) if twin is None else twin.by_secret_by(deadline)
            if turned is None:
                check_table_size(self.name, len(self.guesses), len(self.secrets))
                turned = np.empty((len(self.secrets), len(self.guesses)), dtype=np.uint8)
                everything = np.arange(len(self.guesses), dtype=np.int32)
                for rows in pieces(len(turned), deadline):
                    turned[rows] = self.answers(everything, self.all_secrets[rows]).T
            vars(self)["by_secret"] = turned
        return vars(self)["by_secret"]

    @property
    def _twin(self) -> Game | None:
        """The game that this one was widened from if no guess was added: its tables serve both."""
        narrow: Game | None = getattr(self.rules, "narrow", None)
        is_same = narrow is not None and (narrow.secrets, narrow.guesses) == (self.secrets, self.guesses)
        return narrow if is_same else None

    def _turned(self, name: str, deadline: Deadline) -> NDArray[np.uint8] | None:
        """Return the other table turned round, in the same memory if that changes nothing; None before there is one.

        So it is in Jotto and in games of codes if every guess may be the secret.
        """
        other = vars(self).get(name)
        if other is None:
            return None
        square = len(self.guesses) == len(self.secrets)
        if square and all((other[rows] == other[:, rows].T).all() for rows in pieces(len(other), deadline)):
            shared = other.view()
            shared.flags.writeable = True
            return shared
        return turned_round(other, deadline)

    def prepare(self, deadline: Deadline, *, identity: bool = False) -> None:
        """Work out by a deadline what nearly everything asks of a game, or raise `DeadlinePassed`.

        That is the table turned round, unless the game has tokens and is too large for one, and its checked symmetries;
        with `identity` also the hash of the answers, as runs on disk ask for it.
        """
        if self.tokens is None or len(self.guesses) * len(self.secrets) <= TABLE_BESIDE_TOKENS:
            self.by_secret_by(deadline)
            self._check_symmetries(deadline)
        if identity and "answers_sha256" not in vars(self):
            vars(self)["answers_sha256"] = self._hashed_answers(deadline)

    @property
    def tokens(self) -> NDArray[np.uint16] | None:
        """The tokens of each guess [guesses, tokens of a guess], where an answer is how many of them are in common.

        Only a secret's own guess is answered `found`, whether or not that is all tokens in common. A game with tokens
        needs no table to be solved, so it may be larger than any table.
        """
        return self.rules.tokens if isinstance(self.rules, TokenRules) else None

    @cached_property
    def checked_symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries, each checked against the table."""
        self._check_symmetries(NEVER)
        return self.symmetries

    def _check_symmetries(self, deadline: Deadline) -> None:
        """Check each symmetry against the table, once, or raise `DeadlinePassed`."""
        if "checked_symmetries" in vars(self):
            return
        for symmetry in self.symmetries:
            if not symmetry.holds_in(self.table_by(deadline), deadline):
                raise SettingsError(f"a symmetry of game {quoted(self.name)} changes its answers: leave it out")
        vars(self)["checked_symmetries"] = self.symmetries

    @cached_property
    def all_secrets(self) -> Indices:
        """The state at the start: every secret is possible."""
        return np.arange(len(self.secrets), dtype=np.int32)

    @cached_property
    def guess_of_secret(self) -> Indices:
        """The guess that finds each secret [secrets]."""
        return np.array([self._guess_index[word] for word in self.secrets], dtype=np.int32)

    @cached_property
    def secret_of_guess(self) -> Indices:
        """The secret that each guess finds [guesses], or -1 where it is no secret."""
        finds = np.full(len(self.guesses), -1, dtype=np.int32)
        finds[self.guess_of_secret] = self.all_secrets
        return finds

    @cached_property
    def words_sha256(self) -> str:
        """The hash of the word list; where secrets and guesses differ, of both with an empty line between."""
        if self.guesses == self.secrets:
            return sha256_of_words(self.secrets)
        return sha256_of_words([*self.secrets, "", *self.guesses])

    @cached_property
    def answers_sha256(self) -> str:
        """The hash of the table of answers.

        If the table would be larger than any that is kept, the hash of the tokens that all answers follow from.
        """
        return self._hashed_answers(NEVER)

    def _hashed_answers(self, deadline: Deadline) -> str:
        """Return this hash, worked out in pieces, or raise `DeadlinePassed`."""
        if self.tokens is not None and not fits_table(len(self.guesses), len(self.secrets)):
            written = f"{self.tokens.shape} {self.labels} {self.found}\n".encode()
            return hashlib.sha256(written + self.tokens.astype("<u2").tobytes()).hexdigest()
        check_table_size(self.name, len(self.guesses), len(self.secrets))
        hashed = hashlib.sha256()
        for rows in pieces(len(self.guesses), deadline):
            hashed.update(self.answers_of_rows(rows).tobytes())
        return hashed.hexdigest()

    def answers_of_rows(self, rows: slice) -> NDArray[np.uint8]:
        """Return the answers of some guesses to every secret: those of the table, where there is one already."""
        if "table" in vars(self):
            return self.table[rows]
        if "by_secret" in vars(self):
            return self.by_secret[:, rows].T
        return self.answers(np.arange(rows.start, rows.stop, dtype=np.int32), self.all_secrets)

    @cached_property
    def identity(self) -> Identity:
        """What makes it this game and no other."""
        told = (self.name, self.words_sha256, self.answers_sha256, self.labels, self.found)
        return Identity(*told, untold_rule=self.untold_rule)

    @property
    def untold_rule(self) -> str:
        """The rule of guessing if the name implies another one, as it may for a custom game; else empty."""
        implied = next((rule for rule in RULES if self.name.endswith(f"-{rule}")), "any")
        return "" if implied == self.guessing.rule else self.guessing.rule

    def is_same(self, other: Game) -> bool:
        """Tell whether this and another object are one game: the same name, words, answers and rule of guessing."""
        if self is other:
            return True
        if (self.name, self.guessing.rule) != (other.name, other.guessing.rule):
            return False
        if have_same_facts(self.rules, other.rules):  # so that no table has to be worked out and hashed
            mine, others = ((one.words_sha256, one.labels, one.found) for one in (self, other))
            return mine == others
        return self.identity == other.identity

    @cached_property
    def _guess_index(self) -> dict[str, int]:
        return {word: index for index, word in enumerate(self.guesses)}

    @cached_property
    def _label_index(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def answers(self, guesses: Indices, secrets: Indices) -> NDArray[np.uint8]:
        """Return the answers [guesses, secrets] of some guesses to some secrets."""
        return self.rules.answers(guesses, secrets)

    def guess_index(self, word: str) -> int:
        """Return the index of a guess, or say that the word is not in the list."""
        word = str(word)
        index = self._guess_index.get(word, self._guess_index.get(word.lower()))
        if index is None:
            index = self._guess_index.get(without_accents(word).lower())
        if index is None:
            raise HistoryError(f"{quoted(word)} {self.rules.refusal(word.lower())}")
        return index

    def answer_index(self, label: str) -> int:
        """Return the index of an answer in any of the ways that people write it, or say which ways there are."""
        text = str(label).strip()
        index = self._label_index.get(text, self._label_index.get(text.lower()))
        if index is None:
            text = without_accents(text)  # full-width digits become plain ones
            index = self._label_index.get(text)
        if index is None and text.lower() in FOUND_WORDS:
            index = self.found
        if index is None and isinstance(self.rules, WrittenRules):
            index = self._label_index.get(self.rules.read_answer(text) or "")
        if index is None:
            raise HistoryError(f"{quoted(label)} is not an answer here: give {self.ways_to_answer}")
        return index

    @property
    def ways_to_answer(self) -> str:
        """How an answer may be written, in a few words for people, to follow the word `give`."""
        if isinstance(self.rules, WrittenRules):
            return self.rules.ways_to_answer
        return f"one of {enumerated(self.labels)}"

    @property
    def example_guess(self) -> str:
        """A guess to show people how guesses are written: a common word, or a code of many different symbols."""
        usual = [word for word in USUAL_WORDS if word in self._guess_index]
        return usual[0] if usual else max(inoffensive(self.guesses) or self.guesses, key=lambda text: len(set(text)))

    @property
    def example_turn(self) -> tuple[str, str]:
        """A guess and an answer to show people how a history is written."""
        if isinstance(self.rules, WrittenRules):
            return self.example_guess, self.rules.example
        others = [label for label in self.labels if label != self.labels[self.found]] or list(self.labels)
        return self.example_guess, others[len(others) // 2]

    def parse_history(self, history: HistoryLike) -> History:
        """Return the history as indices; the words and answers must exist, but need not fit together."""
        if isinstance(history, str):
            turns = written_turns(history, self._guess_index, self._label_index, lambda: self.example_turn)
        else:
            turns = given_turns(history, lambda: self.example_turn)
        return tuple((self.guess_index(word), self.answer_index(label)) for word, label in turns)

    def format_history(self, history: Sequence[Turn]) -> str:
        """Return the history as text: `giant:2 pecan:3`."""
        return " ".join(f"{self.guesses[guess]}:{self.labels[answer]}" for guess, answer in history)

    def demand_after(self, history: Sequence[Turn]) -> int:
        """Return what a history, by index, asks of the next guess: `FREE` in all games but hard ones."""
        demand = FREE
        for guess, answer in history if self.guessing.demands else ():
            demand = self.guessing.demand_after(demand, guess, answer)
        return demand

    def allowed(self, possible: Indices, demand: int = FREE) -> Indices:
        """Return the guesses that are allowed at a state, sorted."""
        if self.guessing.rule == "possible":
            return np.sort(self.guess_of_secret[possible])
        if self.guessing.demands:
            return np.flatnonzero(self.guessing.meeting(demand)).astype(np.int32)
        return np.arange(len(self.guesses), dtype=np.int32)

    def allows(self, guess: int, possible: Indices, demand: int = FREE) -> bool:
        """Return whether a guess is allowed at a state."""
        if self.guessing.rule == "possible":
            return bool((self.guess_of_secret[possible] == guess).any())
        return not self.guessing.demands or not self.guessing.unmet(demand, guess)

    def reason_against(self, guess: int, history: Sequence[Turn], possible: Indices) -> str:
        """Return why a guess is not allowed after a history that leaves these secrets; empty if it is allowed."""
        demand = self.demand_after(history)
        if self.guessing.is_any or self.allows(guess, possible, demand):
            return ""
        word = quoted(self.guesses[guess])
        if self.guessing.demands:
            return f"{word} is not allowed in hard mode: {self.guessing.unmet(demand, guess)}"
        if self.secret_of_guess[guess] < 0:
            return f"{word} is none that may be hidden, and only what may be the secret is allowed: guess another"
        for turn in history:
            if len(self.narrow(self.secret_of_guess[[guess]], turn)) == 0:
                against = quoted(self.format_history([turn]))
                return f"{word} cannot be the secret after {against}, and only what can is allowed here: guess another"
        return f"{word} cannot be the secret any more, and only what can is allowed here: guess another"

    def narrow(self, possible: Indices, turn: Turn) -> Indices:
        """Return which of the possible secrets remain after one guess and its answer: the paper's UpdateState."""
        guess, answer = turn
        replies = self.answers(np.array([guess], dtype=np.int32), possible)[0]
        return possible[replies == answer]

    def counted_as_found(self, guess: int, answer: int, secret: int = -1) -> Turn:
        """Return a turn with the answer that ends the game, if it is what counting gives for the secret's own word.

        That is so in Jotto with anagrams: `siren:5` may mean that SIREN was found. It does if SIREN is known to be the
        secret, or if no other secret is answered so.
        """
        if answer != self.found - 1 or not isinstance(self.rules, WordRules) or self.secret_of_guess[guess] < 0:
            return guess, answer
        word = self.guesses[guess]
        if self.rules.answer_to_words(word, word) != answer:
            return guess, answer
        is_found = guess == secret if secret >= 0 else len(self.narrow(self.all_secrets, (guess, answer))) == 0
        return guess, self.found if is_found else answer

    def possible_after(self, history: HistoryLike, *, only_allowed: bool = True) -> Indices:
        """Return the secrets still possible after a history.

        Raises `FinishedGameError` if the secret has been found, and `InconsistentHistoryError` if no secret gives all
        these answers. A guess that was not allowed is a `HistoryError`, unless `only_allowed` is false: if an answer
        was changed later, guesses may have been allowed that would not be now.
        """
        turns, possible = self.parse_history(history), self.all_secrets
        for number, given in enumerate(turns, start=1):
            before, after = turns[: number - 1], turns[number:]
            if only_allowed and (against := self.reason_against(given[0], before, possible)):
                raise HistoryError(against)
            turn = self.counted_as_found(*given)
            possible = self.narrow(possible, turn)
            written = quoted(self.format_history([turn]))
            if len(possible) == 0:
                earlier = self.format_history(before)
                cause = f"contradicts {quoted(earlier)}" if earlier else "is an answer that no secret gives"
                raise InconsistentHistoryError(f"{written} {cause}: no word is left, so check the answers")
            if turn[1] == self.found and after:
                raise HistoryError(
                    f"{written} ended the game, yet {quoted(self.format_history(after))} follows: remove one or the "
                    "other"
                )
            if turn[1] == self.found:
                raise FinishedGameError(f"{written} ended the game at guess {number}: there is nothing left to guess")
        return possible

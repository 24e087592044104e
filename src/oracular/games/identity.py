"""What makes a game the same as another: its name, the hashes of its words and answers, and how answers are written.

The rule of guessing belongs to it, too. It is told by the end of the name (`-hard`, `-possible`), and apart from that
only where the name does not tell it, as may be in a game of one's own.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from oracular.games.guessing import RULES, RuleName
from oracular.games.rules import have_same_facts
from oracular.games.table import check_table_size, fits_table, pieces
from oracular.games.words import sha256_of_words
from oracular.system.deadline import Deadline

if TYPE_CHECKING:
    from oracular.games.game import Game


class Identity(NamedTuple):
    """What makes a game the same as another; answers are hashed as numbers, so their labels are told as well.

    The rule of guessing is told where the name does not tell it already. Elsewhere it is neither written nor hashed.
    """

    name: str
    words_sha256: str
    answers_sha256: str
    labels: tuple[str, ...]
    found: int
    untold_rule: str = ""

    @property
    def facts(self) -> tuple[object, ...]:
        """All that is told, to be hashed."""
        return tuple(self) if self.untold_rule else tuple(self)[:-1]

    def __repr__(self) -> str:
        told = zip(self._fields, self.facts, strict=False)
        return f"{type(self).__name__}({', '.join(f'{name}={fact!r}' for name, fact in told)})"


def untold_rule(name: str, rule: RuleName) -> str:
    """Return the rule of guessing where the name tells another, as in a game of one's own; else nothing."""
    told = next((other for other in RULES if name.endswith(f"-{other}")), "any")
    return "" if told == rule else rule


def hashed_words(game: Game) -> str:
    """Return the hash of the word list; where secrets and guesses differ, of both with an empty line between."""
    if game.guesses == game.secrets:
        return sha256_of_words(game.secrets)
    return sha256_of_words([*game.secrets, "", *game.guesses])


def hashed_answers(game: Game, deadline: Deadline) -> str:
    """Return the hash of the table of answers, worked out in pieces, or raise `DeadlinePassed`.

    Where the table would be larger than any that is kept, it is the hash of the tokens that all answers follow from.
    """
    if game.tokens is not None and not fits_table(len(game.guesses), len(game.secrets)):
        written = f"{game.tokens.shape} {game.labels} {game.found}\n".encode()
        return hashlib.sha256(written + game.tokens.astype("<u2").tobytes()).hexdigest()
    check_table_size(game.name, len(game.guesses), len(game.secrets))
    hashed = hashlib.sha256()
    for rows in pieces(len(game.guesses), deadline):
        hashed.update(game.answers_of_rows(rows).tobytes())
    return hashed.hexdigest()


def are_same(game: Game, other: Game) -> bool:
    """Tell whether two objects are one game: the same name, words, answers and rule of guessing."""
    if game is other:
        return True
    if (game.name, game.guessing.rule) != (other.name, other.guessing.rule):
        return False
    if have_same_facts(game.rules, other.rules):  # so that no table has to be worked out and hashed
        told, others = ((one.words_sha256, one.labels, one.found) for one in (game, other))
        return told == others
    return game.identity == other.identity

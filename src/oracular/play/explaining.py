"""An answer explained to people by an example from the game that they play: with words or codes that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from oracular.games.codes import BlackAndWhite
from oracular.games.game import Game
from oracular.games.jotto import widened
from oracular.games.offensive import inoffensive
from oracular.games.rules import WordRules
from oracular.play.match import answer_to

PAIRS = (("giant", "paint"), ("crane", "trace"), ("milk", "like"), ("hen", "net"), ("of", "if"))
"""Secrets and guesses that are good examples, where a game has them."""

MOST_LOOKED_AT = 5000
"""Among so many guesses an example is looked for."""


def explained_answer(game: Game) -> str | None:
    """Return a sentence that explains the answer to a guess; None for a game of one's own, or where none is good."""
    if isinstance(game.rules, BlackAndWhite):
        return _explained_code(game)
    if not isinstance(game.rules, WordRules):
        return None
    game = widened(game)
    pair = _pair_of_words(game)
    if pair is None:
        return None
    secret, guess = pair
    label = answer_to(game, guess, secret)
    start = f"If the word were {secret.upper()}, {guess.upper()} would be answered {label}"
    if game.family == "jotto":
        common = Counter(guess) & Counter(secret)
        shared = [letter for letter in dict.fromkeys(guess) for _ in range(common[letter])]
        return f"{start}: {_listed(shared)} {'is' if len(shared) == 1 else 'are'} in both."
    places = {"g": "in place", "y": "elsewhere"}
    found = {mark: [letter for letter, given in zip(guess, label, strict=True) if given == mark] for mark in places}
    return f"{start}: {', '.join(f'{_listed(found[mark])} {places[mark]}' for mark in places if found[mark])}."


def _pair_of_words(game: Game) -> tuple[str, str] | None:
    """Return a secret and another guess that have some letters in common, well known ones where the game has them."""
    secrets, guesses = set(game.secrets), set(game.guesses)
    for secret, guess in PAIRS:
        if secret in secrets and guess in guesses:
            return secret, guess
    shown = inoffensive(game.secrets)[:1]
    best, most = None, 0
    for guess in inoffensive(game.guesses)[:MOST_LOOKED_AT] if shown else ():
        common = (Counter(guess) & Counter(shown[0])).total()
        if most < common < len(guess):
            best, most = (shown[0], guess), common
    return best


def _explained_code(game: Game) -> str | None:
    """Return the sentence for a game of codes: one peg in its place, and more elsewhere if there can be."""
    assert isinstance(game.rules, BlackAndWhite)
    variety = max(len(set(code)) for code in game.secrets[:MOST_LOOKED_AT])
    codes = [code for code in game.secrets[:MOST_LOOKED_AT] if len(set(code)) == variety]
    secret = codes[0]
    for wanted in ("1.2", "1.1", "1.0", "0.1", "0.2"):
        for guess in codes:
            if guess != secret and answer_to(game, guess, secret) == wanted:
                return _sentence_of_code(game.rules.names, secret, guess)
    return None


def _sentence_of_code(names: tuple[str, str], secret: str, guess: str) -> str:
    """Return the sentence that explains the answer to one code, all of whose symbols are different where it counts."""
    black = [a for a, b in zip(guess, secret, strict=True) if a == b]
    white = list(((Counter(guess) & Counter(secret)) - Counter(black)).elements())
    white.sort(key=guess.index)
    plural = names[0] == "bull"
    parts = []
    for pegs, name, article in ((black, names[0], "the "), (white, names[1], "")):
        symbols = f" ({article if len(pegs) == 1 else ''}{_listed(pegs)})" if pegs else ""
        parts.append(f"{len(pegs)} {name}{'s' * (plural and len(pegs) != 1)}{symbols}")
    return f"If the code were {secret}, {guess} would be answered {', '.join(parts)}."


def _listed(symbols: Sequence[str]) -> str:
    """Return symbols as people list them: `N, C and E`."""
    *first, last = [symbol.upper() for symbol in symbols]
    return f"{', '.join(first)} and {last}" if first else last

"""The games that can be played on the server, and how each is presented.

The list is fixed, so that a name in a request never makes the server build a game of arbitrary size. It has every rule
set of Jotto with two to five letters; with two letters every word is familiar, so there is no other list of familiar
ones. Each game is there with every rule of guessing that it can have.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from oracular.games.jotto import jotto_rules, variant_name
from oracular.games.names import familiar_name, is_familiar_name, split_rule, with_rule
from oracular.play.deductions import symbols_of
from oracular.play.opponent import MODES, Matchup, matchup_by_name
from oracular.play.wording import ALL_FAMILIAR, DEFAULT_GAME, WordCheck, title_of
from oracular.web.errors import RequestError
from oracular.web.schemas import GameCard


def _names() -> list[str]:
    """Return the names of all games, that which a newcomer gets first."""
    switches = list(product((True, False), repeat=3))
    jotto = [
        variant_name(letters, repeats, anagrams, familiar)
        for letters in (5, 4, 3, 2)
        for familiar, repeats, anagrams in switches
        if not (familiar and letters == ALL_FAMILIAR)
    ]
    names = sorted([*jotto, "mastermind-4x6", "bulls-4x10", "wordle"], key=lambda name: name != DEFAULT_GAME)
    return [*names, "wordle-hard", *(with_rule(name, "possible") for name in names)]


TITLES = {name: title_of(name) for name in _names()}


def listed_matchup(name: str) -> Matchup:
    """Return the matchup of a game in the list; raise a 404 error where there is none of this name."""
    if name not in TITLES:
        raise RequestError(404, "there is no game of this name here: choose one of those at /api/games")
    return matchup_by_name(name)


SWITCHES = {"repeats": "“letters may repeat”", "anagrams": "“words with anagrams”"}
"""What the page calls the rules that keep words from being hidden, by their names in `WordCheck.broken`."""


def word_note(check: WordCheck) -> str:
    """Return what is to be said of a word on the page, where rules are switched on."""
    switches = " and ".join(SWITCHES[rule] for rule in check.broken)
    return check.note(f"switch on {switches}") if switches else check.note()


@cache
def game_card(name: str, played: str = "") -> GameCard:
    """Return the description of a game in the list, which a match may play with the words of an earlier version."""
    if played == name:
        return game_card(name)
    matchup = matchup_by_name(played) if played else listed_matchup(name)
    game = matchup.game
    familiar = familiar_name(name) if game.family == "jotto" and not is_familiar_name(name) else ""
    return GameCard(
        name=name,
        title=TITLES[name],
        family=game.family,
        letters=len(game.guesses[0]),
        rows=matchup.rows,
        rules=jotto_rules(split_rule(name)[0]),
        rule=game.guessing.rule,
        free=split_rule(name)[0],
        rule_note=matchup.rule,
        symbols=symbols_of(game),
        labels=list(game.labels),
        found=game.labels[game.found],
        secrets=len(game.secrets),
        guesses=len(game.guesses),
        may_hide=len(matchup.guessing.game.secrets),
        summary=matchup.summary,
        lists=matchup.lists,
        reading=game.reading,
        strategy={mode: matchup.description(mode) for mode in MODES},
        shipped=matchup.hiding.shipped,
        familiar=familiar if familiar in TITLES else None,
    )

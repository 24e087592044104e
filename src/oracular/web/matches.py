"""The games on the server, and matches as browsers see them: start one, look at it, move in it.

The list of games is fixed, so a name in a request never makes the server build a game of arbitrary size. It has every
rule set of Jotto with two to five letters (all words of two letters are familiar), and each game with every rule of
guessing that it can have.

A browser owns the matches that it began: it holds a random token, of which the server keeps only the hash. Other
browsers may watch. While a match is in progress nobody sees the computer's secret or which oracle it drew, and only the
owner sees the owner's secret in a duel.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import product
from typing import Any

from oracular.games.game import Game
from oracular.games.jotto import jotto_rules, variant_name
from oracular.games.names import familiar_name, frequent_name, is_familiar_name, split_rule, with_rule
from oracular.play.advice import WORDS_SHOWN
from oracular.play.deductions import symbols_of
from oracular.play.match import Match, Side, daily_match, new_match
from oracular.play.opponent import MODES, Matchup, Mode, matchup_by_name
from oracular.play.wording import ALL_FAMILIAR, DEFAULT_GAME, WordCheck, check_word, share_text, title_of
from oracular.web.guard import RequestError
from oracular.web.schemas import MAX_TURNS, GameCard, MatchView, Turn
from oracular.web.store import Store, StoredMatch

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", flags=re.ASCII)
"""The form of an owner's token: 32 random bytes in base 64."""

MATCH_ID = re.compile(r"[A-Za-z0-9_-]{22}", flags=re.ASCII)

WORDS = "words_sha256"

NO_MATCH = "there is no match at this address, or it had no move for too long: begin a new one"


def new_token() -> str:
    """Return a token for a browser that has none."""
    return secrets.token_urlsafe(32)


def is_token(text: str | None) -> bool:
    """Return whether a text has the form of a token."""
    return text is not None and TOKEN.fullmatch(text) is not None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _had_other_lists(game: Game) -> bool:
    """Return whether a game was played with other lists in earlier versions."""
    return game.family == "wordle" or is_familiar_name(game.name)


def _record(match: Match) -> dict[str, Any]:
    """Return a match as plain data; if its game once had other lists, with the hash of those it is played with."""
    game = match.matchup.game
    return match.to_record() | ({WORDS: game.words_sha256} if _had_other_lists(game) else {})


def _match(matchup: Matchup, record: object) -> Match:
    """Return the match that `_record` wrote; what is none, or was begun with other lists, is a `ValueError`."""
    if not isinstance(record, dict):
        raise ValueError("no match")
    game, words = matchup.game, record.get(WORDS)
    if is_familiar_name(game.name) and words != game.words_sha256:  # begun with the familiar words of earlier versions
        matchup = matchup_by_name(frequent_name(game.name))
        words = words or matchup.game.words_sha256  # which were not recorded
    if _had_other_lists(game) and words != matchup.game.words_sha256:
        raise ValueError("a match of other lists")
    return Match.from_record(matchup, {key: value for key, value in record.items() if key != WORDS})


@dataclass(frozen=True)
class MatchAccess:
    """A match as one browser may see and change it."""

    stored: StoredMatch
    match: Match
    is_owner: bool

    def require_owner(self) -> None:
        """Raise a 403 error unless this browser began the match."""
        if not self.is_owner:
            raise RequestError(403, "this match was begun in another browser: watch it, or begin your own")

    @property
    def card(self) -> GameCard:
        """The description of the game."""
        return game_card(self.stored.game, self.match.matchup.game.name)

    @property
    def view(self) -> MatchView:
        """What this browser may see."""
        match, over = self.match, self.match.result is not None
        return MatchView(
            id=self.stored.id,
            game=self.stored.game,
            mode=match.mode,
            yours=self.is_owner,
            to_move=match.to_move,
            starter=match.starter,
            guesses=_turns(match.yours),
            computer=_turns(match.computers),
            pending=match.pending,
            contradiction=match.contradiction,
            unlisted=match.unlisted[:WORDS_SHOWN],
            result=match.result,
            secret=match.secret if over else None,
            own=match.own if over or self.is_owner else None,
            commitment=match.commitment,
            opening=match.opening if over else None,
            told=match.told,
            daily=match.daily,
            share=share_text(match),
            may_undo=match.may_undo and self.is_owner,
            undone=match.undone,
            version=self.stored.version,
        )


def _turns(turns: Any) -> list[Turn]:
    return [Turn.model_construct(guess=guess, answer=answer) for guess, answer in turns]


def begin(
    store: Store,
    game: str,
    mode: Mode,
    word: str | None,
    token: str,
    address: str | None = None,
    begins: Side | None = None,
) -> MatchAccess:
    """Return a new match; who begins a duel is drawn where it is not given."""
    matchup = listed_matchup(game)
    if (word is not None) != (mode == "duel"):
        raise RequestError(422, "word: a duel needs your secret, and no other mode takes one: give it in a duel only")
    if word is not None and not (check := check_word(matchup, word)).may_hide:
        raise RequestError(422, word_note(check))
    return _keep(store, game, new_match(matchup, mode, word, begins=begins), token, address)


def begin_daily(store: Store, day: date, token: str, address: str | None = None) -> MatchAccess:
    """Return a new match that is the daily game of a date."""
    return _keep(store, DEFAULT_GAME, daily_match(day, listed_matchup(DEFAULT_GAME)), token, address)


def _keep(store: Store, game: str, match: Match, token: str, address: str | None) -> MatchAccess:
    """Return a match that has been stored."""
    stored = StoredMatch(secrets.token_urlsafe(16), _hash(token), game, 0, _record(match))
    store.add(stored, address)
    return MatchAccess(stored, match, is_owner=True)


def look(store: Store, match_id: str, token: str | None) -> MatchAccess:
    """Return the match of an id, as the browser with this token may see it."""
    if MATCH_ID.fullmatch(match_id) is None:
        raise RequestError(404, NO_MATCH)
    stored = store.get(match_id)
    if stored is None:
        raise RequestError(404, NO_MATCH)
    is_owner = token is not None and hmac.compare_digest(_hash(token), str(stored.owner))
    try:
        return MatchAccess(stored, _match(listed_matchup(stored.game), stored.record), is_owner)
    except (KeyError, TypeError, ValueError):
        raise RequestError(
            409, "this match is of another version of the server, or was changed in the database: begin a new one"
        ) from None


def move(store: Store, access: MatchAccess, version: int | None, change: Callable[[Match], Match]) -> MatchAccess:
    """Return a match after a move of its owner."""
    access.require_owner()
    overtaken = RequestError(409, "another move came first: look at the match again")
    if version is not None and version != access.stored.version:
        raise overtaken
    after = change(access.match)
    if len(after.yours) > MAX_TURNS:
        raise RequestError(409, f"this match has had {MAX_TURNS} guesses: give up, or take some back")
    stored = store.update(access.stored, _record(after))
    if stored is None:
        raise overtaken
    return MatchAccess(stored, after, is_owner=True)


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

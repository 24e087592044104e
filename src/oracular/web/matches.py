"""Matches as browsers see them: beginning one, looking at it, moving in it.

A browser owns the matches it began: it holds a random token, of which only the hash is kept here. Others may watch.
While a match is in progress nobody is shown the computer's secret or what it drew, and nobody but its owner the
owner's secret in a duel.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from typing import Any

from oracular.play.match import Match, new_match
from oracular.play.opponent import Mode, Table
from oracular.web.offered import card, offered_table
from oracular.web.refusals import Refusal
from oracular.web.schemas import MOST_TURNS, CorrectionView, MatchView, Turn
from oracular.web.store import DatabaseError, FullHouseError, FullShareError, Store, Stored

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", flags=re.ASCII)
"""What an owner's token looks like: 32 random bytes."""

MATCH_ID = re.compile(r"[A-Za-z0-9_-]{22}", flags=re.ASCII)

NO_MATCH = "there is no match at this address, or it rested too long: begin a new one"


def new_token() -> str:
    """Return a token for a browser that has none."""
    return secrets.token_urlsafe(32)


def is_token(text: str | None) -> bool:
    """Tell whether a text may be one of our tokens."""
    return text is not None and TOKEN.fullmatch(text) is not None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Seat:
    """A match and one browser before it.

    Attributes:
        stored: the match as it is kept.
        match: the match.
        owner: whether this browser began it.
    """

    def __init__(self, stored: Stored, table: Table, token: str | None) -> None:
        self.stored = stored
        self.owner = token is not None and is_token(token) and hmac.compare_digest(_hash(token), stored.owner)
        try:
            self.match = Match.from_record(table, stored.record)
        except (KeyError, TypeError, ValueError):
            raise Refusal(409, "this match was begun with another version: begin a new one") from None

    def expect_owner(self) -> None:
        """Turn a browser away that did not begin the match."""
        if not self.owner:
            raise Refusal(403, "this match was begun in another browser: watch it, or begin your own")

    @property
    def view(self) -> MatchView:
        """What this browser may see."""
        match, over = self.match, self.match.result is not None
        computers = list(match.computers)
        found = match.table.guessing.game.labels[match.table.guessing.game.found]
        if match.mode == "duel" and not over and not self.owner and computers and computers[-1][1] == found:
            computers.pop()  # the computer has found the owner's secret and the owner has a turn left
        return MatchView(
            id=self.stored.id,
            game=card(self.stored.game),
            mode=match.mode,
            yours=self.owner,
            to_move=match.to_move,
            starter=match.starter,
            guesses=_turns(match.yours),
            computer=_turns(computers),
            pending=match.pending,
            contradiction=[
                CorrectionView(turn=c.turn, guess=c.guess, answer=c.answer, could_be=list(c.could_be))
                for c in match.contradiction
            ],
            result=match.result,
            secret=match.secret if over else None,
            own=match.own if over or self.owner else None,
            undone=match.undone,
            version=self.stored.version,
        )


def _turns(turns: Any) -> list[Turn]:
    return [Turn.model_construct(guess=guess, answer=answer) for guess, answer in turns]


class Matches:
    """All matches of a server."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, game: str, mode: Mode, word: str | None, token: str, address: str | None = None) -> Seat:
        """Return a new match, owned by the browser with this token, which is at this address if that is known."""
        table = offered_table(game)
        if (word is not None) != (mode == "duel"):
            raise Refusal(422, "word: a duel needs your secret, and no other mode takes one: give it just there")
        match = new_match(table, mode, word)
        stored = Stored(secrets.token_urlsafe(16), _hash(token), game, 0, match.to_record())
        try:
            self._store.add(stored, address)
        except (FullHouseError, DatabaseError) as error:
            raise Refusal(503, str(error)) from None
        except FullShareError as error:
            raise Refusal(429, str(error)) from None
        return Seat(stored, table, token)

    def look(self, match_id: str, token: str | None) -> Seat:
        """Return the match at an address, as the browser with this token sees it."""
        if MATCH_ID.fullmatch(match_id) is None:
            raise Refusal(404, NO_MATCH)
        try:
            stored = self._store.get(match_id)
        except DatabaseError as error:
            raise Refusal(503, str(error)) from None
        if stored is None:
            raise Refusal(404, NO_MATCH)
        return Seat(stored, offered_table(stored.game), token)

    def move(self, match_id: str, token: str | None, version: int | None, change: Callable[[Match], Match]) -> Seat:
        """Return the match after a move of its owner; a move that another one overtook is not made."""
        seat = self.look(match_id, token)
        seat.expect_owner()
        overtaken = Refusal(409, "another move came first: look at the match again")
        if version is not None and version != seat.stored.version:
            raise overtaken
        after = change(seat.match)
        if len(after.yours) > MOST_TURNS:
            raise Refusal(409, f"this match has had {MOST_TURNS} guesses: give up, or take some back")
        try:
            stored = self._store.change(seat.stored, after.to_record())
        except DatabaseError as error:
            raise Refusal(503, str(error)) from None
        if stored is None:
            raise overtaken
        return Seat(stored, after.table, token)

    def count(self) -> int:
        """Return how many matches are kept, or say what is wrong with the database."""
        try:
            return self._store.count()
        except DatabaseError as error:
            raise Refusal(503, str(error)) from None

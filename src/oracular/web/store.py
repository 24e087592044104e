"""The matches of a server, kept in SQLite so that a restart loses no game in progress.

A match is a row: the hash of its owner's token, a hash of the owner's address under a key that only the running server
has, its version, the time of its last move, and the record that `Match.to_record` made. A move replaces the record only
if the version is still the one that it was made for, so of two moves at once only one is made.

Times are seconds that the server has run, over all its runs: a clock on the wall that jumps must not end a game.
Matches without a move for long enough are removed. Where room is needed, matches in which no move was made are removed
first, then finished ones, the oldest before the others.

Reading never waits for writing, since each has a connection of its own. Where another program has locked the file, one
request waits for it a short time, and until it lets go all others are refused at once.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from oracular.web.database import (
    FINISHED,
    PLAYED,
    UNPLAYED,
    DatabaseError,
    SharedConnection,
    connect,
    file_identities,
    is_busy,
    is_damage,
    open_database,
)
from oracular.web.errors import RequestError
from oracular.web.settings import Settings

LOCK_SECONDS = 0.5
"""How long a request waits for another program that has locked the file."""

MAX_VERSION = 2**31
"""No match has had this many moves."""


@dataclass(frozen=True)
class StoredMatch:
    """A match as it is stored.

    Attributes:
        owner: the hash of the token of the browser that began it.
        version: how many moves were made.
    """

    id: str
    owner: str
    game: str
    version: int
    record: dict[str, Any]

    @property
    def standing(self) -> int:
        """Whether the match is `UNPLAYED`, `FINISHED` or being `PLAYED`."""
        if self.version == 0:
            return UNPLAYED
        return PLAYED if self.record["result"] is None else FINISHED


class Store:
    """The matches in one database file; may be used from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.path = settings, settings.database
        self._key = secrets.token_bytes(32)
        self._damage: DatabaseError | None = None
        connection, self._seconds_before = open_database(self.path)
        self._files = file_identities(self.path)
        self._writing = SharedConnection(connection)
        self._reading, self._counting = (SharedConnection(connect(self.path)) for _ in range(2))
        self._started = settings.clock()

    def now(self) -> float:
        """Return how many seconds the server has run, over all its runs."""
        return self._seconds_before + max(0.0, self.settings.clock() - self._started)

    def close(self) -> None:
        """Record how long the server has run, and close the file."""
        with suppress(DatabaseError), self._transaction() as database:
            database.execute("UPDATE running SET seconds = ?", [self.now()])
        for connection in (self._reading, self._counting, self._writing):
            connection.close()

    def add(self, match: StoredMatch, address: str | None = None) -> None:
        """Store a new match; remove others to make room for it, or raise an error where none may be removed."""
        now, settings = self.now(), self.settings
        place = None if address is None else self._hash(address)
        with self._transaction() as database:
            database.execute("UPDATE running SET seconds = ?", [now])
            database.execute("DELETE FROM matches WHERE moved <= ?", [now - settings.idle_seconds])
            _make_room(database, "owner = ?", [match.owner], settings.max_matches_per_browser, PLAYED)
            most = settings.max_matches
            share = settings.max_matches_per_address or max(500, most // 5)
            if place is not None and not _make_room(database, "address = ?", [place], share, FINISHED):
                raise RequestError(
                    429, f"{share:,} games are being played from your address: finish some of them first"
                )
            if not _make_room(database, "TRUE", [], most, FINISHED):
                raise RequestError(503, f"all {most:,} places for games are taken: come back when some have ended")
            row = (match.id, match.owner, place, match.game, match.version, now, match.standing, _json(match.record))
            database.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, match_id: str) -> StoredMatch | None:
        """Return a match, or None where there is none or it has had no move for too long."""
        with self._use(self._reading) as database:
            row = database.execute(
                "SELECT owner, game, version, record FROM matches WHERE id = ? AND moved > ?",
                [match_id, self.now() - self.settings.idle_seconds],
            ).fetchone()
        if row is None:
            return None
        try:
            record = json.loads(row[3])
        except (ValueError, TypeError, RecursionError):
            record = None
        if not isinstance(record, dict) or type(row[2]) is not int or not 0 <= row[2] < MAX_VERSION:
            raise RequestError(409, "this match is damaged in the database: begin a new one")
        return StoredMatch(match_id, row[0], row[1], row[2], record)

    def update(self, match: StoredMatch, record: dict[str, Any]) -> StoredMatch | None:
        """Return the match with its new record, or None where another move came first."""
        after = replace(match, record=record, version=match.version + 1)
        row = (_json(record), after.version, self.now(), after.standing, match.id, match.version)
        with self._use(self._writing) as database:
            changed = database.execute(
                "UPDATE matches SET record = ?, version = ?, moved = ?, standing = ? WHERE id = ? AND version = ?", row
            ).rowcount
        return after if changed else None

    def count(self) -> int:
        """Return how many matches are kept; raise `DatabaseError` at once where the file is still locked."""
        if self._writing.busy:
            with self._use(self._counting, timeout=0.0) as database:
                database.execute("BEGIN IMMEDIATE")  # fails while another program has locked the file
                database.execute("ROLLBACK")
            self._writing.busy = False
        with self._use(self._counting) as database:
            oldest = self.now() - self.settings.idle_seconds
            counted: int = database.execute("SELECT COUNT(*) FROM matches WHERE moved > ?", [oldest]).fetchone()[0]
        return counted

    def _hash(self, address: str) -> str:
        """Return a hash by which matches from one address can be counted, and the address cannot be found out."""
        return hashlib.blake2b(address.encode("utf-8", "replace"), key=self._key, digest_size=16).hexdigest()

    @contextmanager
    def _use(self, connection: SharedConnection, timeout: float | None = None) -> Iterator[sqlite3.Connection]:
        """Give a connection to this thread; raise `DatabaseError` where the database cannot be used."""
        if self._damage is not None:
            raise self._damage
        files = file_identities(self.path)
        if files != self._files:
            which = "the database" if files[0] != self._files[0] else "a file beside the database"
            raise DatabaseError(f"{which} was moved or deleted while the server ran: start the server again")
        try:
            with connection.use(LOCK_SECONDS if timeout is None else timeout) as database:
                yield database
        except sqlite3.Error as error:
            if is_busy(error):
                raise DatabaseError("the database is in use by another program: try again in a moment") from None
            if is_damage(error):
                self._damage = DatabaseError("the database is damaged: move it away and start the server again")
                raise self._damage from None
            raise DatabaseError("the matches cannot be read or written just now: try again in a moment") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the writing connection; what is done on it takes effect as a whole or not at all."""
        with self._use(self._writing) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")


def _make_room(database: sqlite3.Connection, condition: str, values: list[str], most: int, standing: int) -> bool:
    """Remove as many matches of at most this standing as it takes to add one; return whether there is room then."""
    count: int = database.execute(f"SELECT COUNT(*) FROM matches WHERE {condition}", values).fetchone()[0]
    excess = count + 1 - most
    if excess <= 0:
        return True
    oldest = (
        f"SELECT id FROM matches WHERE {condition} AND standing <= {standing} ORDER BY standing, moved LIMIT {excess}"
    )
    return database.execute(f"DELETE FROM matches WHERE id IN ({oldest})", values).rowcount >= excess


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"))

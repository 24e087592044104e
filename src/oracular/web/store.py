"""Matches on disk: one SQLite file, so that a restart keeps every game in progress.

A match is a row: who began it (the hash of a token that only that browser has), how often it was changed, when, and
the record that `Match.to_record` wrote. A change is made against the version that it was worked out from; if another
came first it is not made, so two moves at once never both apply. Matches are forgotten when they have rested long
enough; where room is needed the oldest finished ones go first, and games in progress never do.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracular.errors import OracularError, RunError

APPLICATION = 0x6F726163
"""Marks a database as ours: `orac`."""

FORMAT = 1
SECONDS_FOR_A_LOCK = 5.0
"""How long to wait for another program that has the file to itself."""

SCHEMA = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    moved REAL NOT NULL,
    finished INTEGER NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_rest ON matches (finished, moved);
"""


class FullHouseError(OracularError):
    """No room for another match."""


@dataclass(frozen=True)
class Stored:
    """A match as it is kept.

    Attributes:
        id: its address.
        owner: the hash of the token of the browser that began it.
        game: the name of the game.
        version: how many moves were made.
        record: the match itself, as plain data.
    """

    id: str
    owner: str
    game: str
    version: int
    record: dict[str, Any]

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return self.record["result"] is not None


class Store:
    """The matches of one database file; may be used from any thread."""

    def __init__(self, path: Path, most: int, rest: float, clock: Callable[[], float]) -> None:
        self.path, self.most = path, most
        self._rest, self._clock = rest, clock
        self._lock = threading.Lock()
        self._connection = _opened(path)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def add(self, match: Stored) -> None:
        """Keep a new match; forget what has rested, and finished ones where there is no room; or say there is none."""
        now = self._clock()
        with self._lock, self._connection as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("DELETE FROM matches WHERE moved <= ?", [now - self._rest])
            excess = database.execute("SELECT COUNT(*) FROM matches").fetchone()[0] + 1 - self.most
            if excess > 0:
                oldest = "SELECT id FROM matches WHERE finished ORDER BY moved LIMIT ?"
                cleared = database.execute(f"DELETE FROM matches WHERE id IN ({oldest})", [excess]).rowcount
                if cleared < excess:
                    raise FullHouseError(
                        f"all {self.most:,} places for games are taken: come back when some have ended"
                    )
            row = (match.id, match.owner, match.game, match.version, now, match.finished, _written(match.record))
            database.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, match_id: str) -> Stored | None:
        """Return a match, or None where there is none or it has rested too long."""
        with self._lock:
            row = self._connection.execute(
                "SELECT owner, game, version, record FROM matches WHERE id = ? AND moved > ?",
                [match_id, self._clock() - self._rest],
            ).fetchone()
        return None if row is None else Stored(match_id, row[0], row[1], row[2], json.loads(row[3]))

    def change(self, match: Stored, record: dict[str, Any]) -> Stored | None:
        """Return the match with its new record, or None where another change came first."""
        after = replace(match, record=record, version=match.version + 1)
        with self._lock, self._connection as database:
            changed = database.execute(
                "UPDATE matches SET record = ?, version = ?, moved = ?, finished = ? WHERE id = ? AND version = ?",
                (_written(record), after.version, self._clock(), after.finished, match.id, match.version),
            ).rowcount
        return after if changed else None

    def count(self) -> int:
        """Return how many matches are kept."""
        rested = self._clock() - self._rest
        with self._lock:
            return self._connection.execute("SELECT COUNT(*) FROM matches WHERE moved > ?", [rested]).fetchone()[0]


def _written(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"))


def _opened(path: Path) -> sqlite3.Connection:
    """Return the open database, made where there is none, or say why the file cannot be used."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # secrets of games in progress are in it
    except OSError as error:
        raise RunError(f"database {str(path)!r} cannot be used ({error.strerror}): choose another") from None
    try:
        connection = sqlite3.connect(path, timeout=SECONDS_FOR_A_LOCK, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise RunError(f"database {str(path)!r} cannot be used ({error}): choose another") from None
    try:
        _prepare(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise RunError(f"database {str(path)!r} {_trouble(error)}, or choose another") from None
    except RunError:
        connection.close()
        raise
    return connection


def _trouble(error: sqlite3.DatabaseError) -> str:
    """Return what is the matter with a file, and a first remedy."""
    code = error.sqlite_errorcode & 0xFF  # the rest tells kinds of one trouble apart
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return f"is in use by another program ({error}): stop that one"
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return f"is damaged or none ({error}): move it away"
    return f"cannot be used ({error}): see to its disk and its permissions"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new database; check that an old one is ours and whole."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    is_new = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    if not is_new and application != APPLICATION:
        raise RunError(f"database {str(path)!r} is another program's: choose another")
    if not is_new:
        kept = connection.execute("PRAGMA user_version").fetchone()[0]
        if kept != FORMAT:
            raise RunError(f"database {str(path)!r} is of format {kept}: this version reads {FORMAT}, choose another")
        state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise RunError(f"database {str(path)!r} is damaged ({state.splitlines()[0]}): move it away")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the server loses nothing; one of the machine may
    if is_new:
        connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {SCHEMA} COMMIT;"
        )

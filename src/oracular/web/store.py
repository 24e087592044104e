"""The matches of a server, kept in SQLite so that a restart loses no game in progress.

A match is a row: the hash of its owner's token, a hash of the owner's address under a key that only the running server
has, its version, the time of its last move, and the record that `Match.to_record` made. A move replaces the record only
if the version is still the one that it was made for, so of two moves at once only one is made.

Times are seconds that the server has run, over all its runs: a clock on the wall that jumps must not end a game.
Matches without a move for long enough are removed. Where room is needed, matches in which no move was made are removed
first, then finished ones, the oldest before the others.

Reading never waits for writing, since each has a connection of its own. If another program has locked the file, a move
waits for it a short time and is then refused.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracular.errors import RunError
from oracular.system.files import quoted
from oracular.web.guard import RequestError
from oracular.web.settings import Settings

_APPLICATION = 0x6F726163
"""SQLite's application id of our databases: `orac`."""

_FORMAT = 2
_OPEN_SECONDS = 5.0
"""How long to wait at the start for another program that has locked the file."""

LOCK_SECONDS = 0.5
"""How long a move waits for another program that has locked the file."""

_MAX_VERSION = 2**31
"""No match has had this many moves."""

_UNPLAYED, _FINISHED, _PLAYED = range(3)
"""The standing of a match: no move was made, it is over, or it is being played; the lower is removed first."""

_SCHEMA = """
CREATE TABLE matches (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    address TEXT,
    game TEXT NOT NULL,
    version INTEGER NOT NULL,
    moved REAL NOT NULL,
    standing INTEGER NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_standing ON matches (standing, moved);
CREATE INDEX by_owner ON matches (owner);
CREATE INDEX by_address ON matches (address);
CREATE TABLE running (seconds REAL NOT NULL);
INSERT INTO running VALUES (0);
"""

_FROM_FORMAT_1 = f"""
ALTER TABLE matches RENAME TO old;
DROP INDEX by_rest;
{_SCHEMA}
INSERT INTO matches SELECT id, owner, NULL, game, version, 0,
    CASE WHEN version = 0 THEN {_UNPLAYED} WHEN finished THEN {_FINISHED} ELSE {_PLAYED} END, record FROM old;
DROP TABLE old;
"""
"""Format 1 recorded moves by the clock on the wall, so here every match counts as moved at time 0."""


class DatabaseError(RequestError):
    """A request that is refused because the database cannot be read or written now."""

    def __init__(self, message: str) -> None:
        super().__init__(503, message)


def _is_busy(error: sqlite3.Error) -> bool:
    """Return whether an error says that another program has locked the file."""
    return _error_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error says that the file is damaged, or is no database."""
    return _error_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _error_code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF  # the higher bits are SQLite's subdivisions of a code


def _all_files(path: Path) -> list[Path]:
    """Return a database's file and those that SQLite keeps beside it; links are followed, as SQLite does."""
    file = path.resolve()
    return [file, *(file.with_name(f"{file.name}-{ending}") for ending in ("wal", "shm"))]


def _connect(path: Path, seconds: float) -> sqlite3.Connection:
    """Return a connection that waits so long for another program that has locked the file."""
    return sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)


def _open_database(path: Path) -> float:
    """Prepare a database, created if there is none, and return how many seconds the server had run.

    Raises `RunError` if the database cannot be used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # it holds the secrets of games in progress
        with closing(_connect(path, _OPEN_SECONDS)) as connection:
            _prepare(connection, path)
            return _seconds_run(connection)
    except OSError as error:
        raise RunError(f"database {quoted(path)} cannot be used ({error.strerror}): choose another") from None
    except sqlite3.Error as error:
        raise RunError(f"database {quoted(path)} {_problem(error)}, or choose another") from None


def _problem(error: sqlite3.Error) -> str:
    """Return what is wrong with a file and a first remedy, as part of a sentence."""
    if _is_busy(error):
        return f"is in use by another program ({error}): stop that one"
    if _is_damage(error):
        return f"is damaged or is no database ({error}): move it away"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR:  # a table or column is missing
        return f"does not have the tables that it should ({error}): move it away"
    return f"cannot be used ({error}): check its disk and its permissions"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables of a new database, or check an existing one and bring it to the present format."""
    is_new = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    stored_format = connection.execute("PRAGMA user_version").fetchone()[0]
    if not is_new:
        _check(connection, path, stored_format)
    _make_private(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may lose the last moves, a server's none
    if is_new or stored_format == 1:
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_FORMAT}; "
            f"{_SCHEMA if is_new else _FROM_FORMAT_1} COMMIT;"
        )


def _check(connection: sqlite3.Connection, path: Path, stored_format: int) -> None:
    """Raise `RunError` unless a database is ours, of a format that can be read, and undamaged."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise RunError(f"database {quoted(path)} is another program's: choose another")
    if stored_format not in (1, _FORMAT):
        raise RunError(
            f"database {quoted(path)} is of format {stored_format}: this version reads {_FORMAT}, choose another"
        )
    state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if state != "ok":
        raise RunError(f"database {quoted(path)} is damaged ({state.splitlines()[0]}): move it away")


def _make_private(path: Path) -> None:
    """Make a database and the files beside it readable for their owner alone; SQLite creates later ones alike."""
    for file in _all_files(path):
        try:
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise RunError(
                f"database {quoted(path)} can be read by others and cannot be made private ({error.strerror}): "
                "choose another"
            ) from None


def _seconds_run(connection: sqlite3.Connection) -> float:
    """Return how long the server had run when it last recorded that, or when the last move was made."""
    recorded = connection.execute("SELECT MAX(CAST(seconds AS REAL)) FROM running").fetchone()[0]
    moved = connection.execute("SELECT MAX(CAST(moved AS REAL)) FROM matches").fetchone()[0]
    return float(max(recorded or 0.0, moved or 0.0))


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
        """Whether the match is `_UNPLAYED`, `_FINISHED` or being `_PLAYED`."""
        if self.version == 0:
            return _UNPLAYED
        return _PLAYED if self.record["result"] is None else _FINISHED


class Store:
    """The matches in one database file; may be used from several threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.path = settings, settings.database
        self._key = secrets.token_bytes(32)
        self._seconds_before = _open_database(self.path)
        self._writing = _connect(self.path, LOCK_SECONDS)
        self._reading = _connect(self.path, LOCK_SECONDS)
        self._one_reads, self._one_writes = threading.Lock(), threading.Lock()
        self._started = settings.clock()

    def now(self) -> float:
        """Return how many seconds the server has run, over all its runs."""
        return self._seconds_before + max(0.0, self.settings.clock() - self._started)

    def close(self) -> None:
        """Record how long the server has run, and close the file."""
        with suppress(DatabaseError), self._transaction() as database:
            database.execute("UPDATE running SET seconds = ?", [self.now()])
        for connection in (self._reading, self._writing):
            connection.close()

    def add(self, match: StoredMatch, address: str | None = None) -> None:
        """Store a new match; remove others to make room for it, or raise an error where none may be removed."""
        now, settings = self.now(), self.settings
        place = None if address is None else self._hash(address)
        with self._transaction() as database:
            database.execute("UPDATE running SET seconds = ?", [now])
            database.execute("DELETE FROM matches WHERE moved <= ?", [now - settings.idle_seconds])
            _make_room(database, "owner = ?", [match.owner], settings.max_matches_per_browser, _PLAYED)
            most = settings.max_matches
            share = settings.max_matches_per_address or max(500, most // 5)
            if place is not None and not _make_room(database, "address = ?", [place], share, _FINISHED):
                raise RequestError(
                    429, f"{share:,} games are being played from your address: finish some of them first"
                )
            if not _make_room(database, "TRUE", [], most, _FINISHED):
                raise RequestError(503, f"all {most:,} places for games are taken: come back when some have ended")
            row = (match.id, match.owner, place, match.game, match.version, now, match.standing, _json(match.record))
            database.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, match_id: str) -> StoredMatch | None:
        """Return a match, or None where there is none or it has had no move for too long."""
        with self._one_reads, _errors_as_refusals():
            row = self._reading.execute(
                "SELECT owner, game, version, record FROM matches WHERE id = ? AND moved > ?",
                [match_id, self.now() - self.settings.idle_seconds],
            ).fetchone()
        if row is None:
            return None
        try:
            record = json.loads(row[3])
        except (ValueError, TypeError, RecursionError):
            record = None
        if not isinstance(record, dict) or type(row[2]) is not int or not 0 <= row[2] < _MAX_VERSION:
            raise RequestError(409, "this match is damaged in the database: begin a new one")
        return StoredMatch(match_id, row[0], row[1], row[2], record)

    def update(self, match: StoredMatch, record: dict[str, Any]) -> StoredMatch | None:
        """Return the match with its new record, or None where another move came first."""
        after = replace(match, record=record, version=match.version + 1)
        row = (_json(record), after.version, self.now(), after.standing, match.id, match.version)
        with self._transaction() as database:
            changed = database.execute(
                "UPDATE matches SET record = ?, version = ?, moved = ?, standing = ? WHERE id = ? AND version = ?", row
            ).rowcount
        return after if changed else None

    def count(self) -> int:
        """Return how many matches are kept; raise `DatabaseError` if none could be written now."""
        with self._transaction() as database:
            oldest = self.now() - self.settings.idle_seconds
            counted: int = database.execute("SELECT COUNT(*) FROM matches WHERE moved > ?", [oldest]).fetchone()[0]
        return counted

    def _hash(self, address: str) -> str:
        """Return a hash by which matches from one address can be counted, and the address cannot be found out."""
        return hashlib.blake2b(address.encode("utf-8", "replace"), key=self._key, digest_size=16).hexdigest()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Give the writing connection; what is done on it takes effect as a whole or not at all."""
        with self._one_writes, _errors_as_refusals():
            self._writing.execute("BEGIN IMMEDIATE")
            with self._writing:  # commits, or rolls back after an error
                yield self._writing


@contextmanager
def _errors_as_refusals() -> Iterator[None]:
    """Raise a `DatabaseError` for every error of SQLite."""
    try:
        yield
    except sqlite3.Error as error:
        if _is_busy(error):
            raise DatabaseError("the database is in use by another program: try again in a moment") from None
        if _is_damage(error):
            raise DatabaseError("the database is damaged: move it away and start the server again") from None
        raise DatabaseError("the matches cannot be read or written just now: try again in a moment") from None


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

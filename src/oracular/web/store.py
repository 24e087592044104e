"""Matches on disk: one SQLite file, so that a restart keeps every game in progress.

A match is a row: who began it (the hash of a token that only that browser has), where (a hash that only the running
server can make), how often it was changed, when, and the record that `Match.to_record` wrote. A change is made against
the version that it was worked out from; if another came first it is not made, so two moves at once never both apply.

Time is how long the server has run, all in all: no clock on the wall is asked, so none can end a game by jumping. It
stands still while the server does not run. Matches are forgotten when they have rested long enough. Where room is
needed, matches in which no move was made give way first, the oldest before the others, and then finished ones.

Looking never waits for writing: each is done on a connection of its own. Another program that has the file to itself
is waited for shortly, by one request; until it is gone all others are refused at once.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oracular.errors import OracularError, RunError
from oracular.system.files import quoted

APPLICATION = 0x6F726163
"""Marks a database as ours: `orac`."""

FORMAT = 2
SECONDS_TO_OPEN = 5.0
"""How long to wait at the start for another program that has the file to itself."""

SECONDS_FOR_A_LOCK = 0.5
"""How long one request waits for it while the server runs."""

SECONDS_FOR_A_DISK = 10.0
"""How long a request waits while those before it are read or written."""

UNPLAYED, FINISHED, PLAYED = range(3)
"""How a match stands, in the order in which they give way."""

COLUMNS = {
    "matches": ["id", "owner", "address", "game", "version", "moved", "standing", "record"],
    "running": ["seconds"],
}
"""What the tables below have, in their order."""

SCHEMA = """
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

FROM_FORMAT_1 = f"""
ALTER TABLE matches RENAME TO old;
DROP INDEX by_rest;
{SCHEMA}
INSERT INTO matches SELECT id, owner, NULL, game, version, 0,
    CASE WHEN version = 0 THEN {UNPLAYED} WHEN finished THEN {FINISHED} ELSE {PLAYED} END, record FROM old;
DROP TABLE old;
"""
"""There the clock on the wall was asked; every match begins its rest anew."""


class FullHouseError(OracularError):
    """No room for another match."""


class FullShareError(OracularError):
    """No room for another match from one address."""


class DatabaseError(OracularError):
    """The database cannot be read or written now."""


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
    def standing(self) -> int:
        """Whether no move was made, or the match is over, or somebody plays."""
        if self.version == 0:
            return UNPLAYED
        return PLAYED if self.record["result"] is None else FINISHED


class _Line:
    """A connection to the database, for one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._lock = threading.Lock()
        self._connection = connection
        self._patience = -1.0
        self.busy = False  # another program had the file to itself when it was last asked

    @contextmanager
    def held(self, patience: float) -> Iterator[sqlite3.Connection]:
        """Give the connection, which waits for another program only where nobody waited in vain before.

        Args:
            patience: for how many seconds it waits then.
        """
        if not self._lock.acquire(timeout=SECONDS_FOR_A_DISK):
            raise DatabaseError("the database does not answer: see to its disk")
        try:
            patience = 0.0 if self.busy else patience
            if patience != self._patience:
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * patience)}")
                self._patience = patience
            try:
                yield self._connection
            except sqlite3.Error as error:
                self.busy = _is_busy(error)
                raise
            self.busy = False
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection once nobody uses it."""
        with self._lock:
            self._connection.close()


class Store:
    """The matches of one database file; may be used from any thread."""

    def __init__(
        self,
        path: Path,
        most: int,
        rest: float,
        clock: Callable[[], float],
        most_an_owner: int | None = None,
        most_an_address: int | None = None,
    ) -> None:
        self.path, self.most = path, most
        self._most_an_owner = most if most_an_owner is None else most_an_owner
        self._most_an_address = most if most_an_address is None else most_an_address
        self._rest, self._clock = rest, clock
        self._key = secrets.token_bytes(32)
        self._damage: DatabaseError | None = None
        writing, self._before = _opened(path)
        self._files = _identities(path)
        self._writing = _Line(writing)
        self._reading, self._counting = _Line(_connected(path)), _Line(_connected(path))
        self._started = clock()

    def now(self) -> float:
        """Return for how many seconds the server has run, all in all."""
        return self._before + max(0.0, self._clock() - self._started)

    def close(self) -> None:
        """Note how long the server has run, and close the file."""
        with suppress(DatabaseError), self._change() as database:
            database.execute("UPDATE running SET seconds = ?", [self.now()])
        for line in (self._reading, self._counting, self._writing):
            line.close()

    def add(self, match: Stored, address: str | None = None) -> None:
        """Keep a new match; make room for it where that is allowed, or say that there is none.

        Args:
            match: the match.
            address: where its owner is; None where that is not known.
        """
        now, place = self.now(), None if address is None else self._hash(address)
        with self._change() as database:
            database.execute("UPDATE running SET seconds = ?", [now])
            database.execute("DELETE FROM matches WHERE moved <= ?", [now - self._rest])
            _make_room(database, "owner = ?", [match.owner], self._most_an_owner, PLAYED)
            if place is not None and not _make_room(database, "address = ?", [place], self._most_an_address, FINISHED):
                raise FullShareError(
                    f"{self._most_an_address:,} games are being played from your address: finish some of them first"
                )
            if not _make_room(database, "TRUE", [], self.most, FINISHED):
                raise FullHouseError(f"all {self.most:,} places for games are taken: come back when some have ended")
            row = (match.id, match.owner, place, match.game, match.version, now, match.standing, _written(match.record))
            database.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def get(self, match_id: str) -> Stored | None:
        """Return a match, or None where there is none or it has rested too long."""
        with self._looking(self._reading) as database:
            row = database.execute(
                "SELECT owner, game, version, record FROM matches WHERE id = ? AND moved > ?",
                [match_id, self.now() - self._rest],
            ).fetchone()
        if row is None:
            return None
        try:
            return Stored(match_id, row[0], row[1], row[2], json.loads(row[3]))
        except (ValueError, TypeError, RecursionError):
            raise DatabaseError("this match is damaged in the database: begin a new one") from None

    def change(self, match: Stored, record: dict[str, Any]) -> Stored | None:
        """Return the match with its new record, or None where another change came first."""
        after = replace(match, record=record, version=match.version + 1)
        row = (_written(record), after.version, self.now(), after.standing, match.id, match.version)
        with self._looking(self._writing) as database:
            changed = database.execute(
                "UPDATE matches SET record = ?, version = ?, moved = ?, standing = ? WHERE id = ? AND version = ?", row
            ).rowcount
        return after if changed else None

    def count(self) -> int:
        """Return how many matches are kept; or say what is wrong, without waiting for who was waited for in vain."""
        if self._writing.busy:  # is it still?
            with self._looking(self._counting, patience=0.0) as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("ROLLBACK")
            self._writing.busy = False
        with self._looking(self._counting) as database:
            rested = self.now() - self._rest
            counted: int = database.execute("SELECT COUNT(*) FROM matches WHERE moved > ?", [rested]).fetchone()[0]
        return counted

    def _hash(self, address: str) -> str:
        """Return an address so that matches from the same one can be counted, and nobody can read which it was."""
        return hashlib.blake2b(address.encode("utf-8", "replace"), key=self._key, digest_size=16).hexdigest()

    @contextmanager
    def _looking(self, line: _Line, patience: float | None = None) -> Iterator[sqlite3.Connection]:
        """Give a connection to the database, or say in a sentence what is wrong with it.

        Args:
            line: which connection.
            patience: for how many seconds it waits for another program; SECONDS_FOR_A_LOCK where none is given.
        """
        if self._damage is not None:
            raise self._damage
        files = _identities(self.path)
        if files[0] != self._files[0]:
            raise DatabaseError("the database was moved or deleted while the server ran: start the server again")
        if files != self._files:
            raise DatabaseError(
                "a file beside the database was moved or deleted while the server ran: start the server again"
            )
        try:
            with line.held(SECONDS_FOR_A_LOCK if patience is None else patience) as connection:
                yield connection
        except sqlite3.Error as error:
            if _is_busy(error):
                raise _busy() from None
            if _is_damage(error):
                self._damage = DatabaseError("the database is damaged: move it away and start the server again")
                raise self._damage from None
            raise DatabaseError("the matches cannot be read or written just now: try again in a moment") from None

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Give a connection on which either everything is changed or nothing."""
        with self._looking(self._writing) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                with suppress(sqlite3.Error):
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")


def _make_room(database: sqlite3.Connection, whose: str, values: list[str], most: int, last: int) -> bool:
    """Forget as many matches as it takes to add one; tell whether that was enough.

    Args:
        database: where they are.
        whose: which matches are counted, as a condition.
        values: what its question marks stand for.
        most: how many there may be.
        last: the last standing that gives way.
    """
    count: int = database.execute(f"SELECT COUNT(*) FROM matches WHERE {whose}", values).fetchone()[0]
    excess = count + 1 - most
    if excess <= 0:
        return True
    oldest = f"SELECT id FROM matches WHERE {whose} AND standing <= {last} ORDER BY standing, moved LIMIT {excess}"
    return database.execute(f"DELETE FROM matches WHERE id IN ({oldest})", values).rowcount >= excess


def _written(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"))


def _all_files(path: Path) -> list[Path]:
    """Return a database's file and what SQLite keeps beside it while it is open; a link is followed, as SQLite does."""
    file = path.resolve()
    return [file, *(file.with_name(f"{file.name}-{ending}") for ending in ("wal", "shm"))]


def _identities(path: Path) -> list[tuple[int, int] | None]:
    """Return which files a database and those beside it are: without them later changes would be lost."""
    return [_identity(file) for file in _all_files(path)]


def _identity(path: Path) -> tuple[int, int] | None:
    """Return which file is at a path, or None where none is."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _is_busy(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest tells kinds of one trouble apart
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _busy() -> DatabaseError:
    return DatabaseError("the database is in use by another program: try again in a moment")


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=SECONDS_TO_OPEN, isolation_level=None, check_same_thread=False)


def _opened(path: Path) -> tuple[sqlite3.Connection, float]:
    """Return the database, made where there is none, and how long the server has run; or say why it cannot be used."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # secrets of games in progress are in it
    except OSError as error:
        raise RunError(f"database {quoted(path)} cannot be used ({error.strerror}): choose another") from None
    try:
        connection = _connected(path)
    except sqlite3.Error as error:
        raise RunError(f"database {quoted(path)} cannot be used ({error}): choose another") from None
    try:
        _prepare(connection, path)
        return connection, _seconds_run(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise RunError(f"database {quoted(path)} {_trouble(error)}, or choose another") from None
    except RunError:
        connection.close()
        raise


def _trouble(error: sqlite3.DatabaseError) -> str:
    """Return what is the matter with a file, and a first remedy."""
    if _is_busy(error):
        return f"is in use by another program ({error}): stop that one"
    if _is_damage(error):
        return f"is damaged or none ({error}): move it away"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR:  # what was asked for is not in it
        return f"has other tables than it should ({error}): move it away"
    return f"cannot be used ({error}): see to its disk and its permissions"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables of a new database; check that an old one is ours and whole, and make it private."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    is_new = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    kept = connection.execute("PRAGMA user_version").fetchone()[0]
    if not is_new and application != APPLICATION:
        raise RunError(f"database {quoted(path)} is another program's: choose another")
    if not is_new:
        if kept not in (1, FORMAT):
            raise RunError(f"database {quoted(path)} is of format {kept}: this version reads {FORMAT}, choose another")
        state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise RunError(f"database {quoted(path)} is damaged ({state.splitlines()[0]}): move it away")
    if not is_new and kept == FORMAT:
        for table, columns in COLUMNS.items():
            if [name for name, *_ in connection.execute(f"SELECT * FROM {table} LIMIT 0").description] != columns:
                raise RunError(
                    f"database {quoted(path)} has other columns than it should in its table {table}: "
                    "move it away, or choose another"
                )
    _make_private(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the server loses nothing; one of the machine may
    if is_new or kept == 1:
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; "
            f"{SCHEMA if is_new else FROM_FORMAT_1} COMMIT;"
        )


def _make_private(path: Path) -> None:
    """Let nobody else read a database and what SQLite keeps beside it; later files beside it are made like it."""
    for file in _all_files(path):
        try:
            if file.stat().st_mode & 0o077:
                file.chmod(0o600)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise RunError(
                f"database {quoted(path)} can be read by others and not be made private ({error.strerror}): "
                "choose another"
            ) from None


def _seconds_run(connection: sqlite3.Connection) -> float:
    """Return how long the server had run when it last noted it, or when the last move was made."""
    noted = connection.execute("SELECT MAX(CAST(seconds AS REAL)) FROM running").fetchone()[0]
    moved = connection.execute("SELECT MAX(CAST(moved AS REAL)) FROM matches").fetchone()[0]
    return float(max(noted or 0.0, moved or 0.0))

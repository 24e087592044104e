"""The SQLite file that matches are kept in: its tables, opening it, and connections that several threads share."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oracular.errors import RunError
from oracular.system.files import quoted
from oracular.web.errors import RequestError

APPLICATION = 0x6F726163
"""SQLite's application id of our databases: `orac`."""

FORMAT = 2
OPEN_SECONDS = 5.0
"""How long to wait at the start for another program that has locked the file."""

TURN_SECONDS = 10.0
"""How long a thread waits for its turn on a connection."""

UNPLAYED, FINISHED, PLAYED = range(3)
"""The standing of a match: no move was made, it is over, or it is being played; the lower is removed first."""

COLUMNS = {
    "matches": ["id", "owner", "address", "game", "version", "moved", "standing", "record"],
    "running": ["seconds"],
}
"""The columns of the tables in the schema."""

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
"""Format 1 recorded moves by the clock on the wall, so here every match counts as moved at time 0."""


class DatabaseError(RequestError):
    """A request that is refused because the database cannot be read or written now."""

    def __init__(self, message: str) -> None:
        super().__init__(503, message)


class SharedConnection:
    """A connection to the database that one thread uses at a time.

    Attributes:
        busy: whether another program had locked the file when the connection was last used.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._lock = threading.Lock()
        self._connection = connection
        self._timeout = -1.0
        self.busy = False

    @contextmanager
    def use(self, timeout: float) -> Iterator[sqlite3.Connection]:
        """Give the connection to this thread.

        Args:
            timeout: how many seconds to wait for another program that has locked the file; where the last use found it
                locked, there is no waiting, so that only one request waits for a program that does not let go.
        """
        if not self._lock.acquire(timeout=TURN_SECONDS):
            raise DatabaseError("the database does not answer: check its disk")
        try:
            timeout = 0.0 if self.busy else timeout
            if timeout != self._timeout:
                self._connection.execute(f"PRAGMA busy_timeout = {int(1000 * timeout)}")
                self._timeout = timeout
            try:
                yield self._connection
            except sqlite3.Error as error:
                self.busy = is_busy(error)
                raise
            self.busy = False
        finally:
            self._lock.release()

    def close(self) -> None:
        """Close the connection once no thread uses it."""
        with self._lock:
            self._connection.close()


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether an error says that another program has locked the file."""
    return _error_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error says that the file is damaged, or is no database."""
    return _error_code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _error_code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF  # the higher bits are SQLite's subdivisions of a code


def file_identities(path: Path) -> list[tuple[int, int] | None]:
    """Return the device and inode of a database's file and of those beside it; None for one that is not there.

    They change where a file is moved or deleted while it is open; changes after that would be lost.
    """
    identities: list[tuple[int, int] | None] = []
    for file in _all_files(path):
        try:
            status = file.stat()
        except OSError:
            identities.append(None)
        else:
            identities.append((status.st_dev, status.st_ino))
    return identities


def _all_files(path: Path) -> list[Path]:
    """Return a database's file and those that SQLite keeps beside it; links are followed, as SQLite does."""
    file = path.resolve()
    return [file, *(file.with_name(f"{file.name}-{ending}") for ending in ("wal", "shm"))]


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection to a database, without checking it."""
    return sqlite3.connect(path, timeout=OPEN_SECONDS, isolation_level=None, check_same_thread=False)


def open_database(path: Path) -> tuple[sqlite3.Connection, float]:
    """Return a connection to a database, created where there is none, and how many seconds the server had run.

    Raises `RunError` where the database cannot be used.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)  # it holds the secrets of games in progress
    except OSError as error:
        raise RunError(f"database {quoted(path)} cannot be used ({error.strerror}): choose another") from None
    try:
        connection = connect(path)
    except sqlite3.Error as error:
        raise RunError(f"database {quoted(path)} cannot be used ({error}): choose another") from None
    try:
        _prepare(connection, path)
        return connection, _seconds_run(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise RunError(f"database {quoted(path)} {_problem(error)}, or choose another") from None
    except RunError:
        connection.close()
        raise


def _problem(error: sqlite3.DatabaseError) -> str:
    """Return what is wrong with a file and a first remedy, as part of a sentence."""
    if is_busy(error):
        return f"is in use by another program ({error}): stop that one"
    if is_damage(error):
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
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; "
            f"{SCHEMA if is_new else FROM_FORMAT_1} COMMIT;"
        )


def _check(connection: sqlite3.Connection, path: Path, stored_format: int) -> None:
    """Raise `RunError` unless a database is ours, of a format that can be read, and undamaged."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise RunError(f"database {quoted(path)} is another program's: choose another")
    if stored_format not in (1, FORMAT):
        raise RunError(
            f"database {quoted(path)} is of format {stored_format}: this version reads {FORMAT}, choose another"
        )
    state = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if state != "ok":
        raise RunError(f"database {quoted(path)} is damaged ({state.splitlines()[0]}): move it away")
    if stored_format == FORMAT:
        for table, columns in COLUMNS.items():
            if [name for name, *_ in connection.execute(f"SELECT * FROM {table} LIMIT 0").description] != columns:
                raise RunError(
                    f"database {quoted(path)} does not have the columns that it should in its table {table}: "
                    "move it away, or choose another"
                )


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

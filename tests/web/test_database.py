"""Whatever happens to the database, the server says so in a sentence and does not stop; and clocks may jump."""

from __future__ import annotations

import json
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection

import pytest

from oracular.errors import RunError
from oracular.web.store import StoredMatch

from browsing import Clock, begin, error_of, get, open_store, post


@pytest.fixture
def foreign(server):
    """Another program's connection to the server's database."""
    other = sqlite3.connect(server.app.state.services.settings.database, isolation_level=None, timeout=60)
    yield other
    other.close()


def _private(path):
    return stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


JUMPING = """
import sys, time
from pathlib import Path
plain, jump = time.time, Path("jump")
time.time = lambda: plain() + (float(jump.read_text()) if jump.exists() else 0)
from oracular.cli.main import main
sys.exit(main(["serve", "--port", "0", "--database", "matches.sqlite"]))
"""
"""A server on a machine whose clock on the wall jumps by as many seconds as a file says."""


def test_a_jump_of_the_clock_on_the_wall_ends_no_game(tmp_path):
    address, headers = "", {"Content-Type": "application/json"}

    def ask(method, path, body=None):
        with closing(HTTPConnection(address, timeout=120)) as connection:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, json.load(reply)

    match = {"id": ""}
    for day in (0, -3):  # between two rounds the server is stopped and started
        command = [sys.executable, "-c", JUMPING]
        server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().split()[2].removeprefix("http://").rstrip("/")
            if day == 0:
                _, match = ask("POST", "/api/matches", '{"game": "jotto-2", "mode": "guess"}')
            for jump in (day + 2, day - 1, day + 3650):
                assert ask("GET", f"/api/matches/{match['id']}")[0] == 200
                (tmp_path / "jump").write_text(str(jump * 86_400))
                assert ask("GET", f"/api/matches/{match['id']}")[0] == 200
                assert ask("POST", "/api/matches", '{"game": "jotto-2", "mode": "guess"}')[0] == 201
                assert ask("GET", f"/api/matches/{match['id']}")[0] == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=120)


def test_a_match_rests_only_while_the_server_runs_and_goes_on_resting_after_a_restart(serve):
    clock = Clock()
    server = serve(idle_seconds=3600.0, clock=clock)
    match = begin(server.first)
    clock.now += 2000
    after_a_boot = Clock(5.0)
    server = serve(restart=True, idle_seconds=3600.0, clock=after_a_boot)
    assert get(server.first, match).status_code == 200
    after_a_boot.now += 1500
    assert get(server.first, match).status_code == 200
    after_a_boot.now += 200
    assert get(server.first, match).status_code == 404


def test_a_server_that_was_killed_forgets_at_most_how_long_it_rested_since_the_last_move(tmp_path):
    clock = Clock()
    killed = open_store(tmp_path / "kept", 10, 3600.0, clock)
    killed.add(StoredMatch("a" * 22, "me", "jotto-2", 0, {"result": None}))
    clock.now += 3000
    killed.add(StoredMatch("b" * 22, "me", "jotto-2", 0, {"result": None}))
    clock.now += 500
    again = open_store(tmp_path / "kept", 10, 3600.0, Clock(0.0))
    assert again.get("a" * 22) and again.now() == pytest.approx(3000)
    killed.close()
    again.close()


def test_games_of_an_earlier_version_of_the_database_go_on(tmp_path, serve):
    with sqlite3.connect(tmp_path / "matches.sqlite") as old:
        old.executescript(
            """
            PRAGMA application_id = 0x6F726163; PRAGMA user_version = 1;
            CREATE TABLE matches (id TEXT PRIMARY KEY, owner TEXT NOT NULL, game TEXT NOT NULL,
                version INTEGER NOT NULL, moved REAL NOT NULL, finished INTEGER NOT NULL, record TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX by_rest ON matches (finished, moved);
            """
        )
        rows = [("a" * 22, 0, 1.0, 0), ("b" * 22, 3, 2e9, 0), ("c" * 22, 5, 3e9, 1)]
        for name, version, moved, finished in rows:
            record = '{"result": %s}' % ('"given up"' if finished else "null")
            old.execute(
                "INSERT INTO matches VALUES (?, 'me', 'jotto-2', ?, ?, ?, ?)", (name, version, moved, finished, record)
            )
    old.close()
    store = open_store(tmp_path / "matches.sqlite", 3, 3600.0, Clock())
    assert [store.get(name).version for name, *_ in rows] == [0, 3, 5]
    for new in ("d", "e"):
        store.add(StoredMatch(new * 22, "other", "jotto-2", 1, {"result": None}))
    assert [store.get(name) is None for name, *_ in rows] == [True, False, True]
    store.close()


def test_while_another_program_writes_games_can_be_looked_at_and_moves_are_refused_soon(server, foreign):
    browser = server.first
    match = begin(browser)
    foreign.execute("BEGIN IMMEDIATE")
    replies = [post(browser, match, "guess", guess="fog") for _ in range(3)]
    assert {reply.status_code for reply in replies} == {503} and "another program" in error_of(replies[0])
    assert all(reply.headers["retry-after"] for reply in replies)
    assert get(browser, match).json()["version"] == 0
    reply = browser.get("/api/health")
    assert reply.status_code == 503 and "another program" in error_of(reply)
    foreign.execute("ROLLBACK")
    assert browser.get("/api/health").status_code == 200
    assert post(browser, match, "guess", guess="fog").status_code == 200


def test_a_database_that_is_damaged_while_the_server_runs_is_reported_as_such(serve):
    server = serve()
    begin(server.first)
    server = serve(restart=True)
    browser, path = server.first, server.app.state.services.settings.database
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(b"\x00\xff" * (size // 2))
    for reply in (
        browser.get("/api/health"),
        browser.post("/api/matches", json={"game": "jotto-2", "mode": "guess"}),
        browser.get("/api/matches/" + "a" * 22),
        browser.get("/api/health"),
    ):
        assert reply.status_code == 503 and "damaged" in error_of(reply)
    assert browser.get("/api/games").status_code == 200


@pytest.mark.parametrize("mode", [0o666, 0o640, 0o600])
def test_a_database_that_is_there_already_is_made_private(tmp_path, mode):
    path = tmp_path / "kept"
    first = open_store(path, 10, 60.0, Clock())
    first.add(StoredMatch("a" * 22, "me", "jotto-2", 0, {"result": None}))
    files = [path, tmp_path / "kept-wal", tmp_path / "kept-shm"]
    assert all(_private(file) for file in files)
    for file in files:
        file.chmod(mode)
    second = open_store(path, 10, 60.0, Clock())  # the first was not closed: its files are all there
    assert all(_private(file) for file in files)
    second.close()
    first.close()


def test_a_database_that_is_damaged_before_the_server_starts_is_refused(tmp_path):
    path = tmp_path / "matches.sqlite"
    open_store(path, 5, 3600.0, Clock()).close()
    whole = bytearray(path.read_bytes())
    whole[36:40] = (7).to_bytes(4, "big")  # the pages that are free, of which there are none
    path.write_bytes(whole)
    with pytest.raises(RunError, match=r"is damaged .*: move it away"):
        open_store(path, 5, 3600.0, Clock())

"""The server keeps working: full, idle, restarted, with two moves at once, and with bodies of every kind."""

from __future__ import annotations

import asyncio
import sqlite3
import threading

import pytest

from oracular.errors import RunError
from oracular.play.match import Match
from oracular.web.guard import HEADERS, Guard
from oracular.web.settings import Settings
from oracular.web.store import StoredMatch

from browsing import Clock, begin, error_of, get, open_store, post


def test_a_restart_keeps_games_in_progress(serve):
    before = serve()
    token = (begin(before.first), before.first.cookies["oracular"])[1]
    duel = begin(before.first, "jotto-4", "duel", "jump")
    seen = post(before.first, duel, "guess", guess="quiz").json()
    secret = before.record(duel["id"])["secret"]
    after = serve(restart=True)
    browser = after.browser()
    browser.cookies["oracular"] = token
    assert get(browser, duel).json() == seen
    assert after.record(duel["id"])["secret"] == secret
    assert post(browser, duel, "guess", guess="fork").json()["version"] == 2


def test_a_match_ends_after_a_rest_and_makes_room(serve):
    clock = Clock()
    server = serve(max_matches=2, idle_seconds=3600.0, clock=clock)
    browser = server.first
    left, played = begin(browser), begin(browser)
    clock.now += 3000
    post(browser, played, "guess", guess="fog")
    clock.now += 1000
    reply = get(browser, left)
    assert reply.status_code == 404 and "no move for too long" in error_of(reply)
    assert post(browser, left, "guess", guess="fog").status_code == 404
    assert get(browser, played).status_code == 200
    assert browser.get("/api/health").json() == {"matches": 1, "most_matches": 2, "ready": False}
    begin(browser)
    assert get(browser, played).status_code == 200


def test_of_two_moves_at_once_one_is_made(server, monkeypatch):
    browser = server.first
    match = begin(browser)
    meet, plain = threading.Barrier(2, timeout=20), Match.guess

    def guess_together(self, word):
        meet.wait()  # both have read the same version by now
        return plain(self, word)

    monkeypatch.setattr(Match, "guess", guess_together)
    outcomes = {}
    threads = [
        threading.Thread(target=lambda word=word: outcomes.update({word: post(browser, match, "guess", guess=word)}))
        for word in ("fog", "cab")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = {word: reply.status_code for word, reply in outcomes.items()}
    assert sorted(statuses.values()) == [200, 409]
    made = [word for word, status in statuses.items() if status == 200]
    seen = get(browser, match).json()
    assert [turn["guess"] for turn in seen["guesses"]] == made and seen["version"] == 1


def test_a_move_made_for_an_earlier_version_is_not_made(browser):
    match = begin(browser)
    assert post(browser, match, "guess", guess="fog", version=0).status_code == 200
    reply = post(browser, match, "guess", guess="fog", version=0)
    assert reply.status_code == 409 and "another move came first" in error_of(reply)
    assert post(browser, match, "undo", version=1).json()["version"] == 2


def test_a_body_that_is_too_long_is_refused_whether_or_not_it_says_so(browser):
    long = b'{"game": "jotto-3", "mode": "' + b"x" * 20_000 + b'"}'
    kind = {"content-type": "application/json"}
    chunks = (long[start : start + 1000] for start in range(0, len(long), 1000))
    for content in (long, chunks):
        reply = browser.post("/api/matches", content=content, headers=kind)
        assert reply.status_code == 413 and "16,384 bytes" in error_of(reply)
    assert browser.post("/api/matches", content=b"{}", headers=kind | {"content-length": "9" * 30}).status_code == 413


def test_a_body_that_does_not_arrive_is_not_waited_for():
    scope = {"type": "http", "method": "POST", "path": "/api/matches", "headers": [(b"content-length", b"50")]}
    sent = []

    async def receive():
        await asyncio.sleep(20)

    async def send(message):
        sent.append(message)

    asyncio.run(Guard(None, Settings(body_seconds=0.01))(scope, receive, send))
    assert sent[0]["status"] == 408 and b"too long to arrive" in sent[1]["body"]


def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one():
    whole = {"type": "http.request", "body": b'{"guess": "fog"}', "more_body": True}  # readable, yet more was to come
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-type", b"application/json")]}
    messages, reached, sent = iter([whole, {"type": "http.disconnect"}]), [], []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    async def app(scope, receive, send):
        reached.append(await receive())

    asyncio.run(Guard(app, Settings())(scope, receive, send))
    assert (reached, sent) == ([], [])


def test_a_body_that_is_not_marked_as_json_is_refused(browser):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        reply = browser.post("/api/matches", content=b'{"game": "jotto-3"}', headers={"content-type": kind})
        assert reply.status_code == 415 and error_of(reply)
    kind = {"content-type": "application/json; charset=utf-8"}
    assert browser.post("/api/matches", content=b'{"game":"jotto-2","mode":"hide"}', headers=kind).status_code == 201


def test_every_reply_carries_the_headers_that_protect_it(browser):
    match = begin(browser)
    for reply in (
        browser.get("/"),
        browser.get("/api/games"),
        browser.get("/nowhere"),
        browser.put("/api/games"),
        get(browser, match),
        post(browser, match, "guess", guess="zzz"),
        browser.post("/api/matches", content=b"x" * 20_000),
    ):
        assert {name: reply.headers[name] for name in HEADERS} == HEADERS
        assert "server" not in reply.headers
    assert get(browser, match).headers["cache-control"] == "no-store"
    assert "'unsafe" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://testserver.elsewhere.example"},
        {"origin": "http://[::"},
        {"origin": "https://testserver"},
        {"origin": "ftp://testserver"},
        {"origin": "testserver"},
        {"origin": "http://testserver:8000"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_another_site_cannot_move(browser, headers):
    match = begin(browser)
    reply = browser.post(f"/api/matches/{match['id']}/give-up", headers=headers)
    assert reply.status_code == 403 and "another site" in error_of(reply)
    assert get(browser, match).json()["result"] is None


def test_the_servers_own_page_and_a_proxy_it_knows_of_can_move(serve):
    browser = serve(origins=("https://games.example",)).first
    match = begin(browser)
    for number, headers in enumerate(
        ({"origin": "http://testserver", "sec-fetch-site": "same-origin"}, {"origin": "https://games.example"}, {})
    ):
        reply = browser.post(f"/api/matches/{match['id']}/guess", json={"guess": "fog"}, headers=headers)
        assert reply.status_code == 200 and reply.json()["version"] == number + 1


def test_by_the_name_of_a_proxy_only_the_pages_of_the_proxy_can_move(serve):
    browser = serve(origins=("https://games.example", "https://other.example:8443")).first
    for host, origin, status in (
        ("games.example", "https://games.example", 201),
        ("games.example:443", "https://games.example", 201),
        ("games.example", "http://games.example", 403),
        ("games.example:80", "http://games.example:80", 403),
        ("GAMES.example", "http://games.example", 403),
        ("games.example:8000", "http://games.example:8000", 403),
        ("other.example:8443", "https://other.example:8443", 201),
        ("other.example:8443", "http://other.example:8443", 403),
        ("testserver", "http://testserver", 201),
    ):
        headers = {"host": host, "origin": origin}
        reply = browser.post("/api/matches", json={"game": "jotto-2", "mode": "guess"}, headers=headers)
        assert reply.status_code == status, (host, origin)


def test_a_server_that_knows_its_names_answers_to_no_other(serve):
    browser = serve(hosts=("localhost", "127.0.0.1", "::1")).first
    for host, status in (
        ("localhost:8000", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("[", 403),
    ):
        assert browser.get("/api/games", headers={"host": host}).status_code == status


def test_a_failing_disk_is_reported_as_such_and_a_bug_as_a_bug(server, monkeypatch, caplog):
    browser = server.first
    match = begin(browser)

    def broken(*_):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("oracular.web.store.Store.now", broken)
    assert get(browser, match).status_code == 503
    monkeypatch.undo()

    def wrong(self, word):
        raise ZeroDivisionError(self.secret)

    monkeypatch.setattr(Match, "guess", wrong)
    reply = post(browser, match, "guess", guess="fog")
    assert reply.status_code == 500 and "try again" in error_of(reply)
    assert "ZeroDivisionError" in caplog.text and "ZeroDivisionError" not in reply.text
    assert server.record(match["id"])["secret"] not in caplog.text + reply.text
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_database_that_is_damaged_or_anothers_is_left_alone(tmp_path):
    def opened(path):
        return open_store(path, 1, 1.0, Clock())

    (tmp_path / "text").write_text("not a database, but long enough to be read as one" * 20)
    with sqlite3.connect(tmp_path / "theirs") as theirs:
        theirs.execute("CREATE TABLE letters (body TEXT)")
    theirs.close()
    whole = opened(tmp_path / "torn")
    whole.add(StoredMatch("a" * 22, "", "jotto-2", 0, {"result": None, "words": "of" * 9000}))
    whole.close()
    (tmp_path / "torn").write_bytes((tmp_path / "torn").read_bytes()[:12_000])
    opened(tmp_path / "later").close()
    with sqlite3.connect(tmp_path / "later") as later:
        later.execute("PRAGMA user_version = 99")
    later.close()
    sentences = {"text": "is no database", "torn": "damaged", "theirs": "another program", "later": "of format 99"}
    for name, sentence in sentences.items():
        before = (tmp_path / name).read_bytes()
        with pytest.raises(RunError, match=sentence):
            opened(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(RunError, match="cannot be used"):
        opened(tmp_path)


def test_a_database_that_another_program_has_to_itself_is_not_called_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr("oracular.web.store._OPEN_SECONDS", 0.05)
    other = sqlite3.connect(tmp_path / "busy", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(RunError, match="in use by another program"):
        open_store(tmp_path / "busy", 1, 1.0, Clock())
    other.execute("ROLLBACK")
    other.close()
    open_store(tmp_path / "busy", 1, 1.0, Clock()).close()

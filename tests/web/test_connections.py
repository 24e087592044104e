"""Clients that send too much, too slowly or nothing at all are cut off, and everybody else is served."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from http.client import HTTPConnection

import pytest
import uvicorn
from uvicorn.server import ServerState

from oracular.web.connections import ConnectionRegistry, connection_class
from oracular.web.schemas import LeaderboardView
from oracular.web.settings import Settings

ASK = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PATIENCE = 60.0
"""Far more seconds than any of these limits, which are fractions of a second here."""


def _connected(place, source="127.0.0.1"):
    return socket.create_connection(place, timeout=PATIENCE, source_address=(source, 0))


def _status(place, path="/api/health"):
    """Return the reply to a new client."""
    with closing(HTTPConnection(*place, timeout=PATIENCE)) as newcomer:
        newcomer.request("GET", path)
        return newcomer.getresponse().status


def _all_that_comes(connection):
    """Return what the server sends until it closes the connection."""
    pieces = []
    try:
        while piece := connection.recv(65_536):
            pieces.append(piece)
    except ConnectionError:  # closed with something of ours unread
        pass
    return b"".join(pieces)


def _is_open(connection):
    """Return whether the server still answers on a connection."""
    try:
        connection.sendall(ASK)
        return connection.recv(65_536).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


def _is_shown_out_while_it_trickles(connection):
    """Return whether the server hangs up, whatever it says before, while a byte comes now and then."""
    connection.settimeout(0.05)
    for _ in range(int(PATIENCE / 0.05)):
        try:
            connection.sendall(b"X")
            if not connection.recv(65_536):
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


def _refused(reply, status):
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status) and b"connection: close" in head, reply
    return json.loads(body)["error"]


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nX: ", b"GET /", b"", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_end_is_cut_short(listening, start):
    place = listening()
    sent = 0
    with _connected(place) as endless:
        try:
            endless.sendall(start)
            for _ in range(96):
                endless.sendall(b"a" * 262_144)
                sent += 262_144
        except ConnectionError:
            pass
        else:
            pytest.fail("all of it was taken")
    assert sent < 96 * 262_144
    assert _status(place) == 200


def test_a_trailer_without_end_is_cut_short(listening):
    place = listening()
    head = b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
    with _connected(place) as endless, pytest.raises(ConnectionError):
        endless.sendall(head)
        for _ in range(96):
            endless.sendall(b"a" * 262_144)
    assert _status(place) == 200


def test_a_head_that_is_too_long_is_refused_in_a_sentence_however_it_comes(listening):
    place = listening(max_head_bytes=2000)
    line = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for long in (line + b"X: " + b"a" * 2000, b"GET /" + b"a" * 2000, line + b"X: y\r\n" * 500):
        for end in (b"", b"\r\n\r\n" if b"HTTP" in long else b" HTTP/1.1\r\n\r\n"):
            with _connected(place) as connection:
                connection.sendall(long + end)
                assert "2,000 bytes" in _refused(_all_that_comes(connection), 431)
    with _connected(place) as connection:
        connection.sendall(line + b"X: " + b"a" * 1000 + b"\r\n\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")


def test_what_is_no_http_is_refused_in_a_sentence_and_not_in_the_log(listening, caplog):
    place = listening()
    for nonsense in (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"BREW / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with _connected(place) as connection:
            connection.sendall(nonsense)
            assert "not valid HTTP" in _refused(_all_that_comes(connection), 400)
    assert caplog.text == ""


@pytest.mark.parametrize("begun", [b"", b"\r\n", b"GET /api/hea", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_a_request_that_does_not_come_is_not_waited_for(listening, begun):
    place = listening(head_seconds=1.0)
    with _connected(place) as slow:
        slow.sendall(begun)
        said = _all_that_comes(slow)
    assert said == b"" or "too long" in _refused(said, 408)
    assert bool(said) == begun.startswith(b"GET")


def test_who_sends_a_byte_now_and_then_gains_no_time(listening):
    place = listening(head_seconds=0.5)
    with _connected(place) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        assert _is_shown_out_while_it_trickles(slow)


def test_a_connection_at_rest_is_closed_even_if_the_rest_of_a_refused_body_still_trickles_in(listening):
    place = listening(keep_alive_seconds=0.3)
    with _connected(place) as resting:
        resting.sendall(ASK)
        assert _all_that_comes(resting).startswith(b"HTTP/1.1 200")
    with _connected(place) as trickling:
        trickling.sendall(b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n")
        assert trickling.recv(65_536).startswith(b"HTTP/1.1 413")
        assert _is_shown_out_while_it_trickles(trickling)


def test_who_asks_much_and_takes_nothing_is_dropped(listening):
    place = listening(keep_alive_seconds=0.3, write_seconds=0.3)
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.settimeout(PATIENCE)
        deaf.connect(place)
        until = time.monotonic() + PATIENCE
        with pytest.raises(ConnectionError):
            while time.monotonic() < until:
                deaf.sendall(b"GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert _status(place) == 200


def test_who_takes_nothing_gains_no_time_by_asking_for_more():
    async def answer(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def ask():
        registry = ConnectionRegistry(Settings(), room=100)
        config, wire = uvicorn.Config(answer, lifespan="off", log_level="error"), _Wire("192.0.2.1")
        connection = connection_class(registry)(config, ServerState(), {}, asyncio.get_running_loop())
        connection.connection_made(wire)
        connection.pause_writing()
        deadline = connection.deadline
        for piece in (ASK, ASK[:20], ASK[20:], ASK):
            connection.data_received(piece)
            for _ in range(10):
                await asyncio.sleep(0)
            assert connection in registry.waiting and connection.deadline == deadline
        assert wire.written == b""
        connection.resume_writing()
        while wire.written.count(b"HTTP/1.1 200") < 3 or connection.tasks:
            await asyncio.sleep(0)
        assert connection in registry.waiting and connection.deadline < float("inf")
        connection.connection_lost(None)
        assert not registry.waiting

    asyncio.run(asyncio.wait_for(ask(), PATIENCE))


def test_a_newcomer_is_served_however_many_say_nothing_and_the_oldest_go_first(listening):
    place = listening(max_connections=8, head_seconds=PATIENCE)
    with ExitStack() as stack:
        silent = [stack.enter_context(_connected(place)) for _ in range(30)]
        assert _status(place) == 200
        assert [_all_that_comes(old) for old in silent[:22]] == [b""] * 22
        assert _is_open(silent[-1])


def test_a_connection_that_was_used_lately_outlasts_those_that_were_not(listening):
    place = listening(max_connections=4, head_seconds=PATIENCE, keep_alive_seconds=PATIENCE)
    with ExitStack() as stack:
        first, second = (stack.enter_context(_connected(place)) for _ in range(2))
        assert _is_open(first) and _is_open(second) and _is_open(first)
        for _ in range(3):
            stack.enter_context(_connected(place))
        assert _all_that_comes(second) == b""
        assert _is_open(first)


def test_one_address_does_not_push_out_another(listening):
    place = listening(max_connections=12, max_connections_per_address=4, head_seconds=PATIENCE)
    with ExitStack() as stack:
        try:
            crowd = [stack.enter_context(_connected(place, "127.0.0.2")) for _ in range(5)]
        except OSError:
            pytest.skip("this machine has one loopback address")
        mine = stack.enter_context(_connected(place))
        crowd += [stack.enter_context(_connected(place, "127.0.0.2")) for _ in range(20)]
        assert [_all_that_comes(old) for old in crowd[:21]] == [b""] * 21
        assert all(_is_open(one) for one in [*crowd[21:], mine])


def test_a_proxy_may_have_as_many_connections_as_there_are(listening):
    for given in ({"origins": ("https://games.example",)}, {"proxies": ("127.0.0.1",)}):
        place = listening(max_connections=12, max_connections_per_address=2, head_seconds=PATIENCE, **given)
        with ExitStack() as stack:
            passed_on = [stack.enter_context(_connected(place)) for _ in range(10)]
            assert all(_is_open(one) for one in passed_on)


class _Wire(asyncio.Transport):
    """A connection from any address, of which nothing but what is written on it is real."""

    def __init__(self, address):
        super().__init__({"peername": (address, 1)})
        self.written = b""

    def write(self, data):
        self.written += data

    def is_closing(self):
        return False

    def close(self):
        pass

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


@pytest.fixture
def served_from():
    """Give a function that connects from some addresses in turn and returns the outcomes; no connection is closed."""
    loop = asyncio.new_event_loop()

    def come(addresses, **settings):
        registry = ConnectionRegistry(Settings(**settings), room=100)
        config, outcomes = uvicorn.Config(lambda scope: None, log_level="error"), []
        for address in addresses:
            wire, connection = _Wire(address), connection_class(registry)(config, ServerState(), {}, loop)
            connection.connection_made(wire)
            connection._stop_waiting()
            outcomes.append(wire.written.startswith(b"HTTP/1.1 503") or connection.client[0])
        return outcomes

    yield come
    loop.close()


def test_the_addresses_of_one_network_share_its_connections(served_from):
    near, far = ["2001:db8::1", "2001:db8::ffff:1:2:3", "2001:db8::2"], "2001:db8:0:1::1"
    assert served_from([*near, far], max_connections_per_address=2) == [*near[:2], True, far]
    four = ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201", "192.0.2.2"]
    assert served_from(four, max_connections_per_address=2) == ["192.0.2.1", "192.0.2.1", True, "192.0.2.2"]


@pytest.mark.parametrize("proxy", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_a_proxy_is_known_however_its_address_is_written(served_from, proxy):
    written = ["127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1"]
    assert served_from(written, max_connections_per_address=1, proxies=(proxy,)) == ["127.0.0.1"] * 3


def test_the_neighbours_of_a_proxy_are_counted(served_from):
    crowd = ["2001:db8::1", "2001:db8::1", "2001:db8::2", "2001:db8::3"]
    assert served_from(crowd, max_connections_per_address=1, proxies=("2001:DB8:0::1",)) == [*crowd[:3], True]


def test_who_is_being_served_keeps_the_connection_and_one_too_many_is_refused(listening, monkeypatch):
    gate, asked = threading.Event(), threading.Semaphore(0)

    def slow(name):
        asked.release()
        assert gate.wait(PATIENCE)
        return LeaderboardView(hiders=[], guessers=[], payoffs=[], guarantees=[], guessers_are=[])

    monkeypatch.setattr("oracular.web.routes.game_card", slow)
    place = listening(max_connections=2)
    try:
        with ExitStack() as stack:
            served = [stack.enter_context(_connected(place)) for _ in range(2)]
            for one in served:
                one.sendall(b"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert asked.acquire(timeout=PATIENCE)
            with _connected(place) as third:
                assert "try again" in _refused(_all_that_comes(third), 503)
            gate.set()
            assert all(one.recv(65_536).startswith(b"HTTP/1.1 ") for one in served)
    finally:
        gate.set()


def test_a_crowd_of_requests_on_one_connection_is_not_taken_in(listening):
    place = listening()
    with _connected(place) as crowd, pytest.raises(ConnectionError):
        for _ in range(1000):
            crowd.sendall(ASK * 1000)
    with _connected(place) as few:
        few.sendall(ASK * 4)
        heard = b""
        while heard.count(b"HTTP/1.1 200") < 4:
            piece = few.recv(65_536)
            assert piece
            heard += piece
    assert _status(place) == 200


def test_one_request_too_many_behind_another_ends_the_connection_without_a_word(listening, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr("oracular.web.routes.game_card", lambda name: gate.wait(PATIENCE))
    place = listening()
    try:
        with _connected(place) as crowd:
            crowd.sendall(b"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 18)
            assert _all_that_comes(crowd) == b""
    finally:
        gate.set()


def test_a_refused_body_that_comes_without_end_is_refused_once(listening):
    place = listening()
    head = b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999\r\n\r\n"
    with _connected(place) as endless:
        endless.sendall(head)
        assert endless.recv(65_536).startswith(b"HTTP/1.1 413")
        endless.sendall(b"x" * (1 << 20))
        assert _all_that_comes(endless) == b""


def _reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def test_who_hangs_up_leaves_nothing_in_the_log(listening, caplog):
    caplog.set_level(logging.INFO)
    place = listening()
    body = b'{"game": "jotto-3"}'
    head = (
        b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    )
    page = b"GET /page/none.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for end in (_reset, socket.socket.close):
        for said in (b"", b"GET / HT", ASK, head % len(body) + body, head % 50 + body, page * 10, page * 100):
            for _ in range(3):
                connection = _connected(place)
                connection.sendall(said)
                end(connection)
    assert _status(place) == 200
    troubles = [record for record in caplog.records if record.levelno > logging.INFO]
    assert troubles == []


FEW_FILES = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from oracular.web.serving import bound_socket, allowed_hosts, serve
from oracular.web.settings import Settings
folder = Path(sys.argv[1])
listener = bound_socket("127.0.0.1", 0)
settings = Settings(database=folder / "matches.sqlite", runs=folder, hosts=allowed_hosts(listener, ""), warm_up=False)
serve(settings, listener, lambda address: print(address, flush=True), lambda text: None)
"""


@pytest.mark.parametrize("silent", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_silent_connections_lock_nobody_out_where_few_files_may_be_open(tmp_path, silent):
    server = subprocess.Popen(
        [sys.executable, "-c", FEW_FILES, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        host, _, port = server.stdout.readline().strip().removeprefix("http://").rstrip("/").partition(":")
        place = (host, int(port))
        assert _status(place) == 200
        with ExitStack() as stack:
            for _ in range(silent):
                one = stack.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex(place)
            for path in ("/", "/api/health", "/api/games", "/page/main.js"):
                assert _status(place, path) == 200
    finally:
        server.terminate()
        _, said = server.communicate(timeout=PATIENCE)
    assert said == ""


def test_limits_follow_from_how_many_files_may_be_open():
    from oracular.web.serving import capacity_for

    for files in (8, 32, 64, 256, 1024, 10**6):
        most, backlog = capacity_for(files, used=20)
        assert most >= 4 and backlog >= 4
        assert files < 64 or 20 + most + backlog < files
    assert capacity_for(10**6, used=20) == capacity_for(10**7, used=20)
    assert Settings().max_connections is None

"""Bodies and requests that somebody would send to break a server: each is turned away in a sentence, and soon."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import closing
from http.client import HTTPConnection

import pytest

from browsing import begin, error_of, get

KIND = {"content-type": "application/json"}
PATIENCE = 120.0
"""Seconds after which a reply is taken never to come."""

FIELDS = {
    "/api/matches": {"game": "jotto-3", "mode": "duel", "word": "fog", "begins": "you"},
    "/api/suggest": {"game": "jotto-3", "history": "fog:1", "hider": "uniform", "objective": "within-6"},
    "/guess": {"guess": "fog", "version": 0},
    "/answer": {"answer": "0", "version": 0},
    "/amend": {"turn": 0, "answer": "0", "version": 0},
    "/undo": {"version": 0},
    "/give-up": {"version": 0},
}
"""A body that fits, for each address that takes one; the moves are those of a match."""

VALUES = {
    "a list": b"[]",
    "an object": b"{}",
    "an object in a list": b"[{}]",
    "true": b"true",
    "a number": b"7",
    "a number below zero": b"-1",
    "a fraction": b"0.5",
    "a number that is no integer of 64 bits": b"9223372036854775808",
    "a number of 4000 digits": b"9" * 4000,
    "a number of 12000 digits": b"9" * 12_000,
    "a fraction of 12000 digits": b"0." + b"9" * 12_000,
    "a number too large for a float": b"1e999999999",
    "not a number": b"NaN",
    "infinity": b"-Infinity",
    "no text": b'"\xff\xfe"',
    "half a character": b'"\\ud800"',
    "halves in the wrong order": b'"\\udc00\\ud800"',
    "an overlong slash": b'"\xc0\xaf"',
    "a NUL": b'"a\\u0000b"',
    "a text that runs backwards": '"\u202egof"'.encode(),
    "a long text": b'"' + b"x" * 12_000 + b'"',
    "accents without end": ('"e' + "\u0301" * 3000 + '"').encode(),
    "a deep list": b"[" * 7000 + b"]" * 7000,
    "a deep object": b'{"a":' * 2000 + b"1" + b"}" * 2000,
    "many turns": json.dumps([{"guess": "fog", "answer": "1"}] * 300).encode(),
    "many keys": json.dumps(dict.fromkeys(map(str, range(1500)))).encode(),
    "a path": b'"../../../../etc/passwd"',
    "SQL": b'"\'; DROP TABLE matches; --"',
    "a format": b'"{0.__class__}%s%n$(id)"',
}

WHOLE = {
    "nothing": b"",
    "a space": b" ",
    "half of it": b'{"game": "jot',
    "two of them": b"{}{}",
    "a list that is not closed": b"[" * 16_000,
    "an object that is not closed": b'{"a":' * 3000,
    "a text that is not closed": b'"' + b"\\" * 16_000,
    "a mark of byte order": b"\xef\xbb\xbf{}",
    "sixteen bits a character": '{"guess": "fog"}'.encode("utf-16"),
    "a key twice": b'{"guess": "fog", "guess": "cab", "game": "jotto-3", "game": "jotto-2"}',
    "a key that is no name": b'{"__proto__": {}, "constructor": 1, "": 2}',
    "half a character in a key": b'{"\\udfff": 1}',
    "many keys": json.dumps(dict.fromkeys(map(str, range(1200)))).encode(),
    "a hundred thousand keys": b"{" + b",".join(b'"%d":0' % number for number in range(10**5)) + b"}",
    "a million brackets": b"[" * 10**6,
    "a number of a million digits": b"9" * 10**6,
}


def _bodies(fields):
    """Every field in turn with every value, and every body that is none."""
    for key in fields:
        for name, value in VALUES.items():
            others = [f'"{other}": {json.dumps(fields[other])}'.encode() for other in fields if other != key]
            yield f"{key}: {name}", b"{" + b", ".join([*others, f'"{key}": '.encode() + value]) + b"}"
    yield from WHOLE.items()


def _answers(browser, path, bodies):
    """Send bodies, and return the replies; fail where one does not come."""
    replies = {}

    def send():
        for name, body in bodies:
            replies[name] = browser.post(path, content=body, headers=KIND)

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    sender.join(PATIENCE)
    assert not sender.is_alive(), f"{path} does not answer {list(_bodies(FIELDS))[len(replies)][0]}"
    return replies


def _check(server, max_body_bytes):
    browser = server.first
    for path, fields in FIELDS.items():
        match = begin(browser, "jotto-3", "hide" if path in ("/answer", "/amend") else "guess")
        address = path if path.startswith("/api") else f"/api/matches/{match['id']}{path}"
        bodies = list(_bodies(fields))
        for name, reply in _answers(browser, address, bodies).items():
            assert reply.status_code < 500 or reply.status_code == 503, (path, name, reply.text)
            if reply.status_code >= 400:
                assert len(error_of(reply)) <= 301
            if len(dict(bodies)[name]) > max_body_bytes:
                assert reply.status_code == 413, (path, name)
        assert get(browser, match).status_code == 200
    assert browser.get("/api/health").status_code == 200


def test_no_body_breaks_the_server(server):
    _check(server, 16_384)


@pytest.mark.slow
def test_no_body_breaks_the_server_even_where_bodies_may_be_long(serve):
    _check(serve(max_body_bytes=1 << 20), 1 << 20)


POST = b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
REQUESTS = {
    "a length below zero": POST + b"Content-Length: -5\r\n\r\n",
    "a length that is no number": POST + b"Content-Length: five\r\n\r\n",
    "a length of many digits": POST + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
    "a length and chunks": POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a chunk of no size": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a chunk of all sizes": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 30 + b"\r\n{}",
    "an encoding that is unknown": POST + b"Transfer-Encoding: brotli\r\n\r\n{}",
    "a body that is announced and never wanted": POST + b"Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n",
    "a websocket": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "a tunnel": b"CONNECT example.com:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "another version": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a star": b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a whole address": b"GET http://example.com/api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "bytes in the path": b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "no host": b"GET /api/health HTTP/1.1\r\n\r\n",
    "many hosts": b"GET /api/health HTTP/1.1\r\n" + b"Host: [::\r\n" * 100 + b"\r\n",
    "a folded line": b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n",
    "a NUL in a line": b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n",
    "cookies of no kind": b'GET /api/matches/x HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: =;;\xff="\\\r\n\r\n',
}


def test_no_request_breaks_the_server(listening, caplog):
    place = listening(body_seconds=5.0)
    for name, request in REQUESTS.items():
        with socket.create_connection(place, timeout=PATIENCE) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            reply = b""
            try:
                while piece := connection.recv(65_536):
                    reply += piece
            except ConnectionError:
                pass
        status = reply.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")[9:12]
        assert not reply or status[:1] in (b"2", b"4"), (name, reply)
        with closing(HTTPConnection(*place, timeout=PATIENCE)) as other:
            other.request("GET", "/api/health")
            assert other.getresponse().status == 200, name
    assert caplog.text == ""

"""Clients that send too much, break off or ask for a lot at once harm nobody else."""

from __future__ import annotations

import json
import logging
import socket
import struct
from contextlib import closing
from http.client import HTTPConnection

import pytest

ASK = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
PATIENCE = 60.0
"""Far more seconds than any of this takes."""


def _connected(place):
    return socket.create_connection(place, timeout=PATIENCE)


def _status(place, path="/api/health"):
    """Return the reply to a new client."""
    with closing(HTTPConnection(*place, timeout=PATIENCE)) as newcomer:
        newcomer.request("GET", path)
        return newcomer.getresponse().status


TRAILER = b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\nX: ", b"GET /", b"", b"GET / HTTP/1.1\r\n", TRAILER])
def test_a_head_or_a_trailer_without_end_is_cut_short(listening, start):
    place = listening()
    with _connected(place) as endless, pytest.raises(ConnectionError):
        endless.sendall(start)
        for _ in range(96):
            endless.sendall(b"a" * 262_144)
    assert _status(place) == 200


def test_what_is_not_http_is_refused_and_not_logged(listening, caplog):
    place = listening()
    for nonsense in (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"BREW\r\n\r\n"):
        with _connected(place) as connection:
            connection.sendall(nonsense)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 400 ")
    assert caplog.text == ""


def test_a_body_that_does_not_arrive_is_refused_and_one_that_is_too_long_is_not_read(listening):
    place = listening(body_seconds=0.1)
    head = b"POST /api/suggest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
    for length, status in ((50, 408), (9_999_999, 413)):
        with _connected(place) as slow:
            slow.sendall(head % length)
            reply = slow.recv(65_536)
            assert reply.startswith(b"HTTP/1.1 %d " % status), reply
            assert json.loads(reply.partition(b"\r\n\r\n")[2])["error"]


def test_many_requests_on_one_connection_are_answered_in_turn(listening):
    place = listening()
    with _connected(place) as crowd:
        crowd.sendall(ASK * 100)
        heard = b""
        while heard.count(b"HTTP/1.1 200") < 100:
            piece = crowd.recv(65_536)
            assert piece
            heard += piece
    assert _status(place) == 200


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

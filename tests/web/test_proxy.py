"""Slow, silent and greedy clients harm nobody behind nginx with the configuration of docs/server.md."""

from __future__ import annotations

import getpass
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import ExitStack, closing, suppress
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from distributed.security import Security

from browsing import until

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
ORIGIN = "https://games.example"
PATIENCE = 120.0
WORKER_CONNECTIONS = 64
HEAD = b"GET /api/health HTTP/1.1\r\nHost: games.example\r\n"
POST = (
    b"POST /api/suggest HTTP/1.1\r\nHost: games.example\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(NGINX is None, reason="no nginx found: apt-get install nginx-light"),
]

AROUND = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    set_real_ip_from 127.0.0.1;
    real_ip_header X-Test-Address;
    include {folder}/oracular.conf;
}}
"""
"""What a distribution has around a site; the tests say in a header which address they come from."""


def _configuration():
    page = Path(__file__).parents[2] / "docs" / "server.md"
    return re.search(r"```nginx\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL).group(1)


@pytest.fixture
def proxy(listening, tmp_path, monkeypatch):
    """Give a function that connects to nginx in front of a server, which has room for few connections itself."""
    monkeypatch.setattr("oracular.web.app.MAX_CONNECTIONS", 8)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = listening(origins=(ORIGIN,), proxies=("127.0.0.1",), max_matches_per_address=2)
    keys = Security.temporary()
    (tmp_path / "cert").write_text(keys.tls_scheduler_cert)
    (tmp_path / "key").write_text(keys.tls_scheduler_key)
    text = _configuration()
    for given, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/games.example.pem", str(tmp_path / "cert")),
        ("/etc/ssl/games.example.key", str(tmp_path / "key")),
        ("http://127.0.0.1:8000", "http://{}:{}".format(*server)),
    ):
        assert text.count(given) == 1
        text = text.replace(given, here)
    (tmp_path / "oracular.conf").write_text(text)
    user = f"user {getpass.getuser()};" if getpass.getuser() == "root" else ""
    (tmp_path / "nginx.conf").write_text(AROUND.format(folder=tmp_path, user=user, connections=WORKER_CONNECTIONS))
    nginx = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")], stderr=subprocess.PIPE)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def connect(tls=True):
        plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        return context.wrap_socket(plain) if tls else plain

    def ask(path="/api/health", address="192.0.2.1", body=None, **headers):
        headers = {"Host": "games.example", "Origin": ORIGIN, "X-Test-Address": address, **headers}
        with closing(HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=context)) as client:
            if body is not None:
                headers["Content-Type"] = "application/json"
            client.request("GET" if body is None else "POST", path, body, headers)
            reply = client.getresponse()
            return reply.status, reply.read(), reply.getheader("Set-Cookie")

    def runs():
        assert nginx.poll() is None, nginx.stderr.read()
        try:
            return ask()[0] == 200
        except OSError:
            return False

    connect.ask = ask
    try:
        until(runs)
        yield connect
    finally:
        nginx.terminate()
        nginx.communicate(timeout=PATIENCE)


def _all_that_comes(connection):
    pieces = []
    try:
        while piece := connection.recv(65_536):
            pieces.append(piece)
    except (ConnectionError, ssl.SSLError):
        pass
    return b"".join(pieces)


def _trickles_until_closed(connection, reply):
    """Send a byte now and then until the connection is closed, and append what came to a list."""
    connection.settimeout(0.25)
    heard = b""
    for _ in range(int(PATIENCE / 0.25)):
        try:
            connection.sendall(b"a")
            piece = connection.recv(65_536)
            heard += piece
            if not piece:
                break
        except TimeoutError:
            continue
        except (ConnectionError, ssl.SSLError):
            break
    else:
        heard = None
    reply.append(heard)


def test_slow_heads_and_bodies_and_silent_clients_are_cut_off(proxy):
    with ExitStack() as stack:
        silent, bare, half, trickling, body = (stack.enter_context(proxy(tls=n != 1)) for n in range(5))
        half.sendall(HEAD)
        trickling.sendall(HEAD + b"X: ")
        body.sendall(POST % 5000 + b"{")
        trickled = []
        thread = threading.Thread(target=_trickles_until_closed, args=(trickling, trickled))
        thread.start()
        assert proxy.ask()[0] == 200
        assert [_all_that_comes(one)[9:12] for one in (silent, bare, half, body)] == [b"", b"", b"", b""]
        thread.join()
        assert trickled == [b""]
    assert proxy.ask()[0] == 200


@pytest.mark.parametrize("start", [HEAD + b"X: ", b"GET /", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_end_is_refused(proxy, start):
    with proxy() as endless:
        with suppress(ssl.SSLError, ConnectionError):
            endless.sendall(start + b"a" * 262_144)
        assert _all_that_comes(endless)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 414", b"")
    assert proxy.ask()[0] == 200


def test_a_long_head_and_a_long_body_are_refused(proxy):
    assert proxy.ask(X="a" * 5000)[0] == 400
    assert proxy.ask("/" + "a" * 5000)[0] == 414
    assert proxy.ask("/api/suggest", body=b" " * 20_000)[0] == 413
    with proxy() as endless:
        endless.sendall(POST % 9_999_999)
        assert endless.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_a_newcomer_is_served_among_silent_clients(proxy):
    with ExitStack() as stack:
        for _ in range(3 * WORKER_CONNECTIONS):
            stack.enter_context(proxy(tls=False))
        for _ in range(5):
            assert proxy.ask()[0] == 200


def test_clients_that_read_nothing_hold_no_connection_of_the_server(proxy):
    ask = b"GET /api/games HTTP/1.1\r\nHost: games.example\r\n\r\n"
    with ExitStack() as stack:
        deaf = [stack.enter_context(proxy()) for _ in range(15)]
        for one in deaf:
            one.sendall(ask)
        until(lambda: proxy.ask()[0] == 200)
        for one in deaf:  # none was cut off meanwhile; those for whom the server had no room may be refused
            assert one.recv(65_536)[:12] in (b"HTTP/1.1 200", b"HTTP/1.1 503")


def test_requests_at_once_are_counted_by_address(proxy):
    def crowd(addresses):
        """Return how many of some requests, whose bodies are still to come, are refused."""
        with ExitStack() as stack:
            waiting = [stack.enter_context(proxy()) for _ in addresses]
            for one, address in zip(waiting, addresses, strict=True):
                one.sendall(POST.replace(b"Host", f"X-Test-Address: {address}\r\nHost".encode()) % 50)
            assert proxy.ask(address="198.51.100.1")[0] == 200
            for one in waiting:
                one.sendall(b"x" * 50)
            return sum(one.recv(65_536).startswith(b"HTTP/1.1 429 ") for one in waiting)

    assert crowd(["192.0.2.1"] * 24) == 4
    assert crowd([f"192.0.2.{number}" for number in range(24)]) == 0
    assert crowd([f"2001:db8::{number}" for number in range(1, 25)]) == 4
    assert crowd([f"2001:db8:0:{number}::1" for number in range(1, 25)]) == 0


def test_visitors_are_counted_by_the_address_that_the_proxy_sees(proxy):
    def begin(address, **headers):
        status, body, cookie = proxy.ask("/api/matches", address, '{"game": "jotto-2", "mode": "guess"}', **headers)
        if status == 201:
            assert "secure" in cookie.lower()
            path = f"/api/matches/{json.loads(body)['id']}/guess"
            assert proxy.ask(path, address, '{"guess": "ox"}', Cookie=cookie.partition(";")[0])[0] == 200
        return status

    assert [begin("192.0.2.1") for _ in range(3)] == [201, 201, 429]
    assert begin("192.0.2.1", **{"X-Forwarded-For": "192.0.2.7"}) == 429
    assert begin("192.0.2.2") == 201
    assert begin("192.0.2.3", Origin="http://games.example") == 403

"""`oracular serve` as a person starts and stops it."""

from __future__ import annotations

import http.client
import importlib.util
import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from oracular.errors import SettingsError


def test_a_server_says_where_it_is_keeps_games_and_stops_on_ctrl_c(tmp_path, oracular):
    command = [sys.executable, "-m", "oracular", "serve", "--port", "0", "--database", "kept/matches.sqlite"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = server.stdout.readline()
        assert said.startswith("serving at http://127.0.0.1:") and "kept/matches.sqlite" in said
        address = said.split()[2]
        with urllib.request.urlopen(f"{address}api/health", timeout=120) as reply:
            assert json.load(reply)["matches"] == 0
        port = address.rstrip("/").rpartition(":")[2]
        outcome = oracular("serve", "--port", port)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err == f"error: port {port} is in use: choose another with --port\n"
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=120)
    assert (server.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "stopped: games in progress are kept"
    assert (tmp_path / "kept" / "matches.sqlite").is_file()


SLOW = """
import os, sys
from oracular.cli.main import main
from oracular.web import advice, app
app.warm_up = lambda *_: None
app.FINISH_SECONDS = 1

def slow(*_, **__):
    print("asked", flush=True)
    os.read(0, 1)

advice.advise = advice.leaderboard_view = slow
sys.exit(main(["serve", "--port", "0"]))
"""
"""A server that is done with advice and leaderboards only once its input ends; it says when it begins with one."""


def test_a_server_that_is_stopped_while_it_computes_something_ends_quietly(tmp_path):
    server = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    kind = {"content-type": "application/json"}
    try:
        address = server.stdout.readline().split()[2].removeprefix("http://").rstrip("/")
        asked = [http.client.HTTPConnection(address, timeout=120) for _ in range(3)]
        asked[0].request("GET", "/api/solved/jotto-2")
        assert json.load(asked[0].getresponse())["pending"]
        asked[1].request("POST", "/api/suggest", '{"game": "jotto-2"}', kind)
        asked[2].request("GET", "/api/health")
        assert json.load(asked[2].getresponse())["matches"] == 0
        for _ in range(2):
            while server.stdout.readline() != "asked\n":
                assert server.poll() is None
        server.send_signal(signal.SIGINT)
        reply = asked[1].getresponse()
        assert reply.status == 503 and "being stopped" in json.load(reply)["error"]
    finally:
        server.send_signal(signal.SIGINT)  # once more, as the impatient do
        out, err = server.communicate(timeout=120)  # ends its input
        for connection in asked:
            connection.close()
    assert (server.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "stopped: games in progress are kept"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--host", "nowhere.invalid"], "'nowhere.invalid' is not an address of this machine"),
        (["--host", "192.0.2.1"], "'192.0.2.1' is not an address of this machine"),
        (["--port", "65536"], "not in the range"),
        (["--most-matches", "0"], "0 matches asked for: keep room for 1 or more"),
        (["--origin", "games.example"], "'games.example' is not an address that pages come from"),
        (["--origin", "https://games.example/"], "write it like https://a.example"),
        (["--proxy", "a proxy"], "'a proxy' is not the address of a proxy: write it like 127.0.0.1"),
        (["--rest", "0"], "a rest of 0 hours asked for: give a time above 0"),
        (["--port", "0", "--database", "text"], "'text' is damaged or is no database"),
        (["--port", "0", "--database", "."], "cannot be used"),
        (["--port", "0", "--database", "text/below"], "cannot be used"),
    ],
)
def test_what_a_server_cannot_be_started_with_is_reported_in_a_sentence(oracular, tmp_path, arguments, sentence):
    (tmp_path / "text").write_text("no database" * 100)
    outcome = oracular("serve", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert sentence in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_without_the_extra_it_says_what_to_install(oracular, monkeypatch):
    plain = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "fastapi" else plain(name))
    outcome = oracular("serve")
    assert outcome.code == 2 and 'pip install "oracular[web]"' in outcome.err


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "127.1.2.3"])
def test_on_any_loopback_address_it_answers_to_its_own_names_alone(serve, address):
    from oracular.web.app import allowed_hosts, bound_socket

    try:
        listener = bound_socket(address, 0)
    except SettingsError:
        pytest.skip(f"this machine has no address {address}")
    with listener:
        browser = serve(hosts=allowed_hosts(listener, address)).first
    assert browser.get("/api/health", headers={"host": f"{address}:8000"}).status_code == 200
    assert browser.get("/api/health", headers={"host": "rebound.example"}).status_code == 403

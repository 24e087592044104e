"""How fast the server answers: a guess, and a suggestion at any state of five-letter Jotto, with 200 games in progress.

Run by `make bench`. The server is a process of its own, driven from this one by browsers on threads; together they are
held to two cores. A suggestion is asked at states that nobody asked about before, so nothing is from memory. The
target: half of them within 100 ms.

With `--memory` it prints instead how much memory the server takes: when it is ready and nobody has played, and after
every game of the menu was played. The server is one process, so this is the resident set of that process.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from rich.console import Console
from rich.table import Table

from oracular import Game, game

CONSOLE = Console(width=110, highlight=False)
GAME = "jotto-5"
MATCHES = 200
BROWSERS = 4
CORES = 2
"""What the server and those who ask share."""

TARGET = 0.1
"""Seconds within which half of the suggestions should come."""

Maker = Callable[[], Callable[[], None]]
"""Makes a request ready; calling what it returns sends it."""


class Browser:
    """A connection that is kept open, with its cookie."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
        self._cookie = ""

    def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        """Return the status of a reply and what it says."""
        headers = {"Cookie": self._cookie}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            reply = self._send(path, data, headers)
        except ConnectionError:  # it lay idle and was closed: once more on a new one
            self._connection.close()
            reply = self._send(path, data, headers)
        self._cookie = (reply.getheader("Set-Cookie") or self._cookie).split(";")[0]
        return reply.status, json.loads(reply.read())

    def _send(self, path: str, data: bytes | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        self._connection.request("GET" if data is None else "POST", path, data, headers)
        return self._connection.getresponse()


class Guesser:
    """Somebody with many games in progress, who makes random guesses in them."""

    def __init__(self, address: str, of: Game, matches: int, seed: int) -> None:
        self._browser, self._game = Browser(address), of
        self._rng = np.random.default_rng(seed)
        self._ids = [self._begin() for _ in range(matches)]

    def _begin(self) -> str:
        status, match = self._browser.ask("/api/matches", {"game": self._game.name, "mode": "guess"})
        assert status == 201, match
        return match["id"]

    def __call__(self) -> Callable[[], None]:
        """Return a guess that is ready to be made."""
        place = int(self._rng.integers(len(self._ids)))
        word = str(self._rng.choice(self._game.guesses))

        def guess() -> None:
            status, match = self._browser.ask(f"/api/matches/{self._ids[place]}/guess", {"guess": word})
            assert status == 200, match
            if match["result"] or len(match["guesses"]) >= 20:
                self._ids[place] = self._begin()

        return guess


class Asker:
    """Somebody who asks for suggestions at random states: up to five random guesses, truly answered."""

    def __init__(self, address: str, of: Game, seed: int) -> None:
        self._browser, self._game = Browser(address), of
        self._rng = np.random.default_rng(seed)

    def __call__(self) -> Callable[[], None]:
        """Return a question that is ready to be asked."""
        of = self._game
        secret = int(self._rng.integers(len(of.secrets)))
        guesses = self._rng.choice(len(of.guesses), int(self._rng.integers(1, 6)), replace=False)
        turns = [(int(g), int(of.by_secret[secret, g])) for g in guesses if of.by_secret[secret, g] != of.found]
        body = {"game": of.name, "history": of.format_history(turns)}

        def ask() -> None:
            status, advice = self._browser.ask("/api/suggest", body)
            assert status == 200 and advice["suggestions"], advice

        return ask


def drive(makers: Sequence[Maker], seconds: float) -> list[list[float]]:
    """Return how long each request of each browser took, all browsers working at once for some time."""
    times: list[list[float]] = [[] for _ in makers]
    end = time.perf_counter() + seconds

    def work(make: Maker, took: list[float]) -> None:
        while time.perf_counter() < end:
            request = make()
            began = time.perf_counter()
            request()
            took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(makers, times, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times


def start(database: Path) -> tuple[subprocess.Popen[str], str]:
    """Return a running server and its address, once it is ready."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "oracular", "serve", "--port", "0", "--database", str(database)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=database.parent)
    assert server.stdout is not None
    address = server.stdout.readline().split()[2]
    browser = Browser(address)
    browser.ask("/api/games")
    first = time.perf_counter() - began
    while not browser.ask("/api/health")[1]["ready"]:
        time.sleep(0.2)
    ready = time.perf_counter() - began
    CONSOLE.print(f"first page's data after {first:.1f} s, ready after {ready:.1f} s")
    return server, address


def resident(process: int) -> tuple[float, float]:
    """Return the resident set of a process and the largest that it has had, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("Vm")}
    return sizes["VmRSS"], sizes["VmHWM"]


def touch(browser: Browser, name: str) -> None:
    """Play a game in every mode, ask for a hint and for advice, and look at its page."""

    def ask(path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        status, reply = browser.ask(path, body)
        assert status < 300, (name, path, reply)
        return reply

    match = ask("/api/matches", {"game": name, "mode": "guess"})
    words = ask(f"/api/matches/{match['id']}/sheet")["words"]
    match = ask(f"/api/matches/{match['id']}/guess", {"guess": words[-1]})
    if match["result"] is None:
        ask(f"/api/matches/{match['id']}/hint")
        turn = match["guesses"][0]
        ask("/api/suggest", {"game": name, "history": f"{turn['guess']}:{turn['answer']}"})
    ask("/api/matches", {"game": name, "mode": "hide"})
    duel = ask("/api/matches", {"game": name, "mode": "duel", "word": words[0]})
    if duel["result"] is None:  # the computer may begin and find it at once
        ask(f"/api/matches/{duel['id']}/chance")
    while ask(f"/api/solved/{name}")["pending"]:
        time.sleep(0.1)


def measure_memory(server: subprocess.Popen[str], address: str, seconds: float) -> None:
    """Print the memory that the server takes: before anybody plays, and after all games were played one by one."""
    browser = Browser(address)
    time.sleep(seconds)  # in which nobody does anything
    idle, start_peak = resident(server.pid)
    names = [card["name"] for card in browser.ask("/api/games")[1]["games"]]
    table = Table(title="\nThe resident set of the server, MB", box=None, padding=(0, 2, 0, 0))
    for column in ("", "now", "largest so far"):
        table.add_column(column, justify="right" if column else "left")
    table.add_row("ready, before anybody plays", f"{idle:,.0f}", f"{start_peak:,.0f}")
    for number, name in enumerate(names, start=1):
        began = time.perf_counter()
        touch(browser, name)
        (now, peak), took = resident(server.pid), time.perf_counter() - began
        CONSOLE.print(f"{number:2} of {len(names)}: {name}: {now:,.0f} MB, largest {peak:,.0f} MB, {took:.1f} s")
    table.add_row(f"after {len(names)} games were played", f"{now:,.0f}", f"{peak:,.0f}")
    CONSOLE.print(table)


def hold_to_cores(most: int) -> int:
    """Hold this process and those it starts to so many cores where the system can; return how many it has."""
    if not hasattr(os, "sched_setaffinity"):
        return os.cpu_count() or 1
    cores = sorted(os.sched_getaffinity(0))[:most]
    os.sched_setaffinity(0, cores)
    return len(cores)


def cpu_seconds(process: int) -> float:
    """Return how much time a process has had of the processors; nothing where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Measurement:
    """A table of how long requests took, and what each cost the server."""

    def __init__(self, process: int, seconds: float) -> None:
        self._process, self._seconds = process, seconds
        title = f"\nThe server with {MATCHES} games of {GAME} in progress"
        self.table = Table(title=title, box=None, padding=(0, 2, 0, 0))
        self.table.add_column("")
        for column in ("requests", "a second", "p50 ms", "p99 ms", "server's CPU ms"):
            self.table.add_column(column, justify="right")

    def measure(self, *parts: tuple[str, Sequence[Maker]]) -> float:
        """Add a row for each part, all driven at once, and return the median of the last."""
        before = cpu_seconds(self._process)
        times = drive([maker for _, makers in parts for maker in makers], self._seconds)
        cpu = cpu_seconds(self._process) - before
        median = math.nan
        for what, makers in parts:
            took = [seconds for browser in times[: len(makers)] for seconds in browser]
            times = times[len(makers) :]
            cuts = statistics.quantiles(took, n=100)
            median = cuts[49]
            cost = f"{1e3 * cpu / len(took):.1f}" if len(parts) == 1 else ""
            figures = (
                f"{len(took):,}",
                f"{len(took) / self._seconds:,.0f}",
                f"{1e3 * median:.1f}",
                f"{1e3 * cuts[98]:.1f}",
            )
            self.table.add_row(what, *figures, cost)
        return median


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each row is measured")
    parser.add_argument("--memory", action="store_true", help="measure how much memory the server takes, and no times")
    options = parser.parse_args()
    seconds = options.seconds
    cores = hold_to_cores(CORES)
    of = game(GAME)
    with tempfile.TemporaryDirectory() as folder:
        server, address = start(Path(folder) / "matches.sqlite")
        try:
            if options.memory:
                measure_memory(server, address, seconds)
                return
            guessers = [Guesser(address, of, MATCHES // BROWSERS, seed) for seed in range(BROWSERS)]
            drive(guessers, 1.0)
            rows = Measurement(server.pid, seconds)
            rows.measure((f"a guess, {BROWSERS} browsers", guessers))
            median = rows.measure(("a suggestion, 1 browser", [Asker(address, of, 1)]))
            askers = [Asker(address, of, 2), Asker(address, of, 3)]
            rows.measure(("a suggestion, 2 browsers", askers))
            rows.measure(("a guess, 2 browsers, while", guessers[:2]), ("  2 browsers ask for suggestions", askers))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    CONSOLE.print(rows.table)
    met = "met" if median <= TARGET else "not met"
    CONSOLE.print(
        f"target, half of the suggestions within {1e3 * TARGET:.0f} ms: {met} "
        f"({cores} cores, load {os.getloadavg()[0]:.1f})"
    )


if __name__ == "__main__":
    main()

"""What answers wrongly or not at all leads to an error of one sentence, and soon."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import oracular as package
from oracular.cluster import connect
from oracular.cluster.connection import Jobs
from oracular.errors import ClusterError, ClusterLostError

from real_cluster import LONG_ENOUGH, freeze, kill, wait_until


@contextmanager
def listening(closes: bool) -> Iterator[str]:
    """Give the address of a port where something that is no scheduler accepts, and closes at once or stays silent."""
    held = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                if closes:
                    connection.close()
                else:
                    held.append(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    for connection in held:
        connection.close()


@pytest.mark.parametrize("closes", [True, False], ids=["closes at once", "stays silent"])
def test_what_accepts_but_is_no_scheduler_is_refused_soon(oracular, closes, monkeypatch):
    monkeypatch.setattr("oracular.cluster.connection.SECONDS_TO_ANSWER", 1.0)
    monkeypatch.setattr("oracular.cluster.connection.SECONDS_TO_CLOSE", 0.5)
    with listening(closes) as address:
        outcome = oracular("respond", "jotto-2", "--cluster", address)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: no scheduler answers at {address}: ") and outcome.err.count("\n") == 1


@pytest.mark.parametrize("scheme", ["ucx", "ws", "wss", "inproc"])
def test_only_plain_addresses_are_tried(oracular, scheme):
    outcome = oracular("respond", "jotto-2", "--cluster", f"{scheme}://127.0.0.1:9")
    assert (outcome.code, outcome.out) == (2, "")
    assert "is not a cluster: give 'local', or an address like tls://host:8786 or tcp://host:8786" in outcome.err


def test_a_frozen_scheduler_is_lost(doomed, jotto, monkeypatch):
    monkeypatch.setattr("oracular.cluster.connection.SECONDS_TO_CLOSE", 0.5)
    doomed.add_worker()
    with connect(doomed.address) as cluster:
        resources = package.Resources(cluster=cluster)
        assert package.solve(jotto(2), iterations=1, resources=resources).iterations == 1
        monkeypatch.setattr("oracular.cluster.connection.SECONDS_TO_ANSWER", 0.5)
        monkeypatch.setattr("oracular.cluster.connection.SECONDS_BETWEEN_CHECKS", 0.1)
        freeze(doomed.scheduler)
        try:
            for letters in (2, 3):  # a game that was announced before, and one that was not
                with pytest.raises(ClusterLostError, match="the scheduler at tcp://"):
                    package.solve(jotto(letters), iterations=1, resources=resources)
            cluster.withdraw(0.5)
        finally:
            doomed.scheduler.send_signal(signal.SIGCONT)


def test_a_result_that_is_lost_with_the_last_worker_is_worked_out_again(doomed, jotto, monkeypatch):
    monkeypatch.setattr("oracular.cluster.connection.SECONDS_WITHOUT_WORKERS", LONG_ENOUGH)

    def seven(place):
        return 7

    first = doomed.add_worker()
    with connect(doomed.address) as cluster, Jobs(cluster, lambda label, answer: answer) as jobs:

        def held():
            return {key for key, workers in cluster.client.who_has().items() if workers}

        jobs.send("seven", jotto(2), seven)
        wait_until(held)
        kill(first)
        assert jobs.next(1.0) is None and len(jobs) == 1
        second = doomed.add_worker()
        assert jobs.next(LONG_ENOUGH) == ("seven", 7)
        before = held()
        jobs.send("seven", jotto(2), seven)
        wait_until(lambda: held() - before)
        kill(second)
        monkeypatch.setattr("oracular.cluster.connection.SECONDS_WITHOUT_WORKERS", 0.5)
        with pytest.raises(ClusterLostError, match="the last worker at tcp://"):
            jobs.next()


def test_what_fails_on_a_worker_is_an_error_of_one_sentence(connected, jotto, monkeypatch):
    def fail(place, kind):
        raise kind("no" + chr(10) + "room.")

    for kind in (MemoryError, KeyError, TimeoutError, OSError, RuntimeError):
        named = rf"\({kind.__name__}: .*: see its log"
        with Jobs(connected, lambda *_: None) as jobs, pytest.raises(ClusterError, match=named) as raised:
            jobs.send("fails", jotto(2), fail, kind)
            jobs.next(LONG_ENOUGH)
        assert "\n" not in str(raised.value) and not isinstance(raised.value, ClusterLostError)
    monkeypatch.setattr("oracular.cluster.worker.check_words", lambda ticket: {}[ticket])
    with pytest.raises(ClusterError, match=r"the worker tcp://\S+ of the cluster cannot make jotto-4 \(KeyError: "):
        connected.announce(jotto(4))

"""A local cluster is for the process that started it: nobody else can use it, and it ends when that is interrupted."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import distributed
import pytest

from oracular.cluster import connect
from oracular.cluster.worker import BYTES_OF_A_WORKER, check_memory, workers_to_start
from oracular.errors import NotEnoughMemoryError

from real_cluster import LONG_ENOUGH, children_of, listening_ports, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads what listens from /proc")


def test_nothing_of_a_local_cluster_listens_to_strangers():
    others, before = children_of(os.getpid()), listening_ports(os.getpid())  # of other tests, perhaps
    with connect("local", 2) as cluster:
        assert cluster.address.startswith("tls://127.0.0.1:")
        family = {os.getpid(), *children_of(os.getpid())} - set(others)
        ports = {place for process in family for place in listening_ports(process)} - before
        assert len(ports) >= 3  # the scheduler and two workers
        assert {host for host, _ in ports} == {"127.0.0.1"}
        stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        stranger.check_hostname, stranger.verify_mode = False, ssl.CERT_NONE
        for host, port in ports:
            with (
                socket.create_connection((host, port), timeout=LONG_ENOUGH) as plain,
                stranger.wrap_socket(plain) as talk,
            ):
                assert talk.getpeercert(binary_form=True)  # it speaks TLS
                with pytest.raises(ssl.SSLError):  # and wants a certificate that only this process has
                    talk.recv(1)
        for keys, address in (
            (distributed.Security.temporary(), cluster.address),
            (None, cluster.address.replace("tls://", "tcp://")),
        ):
            with pytest.raises((OSError, TypeError)):  # the second where no keys are given at all
                distributed.Client(address, security=keys, timeout=2, set_as_default=False)
        assert cluster.own and cluster.reported is None  # these workers are our own
        assert len(cluster.client.run(os.getpid)) == 2  # those who belong to it still talk to each other


@pytest.mark.parametrize(
    "moment", [pytest.param("its first process starts", marks=pytest.mark.slow), "its processes have started"]
)
def test_ctrl_c_while_a_local_cluster_starts_is_quiet(moment, tmp_path):
    """A terminal sends it to the workers as well."""
    command = [sys.executable, "-m", "oracular", "solve", "jotto-2", "--cluster", "local", "--workers", "2"]
    solving = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    started = 1 if moment == "its first process starts" else 3  # two workers and what keeps track of their resources
    wait_until(lambda: solving.poll() is not None or len(children_of(solving.pid)) >= started)
    family = children_of(solving.pid)
    os.killpg(solving.pid, signal.SIGINT)
    out, err = solving.communicate(timeout=LONG_ENOUGH)
    assert (solving.returncode, out) == (130, "")
    assert err.split() == ["interrupted"]
    wait_until(lambda: not any(Path(f"/proc/{process}").exists() for process in family))
    assert not (tmp_path / "runs").exists()


def test_no_more_workers_are_started_than_there_is_memory_for(oracular, jotto, tmp_path, monkeypatch):
    monkeypatch.setattr("oracular.cluster.worker.available_memory", lambda: 3 * BYTES_OF_A_WORKER)
    monkeypatch.setattr("oracular.cluster.worker.usable_cores", lambda: 8)
    assert workers_to_start(None) == workers_to_start(3) == 3
    with pytest.raises(NotEnoughMemoryError, match="4 workers need 960 MB and 720 MB are available: ask for fewer"):
        workers_to_start(4)
    check_memory(jotto(3), 1000)
    with pytest.raises(
        NotEnoughMemoryError, match=r"9999 workers need .* GB for jotto-3 and 720 MB are available: ask"
    ):
        check_memory(jotto(3), 9999)
    outcome = oracular("solve", "jotto-2", "--out", "run", "--cluster", "local", "--workers", 10**9)
    assert (outcome.code, outcome.out) == (2, "") and "1000000000 workers need" in outcome.err
    assert not (tmp_path / "run").exists()

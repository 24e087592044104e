"""A real scheduler and real worker processes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from oracular.cluster import Cluster

LONG_ENOUGH = 300.0
"""What happens at all happens in so many seconds, on a machine with other work to do."""

QUIET = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms"}
"""What keeps processes that wait from measuring themselves: it took as long as the tests."""

LISTENS = "0A"
"""The state of a socket that takes connections, as Linux writes it."""


class RealCluster:
    """A scheduler and its workers, each a process that can be killed."""

    def __init__(self, folder: Path, protocol: str = "tcp", **environment: str) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        place = ("--protocol", protocol, "--port", "0")
        self.scheduler = self._start("scheduler", *place, **environment)
        wait_until(lambda: self._file.exists() and self._file.read_text().strip().endswith("}"))
        self.address: str = json.loads(self._file.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        module = f"distributed.cli.dask_{kind}"
        here = (
            "--host",
            "127.0.0.1",
            "--no-dashboard",
            "--dashboard-address",
            "127.0.0.1:0",
        )  # pages are served anyway
        command = [sys.executable, "-m", module, "--scheduler-file", str(self._file), *here, *options]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **QUIET, **environment})

    def add_worker(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker process without a nanny: nobody starts it again when it dies."""
        scratch = ("--local-directory", str(self._folder))
        worker = self._start("worker", "--no-nanny", "--nthreads", "1", *scratch, **environment)
        self.workers.append(worker)
        return worker

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def freeze(process: subprocess.Popen[bytes]) -> None:
    """Stop a process for a while, and come back when it stands still."""
    process.send_signal(signal.SIGSTOP)
    pid, status = os.waitpid(process.pid, os.WUNTRACED)
    assert pid == process.pid and os.WIFSTOPPED(status)


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG_ENOUGH
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(process: int) -> list[int]:
    """Return the processes below a process, as the system lists them."""
    below: list[int] = []
    for thread in Path(f"/proc/{process}/task").glob("*"):
        with suppress(OSError):  # a thread that has ended
            for child in map(int, (thread / "children").read_text().split()):
                below += [child, *children_of(child)]
    return below


def listening_ports(process: int) -> set[tuple[str, int]]:
    """Return where a process listens: the address and the port of every TCP socket that takes connections."""
    sockets = set()
    for file in Path(f"/proc/{process}/fd").glob("*"):
        with suppress(OSError):  # a file that was closed
            sockets.add(str(file.readlink()))
    places = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in sockets:
                host, port = fields[1].split(":")
                address = ".".join(str(byte) for byte in reversed(bytes.fromhex(host))) if table == "tcp" else host
                places.add((address, int(port, 16)))
    return places


def wait_for_workers(cluster: Cluster, count: int) -> None:
    wait_until(lambda: cluster.workers >= count)

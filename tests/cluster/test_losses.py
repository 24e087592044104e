"""A killed worker costs time alone; a killed scheduler is an error, and the run can be resumed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

import oracular as package
from oracular import load_run
from oracular.cluster import connect
from oracular.errors import ClusterLostError

from real_cluster import LONG_ENOUGH, kill, wait_for_workers, wait_until


def test_a_killed_worker_costs_time_alone_and_a_killed_scheduler_a_resume(
    doomed, jotto, oracular, tmp_path, every_step
):
    first = doomed.add_worker()
    doomed.add_worker()

    def lose_worker(step):
        if step.iteration == 3:
            kill(first)

    with connect(doomed.address) as cluster:
        wait_for_workers(cluster, 2)
        there = package.solve(
            jotto(3),
            iterations=9,
            resources=package.Resources(cluster=cluster),
            progress=lose_worker,
        )
    assert first.poll() is not None
    assert there.history == package.solve(jotto(3), iterations=9).history

    history = tmp_path / "run" / "history.jsonl"

    def lose_scheduler():
        wait_until(lambda: history.exists() and history.read_bytes().count(b"\n") > 5)
        kill(doomed.scheduler)

    killer = threading.Thread(target=lose_scheduler)
    killer.start()
    outcome = oracular("solve", "jotto-2", "--iterations", 10**6, "--out", "run", "--cluster", doomed.address)
    killer.join()
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: the scheduler at tcp://") and outcome.err.count("\n") == 1
    assert "lost in the middle of the work" in outcome.err
    made = load_run(tmp_path / "run").iterations
    assert made == history.read_bytes().count(b"\n") - 1 > 4  # nothing that was finished is lost
    assert oracular("solve", "jotto-2", "--iterations", made + 5, "--out", "run", "--resume").code == 0
    assert load_run(tmp_path / "run").history == package.solve(jotto(2), iterations=made + 5).history


@pytest.mark.slow
def test_when_the_last_worker_goes_and_none_comes_it_says_so(doomed, jotto, monkeypatch, every_step):
    monkeypatch.setattr("oracular.cluster.connection.SECONDS_WITHOUT_WORKERS", 1.0)
    only = doomed.add_worker()

    def lose(step):
        if step.iteration == 2:
            kill(only)

    with connect(doomed.address) as cluster, pytest.raises(ClusterLostError, match="the last worker at tcp://"):
        package.solve(jotto(2), iterations=9, resources=package.Resources(cluster=cluster), progress=lose)


def _command(*arguments, cwd, **options):
    command = [sys.executable, "-m", "oracular", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.slow
def test_ctrl_c_brings_the_runs_of_a_sweep_back_from_the_workers(shared, connected, tmp_path):
    common = ("sweep", "jotto-2", "jotto-3", "--cluster", shared.address, "--json", "--out", "runs")
    sweeping = _command(*common, "--iterations", 10**6, cwd=tmp_path)
    folders = [tmp_path / "runs" / f"jotto-{letters}-fictitious-play" for letters in (2, 3)]
    wait_until(lambda: all((folder / "manifest.json").exists() for folder in folders))
    wait_until(lambda: sum(map(len, connected.client.processing().values())) == 2)
    sweeping.send_signal(signal.SIGINT)
    out, err = sweeping.communicate(timeout=LONG_ENOUGH)
    assert (sweeping.returncode, out, err) == (130, "", "interrupted; the same command goes on from here\n")
    for folder in folders:
        run = load_run(folder)
        assert run.stopped == "interrupted"
        few = min(run.iterations, 20)
        assert run.history[: few + 1] == package.solve(run.game, iterations=few).history if few else True


@pytest.mark.slow
def test_a_driver_that_is_killed_leaves_no_worker_searching(shared, connected, tmp_path):
    def at_work():
        return sum(connected.client.run(lambda dask_worker: len(dask_worker.active_threads)).values())

    searching = _command("respond", "jotto-4", "--cluster", shared.address, cwd=tmp_path)
    try:
        wait_until(lambda: searching.poll() is not None or at_work() == 2)
        assert searching.poll() is None, searching.communicate()
    finally:
        kill(searching)
        searching.communicate()
    wait_until(lambda: at_work() == 0)

"""A cluster that will not do gets one sentence that says why, exit code 2, and nothing on disk is touched."""

from __future__ import annotations

import socket
import sys

import pytest

import oracular as package
from oracular.cluster import connect
from oracular.cluster.connection import Cluster
from oracular.errors import ClusterError, MissingExtraError, SettingsError

from conftest import files_below

COMMANDS = {
    "solve": ("solve", "jotto-2", "--out", "new"),
    "respond": ("respond", "jotto-2"),
    "certify": ("certify", "run"),
    "sweep": ("sweep", "jotto-2", "--out", "new"),
}


def refused(oracular, folder, sentence, *arguments):
    before = files_below(folder)
    outcome = oracular(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ") and outcome.err.count("\n") == 1
    assert sentence in outcome.err
    assert files_below(folder) == before and not (folder / "new").exists()


@pytest.fixture
def folder(oracular, tmp_path):
    assert oracular("solve", "jotto-2", "--iterations", "3", "--out", "run").code == 0
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("--cluster here", "'here' is not a cluster: give 'local', or an address like tls://host:8786 or tcp://host"),
        (f"--cluster {'x' * 999}", f"'{'x' * 60}…' is not a cluster"),
        ("--cluster tcp://host", "is not a cluster"),
        ("--cluster tcp://host:0", "is not a cluster"),
        ("--cluster tcp://host:123456", "is not a cluster"),
        ("--cluster http://host:80", "is not a cluster"),
        ("--cluster local --workers 0", "0 workers asked for: give 1 or more"),
        ("--cluster tls://127.0.0.1:1", "needs a certificate and none is configured: name the files in Dask's conf"),
        ("--cluster tcp://host:1 --workers 2", "leave out the workers, or the address"),
        ("--workers 2", "add --cluster local"),
    ],
)
def test_what_is_no_cluster_is_refused(oracular, folder, command, given, sentence):
    refused(oracular, folder, sentence, *COMMANDS[command], *given.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_where_nothing_listens_it_says_so_at_once(oracular, folder, command, monkeypatch):
    monkeypatch.setattr("distributed.Client", None)  # it is not even tried
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
        refused(oracular, folder, f"no scheduler answers at {address}", *COMMANDS[command], "--cluster", address)


@pytest.fixture
def other_version(tmp_path_factory):
    """A folder that makes a Python process believe that it has another oracular."""
    folder = tmp_path_factory.mktemp("other")
    (folder / "oracular-9.9.9.dist-info").mkdir()
    (folder / "oracular-9.9.9.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: oracular\nVersion: 9.9.9\n"
    )
    return folder


def test_no_workers_and_workers_of_another_version_are_refused(oracular, folder, doomed, other_version, monkeypatch):
    solve = (*COMMANDS["solve"], "--cluster", doomed.address)
    with monkeypatch.context() as hurried:
        hurried.setattr("oracular.cluster.connection.SECONDS_TO_ANSWER", 1.0)
        refused(oracular, folder, f"start some with 'dask worker {doomed.address}'", *solve)
    doomed.add_worker(PYTHONPATH=str(other_version))
    refused(oracular, folder, "has oracular 9.9.9, not ", *solve)
    with pytest.raises(ClusterError, match="install oracular"), connect(doomed.address):
        pass


def test_workers_with_other_sources_are_refused(oracular, folder, shared, connected):
    """Also those that join later: each compares its sources when it makes a game."""
    change = (
        "import oracular.cluster.worker as worker\n"
        "truly = worker.__dict__.setdefault('truly_sources', worker.sources_sha256)\n"
    )
    connected.client.run(lambda: exec(f"{change}worker.sources_sha256 = lambda: '0'", {}))
    try:
        sentence = "a worker of the cluster has other sources of oracular: install the same there"
        refused(oracular, folder, sentence, *COMMANDS["solve"], "--cluster", shared.address)
    finally:
        connected.client.run(lambda: exec(f"{change}worker.sources_sha256 = truly", {}))


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r'pip install "oracular\[cluster\]"'), connect("local"):
        pass


def test_a_game_that_no_name_stands_for_stays_at_home(connected: Cluster, tmp_path):
    own = package.Game.from_function("abc", "abc", lambda guess, secret: guess == secret, name="own")
    with pytest.raises(ClusterError, match="leave the cluster out"):
        package.solve(own, out=tmp_path / "run", resources=package.Resources(cluster=connected))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda guess, secret: guess == secret, id="answers"),
        pytest.param(lambda guess, secret: f"{len(set(guess) & set(secret))} in common", id="how answers are written"),
    ],
)
def test_a_game_that_goes_by_the_name_of_another_stays_at_home(connected: Cluster, jotto, tmp_path, answer):
    """The words are those of the name, so only the answers, or how they are written, differ."""
    named = jotto(2)
    own = package.Game.from_function(named.secrets, named.guesses, answer, name=named.name)
    assert own.words_sha256 == named.words_sha256 and not own.is_same(named)
    connected.announce(named)
    with pytest.raises(ClusterError, match="leave the cluster out"):
        package.solve(own, out=tmp_path / "run", resources=package.Resources(cluster=connected))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("solver", ["exact", "regret-matching"])
def test_solvers_that_are_not_spread_say_so(connected: Cluster, solver, tmp_path):
    with pytest.raises(SettingsError, match="is not spread over a cluster"):
        package.solve("jotto-2", solver=solver, out=tmp_path / "run", resources=package.Resources(cluster=connected))
    assert not (tmp_path / "run").exists()


def test_limits_that_a_spread_search_cannot_keep_are_refused(oracular, folder):
    refused(oracular, folder, "leave out --states", *COMMANDS["respond"], "--states", "9", "--cluster", "local")
    refused(oracular, folder, "leave out --greedy", *COMMANDS["respond"], "--greedy", "--cluster", "local")

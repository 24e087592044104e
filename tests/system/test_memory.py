"""Memory and cores: what a process may use, wherever it runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from oracular.errors import SettingsError
from oracular.system import memory
from oracular.system.memory import available_memory, check_threads, usable_cores


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A machine of eight cores and a million free bytes whose control groups are made up."""
    monkeypatch.setattr(memory, "_free_on_machine", lambda: 1_000_000)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(memory, "GROUPS", tmp_path)
    monkeypatch.setattr(memory, "MEMBERSHIP", tmp_path / "membership")
    return tmp_path


def _written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_all_cores_of_the_process_are_usable_where_nothing_limits_it(groups):
    assert usable_cores() == 8


def test_a_share_of_time_limits_the_cores(groups):
    _written(groups / "cpu.max", "250000 100000\n")
    assert usable_cores() == 3


@pytest.mark.parametrize("text", ["max 100000\n", "", "nonsense\n", "1 0\n", "-1 100000\n"])
def test_what_is_no_limit_changes_nothing(groups, text):
    _written(groups / "cpu.max", text)
    assert usable_cores() == 8


def test_the_least_limit_of_all_groups_around_the_process_counts(groups):
    _written(groups / "membership", "0::/outer/inner\n")
    _written(groups / "outer" / "cpu.max", "400000 100000\n")
    _written(groups / "outer" / "inner" / "cpu.max", "max 100000\n")
    assert usable_cores() == 4


def test_the_older_kind_of_group_is_read_too(groups):
    _written(groups / "membership", "4:memory:/box\n1:cpu,cpuacct:/box\n")
    _written(groups / "cpu,cpuacct" / "box" / "cpu.cfs_quota_us", "50000\n")
    _written(groups / "cpu,cpuacct" / "box" / "cpu.cfs_period_us", "100000\n")
    assert usable_cores() == 1


def _limited(group, limit, used, files):
    """Write a limit of memory as the newer kind of group has it."""
    _written(group / "memory.max", f"{limit}\n")
    _written(group / "memory.current", f"{used}\n")
    _written(group / "memory.stat", f"anon 5\ninactive_file {files}\n")


def test_all_free_memory_is_available_where_nothing_limits_it(groups):
    assert available_memory() == 1_000_000
    _limited(groups, "max", 400, 0)
    assert available_memory() == 1_000_000


def test_the_least_memory_left_in_any_group_around_the_process_counts(groups):
    _written(groups / "membership", "0::/outer/inner\n")
    _limited(groups / "outer", 5_000, 3_000, 500)
    _limited(groups / "outer" / "inner", 9_000, 100, 0)
    assert available_memory() == 2_500, "files that were read can be read again"
    _limited(groups / "outer" / "inner", 9_000, 8_000, 0)
    assert available_memory() == 1_000
    _limited(groups / "outer" / "inner", 9_000, 9_500, 0)
    assert available_memory() == 0


def test_the_memory_of_the_older_kind_of_group_is_read_too(groups):
    _written(groups / "membership", "4:memory:/box\n1:cpu,cpuacct:/other\n")
    box = groups / "memory" / "box"
    _written(box / "memory.limit_in_bytes", "7000\n")
    _written(box / "memory.usage_in_bytes", "5000\n")
    _written(box / "memory.stat", "inactive_file 1\ntotal_inactive_file 600\n")
    assert available_memory() == 2_600


def test_by_default_no_more_threads_are_used_than_there_are_cores(groups):
    _written(groups / "cpu.max", "100000 100000\n")
    assert check_threads(None) == 1


@pytest.mark.parametrize("threads", [-1, 0, 1.5, 1.0, True, "2", float("nan"), 10**9, 10**4000])
def test_threads_that_cannot_be_used_are_refused_in_one_sentence(threads):
    with pytest.raises(SettingsError, match="threads asked for: give a whole number from 1 to") as raised:
        check_threads(threads)
    assert len(str(raised.value)) < 200


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), resource.RLIM_INFINITY))
from oracular.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no other system keeps to a limit on addresses")
def test_too_little_address_space_for_compiled_code_is_an_error_in_a_sentence():
    def ran(*arguments):
        command = [sys.executable, "-c", LIMITED, "580000000", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    refused = ran("respond", "jotto-3", "--time", "2")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (
        refused.stderr.startswith("error: compiled code needs 650 MB of address space") and "580 MB" in refused.stderr
    )
    assert ran("games").returncode == 0


def test_a_limit_on_addresses_counts_as_memory_that_is_not_there(monkeypatch):
    monkeypatch.setattr(memory, "address_limit", lambda: memory._addresses_used() + 1000)
    assert available_memory() <= 1000

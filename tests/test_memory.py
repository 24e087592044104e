"""Memory and cores: what a process may use, wherever it runs."""

from __future__ import annotations

import os

import pytest

from oracular import memory
from oracular.errors import SettingsError
from oracular.memory import parse_size, usable_cores
from oracular.responses.greedy import check_threads


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A machine of eight cores whose control groups are made up."""
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


def test_by_default_no_more_threads_are_used_than_there_are_cores(groups):
    _written(groups / "cpu.max", "100000 100000\n")
    assert check_threads(None) == 1


@pytest.mark.parametrize("threads", [-1, 0, 1.5, 1.0, True, "2", float("nan"), 10**9, 10**4000])
def test_threads_that_cannot_be_used_are_told_in_one_sentence(threads):
    with pytest.raises(SettingsError, match="threads asked for: give a whole number from 1 to") as told:
        check_threads(threads)
    assert len(str(told.value)) < 200


def test_a_size_is_quoted_no_longer_than_it_need_be():
    with pytest.raises(SettingsError) as told:
        parse_size("9" * 100_000)
    assert len(str(told.value)) < 200

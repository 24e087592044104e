"""The door to files: nothing but ordinary files of a bounded size, and writes that are whole or not there."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from oracular.system.files import (
    parse_fraction,
    parse_json,
    quoted,
    read_bytes,
    sweep_temporary,
    write_whole,
)


def test_a_file_comes_back_as_it_was_written(tmp_path):
    write_whole(tmp_path / "a", b"one")
    write_whole(tmp_path / "a", b"two")
    assert read_bytes(tmp_path / "a") == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not an ordinary file"):
        read_bytes(tmp_path / "pipe")


def test_an_endless_file_is_not_read():
    with pytest.raises(OSError, match="not an ordinary file"):
        read_bytes(os.path.realpath("/dev/zero"))


def test_a_file_over_the_limit_is_not_read(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert len(read_bytes(tmp_path / "large", 11)) == 11
    with pytest.raises(OSError, match="larger than 10 bytes"):
        read_bytes(tmp_path / "large", 10)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "NaN", "-Infinity", "1" * 10_000, "", "\xff"])
def test_bad_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize("text", ["1e99999999", "1/0", "", "1/2/3", "0.5", " 1", "²", "1" * 5000, None, 3, ["1"]])
def test_what_is_no_fraction_is_refused_at_once(text):
    with pytest.raises(ValueError):
        parse_fraction(text)


def test_fractions_are_read():
    assert [parse_fraction(text) for text in ("7/3", "-2", "4/6")] == [Fraction(7, 3), Fraction(-2), Fraction(2, 3)]


def test_what_a_killed_writer_left_is_swept_up(tmp_path):
    (tmp_path / "checkpoint.json.0123456789ab.tmp").write_bytes(b"half")
    (tmp_path / "notes.tmp").write_bytes(b"the user's own")
    sweep_temporary(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.tmp"]


def test_a_link_is_not_written_through(tmp_path):
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")
    write_whole(tmp_path / "run", b"new")
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"


def test_long_texts_are_cut_where_they_are_quoted():
    assert quoted("a" * 100_000) == repr("a" * 60 + "…")
    assert quoted("short") == "'short'"
    assert quoted(Path("a" * 200) / "run.json").endswith("aaa/run.json'")

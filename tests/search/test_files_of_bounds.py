"""Files of bounds: what they record is proved again, false bounds are found, and nobody's proof is lost."""

from __future__ import annotations

import json
import os
import signal
from fractions import Fraction

import pytest

import oracular as package
from oracular import certify, load_run
from oracular.errors import RunError, SettingsError
from oracular.runs.verify import verify
from oracular.search.lower_bound import LowerBound, write_bounds
from oracular.search.openings import counting_bounds
from oracular.system.files import locked

from forging import edit_bounds


@pytest.fixture
def run(jotto, tmp_path):
    package.solve(jotto(3), iterations=3, out=tmp_path / "run", settings={"ties": "possible"})
    return tmp_path / "run"


@pytest.fixture
def bounded(run):
    """Give a run with bounds of its openings, most of them a guess or two deep."""
    bound = LowerBound(package.hider_uniform(load_run(run).game))
    bound.improve(stop=lambda: sum(known.plies > 1 for known in bound.openings.values()) > 8)
    write_bounds(run / "certification-uniform.json", bound.hider, bound.openings)
    return run


def test_bounds_are_proved_again_and_false_ones_found(oracular, bounded):
    assert verify(bounded).proved
    assert verify(bounded / "certification-uniform.json").bounds["uniform"].proved

    def forge(rows):
        for row in rows:
            if row[2] > 1:
                row[1] += 800

    edit_bounds(bounded, forge)
    for arguments in (("verify", bounded), ("verify", bounded / "certification-uniform.json")):
        outcome = oracular(*arguments)
        assert outcome.code == 2 and "than can be proved again" in outcome.err
    with pytest.raises(RunError, match="than can be proved again"):
        certify(bounded, time_limit=60)


def test_ctrl_c_ends_verifying_with_what_was_checked(oracular, monkeypatch):
    def pressed_at_once(target, **settings):
        os.kill(os.getpid(), signal.SIGINT)
        return verify(target, **settings)

    monkeypatch.setattr("oracular.runs.verify.verify", pressed_at_once)
    for game in ("jotto-3", "jotto-2"):
        outcome = oracular("verify", game)
        assert outcome.code == 130 and "recorded; " in outcome.out and "interrupted" in outcome.err


def test_bounds_that_contradict_the_guarantee_are_refused(oracular, bounded):
    edit_bounds(bounded, lambda rows: [row.__setitem__(slice(1, 3), [50 * 421, 9]) for row in rows])
    outcome = oracular("certify", bounded, "--time", "2")
    assert outcome.code == 2 and outcome.out == ""
    assert "at least 50 and at most" in outcome.err or "than can be proved again" in outcome.err
    assert oracular("verify", bounded, "--time", "5").code == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.append(rows[0]),
        lambda rows: rows.append([5000, 3000, 2]),
        lambda rows: rows.append([-1, 3000, 2]),
        lambda rows: rows.__setitem__(0, [0, True, 2]),
        lambda rows: rows.__setitem__(0, [0, 2500.5, 2]),
        lambda rows: rows.__setitem__(0, "abc"),
        lambda rows: rows.__setitem__(0, [0, 10**30, 2]),
        lambda rows: rows.__setitem__(0, [0, -4, 2]),
        lambda rows: rows.__setitem__(0, [0, 2500, 0]),
        lambda rows: rows.__setitem__(0, [0, 2500, 10**9]),
        lambda rows: rows.__setitem__(0, [rows[0][0], 421 * 421, 1]),
    ],
)
def test_rows_that_are_no_bounds_are_refused(bounded, change):
    edit_bounds(bounded, change)
    for call in (lambda: certify(bounded, time_limit=1), lambda: verify(bounded)):
        with pytest.raises(RunError, match="damaged or was edited"):
            call()


def test_an_opening_that_is_not_listed_has_only_the_bound_from_counting(bounded):
    game = load_run(bounded).game
    edit_bounds(bounded, lambda rows: rows.__delitem__(slice(1, None)))
    result = verify(bounded)
    assert result.lower.value == Fraction(min(counting_bounds(package.hider_uniform(game)).values()), 421)


@pytest.mark.parametrize("content", ["[" * 200_000, "", "x\ny\nz", "1\n[]\n", "\n\n\n\n", f"{0:064}\n{{}}\n"])
def test_a_file_of_bounds_that_is_none_is_refused(run, content):
    (run / "certification-uniform.json").write_text(content)
    with pytest.raises(RunError, match="damaged or was edited"):
        certify(run, time_limit=1)


def test_two_certifications_at_once_are_refused_and_temporary_files_swept(oracular, run):
    left = run / "certification-uniform.json.0123456789ab.tmp"
    others = run / "checkpoint.json.0123456789ab.tmp"
    for path in (left, others):
        path.write_text("half")
    descriptor = os.open(run / "certification.lock", os.O_RDWR | os.O_CREAT)
    with locked(descriptor) as ours:
        assert ours
        outcome = oracular("certify", run, "--time", "1")
        assert outcome.code == 2 and "by another process: wait for it" in outcome.err
        assert left.exists()
    os.close(descriptor)
    certify(run, stop=lambda: True)
    assert not left.exists() and others.exists()  # what a solver may be writing is not ours to remove


def test_what_another_has_proved_meanwhile_is_not_lowered(bounded):
    path = bounded / "certification-uniform.json"
    written = path.read_bytes()
    path.unlink()

    def somebody_else(_):
        if not path.exists():
            path.write_bytes(written)

    certify(bounded, stop=path.exists, progress=somebody_else)
    kept = {row[0]: row[1] for row in json.loads(path.read_text().splitlines()[1])["openings"]}
    assert all(kept[opening] >= bound for opening, bound, _ in json.loads(written.splitlines()[1])["openings"])


def test_settings_that_will_not_do_are_refused_and_nothing_is_written(run):
    before = sorted(path.name for path in run.iterdir())
    threads = ({"threads": number} for number in (-1, 0, 10**9))
    for settings in ({"hider": "best"}, {"hider": "../x"}, {"time_limit": 0}, *threads):
        with pytest.raises(SettingsError):
            certify(run, **{"time_limit": 1} | settings)
    assert sorted(path.name for path in run.iterdir()) == before


def test_ctrl_c_keeps_what_is_proved_and_says_so(oracular, run, monkeypatch):
    improve = LowerBound.improve

    def interrupted(self, *arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return improve(self, *arguments)

    monkeypatch.setattr(LowerBound, "improve", interrupted)
    outcome = oracular("certify", run, "--time", "600")
    assert outcome.code == 130 and "lower bound" in outcome.out
    assert "interrupted; what is proved is kept, go on with: oracular certify" in outcome.err
    assert (run / "certification-uniform.json").is_file()

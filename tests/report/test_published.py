"""Published results are compared with ours honestly: what agrees, what disagrees, what lies within our bounds."""

from __future__ import annotations

import dataclasses
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from oracular import best_response
from oracular import game as oracular_game
from oracular.cli.main import cli
from oracular.report import published
from oracular.report.published import (
    ROWS,
    SOURCES,
    Figure,
    Row,
    Verdict,
    command,
    compare,
    listed_openings,
    mean_within,
    page,
    picked,
    read_figures,
    verdict,
    write_page,
    written_figures,
)
from oracular.system.control import Control

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE, FIGURES = DOCS / "published.md", DOCS / "published.json"
BY_NAME = {row.name: row for row in ROWS}
SMALL = ("mastermind-2x5", "mastermind-3x5", "bulls-2x6", "bulls-3x6", "number-1", "number-7", "number-12", "number-22")


def found(lower: str, upper: str) -> Figure:
    return Figure(Fraction(lower), Fraction(upper), 1.0, 2)


@pytest.mark.parametrize("row", picked((*SMALL, "mastermind-2x3", "mastermind-4x3"), False), ids=lambda row: row.name)
def test_small_published_results_agree_with_ours(row):
    ours = compare(row)
    assert ours.proved
    compared = row.published is not None or row.numerator or row.quantity == "hider"
    assert verdict(row, ours) is (Verdict.AGREES if compared else Verdict.ALONE)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if not row.long], ids=lambda row: row.name)
def test_every_quick_row_is_proved_and_is_on_the_page(row):
    ours, written = compare(row), read_figures(FIGURES)[row.name]
    assert ours.proved
    assert (ours.lower, ours.upper, ours.target) == (written.lower, written.upper, written.target)
    assert verdict(row, ours) in (Verdict.AGREES, Verdict.ALONE, Verdict.NOT_COMPARED)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row.long], ids=lambda row: row.name)
def test_a_long_row_lies_within_our_bounds_after_a_while(row):
    ours, written = compare(row, 20.0), read_figures(FIGURES)[row.name]
    assert verdict(row, ours) in (Verdict.WITHIN, Verdict.AGREES, Verdict.ALONE)
    assert ours.lower <= written.upper and written.lower <= ours.upper


def test_no_row_of_the_page_disagrees():
    figures = read_figures(FIGURES)
    assert {row.name for row in ROWS if not row.long} <= set(figures)
    assert Verdict.DISAGREES not in {verdict(BY_NAME[name], ours) for name, ours in figures.items()}


def test_the_whole_game_needs_no_more_than_any_opening_listed():
    figures = read_figures(FIGURES)
    for row in (row for row in ROWS if row.by_openings):
        openings = [figures[f"{row.game}-opening-{word}"].upper for word in listed_openings(row)]
        assert len(openings) >= 3 and figures[row.name].upper <= min(openings), row.name


def test_the_page_is_what_the_command_would_write():
    """If not, `oracular published number-1 --write docs/published.md` writes it again."""
    figures = read_figures(FIGURES)
    assert PAGE.read_text(encoding="utf-8") == page(figures)
    assert FIGURES.read_bytes() == written_figures(figures)


def test_every_row_has_its_section_and_its_source():
    assert len(BY_NAME) == len(ROWS)
    assert {row.source for row in ROWS} == set(SOURCES)
    for row in ROWS:
        assert row.name.startswith(f"{row.game}-")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_has_a_command_that_there_is(row):
    _, name, *words = command(row, found("1", "2")).split()
    known = {
        option for parameter in cli.commands[name].params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {word for word in words if word.startswith("--")} <= known


def test_the_command_of_a_search_that_was_stopped_has_its_time():
    row, bounds = BY_NAME["wordle-hard-mean"], Figure(Fraction(3), Fraction(4), 400.4, 2)
    assert command(row, bounds) == "oracular published wordle-hard-mean --time 400"
    assert command(row, None) == command(row, found("3", "3")) == "oracular published wordle-hard-mean"


def test_a_figure_agrees_disagrees_or_lies_within_our_bounds():
    row = BY_NAME["mastermind-4x6-mean"]
    assert verdict(row, found("5625/1296", "5625/1296")) is Verdict.AGREES
    assert verdict(row, found("5624/1296", "5624/1296")) is Verdict.DISAGREES
    assert verdict(row, found("5600/1296", "5625/1296")) is Verdict.WITHIN
    assert verdict(row, found("5600/1296", "5624/1296")) is Verdict.DISAGREES  # we have a better tree
    assert verdict(row, found("5626/1296", "5700/1296")) is Verdict.DISAGREES  # no tree is that good


def test_a_numerator_alone_is_compared_too():
    row = BY_NAME["number-24-equilibrium"]
    assert verdict(row, found("828/211", "828/211")) is Verdict.AGREES
    assert verdict(row, found("829/211", "829/211")) is Verdict.DISAGREES
    assert verdict(row, found("3", "4")) is Verdict.WITHIN
    assert verdict(row, found("8280/2115", "8280/2114")) is Verdict.DISAGREES  # no 828/d lies there


def test_a_wrong_published_value_is_reported(oracular, monkeypatch):
    wrong = dataclasses.replace(BY_NAME["number-3-equilibrium"], value="7/4")
    monkeypatch.setattr(published, "ROWS", (wrong, BY_NAME["number-2-equilibrium"]))
    outcome = oracular("published", "--json")
    assert outcome.code == 1
    assert [row["verdict"] for row in json.loads(outcome.out)] == ["disagrees", "agrees"]
    shown = oracular("published", "number-3")
    assert shown.code == 1
    assert re.search(r"7/4 +9/5 +disagrees", shown.out)


def test_the_command_lists_picks_and_writes(oracular, tmp_path):
    listed = json.loads(oracular("published", "--list", "--json").out)
    assert [row["name"] for row in listed] == [row.name for row in ROWS]
    assert "Koyama and Lai 1993" in oracular("published", "mastermind-4x6", "--list").out
    outcome = oracular("published", "number-2", "bulls-2x3-mean", "--write", "page.md", "--json")
    assert outcome.code == 0
    data = json.loads(outcome.out)
    assert [(row["name"], row["lower"], row["proved"], row["verdict"]) for row in data] == [
        ("number-2-equilibrium", "3/2", True, "agrees"),
        ("bulls-2x3-mean", "13/6", True, "agrees"),
    ]
    assert oracular("published", "number-3", "--write", "page.md").code == 0
    assert set(read_figures(tmp_path / "page.json")) == {f"number-{n}-equilibrium" for n in (2, 3)} | {"bulls-2x3-mean"}
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| number-3 | 9/5 | OEIS A286676 | 9/5 | yes | agrees |" in text
    assert f"not run yet {len(ROWS) - 3}." in text


@pytest.mark.parametrize("name", ["mean", "worst", "mean-of-worst", "equilibrium"])
def test_a_row_that_is_stopped_has_bounds(name):
    row = BY_NAME[f"mastermind-4x6-{name}"]
    ours = compare(row, control=Control(cancelled=lambda: True))
    assert not ours.proved and verdict(row, ours) is Verdict.WITHIN


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["mastermind-4x9"], "'mastermind-4x9' is no row"),
        (["mastermindd"], "did you mean 'mastermind'?"),
        (["--time", "0"], "a time of 0.0 seconds"),
        (["number-2", "--write", "nowhere/page.md"], "is no place for the page"),
        (["number-2", "--write", "page.txt"], "is no place for the page"),
        (["number-2", "--write", "bad.md"], "holds no figures"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(oracular, tmp_path, arguments, sentence):
    (tmp_path / "bad.json").write_text(
        '{"number-2-equilibrium": {"lower": "2", "upper": "1", "seconds": 1, "cores": 1}}'
    )
    outcome = oracular("published", *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert not outcome.out


def test_what_was_searched_further_is_kept(tmp_path):
    name = "bulls-4x10-mean"
    wide, narrow = found("26000/5040", "26400/5040"), found("26100/5040", "26300/5040")
    other = found("26500/5040", "26600/5040")
    assert wide.after(narrow) == narrow.after(wide) == narrow
    low, high = found("26000/5040", "26200/5040"), found("26100/5040", "26300/5040")
    for before, now in ((low, high), (high, low)):  # each knows something that the other does not
        together = now.after(before)
        assert (together.lower, together.upper) == (high.lower, low.upper) and together.seconds == 2.0
    assert other.after(narrow) == other  # they contradict each other: the new one counts
    path = tmp_path / "page.md"
    write_page(path, {name: narrow})
    assert write_page(path, {name: wide}) == {name: narrow} == read_figures(tmp_path / "page.json")
    assert "26100/5040 to 26300/5040 (5.1786 to 5.2183) | no | within our bounds" in path.read_text(encoding="utf-8")


def test_a_mean_within_more_guesses_than_are_needed_is_no_more_than_an_upper_bound():
    response = best_response(oracular_game("mastermind-2x3"), np.ones(9, int), objective="worst")
    assert (response.upper, response.mean) == (3, Fraction(7, 3))
    assert mean_within(response, 3) == (Fraction(7, 3), Fraction(7, 3))
    assert mean_within(response, 4) == (1, Fraction(7, 3))


def formula(row: Row) -> Fraction | None:
    """The figure by the formula that the page gives for the row's game, or None if it gives none."""
    family, _, size = row.game.partition("-")
    if row.quantity not in ("mean", "worst") or family not in ("mastermind", "bulls"):
        return None
    places, n = map(int, size.split("x"))
    if places == 3 and row.quantity == "worst":
        return Fraction((n - 1) // 3 + 4)
    if places != 2:
        return None
    if row.quantity == "worst":
        return Fraction(n // 2 + 2 if family == "mastermind" else -(-n // 2) + 1)
    if family == "mastermind":
        return Fraction(8 * n**3 + 51 * n**2 + (-74 * n + 48 if n % 2 == 0 else -80 * n + 69), 24 * n * n)
    return Fraction(4 * n**3 + 21 * n**2 + (-76 * n + 72 if n % 2 == 0 else -82 * n + 105), 12 * n * (n - 1))


def test_the_rows_of_two_and_three_places_are_those_of_the_formulas():
    by_formula = {row.name: value for row in ROWS if (value := formula(row)) is not None}
    assert len(by_formula) == 38
    assert by_formula == {name: BY_NAME[name].published for name in by_formula}

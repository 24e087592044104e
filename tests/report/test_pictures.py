"""Pictures say what they show, with nothing over a curve, whatever was solved and by whom."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import oracular
from oracular.games.offensive import is_offensive, offensive_words
from oracular.report import picture
from oracular.report.picture import NAMED_SECRETS, run_figure, title

from conftest import module_at

ROOT = Path(__file__).parent.parent.parent
RESULTS, SCALING = module_at(ROOT / "tools" / "results.py"), module_at(ROOT / "benchmarks" / "scaling_page.py")
SEARCH = module_at(ROOT / "examples" / "search_of_boxes.py")
SOLVERS = ("fictitious-play", "regret-matching", "exact")
PLAIN = re.compile(r"none|−?\d{1,3}(,\d{3})*(\.\d*[1-9])?")
LONGEST_TITLE = 80

LONG_NAMES = oracular.Game.from_function(
    [f"a rather long secret, number {number}" for number in range(6)],
    [f"a rather long secret, number {number}" for number in range(6)],
    lambda guess, secret: (guess > secret) - (guess < secret),
    name="a game of one's own whose name is longer than any title of a picture ought to be",
)
GAMES = {
    "jotto-2": "jotto-2",
    "mastermind-1x2": "mastermind-1x2",
    "mastermind-3x4": "mastermind-3x4",
    "bulls-3x4": "bulls-3x4",
    "wordle, own lists": oracular.game("wordle", secrets=["crane", "slate", "abbey"], guesses=["speed", "crane"]),
    "long names": LONG_NAMES,
}
SLOW_GAMES = [
    "jotto-3",
    "jotto-4",
    "jotto-5",
    "jotto-5-repeats-anagrams-familiar",
    "mastermind-4x6",
    "bulls-4x10",
    "wordle",
]


def texts(figure):
    """Return every text of a picture that is seen, by what it is."""
    found = {"title of all": figure._suptitle} if figure._suptitle else {}
    found |= {f"legend {number}": legend for number, legend in enumerate(figure.legends)}
    for number, axes in enumerate(figure.axes):
        found |= {f"{number} title": axes.title, f"{number} x": axes.xaxis.label, f"{number} y": axes.yaxis.label}
        found |= {f"{number} text {i}": text for i, text in enumerate(axes.texts)}
        if axes.get_legend() is not None:
            found[f"{number} legend"] = axes.get_legend()
        for axis, span in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if min(span) <= tick.get_loc() <= max(span) and tick.label1.get_text():
                    found[f"{number} {axis.axis_name} tick {tick.get_loc()}"] = tick.label1
    return found


def overlap(one, other):
    """Tell whether two boxes have more than a hair in common."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return wide > 0.5 and high > 0.5


def check_layout(figure):
    """Check that every text is in the picture, over no other text and over no curve, and that ticks are plain."""
    figure.draw_without_rendering()
    boxes = {name: text.get_window_extent() for name, text in texts(figure).items()}
    for name, box in boxes.items():
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, f"{name} is cut off"
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, f"{name} is cut off"
        for axes in figure.axes:
            assert not overlap(box, axes.get_window_extent()), f"{name} is where curves are"
    for (name, box), (other_name, other) in itertools.combinations(boxes.items(), 2):
        assert not overlap(box, other), f"{name} is over {other_name}"
    for name, text in texts(figure).items():
        if "tick" in name:
            assert PLAIN.fullmatch(text.get_text()), f"{name}: {text.get_text()}"
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            assert axis.get_offset_text().get_text() == ""
            assert sum(f"{axis.axis_name} tick" in name for name in boxes) >= 1
        assert len(axes.get_title()) <= 40


def check_curves(figure, solution):
    """Check that all points are in view, in the right colours, and that the solution is marked where it is."""
    gains, values, _ = figure.axes
    record = solution.history[solution.best_iteration]
    on_a_curve = all(record[key] == value for key, value in vars(solution.standing).items())
    for axes, colours, value in (
        (gains, [picture.HIDER, picture.GUESSER], solution.epsilon),
        (values, [picture.GUARANTEE, picture.SELF_PLAY], float(solution.guarantee)),
    ):
        curves = [line for line in axes.lines if line.get_color() in colours and line.get_gid() is None]
        assert [line.get_color() for line in curves] == colours
        for line in curves:
            x, y = line.get_xdata(), line.get_ydata()
            assert list(x) == list(range(len(solution.history))), "each step has one place, so there is no stroke"
            assert axes.get_xlim()[0] <= x.min() and x.max() <= axes.get_xlim()[1]
            assert axes.get_ylim()[0] <= y.min() and y.max() <= axes.get_ylim()[1]
            assert len(x) > 1 or line.get_marker() == "o", "a single point is seen only with a marker"
        (mark,) = [line for line in axes.lines if line.get_gid() == "best"]
        assert list(mark.get_ydata()) == pytest.approx([value] * len(mark.get_ydata()))
        assert axes.get_ylim()[0] <= value <= axes.get_ylim()[1]
        if on_a_curve:
            at = (mark.get_xdata()[0], mark.get_ydata()[0])
            assert at[0] == solution.best_iteration
            assert any(at in zip(line.get_xdata(), line.get_ydata(), strict=True) for line in curves)
        else:
            assert mark.get_marker() == "None" and list(mark.get_xdata()) == [0, 1], "a level across the axes"
        assert (axes.get_xscale(), axes.get_xlabel()) == ("symlog", "steps (log scale)")
    assert gains.get_yscale() == "symlog" and re.search(r"\(log scale above [\d.,]+\)$", gains.get_ylabel())
    assert values.get_yscale() == "linear"
    assert min(min(line.get_ydata()) for line in gains.lines) >= 0


def check(solution):
    figure = run_figure(solution)
    title = figure._suptitle.get_text()
    assert len(title) <= LONGEST_TITLE
    assert solution.settings["solver"].replace("-", " ") in title
    assert f"{solution.iterations:,} step" in title
    check_layout(figure)
    check_curves(figure, solution)
    return figure


@cache
def solved(game, solver, iterations):
    return oracular.solve(GAMES[game], solver=solver, iterations=iterations)


PAIRS = [(game, solver) for game in GAMES for solver in SOLVERS]
QUICK = {
    *[("jotto-2", solver) for solver in SOLVERS],
    ("mastermind-1x2", "exact"),
    ("mastermind-3x4", "fictitious-play"),
    ("bulls-3x4", "exact"),
    ("wordle, own lists", "regret-matching"),
    ("long names", "fictitious-play"),
}
"""Every game and every solver, but not each with each."""


@pytest.mark.parametrize(
    ("game", "solver"), [pytest.param(*pair, marks=() if pair in QUICK else pytest.mark.slow) for pair in PAIRS]
)
def test_a_picture_is_clear_for_every_solver_and_game(game, solver):
    check(solved(game, solver, 12 if solver != "exact" else 3))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("iterations", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_picture_of_one_or_two_steps_is_clear(solver, iterations):
    solution = solved("mastermind-3x4", solver, iterations)
    numbers = [float(tick) for tick in check(solution).axes[0].get_xticks()]
    assert numbers == list(range(solution.iterations + 1))


@pytest.mark.parametrize("solver", SOLVERS[:2])
@pytest.mark.parametrize("iterations", [1, 30])
def test_a_problem_of_ones_own_has_its_picture(solver, iterations):
    problem = SEARCH.SearchOfBoxes(SEARCH.COSTS)
    figure = check(oracular.solve(problem, solver=solver, iterations=iterations))
    assert "small side" in figure.axes[0].get_legend().get_texts()[0].get_text()


def test_a_settled_run_shows_that_its_bounds_meet():
    solution = solved("bulls-3x4", "exact", 3)
    assert solution.closed
    axes = check(solution).axes[1]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    value = f"{float(solution.guarantee):.3f}"
    assert f"lower bound {value}" in labels and any(label.startswith(f"guarantee {value}") for label in labels)


def test_the_title_tells_whose_words_they_are():
    solution = solved("wordle, own lists", "exact", 3)
    assert title(solution).startswith("wordle, own words, exact, ")
    assert title(solved("jotto-2", "regret-matching", 12)) == "jotto-2, regret matching, 12 steps"


def test_no_word_that_offends_is_in_a_picture():
    bad = sorted(word for word in offensive_words() if len(word) == 3 and len(set(word)) == 3)[:4]
    words = [*bad, "ace", "zed", "fix", "hum"]
    game = oracular.game("jotto-3-anagrams", words)
    solution = oracular.solve(game, solver="fictitious-play", iterations=2)
    (text,) = run_figure(solution).axes[2].texts
    shown = [line.split()[0] for line in text.get_text().splitlines()]
    assert len(shown) == min(NAMED_SECRETS, len(words) - len(bad)) and not any(map(is_offensive, shown))


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("game", SLOW_GAMES)
def test_a_picture_of_a_large_game_is_clear(game, solver):
    if solver == "exact" and game not in ("jotto-3", "mastermind-4x6"):
        pytest.skip("the exact solver is for small games")
    check(oracular.solve(game, solver=solver, iterations=120 if solver == "fictitious-play" else 4))


@pytest.mark.parametrize(("game", "iterations"), [("mastermind-2x3", 1), ("mastermind-2x3", 12), ("jotto-2", 2)])
def test_the_picture_of_a_race_is_clear_and_its_axes_are_named(game, iterations):
    figure = picture.race_figure(oracular.solve_race(game, iterations=iterations))
    check_layout(figure)
    for axes in figure.axes:
        assert axes.get_title() and axes.get_ylabel() and axes.get_xlabel() and axes.get_legend() is not None
    gains, chances, secrets = figure.axes
    assert [axes.get_ylabel() for axes in (chances, secrets)] == ["chance to win", "probability (%)"]
    assert secrets.get_xlabel() == "secrets, likeliest first" and secrets.get_title() == "What both hide"
    for steps in secrets.patches:
        assert sum(steps.get_data().values) == pytest.approx(100)
    for line in (*gains.lines, *chances.lines):
        assert gains.get_xlim()[0] <= min(line.get_xdata()) and max(line.get_xdata()) <= gains.get_xlim()[1]


def test_the_race_of_solvers_begins_at_one_zero_for_all():
    rows = module_at(ROOT / "benchmarks" / "solvers.py").race("mastermind-3x4", iterations=3)
    curves = [row for row in rows if len(row["points"]) > 1]
    assert len(curves) == 4 and len(rows) == 5
    assert len({tuple(row["points"][0]) for row in curves}) == 1 and curves[0]["points"][0][0] == 0
    figure = RESULTS.race_figure(rows)
    check_layout(figure)
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.lines if line.get_gid() is None}
    assert list(lines) == [row["solver"] for row in rows]
    assert {name: line.get_color() for name, line in lines.items()} == {
        name: colour for name, (colour, _) in RESULTS.SOLVERS.items()
    }
    ends = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_gid() == "end"}
    assert ends == {tuple(row["points"][-1]) for row in curves}
    assert all(line.get_xdata()[0] == 0 for line in lines.values() if len(line.get_xdata()) > 1)


@pytest.mark.parametrize("name", ["words", "letters", "workers"])
def test_the_pictures_of_scaling_are_clear(name):
    figures = json.loads((ROOT / "docs" / "scaling.json").read_text(encoding="utf-8"))
    check_layout(getattr(SCALING, f"{name}_figure")(figures))


def seen(colour, blindness):
    """Return a colour as somebody sees it, in the coordinates of CIE Lab (Machado, Oliveira, Fernandes 2009)."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(blindness) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(np.maximum(xyz / [0.9505, 1.0, 1.089], 0.008856))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


SIGHT = {
    "usual": np.eye(3).tolist(),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
}


@pytest.mark.parametrize("blindness", SIGHT.values(), ids=SIGHT)
@pytest.mark.parametrize(
    "colours",
    [
        [picture.HIDER, picture.GUESSER, picture.BEST],
        [picture.GUARANTEE, picture.SELF_PLAY, picture.LOWER_BOUND],
        [picture.HIDER, picture.UNIFORM],
        sorted({colour for colour, _ in RESULTS.SOLVERS.values()}),
        [SCALING.TIME, SCALING.PART_OF_TIME],
    ],
)
def test_colours_that_meet_are_told_apart_by_everybody_and_stand_out(colours, blindness):
    for one, other in itertools.combinations(colours, 2):
        assert np.linalg.norm(seen(one, blindness) - seen(other, blindness)) > 20, (one, other)
    for colour in colours:
        lightness = seen(colour, SIGHT["usual"])[0]
        luminance = ((lightness + 16) / 116) ** 3
        assert 1.05 / (luminance + 0.05) >= 3, colour


@pytest.mark.parametrize(
    ("objective", "solver", "heading", "unit"),
    [
        ("within-2", "regret-matching", "Chance to find it within 2 guesses", "chance"),
        ("within-2", "exact", "Chance to find it within 2 guesses", "chance"),
        (oracular.objectives.table([1, 0.5, 0]), "exact", "Expected utility", "utility"),
    ],
)
def test_a_picture_of_another_objective_is_in_it(objective, solver, heading, unit):
    solution = oracular.solve("mastermind-2x3", solver=solver, objective=objective, iterations=5)
    figure = run_figure(solution)
    gains, values, _ = figure.axes
    assert title(solution).startswith(f"mastermind-2x3, {solution.objective.name}, {solver.replace('-', ' ')}")
    assert values.get_title() == heading and values.get_ylabel() == unit
    assert gains.get_ylabel().startswith(f"{unit} (log scale")
    labels = [text.get_text() for text in values.get_legend().get_texts()]
    assert "guarantee (lower bound)" in labels and any("upper bound" in label for label in labels) == (
        solver == "exact"
    )
    shown = " ".join(str(text.get_text()) for text in texts(figure).values() if hasattr(text, "get_text"))
    assert "guesses" not in shown.replace(heading, "")
    low, high = values.get_ylim()
    assert low <= float(solution.guarantee) <= high <= 1.1
    curves = {line.get_label(): line.get_ydata() for line in values.get_lines()}
    assert (curves["guarantee (lower bound)"] <= curves["self-play"] + 1e-12).all()

"""Objectives are what they are called, and what is none is refused with a sentence."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import oracular
from oracular import Objective, objective
from oracular.errors import SettingsError
from oracular.objectives import mean, objective_of_data, table, within, worst


@pytest.fixture(scope="module")
def game():
    return oracular.game("mastermind-2x2")


def test_what_is_lost_at_each_guess(game):
    assert within(2).losses_in(game).tolist() == [[0, 0, 1]] * 4
    assert within(2).payoffs(np.array([1, 2, 3, 9])).tolist() == [0, 0, 1, 1]
    assert mean().losses_in(game).tolist() == [[1, 2, 3, 4]] * 4
    assert mean().payoffs(np.array([3, 1])).tolist() == [3, 1]
    thirds = table([1, "1/3", 0])
    assert thirds.losses_in(game).tolist() == [[0, 2, 3]] * 4 and thirds.unit == 3
    rows = table({game.secrets[0]: [1, 0.5], "others": [2, 2, 0]}, game)
    assert rows.losses_in(game).tolist() == [[2, 3, 3], [0, 0, 4], [0, 0, 4], [0, 0, 4]]
    assert rows.payoffs(np.array([1, 2, 3, 4])).tolist() == [2, 0, 4, 4]


def test_losses_are_as_small_as_they_can_be(game):
    large = table([1 << 29, 0])
    assert large.losses_in(game).tolist() == [[0, 1]] * 4
    assert large.value(0) == 1 << 29 and large.value(1) == 0
    assert table([10, 6, 2]).losses.tolist() == [[0, 1, 2]] and table([3]).value(0) == 3


def test_losses_and_values_are_two_ways_to_say_the_same(game):
    for chosen in (mean(), within(3), table([1, "1/3", -2]), table({"others": [0.5, 0.25], "11": [7, 1]}, game)):
        for loss in (Fraction(0), Fraction(1), Fraction(7, 3)):
            assert chosen.loss(chosen.value(loss)) == loss
        lower, upper = chosen.bounds(1, 2)
        assert lower <= upper and (chosen.value(1) == lower) == chosen.less_is_better


def test_the_same_objective_comes_back_from_its_data(game):
    for chosen in (within(4), table([1, "1/3", -2]), table({"others": [0.5, 0.25], "11": [7, 1, 0]}, game)):
        again = objective_of_data(json.loads(json.dumps(chosen.to_data(game))), game)
        assert again.identity == chosen.identity
        assert again.losses_in(game).tolist() == chosen.losses_in(game).tolist()
    identities = {chosen.identity for chosen in (mean(), worst(), within(1), within(2), table([1, 0]), table([1, 0.5]))}
    assert len(identities) == 6


def test_a_file_holds_a_table(game, tmp_path):
    path = tmp_path / "table.json"
    path.write_text('{"utilities": {"11": [1, 0.25], "others": [1, 0]}}')
    assert objective(path, game).identity == table({"11": [1, 0.25], "others": [1, 0]}, game).identity
    assert objective(str(path), game).name == "table"


@pytest.mark.parametrize(
    "utilities, sentence",
    [
        ([1, 2], "rises from 1 at guess 1 to 2 at guess 2: a utility may only fall"),
        ([1, 0.5, 0.75], "rises from 1/2 at guess 2 to 3/4 at guess 3"),
        ([], "has 0 numbers: give from 1 to 255"),
        ([1] * 256, "has 256 numbers: give from 1 to 255"),
        ([float("nan")], "'nan' in the table of utilities is no number"),
        ([float("inf"), 0], "'inf' in the table of utilities is no number"),
        ([True, False], "'True' in the table of utilities is no number"),
        (["1/0"], "'1/0' in the table of utilities is no number"),
        ([None], "'None' in the table of utilities is no number"),
        ([[1]], r"'\[1\]' in the table of utilities is no number"),
        (["١"], "in the table of utilities is no number"),
        ([10**5000, 0], "too long to write' in the table of utilities is no number"),
        ([1 << 40, 0], "more digits than can be worked with"),
        ([1e16, 0], "more digits than can be worked with"),
        ([10**15, 10**15 - 1], "more digits than can be worked with"),
        ({"11": [1], "others": [2], "Others": [3]}, "two rows for 'others': leave one out"),
        ([1, 1e-12], "more digits than can be worked with"),
        ([f"1/{2**31 - 1}", 0], "more digits than can be worked with"),
        ([f"1/{prime}" for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)], "more digits than can be"),
        ("10", "is no list of numbers: give the utility of guess 1, 2 and so on"),
        (3, "is no list of numbers"),
        ({"zz": [1], "others": [1]}, "a row for 'zz', which is no secret of mastermind-2x2"),
        ({"11": [1]}, "no row for '12': give one for every secret, or one named 'others'"),
        ({}, "no row for '11'"),
        ({"11": [0, 1], "others": [1]}, "the row of '11' rises from 0 at guess 1"),
        ({"others": []}, "the row 'others' has 0 numbers"),
    ],
)
def test_a_table_that_is_none_is_refused(game, utilities, sentence):
    with pytest.raises(SettingsError, match=sentence) as caught:
        table(utilities, game)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_a_secret_may_be_called_others():
    game = oracular.Game.from_function(
        ["others", "second"], ["others", "second"], lambda guess, secret: guess == secret
    )
    chosen = table({"others": [2, 1], "second": [5, 0]}, game)
    assert chosen.losses_in(game).tolist() == [[3, 4], [0, 5]]
    with pytest.raises(SettingsError, match="no row for 'second': give one for every secret, since 'others' is one"):
        table({"others": [2, 1]}, game)


def test_a_table_for_other_secrets_is_refused(game):
    rows = table({"11": [3, 0], "others": [1, 0]}, game)
    hider = oracular.hider_uniform(game)
    tree = oracular.best_response(game, hider).tree
    assert oracular.payoff(hider, tree, rows) > 0
    other = oracular.Game.from_function("abcd", "abcd", lambda guess, secret: guess == secret)
    rows_of_other = table({"a": [3, 0], "others": [1, 0]}, other)
    larger = table({"11": [3, 0], "others": [1, 0]}, oracular.game("mastermind-2x3"))
    for wrong, sentence in ((rows_of_other, "is for other secrets than those of"), (larger, "has 9 rows of utilities")):
        for ask in (
            lambda wrong=wrong: oracular.payoff(hider, tree, wrong),
            lambda wrong=wrong: oracular.best_response(game, hider, objective=wrong),
            lambda wrong=wrong: oracular.evaluation.guarantee(tree, wrong),
            lambda wrong=wrong: wrong.losses_in(game),
        ):
            with pytest.raises(SettingsError, match=sentence):
                ask()


@pytest.mark.parametrize("losses", [[[1, 0]], [[-1, 0]], [[0, 1 << 31]], [0, 1], []])
def test_losses_that_are_none_are_refused(losses):
    with pytest.raises(SettingsError, match=r"is no objective|losses are from 0"):
        Objective("table", np.array(losses, np.int64))
    for name in ("mean", "within-0", "best"):
        with pytest.raises(SettingsError, match="is no objective"):
            Objective(name, np.array([[0, 1]]))


def test_rows_by_secret_need_the_game():
    with pytest.raises(SettingsError, match="needs the game"):
        table({"others": [1, 0]})


@pytest.mark.parametrize("guesses", [0, -1, 255, 10**9, True, 2.5, "3", None, pytest.param(10**5000, id="huge")])
def test_within_no_such_number_of_guesses(guesses):
    with pytest.raises(SettingsError, match="is no objective: give from 1 to 254 guesses"):
        within(guesses)


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("within-0", "within-0 is no objective: give from 1 to 254 guesses"),
        ("within-999", "within-999 is no objective"),
        ("within-9999999999", "is no objective and no file: give mean, worst, within-K"),
        ("within--1", "is no objective and no file"),
        ("within-", "is no objective and no file"),
        ("within-٣", "is no objective and no file"),
        ("best", "'best' is no objective and no file"),
        ("", "cannot be read"),
        ("a\0b", "cannot be read"),
        (".", "cannot be read"),
        (3, "'3' is no objective and no file"),
        (None, "'None' is no objective and no file"),
    ],
)
def test_a_name_that_is_none_is_refused(game, name, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=sentence):
        objective(name, game)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1, 0]",
        b'{"utilities": [1, NaN]}',
        b'{"utilities": [Infinity]}',
        b'{"utilities": [1, 2]}',
        b'{"utilities": [1e999, 0]}',
        b'{"utilities": [1.00000000000000000001, 1]}',
        b'{"utilities": [1, 0], "utilities": [2, 0]}',
        b'{"utilities": [' + b"9" * 5000 + b"]}",
        b'{"utilities": null}',
        b'{"utilities": [1], "more": 1}',
        b'{"utilities": ' + b"[" * 100_000,
        b"\xff\xfe",
        b'{"utilities": {"11": {"a": 1}, "others": [1]}}',
    ],
)
def test_a_file_that_is_none_is_refused_by_its_name(game, content, tmp_path):
    path = tmp_path / "utilities.json"
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=r"the objective's file .*utilities\.json") as caught:
        objective(path, game)
    assert "\n" not in str(caught.value)


def test_the_worst_case_is_not_a_loss_for_each_secret(game):
    with pytest.raises(SettingsError, match="worst"):
        worst().losses_in(game)


def test_phrases_for_people():
    assert within(1).phrase() == "chance to find it within 1 guess"
    assert within(4).phrase() == "chance to find it within 4 guesses"
    assert [chosen.less_is_better for chosen in (mean(), worst(), within(2), table([1, 0]))] == [
        True,
        True,
        False,
        False,
    ]

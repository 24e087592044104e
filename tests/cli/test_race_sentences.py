"""What `oracular race` says where something is missing or mistaken, and what its figures are called."""

from __future__ import annotations

from oracular.strategies.race import has_race, race_games


def test_the_games_that_are_named_are_those_there_are(oracular):
    assert race_games() and all(map(has_race, race_games()))
    refused = oracular("race", "mastermind-2x4", "--show")
    assert refused.code == 2 and f"choose one of {', '.join(race_games())}, or solve it with" in refused.err


def test_a_folder_without_a_run_is_told_how_a_race_is_made(oracular, tmp_path):
    refused = oracular("race", "jotto-2", "--show", "--out", tmp_path)
    assert refused.code == 2 and "holds no run: make one with 'oracular race GAME --out DIR'" in refused.err


def test_words_of_ones_own_need_a_run(oracular, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("cat\ndog\nfix\n", encoding="utf-8")
    refused = oracular("race", "jotto-3-repeats", "--words", words, "--show")
    assert (
        refused.code == 2 and "with words of your own there are only strategies of runs: add --out DIR" in refused.err
    )


def test_the_folder_has_the_name_of_the_game(oracular, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solved = oracular("race", "MASTERMIND-1x3", "--iterations", "1")
    assert solved.code == 0 and (tmp_path / "runs" / "mastermind-1x3-race").is_dir()
    assert "(measured; exact)" in " ".join(solved.out.split())

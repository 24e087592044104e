"""Bad input gets one sentence that names it and the remedy, exit code 2, and nothing on disk is touched."""

from __future__ import annotations

import shutil

import pytest

from conftest import files_below


@pytest.fixture
def folder(oracular, tmp_path):
    """A folder with a run of two letters, one with another word list, and word files of every bad kind."""
    oracular("solve", "jotto-2", "--iterations", "20", "--out", "run")
    (tmp_path / "own.txt").write_text("cab\nfix\nhum\njot\nzed\n")
    oracular("solve", "jotto-3", "--words", "own.txt", "--iterations", "5", "--out", "own-run")
    for name, file, cut in (("short", "history.jsonl", True), ("edited", "history.jsonl", False)):
        shutil.copytree(tmp_path / "run", tmp_path / name)
        data = (tmp_path / name / file).read_bytes()
        (tmp_path / name / file).write_bytes(data[:-20] if cut else data.replace(b'"iteration": 7', b'"iteration": 8'))
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    (tmp_path / "greek.txt").write_text("alpha\nβητα\n")
    (tmp_path / "long.txt").write_text("elephants\n")
    (tmp_path / "few.txt").write_text("1 2 3")
    (tmp_path / "negative.txt").write_text("-1 " * 51)
    (tmp_path / "zero.txt").write_text("0 " * 51)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "letter.txt").write_text("mine")
    return tmp_path


BAD = {
    "an unknown game": ("solve chess-8", "'chess-8' is not a game: choose one like"),
    "an unknown game shown": ("show jotto-x", "'jotto-x' is not a game: write jotto-N"),
    "a size that is none": ("solve jotto-2 --memory much", "'much' is not a size: write it like 800MB"),
    "too little memory": ("solve jotto-5 --memory 100MB", "--memory allows 100 MB: allow more"),
    "memory for another solver": ("solve jotto-2 --solver exact --memory 1GB", "leave engine and memory out"),
    "a missing word file": ("solve jotto-5 --words none.txt", "'none.txt' does not exist"),
    "a folder as word file": ("solve jotto-5 --words plain", "is a folder"),
    "an empty word file": ("solve jotto-5 --words empty.txt", "'empty.txt' is empty"),
    "a binary word file": ("solve jotto-5 --words binary.txt", "'binary.txt' is not a text file"),
    "no playable word": ("solve jotto-5 --words long.txt", "there are no 5-letter words"),
    "another alphabet": ("solve jotto-5 --words greek.txt", "line 2: 'βητα' is not one word of the letters a to z"),
    "another alphabet shown": ("show jotto-5 --words greek.txt", "line 2: 'βητα'"),
    "no iterations": ("solve jotto-2 --iterations 0", "0 iterations asked for: give 1 or more"),
    "negative iterations": ("solve jotto-2 --iterations -5", "-5 iterations asked for: give 1 or more"),
    "iterations in words": ("solve jotto-2 --iterations many", "'many' is not a valid integer"),
    "no time": ("solve jotto-2 --time 0", "above 0"),
    "a negative epsilon": ("solve jotto-2 --epsilon -1", "0 or more"),
    "no threads": ("solve jotto-2 --threads 0", "0 threads asked for"),
    "an unknown tie rule": ("solve jotto-2 --ties last", "'last' is not one of"),
    "an existing run": ("solve jotto-2 --out run", "holds a run already: add --resume"),
    "a folder in the way": ("solve jotto-2 --out plain", "is in the way"),
    "a file in the way": ("solve jotto-2 --out own.txt", "is in the way"),
    "nothing to resume": ("solve jotto-2 --out nowhere --resume", "holds no run"),
    "a run of another game": ("solve jotto-3 --out run --resume", "is a run of jotto-2, not of jotto-3"),
    "other settings": ("solve jotto-2 --ties possible --out run --resume", "was begun with ties 'first'"),
    "a truncated run": ("evaluate short", "history.jsonl' is truncated"),
    "a truncated run resumed": ("solve jotto-2 --out short --resume", "history.jsonl' is truncated"),
    "an edited run": ("evaluate edited", "history.jsonl' is missing, damaged or was edited"),
    "an edited run asked": ("guess edited", "history.jsonl' is missing, damaged or was edited"),
    "an edited run drawn": ("plot edited", "history.jsonl' is missing, damaged or was edited"),
    "no run": ("evaluate nowhere", "'nowhere' holds no run"),
    "an unknown word": ("guess run qq:1", "'qq' is not in the word list of jotto-2"),
    "an impossible answer": ("guess run ai:3", "'3' is not an answer of jotto-2"),
    "a word without answer": ("guess run ai", "write it like 'giant:2'"),
    "no word left": ("guess run ai:0,ai:1", "'ai:1' contradicts 'ai:0': no word is left"),
    "a guess after the end": ("guess run ai:2,of:1", "'ai:2' ended the game"),
    "a negative game seed": ("guess run --game-seed -1", "-1 is not in the range"),
    "a picture without a folder": ("plot run --out none/picture.png", "choose another --out"),
    "a picture in the place of a folder": ("plot run --out plain/../plain.d", "cannot be written"),
    "a picture of unknown kind": ("plot run --out picture.doc", "cannot be written"),
    "letters out of range": ("table --letters 7", "7 is not in the range"),
    "letters without a number": ("table --letters", "requires an argument"),
    "a fresh table without threads": ("table --letters 2 --iterations 20 --fresh --threads 0", "0 threads asked for"),
    "a table without iterations": ("table --letters 2 --iterations 0", "0 iterations asked for"),
    "one colour": ("show mastermind-4x1", "has a colour count of 1: give 2 to 35"),
    "a game too large": ("solve mastermind-8x9", "43,046,721 secrets, a table of"),
    "an unknown solver": ("solve jotto-2 --solver magic", "'magic' is not one of"),
    "ties for the exact solver": ("solve jotto-2 --solver exact --ties first", "leave ties out"),
    "another solver's run": (
        "solve jotto-2 --solver exact --out run --resume",
        "was begun with solver 'fictitious-play'",
    ),
    "a list that the game does not take": ("show mastermind-4x6 --words own.txt", "takes no list of words"),
    "a hider that is nowhere": ("respond jotto-2 --hider nowhere", "'nowhere' cannot be read"),
    "a hider of words": ("respond jotto-2 --hider own.txt", "something else than whole numbers"),
    "too few weights": ("respond jotto-2 --hider few.txt", "3 weights given for jotto-2: give 51"),
    "negative weights": ("respond jotto-2 --hider negative.txt", "negative or all zero"),
    "weights all zero": ("respond jotto-2 --hider zero.txt", "negative or all zero"),
    "another game's run as hider": ("respond jotto-3 --hider run", "is of jotto-2, not of this jotto-3"),
    "a search without time": ("respond jotto-2 --time 0", "above 0"),
    "a search with negative time": ("respond jotto-2 --time -3", "above 0"),
    "a certificate that is none": ("verify own.txt", "is not a certificate"),
    "a certificate that is nowhere": ("verify nowhere.json", "cannot be read"),
    "a certification of nothing": ("certify nowhere", "'nowhere' holds no run"),
    "a certification without time": ("certify run --time 0", "above 0"),
    "a certification of a damaged run": ("certify edited", "history.jsonl' is missing, damaged or was edited"),
    "ties for regret matching": ("solve jotto-2 --solver regret-matching --ties first", "leave ties out"),
    "a leaderboard of nothing": ("leaderboard chess", "'chess' is not a game"),
    "a sweep of nothing": ("sweep", "Missing argument 'GAME...'"),
    "a sweep of an unknown game": ("sweep jotto-2 chess", "'chess' is not a game"),
    "a sweep with half a setting": ("sweep jotto-2 --set ties", "write it like ties=first,possible"),
    "a sweep with an unknown setting": ("sweep jotto-2 --set hats=3", "no solver of this sweep has a setting 'hats'"),
    "a sweep with a file in the way": ("sweep jotto-2 --out own.txt", "is a file: choose another --out"),
    "a sweep without iterations": ("sweep jotto-2 --iterations 0", "0 iterations asked for"),
    "a sweep without threads": ("sweep jotto-2 --threads 0", "0 threads asked for"),
    "a cluster that is none": ("solve jotto-2 --cluster here", "'here' is not a cluster: give 'local'"),
    "workers without a cluster": ("certify run --workers 2", "add --cluster local"),
    "a game that cannot be played": ("play chess --mode guess", "'chess' is not a game"),
    "an unknown way to play": ("play jotto-2 --mode both", "'both' is not one of"),
    "a negative seed": ("play jotto-2 --mode guess --seed -1", "-1 is not in the range"),
    "familiar codes": ("play mastermind-4x6 --familiar --mode guess", "'mastermind-4x6-familiar' is not a game"),
    "play with a missing word file": ("play jotto-5 --words none.txt --mode guess", "'none.txt' does not exist"),
    "advice on an unknown word": ("suggest jotto-2 qq:1", "'qq' is not in the word list of jotto-2"),
    "advice on answers that contradict": ("suggest jotto-2 ai:0,ai:1", "ai:0 could be 1; ai:1 could be 0"),
    "advice on answers that no single one explains": (
        "suggest jotto-2 ai:0,ai:1,of:0,of:1",
        "no single one of them explains it, so check all",
    ),
    "no suggestions": ("suggest jotto-2 --count 0", "0 is not in the range"),
    "advice against nobody": ("suggest jotto-2 --hider nowhere", "'nowhere' cannot be read"),
    "a review without the secret": ("review jotto-2 ai:0", "Missing option '--secret'"),
    "a review of another secret": ("review jotto-2 ai:1 --secret of", "'ai:1' does not fit the secret 'of'"),
    "a review of answers that contradict": ("review jotto-2 ai:0,ai:1 --secret of", "ai:1 could be 0"),
    "a review of no word": ("review jotto-2 ai:0 --secret zz", "'zz' is not in the word list of jotto-2"),
    "an unknown command": ("solv jotto-2", "No such command 'solv'"),
    "an unknown option": ("solve jotto-2 --quick", "No such option"),
    "a missing argument": ("solve", "Missing argument 'GAME'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_named_with_its_remedy(oracular, folder, kind):
    command, sentence = BAD[kind]
    before = files_below(folder)
    outcome = oracular(*command.split())
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ") and outcome.err.count("\n") == 1
    assert sentence in outcome.err
    assert files_below(folder) == before


def test_a_run_of_another_word_list_is_not_gone_on_with(oracular, folder):
    (folder / "other.txt").write_text("cab\nfix\nhum\njot\nzag\n")
    before = files_below(folder)
    outcome = oracular("solve", "jotto-3", "--words", "other.txt", "--out", "own-run", "--resume")
    assert (outcome.code, "another word list" in outcome.err) == (2, True)
    assert files_below(folder) == before

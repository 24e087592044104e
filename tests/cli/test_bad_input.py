"""Bad input gets one sentence that names it and the remedy, exit code 2, and nothing on disk is touched."""

from __future__ import annotations

import shutil

import pytest

from conftest import files_below


@pytest.fixture
def folder(oracular, tmp_path):
    """A folder with a run of two letters, one with another word list, and bad word files of every sort."""
    oracular("solve", "jotto-2", "--iterations", "20", "--out", "run")
    (tmp_path / "own.txt").write_text("cab\nfix\nhum\njot\nzed\n")
    oracular("solve", "jotto-3", "--words", "own.txt", "--iterations", "5", "--out", "own-run")
    for name, file, cut in (("short", "history.jsonl", True), ("edited", "history.jsonl", False)):
        shutil.copytree(tmp_path / "run", tmp_path / name)
        data = (tmp_path / name / file).read_bytes()
        (tmp_path / name / file).write_bytes(data[:-20] if cut else data.replace(b'"iteration": 7', b'"iteration": 8'))
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)))
    (tmp_path / "greek.txt").write_text("βητα\n")
    (tmp_path / "long.txt").write_text("elephants\n")
    (tmp_path / "few.txt").write_text("1 2 3")
    (tmp_path / "negative.txt").write_text("-1 " * 51)
    (tmp_path / "zero.txt").write_text("0 " * 51)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "letter.txt").write_text("mine")
    return tmp_path


BAD = """
solve chess-8 => 'chess-8' is not a game: choose one like
show jotto-x => 'jotto-x' is not a game: write jotto-N
solve jotto-2 --memory much => 'much' is not a size: write it like 800MB
solve jotto-5 --memory 100MB => the memory given allows 100 MB: allow more
solve jotto-2 --solver exact --memory 1GB => leave engine and memory out
solve jotto-5 --words none.txt => 'none.txt' does not exist
solve jotto-5 --words plain => is a folder
solve jotto-5 --words empty.txt => 'empty.txt' is empty
solve jotto-5 --words binary.txt => 'binary.txt' is not a text file
solve jotto-5 --words long.txt => 'long.txt' has no word of 5 letters: its only word has 9 letters
solve jotto-5 --words greek.txt => leaves no word: its only line was left out, 1 with other letters than a to z (βητα)
show jotto-5 --words greek.txt => other letters than a to z (βητα)
solve jotto-2 --iterations 0 => 0 iterations asked for: give 1 or more
solve jotto-2 --iterations -5 => -5 iterations asked for: give 1 or more
solve jotto-2 --iterations many => 'many' is not a valid integer
solve jotto-2 --time 0 => above 0
solve jotto-2 --epsilon -1 => 0 or more
solve jotto-2 --threads 0 => 0 threads asked for
solve jotto-2 --ties last => 'last' is not one of
solve jotto-2 --out run => holds a run already: resume it (--resume), start again (--fresh), or choose
solve jotto-2 --out plain => is in the way
solve jotto-2 --out own.txt => is in the way
solve jotto-2 --out nowhere --resume => holds no run
solve jotto-3 --out run --resume => is a run of jotto-2, not of jotto-3
solve jotto-2 --ties possible --out run --resume => was begun with ties 'first'
evaluate short => history.jsonl' is truncated
solve jotto-2 --out short --resume => history.jsonl' is truncated
evaluate edited => history.jsonl' is missing, damaged or was edited
guess edited => history.jsonl' is missing, damaged or was edited
plot edited => history.jsonl' is missing, damaged or was edited
evaluate nowhere => 'nowhere' holds no run
guess run qq:1 => 'qq' is not in the dictionary
guess run ai:3 => '3' is not an answer here: give one of 0, 1, 2
guess run ai => write it like 'of:1'
guess run ai:0,ai:1 => 'ai:1' contradicts 'ai:0': no word is left
guess run ai:2,of:1 => 'ai:2' ended the game
guess run --game-seed -1 => -1 is not in the range
plot run --out none/picture.png => choose another --out
plot run --out plain/../plain.d => cannot be written
plot run --out picture.doc => cannot be written
table --letters 7 => 7 is not in the range
table --letters => requires an argument
table --letters 2 --iterations 20 --fresh --threads 0 => 0 threads asked for
table --letters 2 --iterations 0 => 0 iterations asked for
show mastermind-4x1 => has a colour count of 1: give 2 to 35
solve mastermind-8x9 => 43,046,721 secrets, a table of
solve jotto-2 --solver magic => 'magic' is not one of
solve jotto-2 --solver exact --ties first => leave ties out
solve jotto-2 --solver exact --out run --resume => was begun with solver 'fictitious-play'
show mastermind-4x6 --words own.txt => takes no list of words: its codes follow from its name
respond jotto-2 --hider nowhere => 'nowhere' cannot be read
respond jotto-2 --hider own.txt => something else than whole numbers
respond jotto-2 --hider few.txt => 3 weights given for jotto-2: give 51
respond jotto-2 --hider negative.txt => negative or all zero
respond jotto-2 --hider zero.txt => negative or all zero
respond jotto-3 --hider run => is of jotto-2, not of this jotto-3
respond jotto-2 --time 0 => above 0
respond jotto-2 --time -3 => above 0
verify own.txt => is not a certificate
verify nowhere.json => cannot be read
certify nowhere => 'nowhere' holds no run
certify run --time 0 => above 0
certify run --threads 5000 => 5000 threads asked for: give a whole number from 1 to
verify run --threads 5000 => 5000 threads asked for: give a whole number from 1 to
verify wordle --secrets own.txt => of wordle with words of your own come with the package: leave --secrets out
verify Wordle --guesses own.txt => of wordle with words of your own come with the package: leave --guesses out
verify jotto-3 --words own.txt => of jotto-3 with words of your own come with the package: leave --words out
verify run --words own.txt => 'run' goes with the words that its folder keeps: leave --words out
verify wordle-hard => of wordle-hard come with the package: solve it with 'oracular solve wordle-hard', or choose
evaluate wordle-hard => of wordle-hard come with the package: solve it with 'oracular solve wordle-hard', or
verify plain => holds no run and no search
race jotto-3 --show --words own.txt => with words of your own there are only strategies of runs: add --out DIR
published --list --write page.md => --list runs no row: leave out --list or --write
published --list --time 5 => --list runs no row: leave out --list or --time
certify edited => history.jsonl' is missing, damaged or was edited
solve jotto-2 --solver regret-matching --ties first => leave ties out
leaderboard chess => 'chess' is not a game
sweep => Missing argument 'GAME...'
sweep jotto-2 chess => 'chess' is not a game
sweep jotto-2 --set ties => write it like ties=first,possible
sweep jotto-2 --set hats=3 => no solver of this sweep has a setting 'hats'
sweep jotto-2 --out own.txt => is a file: choose another folder
sweep jotto-2 --iterations 0 => 0 iterations asked for
sweep jotto-2 --threads 0 => 0 threads asked for
solve jotto-2 --cluster here => 'here' is not a cluster: give 'local'
certify run --workers 2 => add --cluster local
play chess --mode guess => 'chess' is not a game
play jotto-2 --mode both => 'both' is not one of
play jotto-2 --mode guess --seed -1 => -1 is not in the range
play mastermind-4x6 --familiar --mode guess => mastermind-4x6 has no variant with familiar words, only Jotto has
play wordle-hard --familiar --mode guess => wordle-hard has no variant with familiar words, only Jotto has
suggest wordle --familiar => wordle has no variant with familiar words, only Jotto has: leave --familiar out
play jotto-5 --words none.txt --mode guess => 'none.txt' does not exist
suggest jotto-2 qq:1 => 'qq' is not in the dictionary
suggest jotto-2 ai:0,ai:1 => ai:0 could be 1; ai:1 could be 0
suggest jotto-2 ai:0,ai:1,of:0,of:1 => no single one of them explains it, so check all
suggest jotto-2-possible of:1 of:1 => 'of' cannot be the secret after 'of:1'
review wordle-3-hard hen:-gg fly:--- --secret ten => 'fly' is not allowed in hard mode: letter 2 must be E
play wordle-hard-possible --mode guess => a game has one rule of guessing, so write 'wordle-hard' or 'wordle-possible'
suggest wordle-3 hen:yyy => no word of the list gives the answer 'hen:yyy': it could be -yy or y-y or yy- or --y or -y-
suggest jotto-2 --count 0 => 0 is not in the range
suggest jotto-2 --hider nowhere => 'nowhere' cannot be read
review jotto-2 ai:0 => Missing option '--secret'
review jotto-2 ai:1 --secret of => 'ai:1' does not fit the secret 'of'
review jotto-2 ai:0,ai:1 --secret of => 'ai:1' does not fit the secret 'of': the answer is '0'
review jotto-2 ai:0 --secret zz => 'zz' is not in the word list of jotto-2
solv jotto-2 => No such command 'solv'
solve jotto-2 --quick => No such option
solve => Missing argument 'GAME'
"""
"""Commands, and what is to be in the sentence on stderr."""


@pytest.mark.parametrize("case", BAD.strip().splitlines())
def test_bad_input_is_named_with_its_remedy(oracular, folder, case):
    command, sentence = case.split(" => ")
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

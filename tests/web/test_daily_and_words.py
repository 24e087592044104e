"""What a page for players needs: rule sets, the daily game, is my word in the list, telling it, six rows, sharing."""

from __future__ import annotations

import re
from datetime import date
from itertools import product

import numpy as np
import pytest

from oracular.games.offensive import is_offensive, offensive_words
from oracular.play.advice import WORDS_SHOWN
from oracular.play.opponent import matchup_by_name
from oracular.play.wording import DEFAULT_GAME

from browsing import begin, error_of, get, post


def test_every_rule_set_of_jotto_is_listed_and_the_default_first(browser):
    games = browser.get("/api/games").json()["games"]
    rules = [(card["rule"], *card["rules"].values()) for card in games if card["rules"]]
    expected = {
        (rule, n, r, a, f)
        for rule, n, r, a, f in product(("any", "possible"), (2, 3, 4, 5), (0, 1), (0, 1), (0, 1))
        if not (n == 2 and f)
    }
    assert len(rules) == len(set(rules)) and set(rules) == expected
    first = games[0]
    assert (first["name"], first["title"]) == (DEFAULT_GAME, "Jotto")
    assert first["rules"] == {"letters": 5, "repeats": True, "anagrams": True, "familiar": True}
    assert first["summary"] == "The computer hides one of 2,216 familiar words. You may guess any of 8,938."
    assert {card["name"]: card["rows"] for card in games if card["rows"]} == dict.fromkeys(
        ("wordle", "wordle-hard", "wordle-possible"), 6
    )
    assert [card["rule"] for card in games if card["free"] == "wordle"] == ["any", "hard", "possible"]
    assert {card["guesses"] for card in games if card["family"] == "jotto" and card["letters"] == 5} == {8938}
    assert len({card["title"] for card in games}) == len(games)


JARGON = re.compile(
    r"equilibri|oracle|greedy|played out|playout|strateg|mixture|weights|uniform|shipped|package|solver|payoff|epsilon|"
    r"guarantee|jotto-\d",
    re.IGNORECASE,
)


def test_no_card_hint_or_review_speaks_the_language_of_solvers(browser):
    texts = []
    for card in browser.get("/api/games").json()["games"]:
        texts += [card["title"], card["summary"], card["lists"], card["reading"], *card["strategy"].values()]
    for game in ("jotto-3", "mastermind-4x6"):
        match = begin(browser, game)
        texts.append(get(browser, match, "/hint").json()["note"])
        post(browser, match, "give-up")
        texts.append(get(browser, match, "/review").json()["note"])
    hiding = begin(browser, "jotto-3", "hide")
    refused = [
        post(browser, match, "guess", guess="cab"),
        post(browser, hiding, "guess", guess="cab"),
        post(browser, hiding, "answer", answer="9"),
        post(browser, hiding, "amend", turn=0, answer="1"),
        post(browser, hiding, "tell", word="much too long"),
        post(browser, begin(browser, "jotto-5"), "guess", guess="xqjzk"),
        browser.post("/api/matches", json={"game": "jotto-5", "mode": "duel", "word": "hello"}),
        browser.post("/api/matches", json={"game": "wordle", "mode": "duel", "word": "aahed"}),
        *(
            browser.post("/api/suggest", json={"game": "jotto-3", "history": history})
            for history in ("fog:9", "fgo:1", "fog", "fog:1 fog:2", "fo:1", "fog:3 cab:0")
        ),
    ]
    texts += [error_of(reply) for reply in refused]
    assert all(reply.status_code in (409, 422) for reply in refused)
    for game, word in (("jotto-5", "crane"), ("jotto-5", "eerie"), ("wordle", "aahed"), ("bulls-4x10", "1123")):
        texts.append(browser.get(f"/api/games/{game}/words/{word}").json()["note"])
    assert [text for text in texts if JARGON.search(text)] == []


def test_the_daily_game_is_the_same_for_everybody_on_one_day_and_another_on_the_next(serve):
    day = [date(2026, 11, 16)]
    server = serve(today=lambda: day[0])
    card = server.first.get("/api/daily").json()
    assert (card["date"], card["game"]["name"]) == ("2026-11-16", DEFAULT_GAME)
    matches = [browser.post("/api/matches", json={"daily": True}) for browser in (server.first, server.browser())]
    assert {reply.status_code for reply in matches} == {201}
    first, other = (reply.json() for reply in matches)
    assert (first["daily"], first["mode"], first["game"]) == ("2026-11-16", "guess", DEFAULT_GAME)
    assert first["id"] != other["id"]
    secrets = [server.record(match["id"])["secret"] for match in (first, other)]
    assert secrets[0] == secrets[1]
    day[0] = date(2026, 11, 17)
    later = server.first.post("/api/matches", json={"daily": True}).json()
    assert later["daily"] == "2026-11-17" and server.record(later["id"])["secret"] != secrets[0]
    wrong = "crane" if server.record(later["id"])["secret"] == "hello" else "hello"
    missed = post(server.first, later, "guess", guess=wrong).json()
    refused = post(server.first, later, "undo")
    assert not missed["may_undo"] and refused.status_code == 409 and "each guess counts" in error_of(refused)
    found = post(server.first, first, "guess", guess=secrets[0]).json()
    assert found["share"] == "Jotto 16 Nov 2026: found in 1\n●●●●●"
    assert begin(server.first)["daily"] is None


@pytest.mark.parametrize(
    "body",
    [{}, {"daily": False}, {"daily": True, "game": "jotto-3"}, {"daily": True, "mode": "guess"}, {"game": "jotto-3"}],
)
def test_a_match_is_a_game_and_a_mode_or_the_daily_game(browser, body):
    reply = browser.post("/api/matches", json=body)
    assert reply.status_code == 422 and error_of(reply)


@pytest.mark.parametrize(
    ("game", "word", "may_guess", "may_hide", "note"),
    [
        (DEFAULT_GAME, "Crane", True, True, "CRANE is in the list."),
        (DEFAULT_GAME, "hello", True, True, "HELLO is in the list."),
        (DEFAULT_GAME, "xqjzk", False, False, "XQJZK is not in the dictionary: take another word."),
        (
            "jotto-5",
            "hello",
            True,
            False,
            "HELLO repeats a letter, so it may be guessed but not hidden: switch on “letters",
        ),
        (
            "jotto-5",
            "crane",
            True,
            False,
            "CRANE has an anagram (CANER), so it may be guessed but not hidden: switch on",
        ),
        ("jotto-5", "long", False, False, "LONG has 4 letters: take a word of 5 letters."),
        ("jotto-5", "l0ng!", False, False, "L0NG! is not a word: write it with the letters A to Z."),
        (
            "wordle",
            "aahed",
            True,
            False,
            "AAHED may be guessed but not hidden: hide one of the 2,315 words that the game hides.",
        ),
        ("mastermind-4x6", "ZZZZ", False, False, "ZZZZ is not a code"),
    ],
)
def test_one_can_ask_whether_a_word_is_in_the_list(browser, game, word, may_guess, may_hide, note):
    shown = browser.get(f"/api/games/{game}/words/{word}").json()
    assert (shown["word"], shown["may_guess"], shown["may_hide"]) == (word.lower(), may_guess, may_hide)
    assert shown["note"].startswith(note)
    if game != "mastermind-4x6":
        reply = browser.post("/api/matches", json={"game": game, "mode": "duel", "word": word})
        assert (reply.status_code == 201) == may_hide
        if not may_hide:
            assert error_of(reply) == shown["note"]  # a duel says the same


def test_a_word_that_may_not_be_hidden_is_guessed_and_advised_on_and_reviewed(browser, server):
    match = begin(browser, "jotto-3")
    secret = server.record(match["id"])["secret"]
    for word in ("eye", "tap"):  # it repeats a letter; it has anagrams
        match = post(browser, match, "guess", guess=word).json()
        assert match["guesses"][-1] == {"guess": word, "answer": str(len(set(word) & set(secret)))}
    left = get(browser, match, "/sheet").json()["left"]
    hint = get(browser, match, "/hint").json()
    assert hint["left"] == left < 421 and len(hint["suggestions"]) > 1
    match = post(browser, match, "guess", guess=secret).json()
    review = get(browser, match, "/review").json()
    assert match["result"] == "found" and [turn["guess"] for turn in review["turns"]] == ["eye", "tap", secret]
    assert review["start"] + review["cost"] - review["luck"] == pytest.approx(3)
    elsewhere = browser.post("/api/suggest", json={"game": "jotto-3", "history": "eye:1 tap:0"})
    assert elsewhere.status_code == 200


def test_the_word_can_be_told_at_any_time_in_a_match_where_one_hides(browser):
    match = begin(browser, DEFAULT_GAME, "hide")
    match = post(browser, match, "answer", answer="2").json()
    reply = post(browser, match, "tell", word=" Zzzzz ", version=match["version"])
    told = reply.json()
    assert (reply.status_code, told["result"], told["own"], told["to_move"], told["pending"]) == (
        *(200, "told", "zzzzz", None),
        None,
    )
    assert told["told"]["in_list"] is False and "ZZZZZ is not among the 8,938 words" in told["told"]["note"]
    guess = told["computer"][0]["guess"]
    assert told["told"]["mistakes"] == [{"turn": 0, "guess": guess, "given": "2", "right": "0"}]
    assert told["share"] is None
    assert post(browser, match, "tell", word="crane").status_code == 409
    assert get(browser, match, "/review").status_code == 409
    assert post(browser, begin(browser), "tell", word="cab").status_code == 409


def test_wordle_is_lost_after_six_wrong_guesses_and_shows_the_word(browser, server):
    match = begin(browser, "wordle")
    secret = server.record(match["id"])["secret"]
    words = [word for word in matchup_by_name("wordle").game.secrets if word != secret][:6]
    for word in words:
        assert match["result"] is None and match["share"] is None
        match = post(browser, match, "guess", guess=word).json()
    assert (match["result"], match["secret"], match["to_move"]) == ("lost", secret, None)
    lines = match["share"].splitlines()
    assert lines[0] == "Wordle: not found in 6" and len(lines) == 7 and set("".join(lines[1:])) <= set("🟩🟨⬜")


def test_no_list_for_people_has_words_that_offend(browser, server):
    game = matchup_by_name("jotto-3").game
    rude = next(number for number, word in enumerate(game.secrets) if is_offensive(word))
    match = begin(browser)
    store = server.app.state.services.store
    turns, left = [], game.all_secrets
    for guess in range(len(game.guesses)):  # until few enough are left that one which offends would be listed
        answer = int(game.answers(np.array([guess], np.int32), np.array([rude], np.int32))[0, 0])
        if answer == game.found or len(left) <= WORDS_SHOWN:
            continue
        turns.append([game.guesses[guess], game.labels[answer]])
        left = game.narrow(left, (guess, answer))
    assert rude in left and 1 < len(left) <= WORDS_SHOWN
    played = {"secret": game.secrets[rude], "yours": turns}
    store.update(store.get(match["id"]), server.record(match["id"]) | played)
    shown = [get(browser, match, path).json() for path in ("/sheet", "/hint")]
    assert all(view["left"] == len(left) > len(view["words"]) > 0 for view in shown)
    lists = [view["words"] for view in shown]
    lists.append([row["word"] for row in browser.get("/api/solved/jotto-3").json()["hider"]])
    assert all(words and not offensive_words() & set(words) for words in lists)

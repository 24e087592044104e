"""A whole game of every kind can be played over HTTP, from its beginning to its review."""

from __future__ import annotations

import hashlib

import pytest

from oracular.play.deductions import answer_to
from oracular.play.duel_review import LEAST_TURN
from oracular.play.opponent import matchup_by_name
from oracular.play.wording import DEFAULT_GAME
from oracular.web.matches import TITLES

from browsing import begin, error_of, get, post


def _play_out(browser, match):
    """Guess words that are still possible until the match is over, and return it."""
    while match["result"] is None:
        word = get(browser, match, "/sheet").json()["words"][0]
        match = post(browser, match, "guess", guess=word).json()
    return match


def _answer_out(browser, match, secret):
    """Answer truly for a secret until the match is over, and return it."""
    played = matchup_by_name(match["game"]).guessing.game
    while match["to_move"] == "answer":
        match = post(browser, match, "answer", answer=answer_to(played, match["pending"], secret)).json()
    return match


PLAYED = [
    DEFAULT_GAME,
    *("jotto-5", "jotto-4-anagrams", "jotto-3-familiar", "jotto-3-repeats", "jotto-2-repeats-anagrams"),
    *("mastermind-4x6", "bulls-4x10", "wordle", "jotto-3-familiar-possible"),
]
"""Games of every kind."""

every_kind = pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[] if name in PLAYED else [pytest.mark.slow]) for name in TITLES]
)


@every_kind
def test_somebody_who_guesses_what_is_possible_finds_the_secret(browser, game):
    match = _play_out(browser, begin(browser, game))
    assert match["to_move"] is None
    card = get(browser, match, "/game").json()
    if card["rows"] == len(match["guesses"]):
        return  # the last row may be too late
    assert match["result"] == "found"
    assert match["secret"] == match["guesses"][-1]["guess"]
    assert match["guesses"][-1]["answer"] == card["found"]
    assert match["version"] == len(match["guesses"])


@every_kind
def test_the_computer_finds_what_a_person_hides(browser, game):
    secret = matchup_by_name(game).guessing.game.secrets[-1]
    match = _answer_out(browser, begin(browser, game, "hide"), secret)
    assert match["result"] == "found" and match["computer"][-1]["guess"] == secret
    assert len(match["computer"]) < 30  # fewer than there are words, by far


@pytest.mark.parametrize("game", ["jotto-2", "jotto-5-familiar", "mastermind-4x6"])
def test_a_duel_ends_when_one_side_has_found_the_others_secret_and_is_reviewed_by_chances(browser, game):
    own = matchup_by_name(game).guessing.game.secrets[7]
    begins = "computer" if game == "jotto-2" else "you"
    match = begin(browser, game, "duel", own, begins=begins)
    assert match["own"] == own and match["starter"] == begins
    assert len(match["computer"]) == (begins == "computer")
    match = _play_out(browser, match)
    assert match["result"] in ("you", "computer") and match["secret"] is not None
    last, other = match["guesses"], match["computer"]
    if match["result"] == "computer":
        last, other = other, last
    assert last[-1]["answer"] == get(browser, match, "/game").json()["found"]
    assert len(last) - len(other) == (match["result"] == begins), "whoever began is one ahead in the end"
    duel = get(browser, match, "/review").json()["duel"]
    by_turns = [begins, "you" if begins == "computer" else "computer"] * len(duel["turns"])
    assert [turn["side"] for turn in duel["turns"]] == by_turns[: len(match["guesses"]) + len(match["computer"])]
    assert [turn["before"] for turn in duel["turns"][1:]] == [turn["after"] for turn in duel["turns"][:-1]]
    assert duel["turns"][-1]["after"] == (match["result"] == "you") and 0 <= duel["margin"] < 0.05
    changes = [(turn["after"] - turn["before"]) * (1 if match["result"] == "you" else -1) for turn in duel["turns"]]
    earlier = changes[:-1] if max(changes[:-1], default=0) >= LEAST_TURN else changes
    place = earlier.index(max(earlier))
    assert duel["turning_point"] in (place, None)  # none if two are about as large
    assert duel["turning_point"] == place or sorted(earlier)[-2] > max(earlier) - 3 * duel["margin"]


def test_a_finished_game_is_reviewed_and_one_in_progress_is_not(browser):
    match = begin(browser)
    assert get(browser, match, "/review").status_code == 409
    assert "give up" in error_of(get(browser, match, "/review"))
    match = _play_out(browser, match)
    review = get(browser, match, "/review").json()
    assert review["duel"] is None
    assert review["guesses"] == len(match["guesses"]) == len(review["turns"])
    assert review["start"] + review["cost"] - review["luck"] == pytest.approx(review["guesses"])
    assert [turn["guess"] for turn in review["turns"]] == [turn["guess"] for turn in match["guesses"]]


@pytest.mark.parametrize("game", ["jotto-3", "jotto-3-familiar"])
def test_the_computers_guesses_are_reviewed_where_you_hid(browser, game):
    secret = matchup_by_name("jotto-3").game.secrets[100]
    match = begin(browser, game, "hide")
    assert get(browser, match, "/review").status_code == 409
    match = _answer_out(browser, match, secret)
    review = get(browser, match, "/review").json()
    assert [(turn["guess"], turn["answer"]) for turn in review["turns"]] == [
        (turn["guess"], turn["answer"]) for turn in match["computer"]
    ]
    assert review["finished"] and review["turns"][0]["left_before"] == len(matchup_by_name("jotto-3").game.secrets)
    assert review["start"] + review["cost"] - review["luck"] == pytest.approx(review["guesses"])


def test_a_match_takes_a_hundred_guesses_and_no_more(browser, server):
    match = begin(browser, "jotto-5")
    secret = server.record(match["id"])["secret"]
    word = next(word for word in matchup_by_name("jotto-5").game.guesses if word != secret)
    assert {post(browser, match, "guess", guess=word).status_code for _ in range(100)} == {200}
    reply = post(browser, match, "guess", guess=word)
    assert reply.status_code == 409 and "had 100 guesses" in error_of(reply)
    assert post(browser, match, "give-up").status_code == 200


def test_a_match_in_which_the_computer_guesses_has_no_hint_and_no_review_unless_it_found_the_secret(browser):
    match = begin(browser, mode="hide")
    assert get(browser, match, "/hint").status_code == 409
    post(browser, match, "give-up")
    reply = get(browser, match, "/review")
    assert reply.status_code == 409 and "did not find your secret" in error_of(reply)


def test_a_hint_names_guesses_that_may_be_made(browser):
    match = begin(browser)
    advice = get(browser, match, "/hint").json()
    assert advice["left"] == 421 and len(advice["words"]) == 40 and advice["note"]
    best = advice["suggestions"][0]
    assert sum(best["parts"].values()) == 421
    assert post(browser, match, "guess", guess=best["guess"]).status_code == 200
    assert get(browser, match, "/hint").json()["left"] < 421


def test_a_game_that_was_given_up_shows_its_secret_and_is_over(browser, server):
    match = begin(browser)
    ended = post(browser, match, "give-up").json()
    assert ended["result"] == "given up" and ended["secret"] == server.record(match["id"])["secret"]
    for move, body in (("guess", {"guess": "cab"}), ("undo", {}), ("give-up", {})):
        assert post(browser, match, move, **body).status_code == 409
    assert get(browser, match, "/hint").status_code == 409
    review = get(browser, match, "/review").json()
    assert (review["finished"], review["guesses"], review["turns"]) == (False, 0, [])
    assert review["to_come"] == pytest.approx(review["start"])


def test_a_move_can_be_taken_back_with_or_without_a_body(browser):
    match = begin(browser)
    assert match["may_undo"] is False and post(browser, match, "undo").status_code == 409
    made = post(browser, match, "guess", guess="fog").json()
    assert made["may_undo"] is (made["result"] is None)
    post(browser, match, "guess", guess="CAB ")
    back = browser.post(f"/api/matches/{match['id']}/undo").json()
    assert [turn["guess"] for turn in back["guesses"]] == ["fog"]
    assert (back["undone"], back["version"]) == (1, 3)


def test_answers_that_contradict_each_other_are_shown_and_mended(browser):
    match = begin(browser, "jotto-2", "hide")
    for _ in range(30):
        match = post(browser, match, "answer", answer="0").json()
        if match["to_move"] == "amend":
            break
    assert match["contradiction"] and match["pending"] is None
    assert get(browser, match, "/sheet").json()["left"] == 0
    assert post(browser, match, "answer", answer="0").status_code == 409
    wrong = match["contradiction"][0]
    assert wrong["guess"] == match["computer"][wrong["turn"]]["guess"]
    mended = post(browser, match, "amend", turn=wrong["turn"], answer=wrong["could_be"][0]).json()
    assert mended["contradiction"] == [] and mended["to_move"] != "amend"


def test_a_move_that_is_not_of_this_kind_of_match_is_refused(browser):
    guessing, hiding = begin(browser), begin(browser, mode="hide")
    assert post(browser, guessing, "answer", answer="0").status_code == 409
    assert post(browser, guessing, "amend", turn=0, answer="0").status_code == 409
    assert post(browser, hiding, "guess", guess="fog").status_code == 409
    assert post(browser, hiding, "amend", turn=0, answer="0").status_code == 409


def test_words_and_answers_that_the_game_does_not_take_are_refused_in_a_sentence(browser):
    match, hiding = begin(browser), begin(browser, mode="hide")
    for word, sentence in (("xqj", "not in the dictionary"), ("long", "4 letters"), ("e-e", "not in the")):
        reply = post(browser, match, "guess", guess=word)
        assert reply.status_code == 422 and sentence in error_of(reply)
    reply = post(browser, hiding, "answer", answer="7")
    assert reply.status_code == 422 and "is not an answer here" in error_of(reply)
    strange = browser.post("/api/suggest", json={"game": "wordle", "history": "mywordle:yy"})
    assert error_of(strange).startswith("'mywordle' has 8 letters")  # the game's name within a word is left alone
    assert get(browser, match).json()["version"] == 0


def test_a_guess_that_the_rule_forbids_is_refused_with_the_reason_everywhere(browser):
    match = begin(browser, "jotto-3-possible")
    after = post(browser, match, "guess", guess="fog").json()
    answer = after["guesses"][0]["answer"]
    again = post(browser, match, "guess", guess="fog")
    assert again.status_code == 422 and "cannot be the secret after 'fog:" in error_of(again)
    assert get(browser, match).json()["guesses"] == after["guesses"]
    wide = post(browser, match, "guess", guess="eel")
    assert wide.status_code == 422 and "only what may be the secret is allowed" in error_of(wide)
    asked = browser.post("/api/suggest", json={"game": "jotto-3-possible", "history": f"fog:{answer} fog:{answer}"})
    assert asked.status_code == 422 and "cannot be the secret after 'fog:" in error_of(asked)
    words = get(browser, match, "/hint").json()["suggestions"]
    assert words and all(one["possible"] for one in words)


def test_a_duel_needs_a_word_and_no_other_mode_takes_one(browser):
    for body in (
        {"game": "jotto-3", "mode": "duel"},
        {"game": "jotto-3", "mode": "guess", "word": "fog"},
        {"game": "jotto-3", "mode": "duel", "word": "zzz"},
        {"game": "jotto-3", "mode": "duel", "word": "fog", "begins": "nobody"},
        {"game": "jotto-3", "mode": "guess", "begins": "you"},
        {"daily": True, "begins": "you"},
        {"game": "jotto-3", "mode": "chess"},
    ):
        reply = browser.post("/api/matches", json=body)
        assert reply.status_code == 422 and error_of(reply)


def _opened(browser, match):
    """Give up, and return the match with its opening checked against the commitment of the start."""
    over = post(browser, match, "give-up").json()
    assert hashlib.sha256(over["opening"].encode()).hexdigest() == match["commitment"] == over["commitment"]
    assert over["opening"].split(" ")[1] == over["secret"] and len(over["opening"].split(" ")[0]) == 32
    return over


@pytest.mark.parametrize("mode", ["guess", "duel"])
def test_the_secret_is_committed_to_before_the_first_guess_and_opened_at_the_end(serve, mode):
    browser = serve().first
    match = begin(browser, "jotto-2", mode, "ox" if mode == "duel" else None)
    assert match["opening"] is None
    token = browser.cookies["oracular"]
    browser = serve(restart=True).first
    browser.cookies["oracular"] = token
    word = "ad" if mode == "guess" else "go"
    after = post(browser, match, "guess", guess=word).json()
    assert after["commitment"] == match["commitment"]
    if after["result"] is None:
        assert after["opening"] is None
        _opened(browser, match)


def test_each_match_has_a_salt_of_its_own_and_the_daily_game_is_committed_to_as_well(server):
    browser = server.first
    assert len({begin(browser, "bulls-4x10")["commitment"] for _ in range(5)}) == 5
    daily = browser.post("/api/matches", json={"daily": True}).json()
    _opened(browser, daily)
    assert begin(browser, "jotto-2", "hide")["commitment"] is None


CHANGES = [None, 7, -1, 2**70, 0.5, True, "", "zz", "found", "you", "lost", "told", [], ["ad"], {}, [["ad", "9"]]]
CHANGES += [[["zz", "0"]], [["ad", "0"], ["ad", "1"]], [["ad", 0]], [[[], {}]], [["ox", "2"], ["ox", "2"]]]


@pytest.mark.parametrize("mode", ["guess", "hide", "duel"])
def test_a_stored_match_that_was_edited_is_refused_or_goes_on_as_a_match(server, mode):
    browser, store = server.first, server.app.state.services.store
    duel = {"word": "ox", "begins": "you"} if mode == "duel" else {}
    match = begin(browser, "jotto-2", mode, **duel)
    for kind, move in (("guess", {"guess": "go"}), ("answer", {"answer": "0"})):
        post(browser, match, kind, **move)
    record = store.get(match["id"]).record
    refused = 0
    for field in record:
        for change in CHANGES:
            store.update(store.get(match["id"]), record | {field: change})
            look = get(browser, match)
            if look.status_code == 409:
                refused += error_of(look).count(":") == 1
                continue
            replies = [look, *(get(browser, match, what) for what in ("/sheet", "/hint", "/review"))]
            replies += [post(browser, match, "guess", guess="ad"), post(browser, match, "answer", answer="1")]
            replies += [post(browser, match, "undo"), post(browser, match, "give-up")]
            bugs = [reply.text for reply in replies if reply.status_code not in (200, 403, 409, 422)]
            assert not bugs, (field, change, bugs)
    assert refused > 100

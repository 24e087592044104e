"""Each address does what its description says, and answers whatever comes in the form of all replies."""

from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from schemathesis.checks import positive_data_acceptance

from oracular import game, load, load_race
from oracular.play.deductions import answer_to
from oracular.play.opponent import MODES, matchup_by_name
from oracular.web.matches import TITLES

from browsing import begin, error_of, get, post, until

CARD = (
    "name title family letters rows rules rule free rule_note symbols labels found secrets guesses may_hide summary "
    "lists reading strategy shipped familiar"
).split()


def test_the_games_are_listed_with_all_that_a_page_needs(browser):
    games = {card["name"]: card for card in browser.get("/api/games").json()["games"]}
    assert list(games) == list(TITLES)
    assert all(list(card) == CARD for card in games.values())
    five = games["jotto-5"]
    assert (five["letters"], five["secrets"], five["found"], five["shipped"]) == (5, 2833, "5", True)
    assert five["familiar"] == "jotto-5-familiar" and games["jotto-5-familiar"]["familiar"] is None
    assert {name: games[name]["may_hide"] for name in ("jotto-5", "jotto-5-familiar", "mastermind-4x6")} == {
        "jotto-5": 2833,
        "jotto-5-familiar": 2833,
        "mastermind-4x6": 1296,
    }
    assert games["wordle"]["may_hide"] == games["wordle"]["secrets"] < games["wordle"]["guesses"]
    assert all(card["reading"] == game(name).reading for name, card in games.items())
    assert games["wordle"]["found"] == "ggggg" and games["mastermind-4x6"]["family"] == "mastermind"


@pytest.mark.parametrize("game", ["mastermind-9x9", "chess", "jotto-26", "jotto-2-familiar", "", "\0", "JOTTO-5"])
def test_a_game_that_is_not_in_the_catalogue_is_not_made(browser, game):
    for reply in (
        browser.post("/api/matches", json={"game": game, "mode": "guess"}),
        browser.post("/api/suggest", json={"game": game}),
    ):
        assert reply.status_code == (404 if game else 422) and error_of(reply)


def test_advice_is_given_for_a_game_played_elsewhere(browser):
    turns = [{"guess": "fog", "answer": "1"}, {"guess": "cab", "answer": "0"}]
    for hider in ("shipped", "uniform"):
        by_turns = browser.post("/api/suggest", json={"game": "jotto-3", "history": turns, "hider": hider}).json()
        by_text = browser.post(
            "/api/suggest", json={"game": "jotto-3", "history": "cab:0 fog:1", "hider": hider}
        ).json()
        assert by_turns == by_text and by_turns["left"] > 1 and by_turns["objective"] == "mean"
        assert len(by_turns["words"]) == min(40, by_turns["left"])


def test_advice_on_a_game_played_elsewhere_assumes_equal_chances_and_says_so(browser, server):
    asked = {"game": "jotto-3", "history": "fog:1"}
    default, uniform, shipped = (
        browser.post("/api/suggest", json=asked | more).json()
        for more in ({}, {"hider": "uniform"}, {"hider": "shipped"})
    )
    assert default == uniform and default["assumption"] == "Assumes that all secrets are equally likely."
    assert "the computer chose the secret" in shipped["assumption"]
    for mode in ("guess", "duel"):
        match = begin(browser, "jotto-3", mode, **({"word": "hen", "begins": "you"} if mode == "duel" else {}))
        assert get(browser, match, "/hint").json()["assumption"] == shipped["assumption"]
        post(browser, match, "guess", guess="fog")
        post(browser, match, "give-up")
        assert get(browser, match, "/review").json()["assumption"] == shipped["assumption"]


def test_words_that_are_never_hidden_are_listed_if_only_they_fit(browser):
    asked = {"game": "wordle", "history": "crane:--gg- guava:ggg--"}
    advice = browser.post("/api/suggest", json=asked).json()
    assert advice["unlisted"] and advice["words"] == ["guano", "guans"] and advice["exact"]
    over = browser.post("/api/suggest", json={"game": "wordle", "history": "guano:ggggg"}).json()
    assert over["finished"] and over["words"] == ["guano"]
    match = begin(browser, "wordle", "hide")
    game = matchup_by_name("wordle").guessing.game
    while match["to_move"] == "answer":
        assert match["pending"] != "guano"
        match = post(browser, match, "answer", answer=answer_to(game, match["pending"], "guano")).json()
    assert match["to_move"] == "amend" and "guano" in match["unlisted"]


def test_all_letters_of_a_word_without_anagrams_end_the_game(browser):
    over = browser.post("/api/suggest", json={"game": "jotto-5-repeats-anagrams", "history": "vixen:5"}).json()
    assert over["finished"] and over["words"] == ["vixen"]


def test_advice_aims_at_what_is_asked_for(browser):
    asked = {"game": "jotto-3", "history": "cab:0 foe:1"}
    near, far = (
        browser.post("/api/suggest", json=asked | {"objective": aim}).json() for aim in ("within-4", "within-8")
    )
    assert (near["objective"], far["objective"]) == ("within-4", "within-8")
    assert 0 < near["suggestions"][0]["value"] < far["suggestions"][0]["value"] <= 1
    for aim, why in (("within-2", "none is left"), ("worst", "objective"), ("within-0", "objective"), (6, "objective")):
        reply = browser.post("/api/suggest", json=asked | {"objective": aim})
        assert reply.status_code == 422 and why in error_of(reply)


def test_a_history_that_cannot_be_is_reported_with_what_may_be_wrong_in_it(browser):
    reply = browser.post("/api/suggest", json={"game": "jotto-3", "history": "fog:1 gof:2 cab:0 cab:1"})
    assert reply.status_code == 422 and "gof" in error_of(reply)
    reply = browser.post("/api/suggest", json={"game": "jotto-3", "history": "fog:1 cab:0 cab:1"})
    assert reply.status_code == 422 and "contradicts" in error_of(reply)
    assert {(c["guess"], c["answer"]) for c in reply.json()["corrections"]} == {("cab", "0"), ("cab", "1")}
    for history in ("fog:3 cab:0", "fog", "fog:9", "fog:0 " * 101, [["fog", 1]], 7, None):
        reply = browser.post("/api/suggest", json={"game": "jotto-3", "history": history})
        assert reply.status_code == 422 and error_of(reply)


def test_a_game_played_elsewhere_that_is_over_needs_no_advice(browser):
    for history in ("fog:3", "cab:0 fog:3"):
        reply = browser.post("/api/suggest", json={"game": "jotto-3", "history": history})
        assert reply.status_code == 200
        advice = reply.json()
        assert (advice["finished"], advice["words"], advice["suggestions"]) == (True, ["fog"], [])
        assert "over" in advice["note"]
    going_on = browser.post("/api/suggest", json={"game": "jotto-3", "history": "cab:0"}).json()
    assert going_on["finished"] is False and going_on["suggestions"]


def _solved(browser, game):
    """What is known of a game, asked for until all of it is there."""
    shown = {}

    def complete():
        shown.update(browser.get(f"/api/solved/{game}").json())
        return not shown["pending"]

    until(complete)
    return shown


def test_the_solved_game_is_shown_with_its_bounds_hider_letters_and_leaderboard(browser):
    shown, shipped = _solved(browser, "jotto-2"), load("jotto-2")
    assert shown["bounds"]["lower"] == pytest.approx(float(shipped.lower))
    assert shown["bounds"]["upper"] == pytest.approx(float(shipped.guarantee))
    chances = [row["probability"] for row in shown["hider"]]
    assert chances == sorted(chances, reverse=True) and sum(chances) == pytest.approx(1)
    assert sum(shown["letters"].values()) == pytest.approx(2)
    board = shown["leaderboard"]
    assert board["hiders"] == board["guessers"] == ["benchmark", "ours"]
    assert board["payoffs"][1][1] <= board["guarantees"][1] + 1e-9
    assert board["guessers_are"] == ["proved", "proved"]
    race = load_race("jotto-2").recorded
    assert shown["race"]["first_mover_wins"] == race.first_mover_wins and "no bound" in shown["race"]["note"]
    assert shown["race"]["epsilon_second"] == race.epsilon_second
    nothing = _solved(browser, "wordle-hard")
    assert nothing["race"] is None
    assert [nothing[key] for key in ("bounds", "hider", "letters", "history", "leaderboard")] == [None] * 5
    assert browser.get("/api/solved/chess").status_code == 404


def test_the_page_is_the_same_at_its_addresses(browser, server):
    match = begin(browser)
    page = browser.get("/")
    assert page.headers["content-type"].startswith("text/html") and "<html" in page.text
    for address in (f"/match/{match['id']}", "/solved", "/solved/jotto-5", "/suggest", "/match/made-up"):
        assert browser.get(address).content == page.content
    assert page.headers["cache-control"] == "no-cache"
    again = browser.get("/", headers={"if-none-match": page.headers["etag"]})
    assert again.status_code == 304 and again.content == b""
    assert browser.head("/").status_code == 200


@pytest.mark.parametrize(
    "path",
    "/page/none.js /page/..%2f..%2fapp.py /page/%00 /page/%2e%2e /page/.hidden /api /api/ /api/none "
    "/api/games/ /api/matches/made-up /api/matches/%00 /api/matches/..%2f.. /api/matches/%ff /api/solved/%F0%9F%98%80 "
    "/api/matches/aaaaaaaaaaaaaaaaaaaaaa /api/solved/mastermind-9x9".split(),
)
def test_an_address_where_nothing_is_answers_404_in_json(browser, path):
    reply = browser.get(path)
    assert reply.status_code == 404 and error_of(reply)


@pytest.mark.parametrize("path", ["/nowhere", "/docs", "/solved/jotto-5/more", "/match/", "/favicon.ico", "/apis"])
def test_a_person_at_an_address_where_no_page_is_gets_the_page_that_says_so(browser, path):
    reply = browser.get(path)
    assert reply.status_code == 404 and reply.headers["content-type"].startswith("text/html")
    assert reply.content == browser.get("/").content and reply.headers["cache-control"] == "no-store"
    assert browser.head(path).status_code == 404
    assert browser.post(path, json={}).status_code in (404, 405) and error_of(browser.post(path, json={}))


def test_every_refusal_is_described_as_it_is(browser):
    described = browser.get("/api/openapi.json").json()
    assert "ValidationError" not in json.dumps(described)
    for operations in described["paths"].values():
        for operation in operations.values():
            for status, reply in operation["responses"].items():
                model = reply["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
                assert status < "400" or model in ("ErrorView", "ContradictionView"), (operation["operationId"], status)
    for path in ("", "/game", "/sheet", "/hint", "/chance", "/review"):
        reply = browser.get(f"/api/matches/{'x' * 201}{path}")
        assert reply.status_code == 422 and list(reply.json()) == ["error"] and error_of(reply)


def test_a_request_of_another_kind_is_answered_405_in_json(browser):
    for method, path in (("PUT", "/api/games"), ("DELETE", "/api/matches/x"), ("GET", "/api/suggest"), ("POST", "/")):
        reply = browser.request(method, path)
        assert reply.status_code == 405 and error_of(reply) and reply.headers["allow"]


def _fuzz(app, examples):
    """Send requests made from the server's own description; many name a match of ours, and words that it takes.

    Returns the statuses, and the moves that were made.
    """
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    from starlette.testclient import TestClient

    browser = TestClient(app)
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 19
    statuses, moves, modes, cookies = set(), set(), {}, browser.cookies
    for operation in operations:
        fresh = {begin(browser, "jotto-3", mode, "fog" if mode == "duel" else None)["id"]: mode for mode in MODES}
        modes.update(fresh)

        @given(
            case=operation.as_strategy(),
            known=st.sampled_from([*fresh, None]),
            word=st.sampled_from(["cab", "jet", "pun", None]),
            label=st.sampled_from(["0", "1", None]),
        )
        @hypothesis_settings(
            max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None
        )
        def one(case, known, word, label):
            at_ours = known and "match_id" in (case.path_parameters or {})
            if at_ours:
                case.path_parameters["match_id"] = known
                case.cookies = {"oracular": cookies["oracular"]}
            if known and "game" in (case.path_parameters or {}):
                case.path_parameters["game"] = "jotto-3"
            if known and (case.method, case.path) == ("POST", "/api/matches"):
                case.body = {"game": "jotto-3", "mode": modes[known]} if word else {"daily": True}
            elif known and isinstance(case.body, dict):
                fitting = {"game": "jotto-3", "guess": word, "word": word, "answer": label}
                case.body |= {key: value for key, value in fitting.items() if key in case.body and value}
                if word:
                    case.body.pop("version", None)
            response = case.call()
            statuses.add(response.status_code)
            if at_ours and case.method == "POST" and response.status_code == 200:
                moves.add((modes[known], case.path.rpartition("/")[2]))
            assert response.status_code < 500 or response.status_code == 503, (case.path, response.text)
            case.validate_response(response, excluded_checks=[positive_data_acceptance])  # not every text is a word

        one()
    return statuses, moves


def test_nothing_that_its_own_description_allows_breaks_the_server(server):
    statuses, moves = _fuzz(server.app, examples=8)
    assert {200, 201, 404, 409, 422} <= statuses
    assert {("guess", "guess"), ("hide", "answer"), ("duel", "guess")} <= moves


@pytest.mark.slow
def test_nothing_that_its_own_description_allows_breaks_the_server_however_often(server):
    statuses, moves = _fuzz(server.app, examples=300)
    assert {200, 201, 404, 409, 422} <= statuses
    assert {("guess", "guess"), ("hide", "answer"), ("duel", "guess"), ("duel", "give-up")} <= moves

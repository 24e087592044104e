"""Nothing of a game in progress shows what is secret in it, and only its owner moves."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import numpy as np
import pytest

from oracular.play.match import Match, new_match
from oracular.play.opponent import matchup_by_name

from browsing import begin, error_of, get, post


def _everything(reply):
    """All that a reply shows: status line, headers, body and its address."""
    return f"{reply.status_code} {reply.headers} {reply.text} {reply.url}"


@pytest.mark.parametrize("mode", ["guess", "duel"])
def test_no_reply_to_anybody_shows_the_secret_before_the_end(server, caplog, mode, monkeypatch):
    def with_a_secret_that_no_sentence_has(matchup, mode, own, begins):
        return replace(new_match(matchup, mode, own, np.random.default_rng(1)), secret="quiz")

    monkeypatch.setattr("oracular.web.matches.new_match", with_a_secret_that_no_sentence_has)
    caplog.set_level(logging.DEBUG)
    owner, watcher = server.first, server.browser()
    match = begin(owner, "jotto-4", mode, "jump" if mode == "duel" else None)
    secret = server.record(match["id"])["secret"]
    assert secret == "quiz"
    words = [word for word in matchup_by_name("jotto-4").game.secrets if word not in (secret, "jump")][::150]
    replies = [owner.get(f"/match/{match['id']}"), get(owner, match)]
    for word in words:
        replies += [post(owner, match, "guess", guess=word), get(watcher, match), get(watcher, match, "/hint")]
        if replies[-3].json()["result"]:
            break
        replies += [get(owner, match, "/chance"), get(watcher, match, "/chance")] if mode == "duel" else []
        replies += [get(owner, match, "/review"), post(owner, match, "undo"), post(owner, match, "guess", guess=word)]
    replies += [
        post(owner, match, "answer", answer="0"),
        post(owner, match, "guess", guess="no"),
        owner.get("/api/health"),
    ]
    finished = [number for number, reply in enumerate(replies) if '"result":"' in reply.text]
    assert not finished or finished[0] > 12
    for reply in replies[: finished[0] if finished else None]:
        assert secret not in _everything(reply)
        assert '"draw"' not in reply.text
    assert secret not in caplog.text


def test_what_is_certain_and_what_is_advised_do_not_depend_on_the_secret(server):
    browser = server.first
    first = begin(browser, "jotto-3")
    answers = {}
    for secret in matchup_by_name("jotto-3").game.secrets:  # two secrets that answer three guesses alike
        match = Match.from_record(matchup_by_name("jotto-3"), server.record(first["id"]) | {"secret": secret})
        for word in {"fog", "cab", "jet"} - {secret}:
            match = match.guess(word)
        answers.setdefault(match.yours, []).append(match)
    one, other = max(answers.values(), key=len)[:2]
    assert one.secret != other.secret
    seen = []
    for match in (one, other):
        fresh = begin(browser, "jotto-3")
        store = server.app.state.services.store
        store.update(store.get(fresh["id"]), match.to_record() | {"salt": None})  # nobody can tell from the commitment
        seen.append([get(browser, fresh, what).text for what in ("/sheet", "/hint")])
        seen[-1].append(get(browser, fresh).text.replace(fresh["id"], ""))
    assert seen[0] == seen[1]


def test_a_watcher_sees_the_match_but_not_the_owners_word_until_it_is_over(server):
    owner, watcher = server.first, server.browser()
    match = begin(owner, "jotto-4", "duel", "jump")
    seen = get(watcher, match)
    assert seen.json()["yours"] is False and seen.json()["own"] is None and "jump" not in seen.text
    assert get(owner, match).json()["own"] == "jump"
    post(owner, match, "give-up")
    assert get(watcher, match).json()["own"] == "jump"


def test_the_chance_to_win_does_not_depend_on_what_only_the_computer_knows(server):
    browser, services = server.first, server.app.state.services
    begun = new_match(matchup_by_name("jotto-3"), "duel", "fix", np.random.default_rng(1), begins="you")
    begun = begun.guess("cab").guess("jet")
    told = set()
    for secret in (begun.secret, _other_secret(begun)):
        for draw in (begun.draw, begun.draw + 1):
            match = begin(browser, "jotto-3", "duel", "fix", begins="you")
            services.store.update(services.store.get(match["id"]), replace(begun, secret=secret, draw=draw).to_record())
            services.workers._results.clear()  # or the first answer would be given to all
            told.add(get(browser, match, "/chance").text)
    assert len(told) == 1 and 0 < json.loads(told.pop())["chance"] < 1


def _other_secret(match: Match) -> str:
    """Return another secret that the computer may have in the person's eyes."""
    game = match.matchup.hiding.game
    return next(word for at in game.possible_after(match.yours) if (word := game.secrets[at]) != match.secret)


def test_the_chance_to_win_is_told_to_the_owner_of_an_open_duel_alone(server):
    owner, watcher = server.first, server.browser()
    duel, guess = begin(owner, "jotto-3", "duel", "fix", begins="computer"), begin(owner)
    assert get(owner, guess, "/chance").status_code == 409 and "only a duel" in error_of(get(owner, guess, "/chance"))
    assert get(watcher, duel, "/chance").status_code == 403  # it would tell something of the owner's word
    told = get(owner, duel, "/chance").json()
    assert list(told) == ["chance", "margin", "note"] and 0 < told["chance"] < 1 and told["margin"] < 0.04
    assert "estimate" in told["note"].lower() and "percentage point" in told["note"]
    post(owner, duel, "give-up")
    assert get(owner, duel, "/chance").status_code == 409 and "review" in error_of(get(owner, duel, "/chance"))


def test_only_the_browser_that_began_a_match_moves_or_is_advised_in_it(server):
    owner, other = server.first, server.browser()
    match, others = begin(owner), begin(other)
    for browser, theirs in ((other, match), (owner, others), (server.browser(), match)):
        for move, body in (("guess", {"guess": "fog"}), ("undo", {}), ("give-up", {})):
            reply = post(browser, theirs, move, **body)
            assert reply.status_code == 403 and "another browser" in error_of(reply)
        assert get(browser, theirs, "/hint").status_code == 403
        assert get(browser, theirs).json()["yours"] is False
        assert get(browser, theirs, "/sheet").status_code == 200
    assert post(owner, match, "guess", guess="fog").status_code == 200
    assert post(other, others, "guess", guess="fog").status_code == 200


def test_the_token_is_in_a_cookie_that_no_script_reads_and_only_its_hash_is_kept(server):
    browser = server.first
    reply = browser.post("/api/matches", json={"game": "jotto-2", "mode": "guess"})
    cookie = reply.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("oracular=", "httponly", "samesite=strict", "path=/"))
    token = browser.cookies["oracular"]
    services = server.app.state.services
    assert token not in services.settings.database.read_bytes().decode("latin-1")
    assert token not in reply.text
    assert browser.get("/api/games").headers.get("set-cookie") is None
    begin(browser)
    assert browser.cookies["oracular"] == token


@pytest.mark.parametrize("token", ["", "short", "x" * 44, "é" * 43, "a" * 5000])
def test_a_cookie_that_is_none_of_ours_is_replaced(server, token):
    browser = server.browser()
    headers = {"cookie": f"oracular={token}".encode("latin-1")}
    reply = browser.post("/api/matches", json={"game": "jotto-2", "mode": "guess"}, headers=headers)
    assert reply.status_code == 201 and len(browser.cookies["oracular"]) == 43


def test_the_database_is_for_its_owner_alone(server):
    begin(server.first)
    assert server.app.state.services.settings.database.stat().st_mode & 0o077 == 0

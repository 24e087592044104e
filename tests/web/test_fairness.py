"""Who asks for much waits for their own turns, and is the one who is refused."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from oracular.web import advice
from oracular.web.guard import RequestError, Visitor, WorkerPool

from browsing import begin, error_of, post, until

FLOODER = Visitor("flooder", "192.0.2.99")


def _person(number):
    return Visitor(f"person {number}", f"192.0.2.{number}")


@pytest.fixture
def gate():
    opened = threading.Event()
    yield opened
    opened.set()


def _asked_at_once(gate, requests, **limits):
    """Return what came of requests (visitor, name) that were all made while the only thread was busy.

    Those whose name begins with `move` are moves. With the outcomes comes the order in which the work was done.
    """
    done = []

    async def ask():
        workers = WorkerPool(1, **({"max_waiting_per_browser": 16, "max_waiting_per_address": 64} | limits))
        asked = [asyncio.create_task(workers.move(partial(gate.wait, 60), _person(0)))]
        for who, name in requests:
            work = partial(done.append, name)
            is_move = str(name).startswith("move")
            asked.append(asyncio.create_task(workers.move(work, who) if is_move else workers.advise(name, work, who)))
        await asyncio.sleep(0.05)
        gate.set()
        outcomes = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)
        workers.close()
        return outcomes[1:]

    return asyncio.run(ask()), done


def _refused(outcomes):
    """Return how many requests were refused, all of them as too many of their sender's."""
    errors = [outcome for outcome in outcomes if outcome is not None]
    assert all(isinstance(error, RequestError) and (error.status, error.retry_after) == (429, 2) for error in errors)
    return len(errors)


def test_visitors_take_turns_by_address_and_browser(gate):
    other = Visitor("other", FLOODER.address)
    flood = [(FLOODER, f"flood {number}") for number in range(6)]
    people = [(_person(1), "one 0"), (_person(1), "one 1"), (_person(2), "two 0")]
    outcomes, done = _asked_at_once(gate, [*flood, (other, "other 0"), (other, "other 1"), *people])
    assert _refused(outcomes) == 0
    assert done[:3] == ["flood 0", "one 0", "two 0"]
    assert done.index("one 1") < 6 and done.index("other 0") < 6 and done.index("other 1") < 8
    assert [name for name in done if name.startswith("flood")] == [name for _, name in flood]


def test_who_floods_is_refused_and_the_others_are_answered(gate):
    flood = [(FLOODER, f"flood {number}") for number in range(90)]
    crowd = [(Visitor(f"forged {number}", "192.0.2.98"), f"crowd {number}") for number in range(90)]
    people = [(_person(number), f"person {number}") for number in range(1, 20)]
    outcomes, done = _asked_at_once(gate, [*flood, *crowd, *people])
    assert _refused(outcomes[:90]) == 90 - 16 - 1  # one is before the thread and does not wait for its turn
    assert _refused(outcomes[90:180]) == 90 - 64 - 1
    assert _refused(outcomes[180:]) == 0
    assert {name for _, name in people} <= set(done[:21])


def test_ones_moves_do_not_wait_behind_ones_questions(gate):
    questions = [(_person(1), f"question {number}") for number in range(10)]
    moves = [(_person(1), f"move {number}") for number in range(10)]
    outcomes, done = _asked_at_once(gate, [*questions, *moves], max_waiting_per_browser=4)
    assert _refused(outcomes[:10]) == _refused(outcomes[10:]) == 5
    assert "too many moves" in str(outcomes[-1]) and "too much advice" in str(outcomes[9])
    assert done[:4] == ["question 0", "move 0", "question 1", "move 1"]


def test_a_question_is_computed_once_and_in_the_first_turn_of_those_who_ask_it(gate):
    flood = [(FLOODER, number) for number in range(6)]
    outcomes, done = _asked_at_once(gate, [*flood, (_person(1), 5), (_person(2), 5)])
    assert _refused(outcomes) == 0 and sorted(done) == list(range(6)) and done[:2] == [0, 5]


@pytest.fixture
def slow(gate, monkeypatch):
    """Have advice wait for the gate; give what is set once it does."""
    begun, plain = threading.Event(), advice.advise

    def wait(*args, **keywords):
        begun.set()
        assert gate.wait(60)
        return plain(*args, **keywords)

    monkeypatch.setattr(advice, "advise", wait)
    return begun


def _in_background(ask, *arguments):
    thread = threading.Thread(target=ask, args=arguments)
    thread.start()
    return thread


def test_a_flood_of_questions_over_http_leaves_others_their_answer(serve, gate, slow):
    server = serve(threads=1, max_waiting_per_browser=4)
    words = ("fog", "cab", "jet", "pun", "lid", "lox", "why", "kit", "hub", "zap")
    replies = {"flood": [], "person": []}

    def ask(whose, token, word):
        browser = server.browser()
        browser.cookies["oracular"] = token
        body = {"game": "jotto-3", "history": f"{word}:0"}
        replies[whose].append(browser.post("/api/suggest", json=body))

    threads = [_in_background(ask, "flood", "f" * 43, words[0])]
    assert slow.wait(60)
    threads += [_in_background(ask, "flood", "f" * 43, word) for word in words[1:]]
    workers = server.app.state.services.workers
    until(lambda: len(replies["flood"]) == 5 and workers.asked == 5)
    threads += [_in_background(ask, "person", word[0] * 43, word) for word in ("hen", "ivy")]
    until(lambda: workers.asked == 7 or replies["person"])
    gate.set()
    for thread in threads:
        thread.join(60)
    assert [reply.status_code for reply in replies["person"]] == [200] * 2
    assert sorted(reply.status_code for reply in replies["flood"]) == [200] * 5 + [429] * 5
    for reply in replies["flood"]:
        if reply.status_code == 429:
            assert reply.headers["retry-after"] and "advice" in error_of(reply)


def test_the_moves_of_duels_wait_for_their_turn_and_other_moves_do_not(serve, gate, slow):
    server = serve(threads=1)
    browser, workers = server.first, server.app.state.services.workers
    duel, match = begin(browser, "jotto-2", "duel", "of", begins="you"), begin(browser, "jotto-2")
    replies = []
    threads = [_in_background(lambda: server.browser().post("/api/suggest", json={"game": "jotto-2"}))]
    assert slow.wait(60)
    threads.append(_in_background(lambda: replies.append(post(browser, duel, "guess", guess="ox"))))
    until(lambda: workers.asked == 2)
    assert post(browser, match, "guess", guess="ox").status_code == 200 and replies == []
    gate.set()
    for thread in threads:
        thread.join(60)
    assert replies[0].status_code == 200 and len(replies[0].json()["computer"]) == 1
    assert post(browser, duel, "guess", guess="zz").status_code == 422  # what is refused is refused there, too

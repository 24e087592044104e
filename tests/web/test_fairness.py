"""Who asks for much advice waits behind those who ask for little, and is the one who is refused."""

from __future__ import annotations

import threading

import pytest

from oracular.web.errors import RequestError
from oracular.web.visitors import Visitor
from oracular.web.workers import WorkerPool
from web.waiting import until

from browsing import begin, error_of, post

FLOODER = Visitor("flooder", "192.0.2.99")


def _person(number):
    return Visitor(f"person {number}", f"192.0.2.{number}")


@pytest.fixture
def gate():
    opened = threading.Event()
    yield opened
    opened.set()


@pytest.fixture
def busy(gate):
    """Give a function that makes a pool whose one thread is held up until the gate opens."""
    made = []

    def make(**settings):
        workers = WorkerPool(threads=1, cached=999, **{"max_waiting": 64, "max_waiting_per_browser": 16} | settings)
        begun = threading.Event()
        workers.submit("first", lambda: (begun.set(), gate.wait(60)), FLOODER)
        assert begun.wait(60)
        made.append(workers)
        return workers

    yield make
    gate.set()
    for workers in made:
        workers.close()


def test_questions_are_taken_in_turn_by_address_and_browser(busy, gate):
    workers, done = busy(), []

    def ask(who, name):
        return workers.submit(name, lambda: done.append(name), who)

    asked = [ask(FLOODER, f"flood {number}") for number in range(6)]
    other_browser = Visitor("other", FLOODER.address)
    asked += [ask(other_browser, "other 0"), ask(other_browser, "other 1")]
    asked += [ask(_person(1), "one 0"), ask(_person(1), "one 1"), ask(_person(2), "two 0")]
    gate.set()
    for future in asked:
        future.result(60)
    assert set(done[:3]) == {"flood 0", "one 0", "two 0"} or set(done[:3]) == {"other 0", "one 0", "two 0"}
    assert done.index("one 1") < 5 and done.index("other 1") < 8
    assert [name for name in done if name.startswith("flood")] == [f"flood {number}" for number in range(6)]


def test_who_floods_is_refused_and_the_others_are_answered(busy, gate):
    workers = busy()
    answers, errors = [], []
    for number in range(90):
        try:
            answers.append(workers.submit(("flood", number), lambda: 1, FLOODER))
        except RequestError as error:
            errors.append(error)
    assert len(errors) == 90 - 16 and {error.status for error in errors} == {429}
    people = [workers.submit(("person", number), lambda: 2, _person(number)) for number in range(20)]
    gate.set()
    assert [one.result(60) for one in people] == [2] * 20
    assert [one.result(60) for one in answers] == [1] * 16


def test_where_all_places_are_taken_the_last_of_the_longest_queue_makes_room(busy, gate):
    workers = busy(max_waiting=6)
    flood = [workers.submit(("flood", number), lambda: 1, FLOODER) for number in range(6)]
    people = [workers.submit(("person", number), lambda: 2, _person(number)) for number in range(5)]
    with pytest.raises(RequestError) as refused:
        workers.submit("one more", lambda: 3, _person(9))
    assert refused.value.status == 503
    gate.set()
    assert [one.result(60) for one in people] == [2] * 5
    assert flood[0].result(60) == 1
    for one in flood[1:]:
        with pytest.raises(RequestError) as refused:
            one.result(60)
        assert refused.value.status == 429
    assert workers.submit(("flood", 5), lambda: 4, FLOODER).result(60) == 4  # what was turned away may be asked again


@pytest.mark.parametrize("is_move", [False, True])
def test_on_a_full_server_429_is_for_those_who_wait_already_and_503_for_others(busy, is_move):
    workers = busy(max_waiting=6)
    for number in range(6):  # each has one place, so nobody's makes room
        workers.submit(("person", number), lambda: 1, _person(number), is_move=is_move)
    for who, status in ((_person(3), 429), (Visitor("another browser", "192.0.2.3"), 429), (_person(9), 503)):
        with pytest.raises(RequestError) as refused:
            workers.submit(object(), lambda: 2, who, is_move=is_move)
        assert (refused.value.status, refused.value.retry_after) == (status, 2)


def test_many_browsers_at_one_address_do_not_take_the_places_of_another_address(busy, gate):
    workers = busy(max_waiting=6)
    crowd = [workers.submit(number, lambda: 1, Visitor(f"forged {number}", "192.0.2.99")) for number in range(6)]
    people = [workers.submit(("person", number), lambda: 2, _person(number)) for number in range(3)]
    gate.set()
    assert [one.result(60) for one in people] == [2] * 3
    assert sum(one.exception(60) is None for one in crowd) == 3


def test_a_question_of_a_flooder_that_somebody_else_asks_too_is_computed_when_their_turn_comes(busy, gate):
    workers, done = busy(max_waiting=6), []
    for number in range(6):
        workers.submit(number, lambda number=number: done.append(number), FLOODER)
    shared = workers.submit(5, lambda: pytest.fail("asked twice"), _person(1))
    more = [workers.submit(("more", number), lambda: 1, _person(2 + number)) for number in range(4)]
    gate.set()
    assert shared.result(60) is None and done[:2].count(5) == 1 and done.count(5) == 1
    assert [one.result(60) for one in more] == [1] * 4


def test_a_move_is_not_turned_away_for_advice(busy, gate):
    workers = busy(max_waiting=6, max_waiting_per_browser=6)
    moves = [workers.submit(object(), lambda: 1, FLOODER, is_move=True) for _ in range(3)]
    flood = [workers.submit(("flood", number), lambda: 2, FLOODER) for number in range(3)]
    advice = [workers.submit(("person", number), lambda: 3, _person(number)) for number in range(3)]
    assert all(one.exception(60).status == 429 for one in flood)
    with pytest.raises(RequestError) as refused:
        workers.submit("one more", lambda: 3, _person(9))
    assert refused.value.status == 503 and "advice" in str(refused.value)
    move = workers.submit(object(), lambda: 4, _person(1), is_move=True)  # the longest queue has nothing but moves
    assert "too many moves" in str(moves[2].exception(60)) and moves[2].exception(60).status == 429
    gate.set()
    assert [one.result(60) for one in [*moves[:2], *advice, move]] == [1, 1, 3, 3, 3, 4]


def test_ones_own_advice_makes_way_for_ones_move(busy, gate):
    workers = busy(max_waiting=6, max_waiting_per_browser=2)
    advice = [workers.submit(number, lambda: 1, _person(1)) for number in range(2)]
    moves = [workers.submit(object(), lambda: 2, _person(1), is_move=True) for _ in range(2)]
    assert [one.exception(60).status for one in advice] == [429, 429]
    with pytest.raises(RequestError, match="you make too many moves at once: try again in a moment") as refused:
        workers.submit(object(), lambda: 3, _person(1), is_move=True)
    assert refused.value.status == 429
    gate.set()
    assert [one.result(60) for one in moves] == [2, 2]


def test_a_flood_of_questions_over_http_leaves_others_their_answer(serve, gate, monkeypatch):
    from oracular.web import advice

    begun, plain = threading.Event(), advice.advise

    def slow(*args, **keywords):
        begun.set()
        assert gate.wait(60)
        return plain(*args, **keywords)

    monkeypatch.setattr(advice, "advise", slow)
    server = serve(threads=1, max_waiting=8, max_waiting_per_browser=4)
    words = ("fog", "cab", "jet", "pun", "lid", "lox", "why", "kit", "hub", "zap")
    replies = {"flood": [], "person": []}

    def ask(whose, token, word):
        browser = server.browser()
        browser.cookies["oracular"] = token
        body = {"game": "jotto-3", "history": f"{word}:0"}
        replies[whose].append(browser.post("/api/suggest", json=body))

    def started(*arguments):
        thread = threading.Thread(target=ask, args=arguments)
        thread.start()
        return thread

    threads = [started("flood", "f" * 43, words[0])]
    assert begun.wait(60)
    threads += [started("flood", "f" * 43, word) for word in words[1:]]
    waiting = server.app.state.services.workers
    until(lambda: len(replies["flood"]) == 5 and waiting.waiting == 4)
    threads += [started("person", letter * 43, word) for letter, word in zip("abc", ("hen", "ivy", "log"), strict=True)]
    until(lambda: waiting.waiting == 7 or replies["person"])
    assert not replies["person"], replies["person"][0].text
    gate.set()
    for thread in threads:
        thread.join(60)
    assert [reply.status_code for reply in replies["person"]] == [200] * 3
    assert sorted(reply.status_code for reply in replies["flood"]) == [200] * 5 + [429] * 5
    for reply in replies["flood"]:
        if reply.status_code == 429:
            assert reply.headers["retry-after"] and "advice" in error_of(reply)


def test_the_moves_of_duels_wait_for_their_turn_and_other_moves_do_not(serve, gate):
    server = serve(threads=1)
    browser, workers = server.first, server.app.state.services.workers
    duel, match = begin(browser, "jotto-2", "duel", "of", begins="you"), begin(browser, "jotto-2")
    begun = threading.Event()
    workers.submit("first", lambda: (begun.set(), gate.wait(60)))
    assert begun.wait(60)
    replies = []
    waiting = threading.Thread(target=lambda: replies.append(post(browser, duel, "guess", guess="ox")))
    waiting.start()
    until(lambda: workers.waiting == 1)
    assert post(browser, match, "guess", guess="ox").status_code == 200 and replies == []
    gate.set()
    waiting.join(60)
    assert replies[0].status_code == 200 and len(replies[0].json()["computer"]) == 1
    assert post(browser, duel, "guess", guess="zz").status_code == 422  # what is refused is refused there, too

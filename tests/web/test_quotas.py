"""Nobody fills the server alone: games that nobody plays make room, and one address has a share of all places."""

from __future__ import annotations

import json
from http.client import HTTPConnection

import pytest

from oracular.web.guard import address_group, normal_address, visitor_of

from browsing import Clock, begin, error_of, get, post


def _asked(browser):
    return browser.post("/api/matches", json={"game": "jotto-2", "mode": "guess"})


def _there(browser, matches):
    return [get(browser, match).status_code == 200 for match in matches]


@pytest.fixture
def clock():
    return Clock()


def _begin(browser, clock, played=False, finished=False):
    """Begin a match, a second after the one before."""
    clock.now += 1
    match = begin(browser)
    if played:
        assert post(browser, match, "guess", guess="fog").status_code == 200
    if finished:
        assert post(browser, match, "give-up").status_code == 200
    return match


def test_one_client_who_begins_game_after_game_locks_nobody_out(serve, clock):
    server = serve(max_matches=40, clock=clock)
    person = server.browser("192.0.2.1")
    playing = _begin(person, clock, played=True)
    for _ in range(60):  # a new browser each time, for all that the server can tell
        assert _asked(server.browser("192.0.2.99")).status_code == 201
    others = [_begin(server.browser(f"192.0.2.{number}"), clock, played=True) for number in range(2, 30)]
    assert all(_there(person, [playing, *others]))
    assert person.get("/api/health").json()["matches"] <= 40


def test_a_browser_has_a_share_and_its_own_oldest_are_removed(serve, clock):
    server = serve(max_matches_per_browser=4, clock=clock)
    browser, other = server.first, server.browser()
    elsewhere = _begin(other, clock)
    played, finished, unplayed, late = (
        _begin(browser, clock, played=True),
        _begin(browser, clock, played=True, finished=True),
        _begin(browser, clock),
        _begin(browser, clock),
    )
    mine = [played, finished, unplayed, late]
    for gone in (unplayed, late, finished):
        _begin(browser, clock, played=True)
        mine.remove(gone)
        assert all(_there(browser, mine)) and not any(_there(browser, [gone]))
    _begin(browser, clock)  # four that it plays, and it begins a fifth: the one it left longest ago goes
    assert _there(browser, [played]) == [False]
    assert _there(other, [elsewhere]) == [True]


def test_an_address_has_a_share_and_games_that_are_played_there_are_never_removed(serve, clock):
    server = serve(max_matches_per_address=3, clock=clock)
    first = _begin(server.browser("192.0.2.1"), clock, played=True)
    second = _begin(server.browser("192.0.2.1"), clock, played=True, finished=True)
    third = _begin(server.browser("192.0.2.1"), clock)
    fourth = _begin(server.browser("192.0.2.1"), clock, played=True)
    assert _there(server.first, [first, second, third]) == [True, True, False]
    fifth = _begin(server.browser("192.0.2.1"), clock, played=True)
    assert _there(server.first, [first, second, fourth, fifth]) == [True, False, True, True]
    refused = _asked(server.browser("192.0.2.1"))
    assert refused.status_code == 429 and refused.headers["retry-after"] and "3 games" in error_of(refused)
    assert _asked(server.browser("192.0.2.2")).status_code == 201


def test_on_a_full_server_unplayed_games_are_removed_first_then_finished_ones_and_played_ones_never(serve, clock):
    server = serve(max_matches=4, max_matches_per_address=4, clock=clock)
    browsers = [server.browser(f"192.0.2.{number}") for number in range(9)]
    playing = _begin(browsers[0], clock, played=True)
    finished = _begin(browsers[1], clock, played=True, finished=True)
    old, new = _begin(browsers[2], clock), _begin(browsers[3], clock)
    four = [playing, finished, old, new]
    _begin(browsers[4], clock, played=True)
    assert _there(browsers[0], four) == [True, True, False, True]
    _begin(browsers[5], clock, played=True)
    assert _there(browsers[0], four) == [True, True, False, False]
    _begin(browsers[6], clock, played=True)
    assert _there(browsers[0], four) == [True, False, False, False]
    refused = _asked(browsers[7])
    assert refused.status_code == 503 and "all 4 places" in error_of(refused) and refused.headers["retry-after"]


@pytest.mark.parametrize(
    ("settings", "status"),
    [({}, 429), ({"origins": ("https://games.example",)}, 201)],
)
def test_behind_a_proxy_that_reports_no_addresses_none_are_counted(serve, clock, settings, status):
    server = serve(max_matches_per_address=2, clock=clock, **settings)
    for _ in range(2):
        _begin(server.browser("127.0.0.1"), clock, played=True)
    assert _asked(server.browser("127.0.0.1")).status_code == status


def _begun_over(place, forwarded):
    connection = HTTPConnection(*place, timeout=60)
    headers = {"Content-Type": "application/json"} | ({"X-Forwarded-For": forwarded} if forwarded else {})
    connection.request("POST", "/api/matches", '{"game": "jotto-3", "mode": "guess"}', headers)
    reply = connection.getresponse()
    match = json.load(reply)
    if reply.status == 201:
        headers["Cookie"] = reply.getheader("Set-Cookie").partition(";")[0]
        connection.request("POST", f"/api/matches/{match['id']}/guess", '{"guess": "fog"}', headers)
        assert connection.getresponse().status == 200
    connection.close()
    return reply.status


def test_a_proxy_is_believed_that_the_server_knows_and_nobody_else(listening):
    place = listening(max_matches_per_address=1, origins=("https://games.example",), proxies=("127.0.0.1",))
    asked = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3, 192.0.2.2", "192.0.2.2, 192.0.2.3"]
    assert [_begun_over(place, one) for one in asked] == [201, 429, 201, 429, 201]


def test_who_is_no_proxy_cannot_give_another_address(listening):
    place = listening(max_matches_per_address=1)
    assert [_begun_over(place, one) for one in ("192.0.2.1", "192.0.2.2", None)] == [201, 429, 429]


def test_visitors_are_told_apart_by_address_as_far_as_it_goes():
    def at(address, origins=(), proxies=()):
        from oracular.web.settings import Settings

        return visitor_of((address, 1) if address else None, None, Settings(origins=origins, proxies=proxies)).address

    assert at("192.0.2.1") != at("192.0.2.2")
    assert at("2001:db8::1") == at("2001:db8::ffff:1:2:3") != at("2001:db8:0:1::1")  # a network that one person has
    assert at("::ffff:192.0.2.1") == at("192.0.2.1")
    assert (
        address_group("2001:DB8::7") == address_group("2001:db8::8") == "2001:db8::/64" != normal_address("2001:DB8::7")
    )
    assert address_group("::ffff:c000:201") == normal_address("::ffff:c000:201") == "192.0.2.1"
    assert address_group("a name") == normal_address("a name") == "a name"
    assert at(None) == at("192.0.2.1", origins=("https://a.example",)) is None
    assert at("192.0.2.1", origins=("https://a.example",), proxies=("127.0.0.1",)) is not None


def test_the_database_holds_no_addresses(server):
    browser = server.browser("192.0.2.123")
    begin(browser)
    path = server.app.state.services.settings.database
    kept = b"".join(file.read_bytes() for file in path.parent.glob("matches.sqlite*"))
    assert b"192.0.2.123" not in kept and b"jotto-3" in kept

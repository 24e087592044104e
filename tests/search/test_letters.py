"""Lower bounds against uniform hiders: the fast search against its twin, and never above the optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracular
from oracular import Hider
from oracular.kernels.letter_views import new_memo
from oracular.search import letters
from oracular.search.letters import ALL_OF_IT, LetterSearch, is_uniform

from bound_twin import Bounds
from how_many import examples
from random_games import letter_games, random_games


def nothing() -> None:
    """Watch a search without ending it."""


def search_of(game: oracular.Game, hidden: list[int] | None = None, room: int = 1 << 10) -> LetterSearch:
    """Return a search with memos for so few states that most are forgotten."""
    weights = np.zeros(len(game.secrets), np.int64)
    weights[list(range(len(weights))) if hidden is None else hidden] = 3
    return LetterSearch(Hider(game, weights), new_memo(room, 4 * room), new_memo(room, 4 * room))


@given(st.data())
@examples(40, 600)
def test_bounds_of_states_are_those_of_the_definition(data: st.DataObject) -> None:
    game = data.draw(st.one_of(random_games(12), letter_games()))
    hidden = data.draw(st.sets(st.integers(0, len(game.secrets) - 1), min_size=1).map(sorted))
    search, twin = search_of(game, hidden, data.draw(st.sampled_from((1, 1 << 10)))), Bounds(game.table, game.found)
    state = data.draw(st.sets(st.sampled_from(range(len(hidden))), min_size=1).map(sorted))
    secrets = tuple(hidden[place] for place in state)
    for guesses in data.draw(st.permutations(range(1, 6))):
        known = twin.to(secrets, guesses)
        target = data.draw(st.integers(1, known + 3))
        cut = search.state_bound(np.array(state, np.int32), guesses, target, nothing)
        assert cut.total == min(target, known)
        whole = search.state_bound(np.array(state, np.int32), guesses, ALL_OF_IT, nothing)
        assert whole.total == known <= twin.optimum(secrets)
        assert whole.exact == twin.is_known(secrets, guesses)
        assert cut.exact == (whole.exact and known < target)
        assert not whole.exact or known == twin.optimum(secrets)


@given(letter_games(16))
@examples(10, 200)
def test_deep_enough_the_bound_is_the_optimum_and_known_to_be(game: oracular.Game) -> None:
    search, twin = search_of(game), Bounds(game.table, game.found)
    found = search.state_bound(game.all_secrets, 20, ALL_OF_IT, nothing)
    assert (found.total, found.exact) == (twin.optimum(tuple(game.all_secrets.tolist())), True)


@given(st.data())
@examples(20, 300)
def test_bounds_of_openings_are_those_of_the_definition(data: st.DataObject) -> None:
    game = data.draw(letter_games(18))
    hidden = data.draw(st.sets(st.integers(0, len(game.secrets) - 1), min_size=2).map(sorted))
    search, twin = search_of(game, hidden), Bounds(game.table, game.found)
    opening = data.draw(st.integers(0, len(game.guesses) - 1))
    for plies in (2, 3, 4, 5):
        known = twin.of_opening(opening, hidden, plies)
        ceiling = data.draw(st.integers(1, known + 4))
        optimum = known < ceiling and twin.is_known_of_opening(opening, hidden, plies)
        assert search.opening_bound(opening, plies, ceiling, nothing) == (min(ceiling, known), optimum)


def test_a_search_that_pauses_often_ends_as_one_that_does_not(jotto, monkeypatch) -> None:
    game, state = jotto(3), jotto(3).possible_after("ego:1")
    whole = search_of(game).state_bound(state, 3, ALL_OF_IT, nothing)
    looks = []
    monkeypatch.setattr(letters, "WORK", 1)
    paused = search_of(game).state_bound(state, 3, ALL_OF_IT, lambda: looks.append(1))
    assert paused == whole
    assert len(looks) > 10_000


def test_a_watcher_ends_a_search_and_the_next_is_none_the_worse(jotto) -> None:
    game, search = jotto(3), search_of(jotto(3))
    state = game.possible_after("ego:0")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.state_bound(state, 4, ALL_OF_IT, interrupt)
    assert search.state_bound(state, 2, ALL_OF_IT, nothing).total == 1075


def test_which_hiders_are_uniform(jotto) -> None:
    game = jotto(2)
    some = np.zeros(51, np.int64)
    some[[3, 5, 8]] = 7
    assert is_uniform(oracular.hider_uniform(game))
    assert is_uniform(Hider(game, some))
    some[9] = 1
    assert not is_uniform(Hider(game, some))
    for name in ("jotto-2-possible", "mastermind-2x3", "wordle"):
        assert not is_uniform(oracular.hider_uniform(oracular.game(name)))
    assert is_uniform(oracular.hider_uniform(oracular.game("jotto-5-repeats-anagrams-familiar")))


@pytest.mark.parametrize("size", [70, 130])
def test_states_of_more_secrets_than_a_machine_word_has_bits_are_bounded_by_the_definition(size, jotto):
    words = jotto(3).secrets
    game = oracular.game("jotto-3", words[:: len(words) // size][:size])
    assert len(game.secrets) == size
    search, twin = search_of(game, room=1 << 14), Bounds(game.table, game.found)
    for guesses in (1, 2):
        known = twin.to(tuple(range(size)), guesses)
        assert search.state_bound(game.all_secrets, guesses, ALL_OF_IT, nothing).total == known
    for opening in (0, size - 1):
        for plies in (2, 3):
            known = twin.of_opening(opening, list(range(size)), plies)
            assert search.opening_bound(opening, plies, ALL_OF_IT, nothing).total == known


def test_a_weight_of_several_is_cut_at_any_ceiling(jotto):
    game = jotto(2)
    search = LetterSearch(Hider(game, np.full(len(game.secrets), 3)))
    whole = search_of(game).opening_bound(0, 3, ALL_OF_IT, nothing).total
    for ceiling in range(3 * whole - 4, 3 * whole + 5):
        assert search.weighted_bound(0, 3, ceiling, nothing).total == min(ceiling, 3 * whole)

"""Work on threads: its results come in order, and it ends where nobody waits for it."""

from __future__ import annotations

import time

import pytest

from oracular.system.control import Deadline, in_turn


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_all_results_come_in_order(threads, count):
    with in_turn(lambda number: number**2, range(count), threads, Deadline()) as results:
        assert list(results) == [number**2 for number in range(count)]


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_however_it_is_left_what_runs_is_told_to_stop_and_the_rest_is_not_begun(error):
    ends, begun, stopped = Deadline(), [], []

    def work(number):
        begun.append(number)
        latest = time.monotonic() + 20
        while number and not ends.flag[0] and time.monotonic() < latest:
            pass
        stopped.append(number == 0 or bool(ends.flag[0]))
        return number

    def leave():
        with in_turn(work, range(100), 2, ends) as results:
            assert next(results) == 0
            if error is not None:
                raise error

    if error is None:
        leave()
    else:
        with pytest.raises(error):
            leave()
    assert all(stopped) and len(stopped) == len(begun) < 10


def test_where_it_is_not_to_go_on_no_more_is_handed_out():
    ends = Deadline()
    with in_turn(lambda number: number, range(100), 2, ends, lambda: False) as results:
        assert list(results) == [0, 1, 2, 3] and ends.flag[0]

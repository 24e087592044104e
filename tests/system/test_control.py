"""Control of long work: deadline, cancellation, reports at most ten times a second, and threads that end."""

from __future__ import annotations

import time

import pytest

from oracular.system.control import UNLIMITED, Cancelled, Control, Deadline, DeadlinePassed, Stopped, Threads

PASSED = Deadline(0.0)


def test_unlimited_work_never_ends():
    UNLIMITED.check()
    UNLIMITED.report("progress")
    assert not UNLIMITED.ended and UNLIMITED.flag.tolist() == [0]


@pytest.mark.parametrize(
    ("control", "error"),
    [(Control(PASSED), DeadlinePassed), (Control(cancelled=lambda: True), Cancelled)],
)
def test_work_ends_when_cancelled_or_out_of_time(control, error):
    assert control.ended and issubclass(error, Stopped)
    with pytest.raises(error):
        control.check()
    with pytest.raises(error):
        control.with_deadline(control.deadline).check()
    with pytest.raises(error):
        control.silent().check()
    with pytest.raises(error):
        control.reporting(str).check()


def test_reports_come_at_most_ten_times_a_second():
    reports = []
    control = Control(Deadline.after(0.35), on_report=reports.append)
    count = 0
    while not control.ended:
        control.report(count)
        count += 1
    assert reports[0] == 0 and 2 <= len(reports) <= 4 and count > 4


def test_reports_of_a_part_are_converted_only_when_they_are_due():
    reports, converted = [], []

    def convert(detail):
        converted.append(detail)
        return f"part {detail}"

    part = Control(on_report=reports.append).reporting(convert)
    for detail in range(3):
        part.report(detail)
    assert reports == ["part 0"] and converted == [0]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_results_come_in_the_order_of_the_batches(threads, count):
    with Threads(threads, UNLIMITED) as pool:
        assert list(pool.in_turn(lambda number: number**2, range(count))) == [number**2 for number in range(count)]


def test_finished_returns_each_result_once():
    results = []
    with Threads(3, UNLIMITED) as pool:
        for number in range(20):
            pool.submit(pow, number, 2)
        while pool.running:
            results += pool.finished()
    assert sorted(results) == [number**2 for number in range(20)]


def test_finished_raises_what_the_work_raised():
    with Threads(1, UNLIMITED) as pool:
        pool.submit(int, "x")
        with pytest.raises(ValueError, match="'x'"):
            pool.finished()


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_however_the_block_is_left_running_work_ends_and_the_rest_is_not_begun(error):
    begun, stopped = [], []

    def leave():
        with Threads(2, UNLIMITED) as pool:

            def work(number):
                begun.append(number)
                latest = time.monotonic() + 20
                while number and not pool.control.ended and time.monotonic() < latest:
                    pass
                stopped.append(number == 0 or bool(pool.control.flag[0]))
                return number

            assert next(pool.in_turn(work, range(100))) == 0
            if error is not None:
                raise error

    if error is None:
        leave()
    else:
        with pytest.raises(error):
            leave()
    assert all(stopped) and len(stopped) == len(begun) < 10


def test_once_cancelled_no_more_is_handed_out():
    with Threads(2, Control(cancelled=lambda: True)) as pool:
        assert list(pool.in_turn(lambda number: number, range(100))) == [0, 1, 2, 3] and pool.control.ended


def test_work_on_threads_ends_at_the_deadline():
    with Threads(1, Control(Deadline.after(0.05))) as pool:

        def work():
            while True:
                pool.control.check()

        pool.submit(work)
        with pytest.raises(Stopped):
            while pool.running:
                pool.finished()

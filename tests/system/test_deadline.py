"""Deadlines: a moment by which work is to end, and a flag for compiled code."""

from __future__ import annotations

import gc
import threading

from oracular.system.control import NEVER, Deadline


def test_the_flag_is_raised_when_the_deadline_passes():
    deadline = Deadline.after(0.01)
    flag = deadline.flag
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(timeout=60)
    assert deadline.passed and flag.tolist() == [1]


def test_the_flag_of_no_deadline_needs_no_thread():
    before = threading.active_count()
    assert NEVER.flag.tolist() == [0] and threading.active_count() == before


def test_a_forgotten_deadline_leaves_no_thread_behind():
    before = set(threading.enumerate())
    deadline = Deadline.after(3600.0)
    assert deadline.flag.tolist() == [0]
    (timer,) = set(threading.enumerate()) - before
    del deadline
    gc.collect()
    timer.join(timeout=60)
    assert not timer.is_alive()

"""What is kept with an object is made once, whoever asks first."""

from __future__ import annotations

import threading

import pytest

from oracular.system import memory
from oracular.system.memory import cached_on


class Owner:
    """Something that other things are kept with."""


def test_of_many_threads_one_makes_it_and_all_get_it():
    owner, made, got = Owner(), [], []
    asking = threading.Semaphore(0)

    def make() -> object:
        for _ in range(0 if made else 8):  # whoever makes it waits until all the others want it
            assert asking.acquire(timeout=60)
        made.append(cached_on(owner, "part", object))  # what it is made of may be kept too
        return [object() for _ in range(100_000)]

    def ask() -> None:
        asking.release()
        got.append(cached_on(owner, "whole", make))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(made) == 1 and len(got) == 8 and len(set(map(id, got))) == 1


def test_what_could_not_be_made_is_tried_again():
    owner = Owner()
    with pytest.raises(ZeroDivisionError):
        cached_on(owner, "share", lambda: 1 / 0)
    assert cached_on(owner, "share", lambda: 2) == 2 and cached_on(owner, "share", lambda: 3) == 2
    assert not memory._locks

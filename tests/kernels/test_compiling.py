"""Inner kernels are for other kernels: Python is refused, and no compiled code is called without its arguments."""

from __future__ import annotations

import numpy as np
import pytest

from oracular.kernels.compiling import allocating_entry_point, allocating_inner, entry_point, inner


@pytest.mark.parametrize(("inside", "outside"), [(inner, entry_point), (allocating_inner, allocating_entry_point)])
def test_an_inner_function_can_be_called_from_an_entry_point_alone(inside, outside):
    @inside
    def first_of(numbers):
        return numbers[0]

    @outside
    def first_plus_one(numbers):
        return first_of(numbers) + 1

    with pytest.raises(TypeError, match="first_of is called from compiled code alone"):
        first_of(np.arange(3))
    assert first_plus_one(np.arange(3)) == 1
    with pytest.raises(TypeError, match="first_of is called from compiled code alone"):  # now it has been compiled
        first_of(np.arange(3))

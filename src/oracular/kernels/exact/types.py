"""Names for the types of the exact search's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[Any]
Shorts = NDArray[np.int16]
Counts = NDArray[np.int32]
Bounds = NDArray[np.int64]
Keys = NDArray[np.uint64]

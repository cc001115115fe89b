"""Settings of the process for commands that read many lines: memory and threads of libraries."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
from contextlib import suppress

KEPT_BYTES = 1 << 30
"""Freed memory up to this size is used again, not given back to the system."""
LARGEST_REUSED = 32 << 20
"""Larger pieces of memory come from the system each time: the greatest value glibc takes."""
MALLOPT = {
    "MALLOC_TRIM_THRESHOLD_": (-1, KEPT_BYTES),
    "MALLOC_MMAP_THRESHOLD_": (-3, LARGEST_REUSED),
    "MALLOC_ARENA_MAX": (-8, 1),
}
"""By environment variable: the number of the setting in glibc's malloc.h, and the value."""
OBJECTS_BETWEEN_COLLECTIONS = 300_000


def set_up_reading() -> None:
    """Let this process, and those it starts, use freed memory again and start no needless threads.

    A file is read in blocks, which need the same memory again and again. Without this, glibc gives
    it back after each block, and the system clears it once more: a tenth of the time. The threads
    of OpenBLAS, which nothing here uses, wait in a loop at first. Imports and rows of tables are
    hundreds of thousands of objects, none of them garbage: looking for it took 0.2 s, and as long
    again at the end of the program, where nothing is looked at now. What the user has set is kept.
    To be called before NumPy is imported.
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        mallopt = ctypes.CDLL(None).mallopt
        for variable, (number, value) in MALLOPT.items():
            if variable not in os.environ:
                os.environ[variable] = str(value)  # for the processes that this one starts
                mallopt(number, value)

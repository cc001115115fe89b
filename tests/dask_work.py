"""Work for the tests of Dask: workers import it."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from evalstore.errors import FileError


def die_of_deadly(path: str) -> str:
    """Kill the process that reads the file `deadly`, as the system does where memory is short."""
    if path == "deadly":
        os.kill(os.getpid(), signal.SIGKILL)
    return path.upper()


def read_where_it_is(path: str) -> str:
    """The text of a file, of the folder where the worker was started."""
    try:
        return Path(path).read_text()
    except OSError:
        raise FileError(path, None, "no such file") from None


def reveal(path: str, secret: str) -> str:
    """Fail as a bug does: Dask writes that into its logs, with the arguments."""
    raise ZeroDivisionError(path)

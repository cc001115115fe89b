"""A large run file that is read while the rest of a program is still being loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from evalstore.formats.any_format import read_large_run_or_values
from evalstore.formats.file_stamps import FileStamp, stamp
from evalstore.formats.run import Run, RunParts
from evalstore.formats.source import ReadOptions
from evalstore.formats.trec.values import PrintedValues

WORTH_IT = 16 << 20
"""Bytes of a file from which it takes longer to read than the modules of a store to load."""


class ReadAhead:
    """What a file holds, read in a thread that began when this was made.

    Attributes:
        path: the file.
        options: how it is read.
        before: the stamp that the file had before.
    """

    def __init__(self, path: str, options: ReadOptions, before: FileStamp) -> None:
        self.path = path
        self.options = options
        self.before = before
        executor = ThreadPoolExecutor(1)
        self._content: list[Future[Run | RunParts | PrintedValues]] = [
            executor.submit(read_large_run_or_values, path, options)
        ]
        executor.shutdown(wait=False)

    def take(self) -> Run | RunParts | PrintedValues | None:
        """What was read: only once, as it is large and not kept here; then None.

        Raises:
            FileError, DataError, NotInParts: as `read_large_run_or_values`.
        """
        return self._content.pop().result() if self._content else None


def read_ahead(paths: Sequence[str], options: ReadOptions) -> ReadAhead | None:
    """Begin to read the one file that is given, if it is large; None where nothing is read.

    A file that has just been changed is not: what was read of it has to be compared with its bytes
    before and afterwards.
    """
    if len(paths) != 1 or not os.path.isfile(paths[0]):
        return None
    before = stamp(paths[0])
    if before is None or before.version is None or before.size < WORTH_IT:
        return None
    return ReadAhead(paths[0], options, before)

"""Which files go together into one task of Dask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import TypeVar

F = TypeVar("F", bound="str | os.PathLike[str]")

GROUP_BYTES = 4 << 20
"""Bytes of small files in one task: some 0.1 s of work, where a task costs some milliseconds."""

GROUP_ITEMS = 32
"""The most files in one task."""


def groups(paths: Sequence[F], most: int) -> Iterator[Sequence[F]]:
    """The items of each task, in their order: small files together.

    Args:
        paths: files, or objects that have one.
        most: items in a task. What only this process can read is by itself.
    """
    group: list[F] = []
    size = 0
    for path in paths:
        bytes_ = _size(path)
        if group and (len(group) == most or size + bytes_ > GROUP_BYTES or only_here(path)):
            yield group
            group, size = [], 0
        group.append(path)
        size += bytes_
        if only_here(path):
            yield group
            group, size = [], 0
    if group:
        yield group


def _size(path: str | os.PathLike[str]) -> int:
    """The bytes of a file; one that is not to be seen here may be large."""
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return GROUP_BYTES


def only_here(path: str | os.PathLike[str]) -> bool:
    """Whether only this process can read it, or it is an error that is known already."""
    if getattr(path, "error", None) is not None or os.fspath(path) == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)

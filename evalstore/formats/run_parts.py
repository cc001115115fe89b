"""A run that is too large to be in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalstore.formats.run import Run


class NotInParts(Exception):
    """A file can't be read in parts: it has to be read as a whole, which tells what is wrong."""


@dataclass(frozen=True, eq=False)
class RunParts:
    """A large run, read a part at a time.

    Attributes:
        path, tag, facts, names, format: as in `Run`, of the whole.
        parts: the runs of some queries each, in the order of the file, no query in two of them;
            none has warnings. They are read as they are asked for, once. `NotInParts` is raised
            where something is odd or wrong.
    """

    path: str
    tag: str
    facts: Mapping[str, Any]
    parts: Iterator[Run]
    names: Mapping[str, str] = field(default_factory=dict)
    format: str = ""

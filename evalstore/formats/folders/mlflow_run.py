"""A run as MLflow keeps it, whether in files or in a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalstore.formats.source import printable


@dataclass(frozen=True)
class MLflowRun:
    """A run of MLflow.

    Attributes:
        where: the folder of the run, or the database, as messages name it.
        id: 32 hexadecimal digits, as MLflow makes them.
        name: the id where it has none.
        experiment: the name of the experiment; None where it is not known.
        user: who started it.
        start, end: milliseconds since 1970.
        parameters, tags: texts by name.
        artifacts: the folder of its artifacts; None where it is not within the store.
    """

    where: str
    id: str
    name: str
    experiment: str | None
    user: str | None
    start: int | None
    end: int | None
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    artifacts: str | None

    @property
    def label(self) -> str:
        """The run as messages name it."""
        return f"{printable(self.name)} ({printable(self.id[:8])})"

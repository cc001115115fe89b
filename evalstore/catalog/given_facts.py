"""Facts of a run given by people and tools: checked, not yet stored."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from evalstore.catalog.names import check_name
from evalstore.errors import DataError
from evalstore.formats.facts.ir_metadata import check_header
from evalstore.formats.facts.parameters import (
    AMOUNTS,
    BYTES,
    CONTROL,
    LINES,
    NAMES,
    TEXTS,
    TIMES,
    Parameter,
    check_parameters,
    facts_from_json,
    json_of_facts,
)

LONGEST_TEXT = 100_000
"""The largest number of characters in a note or a command line."""
LONGEST_LINE = 1_000
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class GivenFacts:
    """Facts of a run; those not given are None or empty. Impossible ones raise DataError.

    Attributes:
        parameters: parameters of the engine, by name; they are added to the run's existing ones.
        tags: words or `key=value`; they are added to the run's existing ones.
        note: a text by people, in Markdown.
        commit: the version of the engine's code.
        commit_dirty: whether files were different from the commit.
        host: the machine that the engine ran on.
        started_by: the account that started it.
        started_at, ended_at: taken as UTC if they have no zone.
        collection_version: the version of the documents that were indexed.
        parent: the name or id of the run of the same collection that this one was derived from.
        memory_bytes: the engine's peak memory.
        money: the cost of all queries together, given with `currency`, such as EUR.
        energy_joules: the energy used for all queries together.
        header: the ir_metadata at the head of the run file.
    """

    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    note: str | None = None
    commit: str | None = None
    commit_dirty: bool | None = None
    host: str | None = None
    started_by: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    command: str | None = None
    index_version: str | None = None
    collection_version: str | None = None
    parent: str | None = None
    index_bytes: int | None = None
    memory_bytes: int | None = None
    money: float | None = None
    currency: str | None = None
    energy_joules: float | None = None
    header: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Check the facts."""
        object.__setattr__(self, "parameters", check_parameters(self.parameters))
        object.__setattr__(self, "header", check_header(self.header) if self.header else None)
        for tag in self.tags:
            check_name("tag", tag)
        if self.parent is not None:
            check_name("parent", self.parent)
        for name in (*LINES, *TEXTS):
            _check_text(name, getattr(self, name))
        for name in TIMES:
            time = getattr(self, name)
            if time is not None:
                zoned = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
                object.__setattr__(self, name, zoned)
        check_times(self.started_at, self.ended_at)
        for name in BYTES:
            size = getattr(self, name)
            if size is not None and not 0 <= size <= LARGEST:
                raise DataError(f"{words(name)} can't be {size:,}")
        for name in AMOUNTS:
            amount = getattr(self, name)
            if amount is not None and not (math.isfinite(amount) and amount >= 0):
                raise DataError(f"{words(name)} can't be {amount}")
        if (self.money is None) != (self.currency is None):
            raise DataError("money is an amount with its currency, like 0.12 EUR")

    def __bool__(self) -> bool:
        """Whether any fact is given."""
        return self != GivenFacts()

    def given(self) -> dict[str, Any]:
        """The given facts, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if _is_given(value)}

    def to_json(self) -> dict[str, Any]:
        """The given facts as JSON; a DataError for a fact that can't be sent."""
        values = self.given()
        unknown = values.keys() - set(NAMES)
        if unknown:
            raise DataError(f"{' and '.join(sorted(unknown))} of a run can't be sent to a server")
        return json_of_facts(values)

    @classmethod
    def from_json(cls, values: object) -> GivenFacts:
        """The facts from `to_json`'s result; DataError for an unknown name or impossible value."""
        return cls(**facts_from_json(values))

    def or_else(self, other: GivenFacts) -> GivenFacts:
        """These facts, where missing ones are taken from the other facts.

        Commit and `commit_dirty` count as one fact, and each parameter as a separate fact; the tags
        of both are joined.
        """
        if self.commit is not None:
            other = replace(other, commit=None, commit_dirty=None)
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        own["parameters"] = {**other.parameters, **self.parameters}
        own["tags"] = tuple(dict.fromkeys([*self.tags, *other.tags]))
        return replace(other, **{name: value for name, value in own.items() if _is_given(value)})


def _is_given(value: object) -> bool:
    return value not in (None, (), {})


def check_times(start: datetime | None, end: datetime | None) -> None:
    """Raise a DataError if the end is before the start."""
    if start is not None and end is not None and end < start:
        raise DataError(f"ended at {end.isoformat()}, before the start at {start.isoformat()}")


def words(name: str) -> str:
    """The name of a fact as words, for example `index version`."""
    return name.replace("_", " ")


def _check_text(name: str, text: str | None) -> None:
    if text is None:
        return
    most = LONGEST_TEXT if name in TEXTS else LONGEST_LINE
    if not text.strip():
        raise DataError(f"{words(name)} is empty")
    if len(text) > most:
        raise DataError(f"{words(name)} has more than {most:,} characters")
    if CONTROL.search(text) or (name in LINES and not text.isprintable()):
        raise DataError(f"{words(name)} has a control character: {text[:50]!r}")


# Flattening nested facts of a run (its parameters, its header) to names with one value each


def flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """One row per nested value, with its names joined by dots: `header.actor.team`.

    A list of plain values counts as one value. The elements of any other list are numbered from 1:
    `header.method.retrieval.1.name`.
    """
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from flat(f"{name}.{key}", inner)
    elif isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value):
        for number, part in enumerate(value, 1):
            yield from flat(f"{name}.{number}", part)
    else:
        yield name, value

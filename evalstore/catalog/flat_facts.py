"""Nested facts of a run (its parameters, its header) as names with one value each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A row for each value within nested names, which dots join: `header.actor.team`.

    A list of single values is one value. The parts of any other list are numbered from 1:
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

"""Facts of a run as JSON, by the names of the fields of `catalog.given_facts.GivenFacts`.

Here the kind of each value is checked; what a value may be, `GivenFacts` checks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.facts.parameters import MOST, check_parameters
from evalstore.formats.source import printable, quoted

TEXTS = (
    *("note", "commit", "host", "started_by", "command", "index_version", "collection_version"),
    *("parent", "currency"),
)
TIMES = ("started_at", "ended_at")
BYTES = ("index_bytes", "memory_bytes")
AMOUNTS = ("money", "energy_joules")
NAMES = ("parameters", "tags", "commit_dirty", *TEXTS, *TIMES, *BYTES, *AMOUNTS)


def facts_from_json(values: object) -> dict[str, Any]:
    """Facts by name, from an object of JSON.

    Raises:
        DataError: a name that is no fact, or a value of the wrong kind.
    """
    if not isinstance(values, Mapping):
        raise DataError("facts are an object, by their names")
    return {name: _fact(name, value) for name, value in values.items()}


def _fact(name: str, value: object) -> Any:
    if name not in NAMES:
        raise DataError(f"there is no fact {quoted(name)}{did_you_mean(name, NAMES)}")
    if name in TIMES:
        return time_from_json(name, value)
    if name == "parameters" and isinstance(value, Mapping):
        return check_parameters(value)
    if name == "tags" and isinstance(value, list) and all(isinstance(tag, str) for tag in value):
        return tuple(value)
    if _is_of_kind(name, value):
        return value
    raise DataError(f"the fact {name} can't be {printable(quoted(repr(value))[1:-1])}")


def _is_of_kind(name: str, value: object) -> bool:
    if name in TEXTS:
        return isinstance(value, str)
    if name == "commit_dirty":
        return isinstance(value, bool)
    if name in BYTES:
        return type(value) is int
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return name in AMOUNTS and abs(value) <= sys.float_info.max


def time_from_json(name: str, value: object) -> datetime:
    """A time in ISO 8601; UTC where it has no offset.

    Raises:
        DataError: it is none.
    """
    try:
        time = datetime.fromisoformat(value)  # type: ignore[arg-type]  # TypeError is caught
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        text = printable(quoted(repr(value))[1:-1])
        raise DataError(f"{name} is no time like 2026-11-21T19:37:04+00:00: {text}") from None


def json_of_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON has them; `facts_from_json` reads them back the same."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in facts.items()
    }


def merged(facts: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Facts, and what became known later: parameters and tags are added, others are replaced.

    Raises:
        DataError: more than 1,000 parameters or tags.
    """
    result = {**facts, **later}
    if "parameters" in later:
        result["parameters"] = {**facts.get("parameters", {}), **later["parameters"]}
    if "tags" in later:
        result["tags"] = tuple(dict.fromkeys([*facts.get("tags", ()), *later["tags"]]))
    for name in ("parameters", "tags"):
        if len(result.get(name, ())) > MOST:
            raise DataError(f"more than {MOST:,} {name}")
    return result

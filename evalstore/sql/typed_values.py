"""Values of a database as JSON and back; types that JSON lacks are objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from evalstore.errors import DataError

READERS: dict[str, Callable[[str], Any]] = {
    "bytes": bytes.fromhex,
    "number": float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def typed(value: Any) -> Any:
    """A value for JSON: None, numbers and texts unchanged, others like `{"bytes": "00ff"}`."""
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    if isinstance(value, datetime | date | time):
        kind = next(kind for kind in (datetime, date, time) if isinstance(value, kind))
        return {kind.__name__: value.isoformat()}
    return value


def untyped(value: Any) -> Any:
    """The value before `typed`; a DataError for anything else."""
    if not isinstance(value, dict):
        return value
    try:
        ((kind, text),) = value.items()
        return READERS[kind](text)
    except (KeyError, TypeError, ValueError):
        raise DataError(f"no value of a database: {str(value)[:100]}") from None

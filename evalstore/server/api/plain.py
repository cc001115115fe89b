"""Values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from pydantic import BaseModel


def plain(value: Any) -> Any:
    """A value of dictionaries, lists, texts, numbers, booleans and None.

    What JSON has no number for is None, bytes are hexadecimal, times are as in ISO 8601.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, BaseModel):
        return {name: plain(part) for name, part in value}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value

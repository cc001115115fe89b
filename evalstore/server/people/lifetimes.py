"""How long tokens and invitations count, as people write it."""

from __future__ import annotations

import re
from datetime import timedelta

from evalstore.errors import DataError

HOURS = {"h": 1, "d": 24, "w": 24 * 7}
LONGEST = timedelta(days=36_500)


def parse_lifetime(text: str) -> timedelta:
    """The time that `90d`, `12h` or `4w` stands for: days, hours, weeks.

    Raises:
        DataError: it is written otherwise, is nothing, or more than 100 years.
    """
    parts = re.fullmatch(r"([0-9]{1,7})([hdw])", text)
    lifetime = timedelta(hours=int(parts[1]) * HOURS[parts[2]]) if parts else timedelta()
    if not timedelta() < lifetime <= LONGEST:
        raise DataError(f"{text!r} is no time to live: write it like 90d, 12h or 4w")
    return lifetime

"""A limit on the values of an answer, checked before any of them is read or computed."""

from __future__ import annotations

from evalstore.errors import DataError


def check_number_of_values(
    runs: int, measures: int, queries: int, most: int | None, remedy: str
) -> None:
    """Refuse what would be too many values.

    Args:
        runs: how many.
        measures: how many.
        queries: how many.
        most: runs x measures x queries at most; None for no limit.
        remedy: what to ask for instead, for the message.

    Raises:
        DataError: there are more.
    """
    count = runs * measures * queries
    if most is not None and count > most:
        raise DataError(f"these are {count:,} values, of {most:,} at most: {remedy}")

"""Rules for users' names, names of runs and qrels from files, and conditions on queries."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.queries import Queries
from evalstore.formats.reading.lines import run_name
from evalstore.formats.reading.paths import natural as natural  # noqa: PLC0414  (use cases import it from here)
from evalstore.formats.reading.source import quoted

LONGEST_NAME = 1024
"""The largest length of a name in bytes."""
LONGEST_ACCOUNT_NAME = 100


def check_name(kind: str, name: str) -> str:
    """The name, or DataError if it is empty, too long or has control characters."""
    if not name.strip():
        raise DataError(f"the {kind} has an empty name")
    if len(name.encode(errors="replace")) > LONGEST_NAME:
        raise DataError(f"the name of the {kind} is longer than {LONGEST_NAME:,} bytes")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000 for c in name):
        raise DataError(f"the name of the {kind} has a control character: {name!r}")
    return name


def check_text(kind: str, text: str) -> str:
    """The text of several lines, or DataError if it has a character that a database can't store."""
    if "\0" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        raise DataError(f"the {kind} has a character that can't be stored")
    return text


def check_account_name(name: str) -> None:
    """Check the name of an account or token; DataError if it is empty, long or not printable."""
    is_seen = name.isprintable() and name == name.strip()
    if not name or len(name) > LONGEST_ACCOUNT_NAME or not is_seen:
        raise DataError(
            f"{name!r} can't be a name: 1 to {LONGEST_ACCOUNT_NAME} printable characters, "
            "no space at its ends"
        )


ALIKE = str.maketrans(
    "аАВсСԁеЕһНіІјЈкКӏмМоОрРԛѕЅтТԝхХуУαΑΒΕΗιΙκΚΜνΝοΟρΡΤυΥΧΖıɑɡ",
    "aABcCdeEhHiIjJkKlmMoOpPqsStTwxXyYaABEHiIkKMvNoOpPTuYXZiag",
)
"""Cyrillic, Greek and other letters with the Latin ones that they look like, after UTS 39."""


def looks(name: str) -> str:
    """A form of a name that is the same for names that look alike, like "ann" with a Cyrillic a."""
    return unicodedata.normalize("NFKC", name).translate(ALIKE)


def has_at_sign(name: str) -> bool:
    """Whether a name has an `@`, or a character that looks like one.

    Events name a user of the server's machine as `user@host`, so accounts can't have such names.
    """
    return "@" in unicodedata.normalize("NFKC", name)


def check_new_account_name(name: str) -> None:
    """Check a new name of an account or token; it must not look like a user of a machine."""
    check_account_name(name)
    if has_at_sign(name):
        raise DataError(
            f"{name!r} can't be a name: it has an @, by which events know users of the machine"
        )


def qrels_name(path: str) -> str:
    """The name of a qrels from its file: the result of `run_name` without `.qrels`."""
    name = run_name(path)
    return check_name("qrels", name.removesuffix(".qrels") or name)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if it is taken: `qrels (2)`."""
    version = 2
    free = name
    while free in taken:
        free = f"{name} ({version})"
        version += 1
    return free


# Conditions on the attributes of queries, or the facts of runs: `lang=de`, `length>=4`

OPERATORS = ("!=", "<=", ">=", "=", "<", ">")
"""Operators with two characters come first, so that the longest possible one is used."""

LENGTH = "length"
"""The number of words; every query with a text has this attribute unless it sets its own."""

MOST_NAMED = 10


@dataclass(frozen=True)
class Condition:
    """A condition on a query's attribute or a run's fact; `<` and `>` compare numbers or dates."""

    name: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}{self.operator}{self.value}"

    def holds(self, value: str | None) -> bool:
        """Whether the condition holds for this value of the attribute, or for no value (None).

        Without a value, only `!=` holds; `<`, `<=`, `>` and `>=` hold only for numbers.
        """
        if self.operator in ("=", "!="):
            return (value == self.value) == (self.operator == "=")
        number, bound = as_number(value or ""), as_number(self.value)
        if number is None or bound is None:
            return False
        return {
            "<": number < bound,
            "<=": number <= bound,
            ">": number > bound,
            ">=": number >= bound,
        }[self.operator]

    def holds_at(self, time: datetime) -> bool:
        """Whether the condition holds for a time; DataError if its value is no date.

        A date without a time is the whole day: `=2026-06-01` holds at every time of that day, and
        `>2026-06-01` from the next day on.
        """
        start, end = date_span(self.name, self.value)
        return {
            "=": start <= time < end,
            "!=": not start <= time < end,
            "<": time < start,
            "<=": time < end,
            ">": time >= end,
            ">=": time >= start,
        }[self.operator]


DATES = (
    "2026-06-01, 2026-06, 2026, 2026-06-01T14:30 (UTC), today, yesterday, or an age: 12h, 7d, 2w"
)
"""The forms of a date, in words."""

AGES = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
DAY = timedelta(days=1)
INSTANT = timedelta(microseconds=1)


def date_span(name: str, text: str) -> tuple[datetime, datetime]:
    """The span of `span_of_date`; DataError, which calls the date by this name, if it is none."""
    span = span_of_date(text)
    if span is None:
        raise DataError(f"{name} is a date, not {quoted(text)}: write {DATES}")
    return span


def span_of_date(text: str, now: datetime | None = None) -> tuple[datetime, datetime] | None:
    """The times from a date's start to its end, without the end; None if it is in no known form.

    The forms are those of `DATES`. A month or a day is its whole span in UTC; a time has the length
    of its last part (a minute, a second), and an age is the time so long before `now`.
    """
    now = now or datetime.now(UTC)
    age = re.fullmatch(r"(\d{1,6})([hdw])", text)
    if age is not None:
        then = now - int(age[1]) * AGES[age[2]]
        return then, then + INSTANT
    if text in ("today", "yesterday"):
        text = f"{now - DAY if text == 'yesterday' else now:%Y-%m-%d}"
    try:
        return _calendar_span(text)
    except (ValueError, OverflowError):
        return None


def _calendar_span(text: str) -> tuple[datetime, datetime] | None:
    """The span of a year, a month, a day or a time; ValueError for one that does not exist."""
    month = re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text)
    if month is not None:
        start = datetime(int(month[1]), int(month[2] or 1), 1, tzinfo=UTC)
        return start, (start + (31 if month[2] else 366) * DAY).replace(day=1)
    if not re.match(r"\d{4}-\d{2}-\d{2}", text):
        return None
    time = datetime.fromisoformat(text)
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    has_seconds = re.match(r"[^:]+:\d{2}:", text) is not None
    length = timedelta(seconds=1) if has_seconds else timedelta(minutes=1)
    return time, time + (DAY if len(text) == len("2026-06-01") else length)


def parse_condition(text: str) -> Condition:
    """Read `NAME OPERATOR VALUE`, with or without blanks; DataError has the position, from 1."""
    sign = re.search("|".join(OPERATORS), text)
    if sign is None:
        operators = "=, !=, <, <=, > or >="
        raise _misread(text, len(text), f"expected one of {operators}")
    name, value = text[: sign.start()].strip(), text[sign.end() :].strip()
    if not name:
        raise _misread(text, 0, "expected a name")
    at = len(text) - len(text[sign.end() :].lstrip())
    if not value:
        raise _misread(text, len(text), "expected a value")
    if value[0] in "=<>!":
        raise _misread(text, at, f"expected a value, not {value[0]!r}")
    if sign[0] not in ("=", "!=") and as_number(value) is None and span_of_date(value) is None:
        raise _misread(text, at, f"expected a number or a date after {sign[0]}")
    return Condition(name, sign[0], value)


def _misread(text: str, at: int, what: str) -> DataError:
    return DataError(f"condition {quoted(text)}, character {at + 1}: {what}")


def parse_conditions(texts: str | Iterable[str]) -> tuple[Condition, ...]:
    """The conditions of one or several texts; a DataError for a text that isn't a condition."""
    each = [texts] if isinstance(texts, str) else texts
    return tuple(parse_condition(text) for text in each)


def as_number(text: str) -> float | None:
    """A finite decimal number, or None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def attribute_values(name: str, qids: Collection[str], queries: Queries) -> dict[str, str]:
    """The values of an attribute by query id; queries without a value are left out."""
    values = {
        qid: queries.attributes[qid][name]
        for qid in qids
        if name in queries.attributes.get(qid, {})
    }
    if not values and name == LENGTH:
        values = {q: str(len(queries.texts[q].split())) for q in qids if q in queries.texts}
    if values:
        return values
    known = attribute_names(qids, queries)
    if not known:
        raise DataError(
            f"no query has the attribute {quoted(name)}: no attributes or texts of the queries are "
            "known",
            problem="no attributes",
        )
    raise DataError(
        f"no query has the attribute {quoted(name)}{did_you_mean(name, known)}; "
        f"known: {listed(known)}"
    )


def attribute_names(qids: Collection[str], queries: Queries) -> list[str]:
    """The attributes that any of the queries has, in natural order."""
    names = {name for qid in qids for name in queries.attributes.get(qid, {})}
    if any(qid in queries.texts for qid in qids):
        names.add(LENGTH)
    return sorted(names, key=natural)


def select_queries(
    conditions: Sequence[Condition], qids: Sequence[str], queries: Queries
) -> list[str]:
    """The queries for which all conditions hold, in their order.

    DataError: no query has the attribute, or the value that it should be equal or unequal to.
    """
    selected = list(qids)
    for condition in conditions:
        values = attribute_values(condition.name, qids, queries)
        if condition.operator in ("=", "!=") and condition.value not in values.values():
            raise _unknown_value(condition, values)
        selected = [qid for qid in selected if condition.holds(values.get(qid))]
    return selected


def _unknown_value(condition: Condition, values: Mapping[str, str]) -> DataError:
    known = sorted(set(values.values()), key=natural)
    return DataError(
        f"no query has {quoted(f'{condition.name}={condition.value}')}"
        f"{did_you_mean(condition.value, known)}; "
        f"the values of {quoted(condition.name)} are {listed(known)}"
    )


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """A list of names for a message: the first ones, and the number of the others."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"

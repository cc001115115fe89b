"""The line of a statement that SQLite refuses: Python's sqlite3 tells the message only."""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_left
from contextlib import closing

TEXTS_AND_COMMENTS = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
SYNTAX_ERROR = re.compile(r'near "(.*)": syntax error', re.DOTALL)
UNKNOWN_TOKEN = re.compile(r'unrecognized token: "(.*)"', re.DOTALL)
NAMED = re.compile(r"(?:no such (?:column|table|function)|ambiguous column name): (.*)", re.DOTALL)


def error_line(sql: str, message: str) -> int | None:
    """The line, from 1, that the message is about; None where that is not known.

    None too for a statement of one line: there is nothing to look for.
    """
    if "\n" not in sql:
        return None
    if message == "incomplete input":
        return sql.rstrip().count("\n") + 1
    if match := SYNTAX_ERROR.fullmatch(message):
        return _syntax_error_line(sql, match[1])
    if match := UNKNOWN_TOKEN.fullmatch(message):
        return sql.count("\n", 0, max(sql.find(match[1]), 0)) + 1
    if match := NAMED.fullmatch(message):
        return _only_line_of(sql, match[1].split(".")[-1])
    return None


def _syntax_error_line(sql: str, word: str) -> int | None:
    """The line of the word at which SQLite stops reading.

    A statement that is cut off behind an earlier occurrence of the word does not have this error.
    """
    ends = [match.end() for match in re.finditer(re.escape(word), sql)]
    with closing(sqlite3.connect(":memory:")) as connection:

        def is_refused(end: int) -> bool:
            try:
                # EXPLAIN: nothing is run. The database is empty and in memory.
                connection.execute(f"EXPLAIN {sql[:end]}")
            except (sqlite3.Error, sqlite3.Warning) as error:
                return SYNTAX_ERROR.fullmatch(str(error)) is not None
            return False

        number = bisect_left(ends, True, key=is_refused)
    return sql.count("\n", 0, ends[number]) + 1 if number < len(ends) else None


def _only_line_of(sql: str, name: str) -> int | None:
    """The line of a name that stands in one line alone; not within texts and comments."""
    blank = TEXTS_AND_COMMENTS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), sql)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    lines = {blank.count("\n", 0, match.start()) + 1 for match in word.finditer(blank)}
    return lines.pop() if len(lines) == 1 else None

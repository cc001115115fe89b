"""A call of every command, in a folder with a store of one run; a test holds that all are here."""

from __future__ import annotations

CALLS: list[tuple[str, ...]] = [
    ("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run"),
    ("measure", "-m", "P@7"),
    ("runs",),
    ("sql", "SELECT run, value FROM leaderboard"),
    ("export", "run", "bm25"),
    ("rm", "bm25"),
    ("restore",),
    ("purge",),
    ("rename", "bm25", "other"),
    ("edit", "bm25", "--engine", "other"),
    ("tag", "bm25", "good"),
    ("events",),
    ("dashboard", "--port", "0"),
    ("demo", "--no-serve"),
    ("db", "upgrade"),
    ("db", "current"),
    ("db", "check"),
]
"""With a store, which takes --db."""

OTHERS: list[tuple[str, ...]] = [
    ("evaluate", "test.qrels", "bm25.run"),
    ("measures",),
    ("explain", "test.qrels", "bm25.run", "q1"),
    ("copy", "--from", "evalstore.db", "--to", "copy.db"),
    ("help",),
]

UNTESTED = {("db", "readonly-role")}
"""Needs PostgreSQL: tests/sql/test_readonly_role.py."""

MAKES_A_STORE = {"ingest", "demo", "db"}

"""Search of a store: runs and queries of all collections whose names or texts match a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.catalog.names import natural
from evalstore.leaderboard.positions import (
    Word,
    has_words,
    kept_collection_runs,
    run_counts,
    searched_texts,
    words_of,
)
from evalstore.store import Store
from evalstore.store.queries.leaderboard import LeaderboardRun
from evalstore.store.queries.queries import search_queries

MOST = 8
"""The most results of a kind."""

EXACT, BEGINNING, WORD, INSIDE, ELSEWHERE = range(5)
"""The ways in which a text matches names, the best first: it is one of them, one begins with it,
a word begins with it, one contains it; or its words are in several names or facts."""


class FoundRun(NamedTuple):
    """A run that matches; `about` has its engine, and the facts that contain words of the text."""

    match: int
    collection: str
    name: str
    about: tuple[str, ...]


class FoundQuery(NamedTuple):
    """A query that matches by its id or text; `text` is None if unknown."""

    match: int
    collection: str
    qid: str
    text: str | None


def match_of(text: str, *names: str) -> int | None:
    """The quality of a text's match with names; None if a word of it is in none of them."""
    wanted, texts = text.casefold().strip(), [name.casefold() for name in names]
    if any(name == wanted for name in texts):
        return EXACT
    if any(name.startswith(wanted) for name in texts):
        return BEGINNING
    holding = [name for name in texts if wanted in name]
    if any(re.search(rf"\b{re.escape(wanted)}|_{re.escape(wanted)}", name) for name in holding):
        return WORD
    if holding:
        return INSIDE
    has_all = all(any(word in name for name in texts) for word in wanted.split())
    return ELSEWHERE if has_all else None


def find_runs(store: Store, text: str, first: str | None = None) -> list[FoundRun]:
    """The runs that a text matches, the best first; of equal ones, those of collection `first`.

    The text is searched in the same names, tags, parameters and dates as on a leaderboard.
    """
    words = words_of(text)
    found = []
    for collection in run_counts(store) if words else ():
        runs = kept_collection_runs(store, kept_collection(store, collection).id)
        for run in runs.values():
            if has_words(run, words):
                match = match_of(text, run.name)
                found.append((ELSEWHERE if match is None else match, collection, run))
    found.sort(key=lambda one: (one[0], one[1] != first, natural(one[1]), natural(one[2].name)))
    return [
        FoundRun(match, collection, run.name, (run.engine, *_facts_with(run, words)))
        for match, collection, run in found[:MOST]
    ]


def _facts_with(run: LeaderboardRun, words: Sequence[Word]) -> Iterator[str]:
    """The facts of a run, other than its name and engine, that contain a word."""
    for text in searched_texts(run):
        if text not in (run.name, run.engine) and any(w.text in text.casefold() for w in words):
            yield text


def find_queries(store: Store, text: str, first: str | None = None) -> list[FoundQuery]:
    """The queries that a text matches, the best first; of equal ones, those of collection `first`.

    Each word must be in the id or in the text.
    """
    if not text.strip():
        return []
    with store.read() as connection:
        rows = search_queries(connection, text, first, MOST)
    found = [
        FoundQuery(ELSEWHERE if match is None else match, *row)
        for row in rows
        for match in [match_of(text, row.qid, row.text or "")]
    ]
    return sorted(found, key=lambda one: (one.match, one.collection != first))

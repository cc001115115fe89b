"""Versions of the demo's engines: what each changed, in the order of time.

The rankings are real, and so are the parameters that make them. Dates, commits and who derived
what from what are made up, so that there is a history to show; every run says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from evalstore.demo.engines import BY_TAG, Engine, Scores, bm25, bm25_name, query_likelihood

MADE_UP = "made-up-facts"
"""The tag of every run of the demo."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an engine, which gives one run."""

    name: str
    """Of the run; the newest version of an engine is named as the engine."""
    engine: Engine
    started_at: datetime
    """Made up, as the commit and the parent are."""
    commit: str
    change: str
    """What is different in it, in a sentence."""
    parent: str | None = None

    @property
    def is_newest(self) -> bool:
        """Whether it is the newest version of its engine."""
        return self.name == self.engine.tag

    @property
    def note(self) -> str:
        """What the run says of itself, in Markdown."""
        return (
            f"{self.change}\n\n*A run of the demo: date, commit and parent are made up. The "
            "ranking is that of these parameters; response times and the size of the index were "
            "measured when the demo was built.*"
        )


def _older(tag: str, changed: Mapping[str, float], score: partial[Scores]) -> Engine:
    """An engine as it was, with the parameters that were different."""
    engine = BY_TAG[tag]
    return replace(engine, score=score, parameters={**engine.parameters, **changed})


def _day(month: int, day: int) -> datetime:
    return datetime(2026, month, day, 9, 30, tzinfo=UTC)


VERSIONS: tuple[Version, ...] = (
    Version("tfidf", BY_TAG["tfidf"], _day(5, 4), "1d0c5a7", "The first engine."),
    Version("boolean", BY_TAG["boolean"], _day(5, 5), "2b9e340", "Counts matching words."),
    Version(
        "bm25-2026-05",
        _older("bm25", {"b": 0}, partial(bm25, b=0)),
        _day(5, 18),
        "5e7741c",
        "BM25 without normalisation for the length of documents.",
    ),
    Version(
        "bm25",
        BY_TAG["bm25"],
        _day(6, 1),
        "83fa2d6",
        "Normalises for length: b is 0.75 instead of 0.",
        "bm25-2026-05",
    ),
    Version("name", BY_TAG["name"], _day(6, 9), "9c41b02", "Searches names alone."),
    Version(
        "ql-stem-2026-06",
        _older("ql-stem", {"mu": 2500}, partial(query_likelihood, mu=2500)),
        _day(6, 22),
        "a60d9e8",
        "Query likelihood over stems, with a mu that suits long articles.",
    ),
    Version(
        "ql-stem-2026-07",
        _older("ql-stem", {"mu": 500}, partial(query_likelihood, mu=500)),
        _day(7, 20),
        "b7138f4",
        "Less smoothing, for docstrings are short: mu is 500 instead of 2500.",
        "ql-stem-2026-06",
    ),
    Version(
        "bm25-name-2026-08",
        _older("bm25-name", {"name_weight": 1}, partial(bm25_name, name_weight=1)),
        _day(8, 10),
        "c25e0b9",
        "BM25 with the words of the name as a second field, of the same weight as the text.",
        "bm25",
    ),
    Version(
        "bm25-name",
        BY_TAG["bm25-name"],
        _day(8, 24),
        "d4f8813",
        "A word of the name counts three times.",
        "bm25-name-2026-08",
    ),
    Version(
        "ql-stem-2026-09",
        _older("ql-stem", {}, partial(query_likelihood, stem_question=False)),
        _day(9, 14),
        "e19ca75",
        "mu is 100 instead of 500. By mistake the question is not stemmed any more, but the "
        "documents are: many words of a question match nothing.",
        "ql-stem-2026-07",
    ),
    Version(
        "ql-stem",
        BY_TAG["ql-stem"],
        _day(10, 5),
        "f3025bd",
        "The question is stemmed again.",
        "ql-stem-2026-09",
    ),
)
"""Every version after its parent."""

"""Addresses: what a page shows, read from and written to its query string.

A page is rendered from its address alone, so a link shows the same view to everyone. What equals
the default is left out, which keeps links short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict
from urllib.parse import parse_qs, quote_plus

RUNS = "/"
COMPARE = "/compare"
RUNS_CSV = "/export/runs.csv"
QUERIES_CSV = "/export/queries.csv"

ORDERS = ("query", "difference")
# 15 digits are more than any database's ids have, and exact as numbers in JavaScript.
_RUN = re.compile(r"([0-9]{1,15})(?:~([0-9a-f]{4,64}))?")
_HASH_DIGITS = 8  # of a content hash, in a link


class WayOut(TypedDict, total=False):
    """The link that a problem offers, as arguments of PageProblem."""

    link: str
    link_text: str


class PageProblem(Exception):
    """A page that can't be shown: what is wrong, and what to do next with a link.

    Attributes:
        title, sentence, advice: what is wrong and what to do.
        link, link_text: where to go next; an empty link loads the same address again.
        status: the HTTP status of a download that fails in this way.
    """

    def __init__(
        self,
        title: str,
        sentence: str,
        *,
        advice: str = "",
        link: str = RUNS,
        link_text: str = "Choose runs",
        status: int = 404,
    ) -> None:
        super().__init__(title, sentence)
        self.title = title
        self.sentence = sentence
        self.advice = advice
        self.link = link
        self.link_text = link_text
        self.status = status


@dataclass(frozen=True)
class RunLink:
    """A run as an address names it: its id, and the start of its content hash.

    An id alone could mean another run after a store was built anew; links of older versions have
    nothing else.
    """

    id: int
    content: str = ""

    @classmethod
    def of(cls, run_id: int, content_hash: str) -> RunLink:
        """Return the link to a stored run."""
        return cls(run_id, content_hash[:_HASH_DIGITS])

    @classmethod
    def parse(cls, text: str) -> RunLink:
        """Read `3~1a2b3c4d` or `3`; raises PageProblem for anything else."""
        match = _RUN.fullmatch(text.strip().lower())
        if match is None:
            short = text if len(text) <= 40 else f"{text[:40]}…"
            raise PageProblem(
                "This link is not understood",
                f"“{short}” is not the number of a run.",
                advice=f"A link to a comparison looks like {COMPARE}?runs=1,2.",
            )
        return cls(int(match[1]), match[2] or "")

    def __str__(self) -> str:
        return f"{self.id}~{self.content}" if self.content else str(self.id)


def _parameters(search: str | None) -> dict[str, list[str]]:
    try:
        return parse_qs(
            (search or "").removeprefix("?"), keep_blank_values=False, max_num_fields=100
        )
    except ValueError:
        raise PageProblem(
            "This link is not understood", "Its address holds more than a page can show."
        ) from None


def _search(parameters: Iterable[tuple[str, str | None]]) -> str:
    # Commas and the signs of measure names stay readable; what has a meaning in an address is
    # encoded. (urlencode would write 1%2C2.)
    pairs = [f"{key}={quote_plus(text, safe=',@()')}" for key, text in parameters if text]
    return f"?{'&'.join(pairs)}" if pairs else ""


def split_measures(text: str) -> tuple[str, ...]:
    """Split at the commas that are not within parentheses: `AP,nDCG(rel=2,dcg=x)@10`."""
    parts: list[str] = [""]
    depth = 0
    for character in text:
        if character == "," and depth == 0:
            parts.append("")
            continue
        depth += {"(": 1, ")": -1}.get(character, 0)
        parts[-1] += character
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


@dataclass(frozen=True)
class RunsView:
    """What the Runs page shows; None and () stand for the default."""

    collection: str | None = None
    qrels: str | None = None
    measures: tuple[str, ...] = ()

    @classmethod
    def parse(cls, search: str | None) -> RunsView:
        """Read a query string."""
        parameters = _parameters(search)
        return cls(
            parameters.get("collection", [None])[0],
            parameters.get("qrels", [None])[0],
            split_measures(",".join(parameters.get("measures", []))),
        )

    def search(self) -> str:
        """Return the query string, with its `?`; empty where all is default."""
        return _search(
            [
                ("collection", self.collection),
                ("qrels", self.qrels),
                ("measures", ",".join(self.measures)),
            ]
        )


@dataclass(frozen=True)
class CompareView:
    """What the Compare page shows; None stands for the default."""

    runs: tuple[RunLink, ...]
    qrels: str | None = None
    measure: str | None = None
    a: RunLink | None = None
    b: RunLink | None = None
    sort: str | None = None
    query: str | None = None

    @classmethod
    def parse(cls, search: str | None) -> CompareView:
        """Read a query string; raises PageProblem where the runs in it make no sense."""
        parameters = _parameters(search)
        texts = [text.strip() for text in ",".join(parameters.get("runs", [])).split(",")]
        runs = tuple(RunLink.parse(text) for text in texts if text)
        numbers = [run.id for run in runs]
        twice = [number for number in numbers if numbers.count(number) > 1]
        if twice:
            raise PageProblem(
                "A run is named twice",
                f"The link names run {twice[0]} more than once.",
                advice="A comparison is between different runs.",
            )
        if len(runs) < 2:
            raise PageProblem(
                "Choose at least two runs",
                "A comparison needs two or more runs of the same collection"
                + (", and this link names one." if runs else "."),
                advice="Tick them on the Runs page and press Compare.",
            )
        sort = parameters.get("sort", [None])[0]
        return cls(
            runs,
            qrels=parameters.get("qrels", [None])[0],
            measure=parameters.get("measure", [None])[0],
            a=_optional_run(parameters.get("a")),
            b=_optional_run(parameters.get("b")),
            sort=sort if sort in ORDERS else None,
            query=parameters.get("query", [None])[0],
        )

    def search(self) -> str:
        """Return the query string, with its `?`."""
        return _search(
            [
                ("runs", ",".join(map(str, self.runs))),
                ("qrels", self.qrels),
                ("measure", self.measure),
                ("a", None if self.a is None else str(self.a)),
                ("b", None if self.b is None else str(self.b)),
                ("sort", self.sort),
                ("query", self.query),
            ]
        )

    def without(self, default: CompareView) -> CompareView:
        """Return the same view with what equals the default left out."""
        return replace(
            self,
            measure=None if self.measure == default.measure else self.measure,
            a=None if self.a == default.a else self.a,
            b=None if self.b == default.b else self.b,
            sort=None if self.sort == default.sort else self.sort,
        )


def _optional_run(texts: list[str] | None) -> RunLink | None:
    return RunLink.parse(texts[0]) if texts else None

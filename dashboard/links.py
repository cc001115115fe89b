"""Addresses: what a page shows, read from and written to its query string.

The address is the one source of truth, so that a link shows the same view. What is left at its
default stays out of it: a short link stays short.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import parse_qs, quote_plus

RUNS = "/"
COMPARE = "/compare"
RUNS_CSV = "/export/runs.csv"
QUERIES_CSV = "/export/queries.csv"

ORDERS = ("query", "difference")
_MAX_RUN_DIGITS = 15  # beyond any database's ids, and within JavaScript's exact integers


class PageProblem(Exception):
    """A page that can't be shown: what is wrong, and what to do next with a link."""

    def __init__(
        self,
        title: str,
        sentence: str,
        *,
        advice: str = "",
        link: str = RUNS,
        link_text: str = "Choose runs",
    ) -> None:
        super().__init__(title, sentence)
        self.title = title
        self.sentence = sentence
        self.advice = advice
        self.link = link
        self.link_text = link_text


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
        given = _parameters(search)
        return cls(
            given.get("collection", [None])[0],
            given.get("qrels", [None])[0],
            split_measures(",".join(given.get("measures", []))),
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

    runs: tuple[int, ...]
    qrels: str | None = None
    measure: str | None = None
    a: int | None = None
    b: int | None = None
    sort: str | None = None
    query: str | None = None

    @classmethod
    def parse(cls, search: str | None) -> CompareView:
        """Read a query string; raises PageProblem where the runs in it make no sense."""
        given = _parameters(search)
        texts = [text.strip() for text in ",".join(given.get("runs", [])).split(",")]
        runs = tuple(_run_id(text) for text in texts if text)
        twice = [run for run in dict.fromkeys(runs) if runs.count(run) > 1]
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
        sort = given.get("sort", [None])[0]
        return cls(
            runs,
            qrels=given.get("qrels", [None])[0],
            measure=given.get("measure", [None])[0],
            a=_optional_run_id(given.get("a")),
            b=_optional_run_id(given.get("b")),
            sort=sort if sort in ORDERS else None,
            query=given.get("query", [None])[0],
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


def _run_id(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= _MAX_RUN_DIGITS:
        return int(text)
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    raise PageProblem(
        "This link is not understood",
        f"“{shown}” is not the number of a run.",
        advice=f"A link to a comparison looks like {COMPARE}?runs=1,2.",
    )


def _optional_run_id(texts: list[str] | None) -> int | None:
    return _run_id(texts[0].strip()) if texts else None

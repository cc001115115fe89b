"""Parts that reports of one run and of several have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
from dashboard.report.page import Html, escaped, figure, joined, name
from evalstore.comparison.comparability import F64, RunValues

MOST_VALUES = 100_000
"""The table of queries holds at most so many values: they take 1.1 MB at most."""
MOST_TEXT = 700_000
"""And at most so many bytes of the queries' texts and ids."""
LONG_TEXT = 40
"""Characters of a cell that is wrapped."""


@dataclass(frozen=True)
class Origin:
    """How a report came about.

    Attributes:
        command: the command line, without what may hold a password.
        made_at: when.
        versions: of the programs that computed it, by name.
    """

    command: str
    made_at: datetime
    versions: Mapping[str, str]


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    key: str = "",
    caption: str = "",
) -> Html:
    """A table whose first `left` columns are text and the others numbers."""

    def cells(tag: str, texts: Sequence[str]) -> str:
        # Only a long text is wrapped: names and numbers are easier to read in one line.
        kinds = [
            "" if column >= left else f' class="text{" wide" * (len(text) > LONG_TEXT)}"'
            for column, text in enumerate(texts)
        ]
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(
            f"<{tag}{kind}{scope}>{escaped(text)}</{tag}>"
            for kind, text in zip(kinds, texts, strict=True)
        )

    lines = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    identity = f' id="{key}"' if key else ""
    above = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return Html(
        f'<div class="scroll" tabindex="0"><table{identity}>{above}'
        f"<thead><tr>{cells('th', headers)}</tr></thead>\n<tbody>{lines}</tbody></table></div>"
    )


def facts(rows: Sequence[tuple[str, str]], key: str) -> Html:
    """A table of names and what they are."""
    lines = "\n".join(
        f'<tr><th scope="row">{escaped(label)}</th><td>{escaped(text)}</td></tr>'
        for label, text in rows
    )
    return Html(f'<table class="facts" id="{key}"><tbody>{lines}</tbody></table>')


def section(title: str, *parts: str) -> Html:
    """A heading and what stands below it."""
    return Html(f"<section><h2>{escaped(title)}</h2>\n{joined(*parts)}</section>")


def where(run: RunValues, queries: int) -> Html:
    """The collection, qrels and number of queries, in one line."""
    collection = [name(run.collection)] if run.collection else []
    words = [
        *collection,
        Html(f"qrels {name(run.qrels)}"),
        wording.count(queries, "query", QUERIES),
    ]
    return Html(f'<p class="meta">{" · ".join(escaped(word) for word in words)}</p>')


QUERIES = "queries"


def curve_tables(curves: pd.DataFrame, labels: Mapping[int, str], x: str, y: str) -> Html:
    """The points of curves as a table: a row for each x, a column for each run."""
    wide = curves.pivot(index=x, columns="run_id", values=y)
    points = [f"{float(p):.1f}" if x == "recall" else f"{int(p):,}" for p in wide.index.tolist()]
    rows = [
        (point, *(wording.value(float(value)) for value in values))
        for point, values in zip(points, wide.to_numpy(), strict=True)
    ]
    header = "Recall" if x == "recall" else "Rank"
    return Html(
        "<details><summary>The figures as a table</summary>"
        + table((header, *(name(label, 24) for label in labels.values())), rows)
        + "</details>"
    )


def how_computed(run: RunValues | None, origin: Origin, more: Sequence[tuple[str, str]]) -> Html:
    """What somebody needs to compute the same again; `run` is None where nothing was computed."""
    judgments: list[tuple[str, str]] = []
    if run is not None:
        words = Html(f"{name(run.qrels)}, content hash {escaped(run.qrels_hash)}")
        judgments = [("Judgments", words), ("Rules", f"compat {run.compat}")]
    rows = [
        *judgments,
        *more,
        ("Versions", ", ".join(f"{key} {version}" for key, version in origin.versions.items())),
        ("Date", f"{origin.made_at:%Y-%m-%d %H:%M} UTC"),
        ("Command", Html(f"<code>{escaped(origin.command)}</code>")),
    ]
    return section("How it was computed", facts(rows, "how"))


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The values of every query, for the table that the page's script makes.

    Attributes:
        runs: their labels.
        pairs: (run, baseline), by their positions among the runs.
        measures: what is shown of each measure.
        qids: in the order of the table.
        texts: of the queries, as far as they are known.
        values: by measure and run, in the order of the ids; NaN where there is none.
    """

    runs: Sequence[str]
    pairs: Sequence[tuple[int, int]]
    measures: Sequence[MeasureInfo]
    qids: Sequence[str]
    texts: Mapping[str, str]
    values: Mapping[str, Sequence[F64]]

    def fitting(self) -> tuple[QueryTable, tuple[str, ...]]:
        """The table with as much as a page can hold, and sentences on what it leaves out."""
        size = len(self.qids) * len(self.runs)
        most = MOST_VALUES // max(size, 1)
        notes: list[str] = []
        measures = self.measures[:most]
        if 0 < most < len(self.measures):
            rest = ", ".join(measure.name for measure in self.measures[most:])
            notes.append(f"The table leaves out {rest}: the page would become too large.")
        texts = self.texts
        ids = sum(len(qid.encode()) for qid in self.qids)
        if ids + sum(len(text.encode()) for text in texts.values()) > MOST_TEXT:
            texts = {}
            notes.append("The table leaves out the texts of the queries: there are too many.")
        if not measures or ids > MOST_TEXT:
            return QueryTable(self.runs, (), (), (), {}, {}), (
                f"A table of {wording.count(len(self.qids), 'query', QUERIES)} and "
                f"{wording.count(len(self.runs), 'run')} would be too large for this page.",
            )
        return QueryTable(self.runs, self.pairs, measures, self.qids, texts, self.values), tuple(
            notes
        )

    def document(self) -> dict[str, object]:
        """What the script reads; values are rounded to 1e-9, as comparisons round them."""
        texts = [self.texts.get(qid) for qid in self.qids]
        return {
            "runs": [wording.name(run, 28) for run in self.runs],
            "pairs": self.pairs,
            "measures": [{"name": m.name, "counts": m.counts} for m in self.measures],
            "qids": [wording.name(qid) for qid in self.qids],
            "texts": [text and wording.name(text, 200) for text in texts] if any(texts) else None,
            "values": {
                measure.name: [
                    [None if math.isnan(value) else round(value, 9) for value in run.tolist()]
                    for run in self.values[measure.name]
                ]
                for measure in self.measures
            },
        }


def query_section(
    queries: QueryTable, captions: Sequence[str], notes: Sequence[str], title: str
) -> Html:
    """The differences of a pair by query, as a figure and as a table, with their controls."""

    def choice(key: str, label: str, options: Sequence[str]) -> Html:
        listed = "".join(
            f'<option value="{number}">{escaped(option)}</option>'
            for number, option in enumerate(options)
        )
        hidden = " hidden" if len(options) == 1 else ""
        return Html(f'<label{hidden}>{label} <select id="{key}">{listed}</select></label>')

    measures = [measure.name for measure in queries.measures]
    pairs = [
        f"{wording.name(queries.runs[run], 28)} − {wording.name(queries.runs[baseline], 28)}"
        for run, baseline in queries.pairs
    ]
    place = figure("pair-0", captions[0], captions[0]) if captions else ""
    drawn = Html(place.replace('<div class="plot"', '<div id="differences" class="plot"'))
    return section(
        title,
        Html(f'<div class="controls">{choice("pair", "Runs", pairs)}</div>'),
        drawn,
        Html(
            f'<div class="controls">{choice("measure", "Measure", measures)}'
            '<label>Find <input id="find" type="search" placeholder="id or text"></label>'
            '<span class="hint" id="count" aria-live="polite"></span></div>'
            '<div class="scroll" tabindex="0"><table id="per-query"><thead></thead>'
            '<tbody></tbody></table></div><button type="button" class="more" id="more" hidden>'
            "</button><noscript>The table needs JavaScript.</noscript>"
        ),
        *notes_list(notes),
    )


def notes_list(notes: Sequence[str]) -> list[Html]:
    """Notes as a list; nothing where there are none."""
    if not notes:
        return []
    return [Html(f'<ul class="notes">{"".join(f"<li>{escaped(n)}</li>" for n in notes)}</ul>')]

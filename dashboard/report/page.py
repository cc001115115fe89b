"""A page in one file: styles, script, figures and plotly are part of it, and nothing is fetched.

plotly.js is the bundle that the dashboard uses, compressed: 0.5 MB instead of 1.2. The page
decompresses it, which browsers can do since 2023. The policy of the page allows no network, and
only the two scripts whose hashes it names.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any

import pandas as pd
from plotly.utils import PlotlyJSONEncoder

from dashboard import plotlyjs
from dashboard.components import wording
from dashboard.components.measure_info import MeasureInfo
from dashboard.figures import figure as plain
from dashboard.figures.figures import MOST_IN_LEGEND
from dashboard.theme import FONT, MONOSPACE, SERIES, TOKENS, Scheme, template
from evalstore.comparison.comparability import F64, RunValues

LARGEST = 6_000_000
"""Bytes that a page may have: what it holds is limited so that it stays below."""

HEIGHT, LEGEND_LINE = 380, 20
"""Pixels of a figure, and of a line of its legend: one name on a phone, two or more elsewhere."""


class Html(str):
    """Text that is HTML already; any other text is escaped before it gets into a page."""

    __slots__ = ()


def escaped(text: str) -> Html:
    """The text as HTML, on one line and without control characters."""
    return text if isinstance(text, Html) else Html(html.escape(wording.clean(text)))


def name(text: str, limit: int = 60) -> Html:
    """A name as HTML: apart from the direction of the text around it, whole where one hovers."""
    short = wording.name(text, limit)
    title = "" if short == wording.clean(text) else f' title="{escaped(text[:200])}"'
    return Html(f"<bdi{title}>{html.escape(short)}</bdi>")


def joined(*parts: str) -> Html:
    """Parts of a page one after the other; what is not HTML yet is escaped."""
    return Html("\n".join(escaped(part) for part in parts if part))


def figure(key: str, description: str, caption: str = "") -> Html:
    """The place where the page's script draws the figure of this key.

    Args:
        key: a word of ours, unique in the page.
        description: what the figure shows, for those who do not see it.
        caption: what is written below.
    """
    return Html(
        f'<figure><div class="plot" data-figure="{key}" role="img" '
        f'aria-label="{escaped(description)}"></div>'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def page(
    title: str,
    body: Html,
    figures: Mapping[str, plain.Figure] | None = None,
    data: Mapping[str, object] | None = None,
) -> str:
    """The whole page.

    Args:
        title: of the window.
        body: what it holds.
        figures: in light colours, by the keys that `figure` takes.
        data: further documents for the script, by key.
    """
    style = f"{_variables()}\n{_text('page.css')}"
    script = _text("page.js")
    plotly = plotlyjs.source() if figures else ""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)} {_hash(plotly)}" if figures else "script-src 'none'",
            "style-src 'unsafe-inline'",  # plotly writes style elements as it runs
            "img-src data: blob:",  # figures that are saved as an image
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    documents: dict[str, object] = {}
    if figures:
        schemes: Sequence[Scheme] = ("light", "dark")
        documents["templates"] = {s: template(s) for s in schemes}
        documents["colours"] = _dark_colours()
        documents |= {f"figure-{key}": _document(drawn) for key, drawn in figures.items()}
    scripts = [
        f'<script type="application/json" id="{key}">{script_json(document)}</script>'
        for key, document in (documents | dict(data or {})).items()
    ]
    if figures:
        packed = base64.b64encode(plotlyjs.packed()).decode()
        scripts.append(f'<script type="text/plain" id="plotly">{packed}</script>')
        scripts.append(f"<script>{script}</script>")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escaped(wording.name(title, 120))}</title>",
            f"<style>{style}</style></head>",
            f"<body><main>{body}</main>",
            *scripts,
            "</body></html>\n",
        ]
    )


def script_json(document: object) -> str:
    """The document as JSON that can stand inside a script element, whatever its texts hold."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Half a pair of surrogates can't be written as UTF-8.
    return text.encode("utf-8", "replace").decode()


def _document(drawn: plain.Figure) -> dict[str, Any]:
    """A figure as JSON, without the template, which all figures of a page share.

    It is the higher the more names its legend has, which else takes the place of the curves.
    """
    text = json.dumps(drawn.to_plotly_json(), cls=PlotlyJSONEncoder)
    document: dict[str, Any] = json.loads(text)
    layout = document["layout"]
    del layout["template"]
    names = sum("name" in trace and trace.get("showlegend", True) for trace in document["data"])
    if layout.get("showlegend") and names > MOST_IN_LEGEND:
        layout["height"] = HEIGHT + math.ceil(names / 2) * LEGEND_LINE
        layout["legend"] = {"maxheight": (names + 1) * LEGEND_LINE}
    return document


def _dark_colours() -> dict[str, str]:
    """The dark colour for each light one; of two uses of a light colour the first decides."""
    tokens = {TOKENS["light"][key]: TOKENS["dark"][key] for key in reversed(TOKENS["light"])}
    return tokens | dict(zip(SERIES["light"], SERIES["dark"], strict=True))


def _variables() -> str:
    """The colours as variables of the style sheet: dark ones on screens only, never on paper."""

    def block(scheme: Scheme) -> str:
        lines = [f"--{key}:{colour}" for key, colour in TOKENS[scheme].items()]
        lines += [f"--series-{i}:{colour}" for i, colour in enumerate(SERIES[scheme])]
        return ";".join(lines)

    return (
        f":root{{{block('light')};--font:{FONT};--mono:{MONOSPACE}}}\n"
        f"@media screen and (prefers-color-scheme: dark){{:root{{{block('dark')}}}}}"
    )


def _text(file: str) -> str:
    return files("dashboard.report").joinpath(file).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


# Parts that reports of one run and of several have in common

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

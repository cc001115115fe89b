"""A page in a single file: it contains styles, script, figures and plotly, and loads nothing.

plotly.js is the dashboard's bundle, compressed: 0.5 MB instead of 1.2. The page decompresses it,
which browsers can do since 2023. The page's policy allows no network, and only the two scripts
whose hashes it lists.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.utils import PlotlyJSONEncoder

from dashboard import theme, vendored
from dashboard.components import wording
from dashboard.components.wording import MeasureInfo
from dashboard.figures.figure import Figure
from dashboard.figures.interactive import MOST_IN_LEGEND
from dashboard.theme import SERIES, TOKENS, Scheme, template
from evalstore import __version__
from evalstore.comparison.comparability import F64

LARGEST = 6_000_000
"""The largest page in bytes: its contents are limited to remain below it."""

HEIGHT, LEGEND_LINE = 380, 20
"""Pixels of a figure, and of a line of its legend: one name on a phone, two or more elsewhere."""

LONG_TEXT = 40
"""The number of characters from which a cell is wrapped."""


@cache
def environment() -> Environment:
    """The templates, which escape the texts they show, on one line without control characters."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    made.globals |= {"LONG_TEXT": LONG_TEXT, "name": name, "theme": theme, "wording": wording}
    return made


def _finalized(value: object) -> object:
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return wording.clean(str(value)) if is_text else value


def name(text: str, limit: int = 60) -> Markup:
    """A name as HTML with its own text direction; a shortened one shows in full on hover."""
    short, whole = wording.name(text, limit), wording.clean(text)
    title = "" if short == whole else Markup(' title="{}"').format(wording.clean(text[:200]))
    return Markup("<bdi{}>{}</bdi>").format(title, short)


def render(
    kind: str,
    title: str,
    figures: Mapping[str, Figure] | None = None,
    data: Mapping[str, object] | None = None,
    **values: object,
) -> str:
    """Render the whole page of the template `kind`.

    `figures` are in light colours, by the keys that the template names. `data` are further
    documents for the script, and `values` are what the template shows.
    """
    script = _text("page.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(script)} {_hash(vendored.PLOTLY.source())}"
            if figures
            else "script-src 'none'",
            "style-src 'unsafe-inline'",  # plotly adds style elements while it runs
            "img-src data: blob:",  # for figures that are saved as images
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
    return (
        environment()
        .get_template(f"{kind}.html")
        .render(
            title=title,
            policy=policy,
            style=_text("page.css"),
            documents={
                key: script_json(document)
                for key, document in (documents | dict(data or {})).items()
            },
            plotly=base64.b64encode(vendored.PLOTLY.packed()).decode() if figures else "",
            script=script,
            **values,
        )
    )


def script_json(document: object) -> str:
    """The document as JSON that is safe inside a script element, whatever texts it contains."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Half a surrogate pair can't be encoded as UTF-8.
    return text.encode("utf-8", "replace").decode()


def _document(drawn: Figure) -> dict[str, Any]:
    """A figure as JSON, without the template, which all figures of a page share.

    The figure is taller if its legend has many names, which would otherwise take the space of the
    curves.
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
    """The dark colour for each light one; if a light colour has two uses, the first decides."""
    tokens = {TOKENS["light"][key]: TOKENS["dark"][key] for key in reversed(TOKENS["light"])}
    return tokens | dict(zip(SERIES["light"], SERIES["dark"], strict=True))


def _text(file: str) -> str:
    return files("dashboard.report").joinpath(file).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


# Parts shared by the reports on one run and on several runs

MOST_VALUES = 100_000
"""The most values in the table of queries: they take up to 1.1 MB."""
MOST_TEXT = 700_000
"""The most bytes for texts and ids of the queries in the table."""


@dataclass(frozen=True)
class Origin:
    """The origin of a report: the command line without passwords, the time, and versions."""

    command: str
    made_at: datetime
    versions: Mapping[str, str]


def origin_here(command: str) -> Origin:
    """The origin of a report that is made now, with the versions of the running programs."""
    packages = {"evalstore": __version__, "Python": platform.python_version()}
    return Origin(command, datetime.now(UTC), packages | {"NumPy": version("numpy")})


Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The headers and the rows."""


def curve_table(curves: pd.DataFrame, labels: Mapping[int, str], x: str, y: str) -> Table:
    """The points of curves: one row per x, one column per run."""
    wide = curves.pivot(index=x, columns="run_id", values=y)
    points = [f"{float(p):.1f}" if x == "recall" else f"{int(p):,}" for p in wide.index.tolist()]
    rows = [
        (point, *(wording.value(float(value)) for value in values))
        for point, values in zip(points, wide.to_numpy(), strict=True)
    ]
    header = "Recall" if x == "recall" else "Rank"
    return (header, *(name(label, 24) for label in labels.values())), rows


@dataclass(frozen=True, eq=False)
class QueryTable:
    """The values of every query, for the table that the page's script makes.

    `pairs` are (run, baseline), as positions among the runs. `values` are by measure and run, in
    the order of `qids`; NaN if there is none.
    """

    runs: Sequence[str]
    pairs: Sequence[tuple[int, int]]
    measures: Sequence[MeasureInfo]
    qids: Sequence[str]
    texts: Mapping[str, str]
    values: Mapping[str, Sequence[F64]]

    def fitting(self) -> tuple[QueryTable, tuple[str, ...]]:
        """The part of the table that fits on a page, and sentences on what is left out."""
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
                f"A table of {wording.count(len(self.qids), 'query', 'queries')} and "
                f"{wording.count(len(self.runs), 'run')} would be too large for this page.",
            )
        return QueryTable(self.runs, self.pairs, measures, self.qids, texts, self.values), tuple(
            notes
        )

    def document(self) -> dict[str, object]:
        """The table for the script; values are rounded to 1e-9, as in comparisons."""
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

    def pair_names(self) -> list[str]:
        """The names of the pairs, for the control that selects one."""
        names = [wording.name(run, 28) for run in self.runs]
        return [f"{names[run]} − {names[baseline]}" for run, baseline in self.pairs]

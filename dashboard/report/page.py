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
from importlib.resources import files
from typing import Any

from plotly.utils import PlotlyJSONEncoder

from dashboard.components import wording
from dashboard.figures import figure as plain
from dashboard.figures.figures import MOST_IN_LEGEND
from dashboard.serving import plotlyjs
from dashboard.theme import FONT, MONOSPACE, SERIES, TOKENS, Scheme, template

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

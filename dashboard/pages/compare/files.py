"""The files of a comparison: tables, figures and the report, each at an address of its own."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from dashboard.components import files
from dashboard.components.files import FORMS, Form, figure_file
from dashboard.components.problems import PageProblem
from dashboard.figures import frames
from dashboard.page import File, View
from dashboard.pages.compare import curves
from dashboard.pages.compare import queries as table
from dashboard.pages.compare.load import Comparison, load
from evalstore import __version__
from evalstore.comparison.claims import verdict
from evalstore.comparison.compare import comparison_export
from evalstore.tables.renderers import Format as TableFormat
from evalstore.tables.renderers import export_text

SIZE = (6.4, 4.0)
"""Of the figures, in inches."""
MEDIA_TYPES: Mapping[str, str] = MappingProxyType({"csv": "text/csv", "tex": "text/x-tex"})
Draw = Callable[[Comparison, View], Any]


def queries(view: View, *, every: bool, long: bool) -> File:
    """The table of the queries: what the filters show, or all; wide or long."""
    comparison = _comparable(load(view))
    rows = table.rows(comparison) if every else table.shown_rows(comparison)
    text = (table.long_csv if long else table.wide_csv)(comparison, rows)
    return File(_name(comparison, "queries", ".csv"), text)


def pairs(view: View, form: TableFormat, suffix: str) -> File:
    """The figures of all pairs, with all tests."""
    comparison = load(view, all_tests=True)
    text = export_text(comparison_export(comparison.compared), form, guard_formulas=True)
    return File(_name(comparison, "comparison", f".{suffix}"), text, MEDIA_TYPES[suffix])


def figure(view: View, name: str, draw: Draw, form: Form) -> File:
    """A figure drawn by matplotlib, in the colours of the page."""
    comparison = _comparable(load(view))
    return figure_file(draw(comparison, view), _name(comparison, name, ""), form)


def recall_precision(comparison: Comparison, view: View) -> Any:
    """The mean curves of all runs, or those of the query that is marked or the only one."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    if comparison.curves_query:
        points = curves.points(comparison, view)
        return static.query_curves(points, comparison.recall_curves, comparison.labels, SIZE)
    return static.recall_precision(comparison.mean_curves, comparison.labels, SIZE)


def differences(comparison: Comparison, view: View) -> Any:
    """The differences of the chosen pair."""
    from dashboard.figures import static  # noqa: PLC0415  (slow, and needed for files alone)

    return static.differences(
        comparison.pair_values,
        comparison.measure,
        (comparison.run, comparison.baseline),
        SIZE,
        positions=(comparison.slots[comparison.run], comparison.slots[comparison.baseline]),
        order="query" if comparison.order == "query" else "difference",
    )


def report(view: View) -> File:
    """The comparison as a page in one file."""
    from dashboard.report.comparison import comparison_report  # noqa: PLC0415  (slow, rarely used)
    from dashboard.report.page import Origin  # noqa: PLC0415  (slow, rarely used)

    comparison = load(view, frames.FOR_REPORTS, all_tests=True)
    origin = Origin(
        f"the dashboard at {comparison.address.href}",
        datetime.now(UTC),
        {
            "evalstore": __version__,
            "Python": platform.python_version(),
            "NumPy": version("numpy"),
            "SciPy": version("scipy"),
        },
    )
    page = comparison_report(
        comparison.loaded,
        comparison.compared,
        0,
        origin,
        [comparison.slots[name] for name in comparison.names],
    )
    return File(_name(comparison, "report", ".html"), page, "text/html")


def _comparable(comparison: Comparison) -> Comparison:
    if not comparison.compared.pairs:
        reason = verdict(comparison.compared)
        raise PageProblem("These runs can't be compared", f"{reason[0].upper()}{reason[1:]}.")
    return comparison


def _name(comparison: Comparison, what: str, suffix: str) -> str:
    collection = comparison.address.collection or ""
    names = comparison.names[:4]
    return files.file_name(collection, what, comparison.measure.name, *names, suffix=suffix)


FIGURES: Mapping[str, Draw] = MappingProxyType(
    {"recall-precision": recall_precision, "differences": differences}
)

FILES: Mapping[str, Callable[[View], File]] = MappingProxyType(
    {
        "queries.csv": lambda view: queries(view, every=False, long=False),
        "queries-long.csv": lambda view: queries(view, every=False, long=True),
        "all-queries.csv": lambda view: queries(view, every=True, long=False),
        "all-queries-long.csv": lambda view: queries(view, every=True, long=True),
        "comparison.csv": lambda view: pairs(view, "csv", "csv"),
        "comparison.tex": lambda view: pairs(view, "latex", "tex"),
        **{
            f"{name}.{form}": partial(figure, name=name, draw=draw, form=form)
            for name, draw in FIGURES.items()
            for form in FORMS
        },
        "report.html": report,
    }
)
"""By the last part of their addresses; `Page.files` of the page."""

CONTENTS: Mapping[str, str] = MappingProxyType(
    {
        "queries.csv": "queries as the filters show them, a column a run",
        "queries-long.csv": "the same, a row for each query and run",
        "all-queries.csv": "all queries, a column a run",
        "all-queries-long.csv": "all queries, a row for each query and run",
        "comparison.csv": "all pairs, with all tests",
        "comparison.tex": "all pairs, for LaTeX",
        **{f"recall-precision.{form}": "the curves of all runs" for form in FORMS},
        **{f"differences.{form}": "the histogram of the pair" for form in FORMS},
        "report.html": "one page, needs no network",
    }
)
"""What the files hold; `Page.contents` of the page."""

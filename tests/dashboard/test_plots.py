"""Figures of `evalstore export figure`: the same data, drawn by plotly and by matplotlib."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import report_runs
from checked_figures import checked
from matplotlib.colors import to_hex
from sample_stores import NAMES

from dashboard.components.wording import measure_info
from dashboard.figures import drawings, frames, interactive, recall, static
from dashboard.figures.drawings import Drawing
from dashboard.figures.frames import RunPair
from dashboard.theme import DASHES, SERIES, SYMBOLS, VERSION_DASHES, series_colour
from evalstore.comparison.loading import Medians
from evalstore.measures import parse
from evalstore.stats import Interval

pytestmark = pytest.mark.slow  # many commands, figures or resamples

SIZE = (6.4, 4.0)
AP = ("AP", parse("AP"))


def all_drawings(*names: str, queries: int = 12) -> Iterator[tuple[str, Drawing]]:
    """Every kind of figure of runs of these names."""
    runs = report_runs.loaded(*names, queries=queries)
    one, two = (replace(runs, runs=runs.runs[:number]) for number in (1, 2))
    medians = Medians(3, {"AP": np.full(queries, 0.5)})
    yield "recall-precision", drawings.recall_precision(runs)
    yield "precision-at-k", drawings.at_cutoffs(runs, "P")
    yield "differences", drawings.differences(two, AP, 0, "query")
    yield "scatter", drawings.scatter(two, AP, 0)
    yield "intervals", drawings.intervals(report_runs.compared(runs, 0))
    yield "median", drawings.median(one, AP, medians, "difference")


def saved(drawing: Drawing, form: static.Format = "svg") -> bytes:
    stream = io.BytesIO()
    static.save(drawing.static(SIZE), stream, form, 100)
    return stream.getvalue()


def svg_texts(image: bytes) -> str:
    elements = ET.fromstring(image).iter("{http://www.w3.org/2000/svg}text")
    return "\n".join("".join(element.itertext()) for element in elements)


def test_every_marker_and_dash_of_the_dashboard_has_one_of_matplotlib() -> None:
    assert {symbol.removesuffix("-open") for symbol in SYMBOLS} == set(static.MARKERS)
    assert {*DASHES, *VERSION_DASHES} == set(static.LINES)


def test_static_and_interactive_curves_have_the_same_points_colours_and_markers() -> None:
    names = [f"run {number}" for number in range(12)]
    for kind, drawing in all_drawings(*names):
        if kind not in ("recall-precision", "precision-at-k"):
            continue
        lines = drawing.static(SIZE).axes[0].get_lines()
        traces = checked(drawing.interactive)().data
        assert len(lines) == len(traces) == 12
        for number, (line, trace) in enumerate(zip(lines, traces, strict=True)):
            assert list(line.get_xdata()) == list(trace.x)
            assert list(line.get_ydata()) == list(trace.y)
            assert to_hex(str(line.get_color())) == trace.line.color.lower()
            symbol = trace.marker.symbol
            assert line.get_marker() == static.MARKERS[symbol.removesuffix("-open")]
            assert (line.get_markerfacecolor() == "white") == symbol.endswith("-open")
            assert line.get_linestyle() == static.LINES[trace.line.dash]
            assert trace.line.color == SERIES["light"][number]


def test_static_and_interactive_differences_have_the_same_bars() -> None:
    runs = report_runs.loaded("a", "b")
    drawing = drawings.differences(runs, ("Rprec", parse("Rprec")), 1, "difference")
    expected = np.sort(runs.runs[0].values["Rprec"] - runs.runs[1].values["Rprec"])[::-1]
    (bars,) = checked(drawing.interactive)().data
    assert list(bars.y) == pytest.approx(expected)
    heights = [bar.get_height() for bar in drawing.static(SIZE).axes[0].patches]
    assert heights == pytest.approx(expected)
    assert drawing.title == "R-precision: a − b"


@pytest.mark.parametrize("measure", ["AP", "ResponseTime"])
def test_the_half_of_the_better_run_has_its_name_and_colour(measure: str) -> None:
    pairs = frames.pair_values(*report_runs.loaded("a", "b").runs, "AP", {})
    figure = static.differences(RunPair(pairs, measure_info(measure), ("a", "b")), SIZE)
    above, below = figure.axes[0].texts
    lower_is_better = measure == "ResponseTime"
    assert above.get_text() == ("b better" if lower_is_better else "a better")
    assert below.get_text() == ("a better" if lower_is_better else "b better")
    assert above.get_color() == SERIES["light"][1 if lower_is_better else 0]


def test_a_point_of_the_scatter_is_a_query_with_the_baseline_across() -> None:
    runs = report_runs.loaded("a", "b")
    drawing = drawings.scatter(runs, AP, 0)
    points = {
        (float(x), float(y))
        for trace in checked(drawing.interactive)().data[1:]
        for x, y in zip(trace.x, trace.y, strict=True)
    }
    a, b = (run.values["AP"].tolist() for run in runs.runs)
    assert points == set(zip(a, b, strict=True))
    collections = drawing.static(SIZE).axes[0].collections
    assert {tuple(map(float, p)) for c in collections for p in c.get_offsets()} == points


def test_an_interval_is_filled_only_where_the_difference_is_shown() -> None:
    compared = report_runs.compared(report_runs.loaded("a", "b"), 0, ["AP"])
    [pair] = compared.pairs
    pairs = [
        replace(pair, interval=Interval(0.05, 0.15), is_shown=True),
        replace(pair, interval=Interval(-0.05, 0.25), is_shown=False),
        replace(pair, interval=Interval(-np.inf, np.inf), is_shown=False),
    ]
    rows = (pairs, {"b": 1}, compared.settings)
    marks = [t for t in checked(interactive.intervals)(*rows).data if len(t.x) == 1]
    assert [mark.marker.color for mark in marks] == [SERIES["light"][1], "#ffffff", "#ffffff"]
    lines = static.intervals(*rows, SIZE).axes[0].get_lines()
    faces = [line.get_markerfacecolor() for line in lines if len(line.get_xdata()) == 1]
    assert faces == [SERIES["light"][1], "white", "white"]
    assert sum(len(line.get_xdata()) == 2 for line in lines[1:]) == 2  # none for one query


@pytest.mark.slow
def test_an_svg_is_xml_that_holds_the_names_as_text_and_is_the_same_each_time() -> None:
    for kind, drawing in all_drawings("bm25", "ql-stem"):
        image = saved(drawing)
        assert "bm25" in svg_texts(image), kind
        assert image == saved(drawing)
        assert b"<dc:date>" not in image


@pytest.mark.parametrize(("form", "signature"), [("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-")])
def test_a_png_and_a_pdf_are_the_same_each_time(form: static.Format, signature: bytes) -> None:
    (_, drawing), *_ = all_drawings("a", "b")
    image = saved(drawing, form)
    assert image.startswith(signature)
    assert image == saved(drawing, form)


@pytest.mark.slow
def test_names_are_never_read_as_tex_and_stay_on_one_line() -> None:
    hostile = ("$\\frac{1}{0}$", "a\nb\x00\x1b", "_hidden", "%{y}<b>", *NAMES)
    for _, drawing in all_drawings(*hostile):
        texts = svg_texts(saved(drawing))
        assert "$\\frac{1}{0}$" in texts
        assert not {"\x00", "\x1b"} & set(texts)
        saved(drawing, "png")
    curves = svg_texts(saved(next(all_drawings(*hostile))[1]))
    assert "_hidden" in curves
    assert "%{y}<b>" in curves


@pytest.mark.slow
def test_the_legend_of_12_runs_with_long_names_lies_within_the_figure() -> None:
    names = [f"an engine with a long name, variant {number}" for number in range(12)]
    figure = next(all_drawings(*names))[1].static(SIZE)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
    axes = figure.axes[0].get_window_extent()
    assert axes.height > figure.bbox.height / 4
    assert axes.y1 < box.y0


@pytest.mark.slow
def test_drawing_changes_no_setting_of_matplotlib() -> None:
    before = dict(mpl.rcParams)
    for _, drawing in all_drawings("a", "b"):
        saved(drawing)
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_many_queries_are_drawn_as_two_areas() -> None:
    runs = report_runs.loaded("a", "b", queries=6_980)
    drawing = drawings.differences(runs, AP, 0, "query")
    assert len(drawing.static(SIZE).axes[0].patches) == 2
    assert len(checked(drawing.interactive)().data) == 2
    assert len(saved(drawing)) < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("queries", [1, 2])
def test_one_query_is_enough_for_every_figure(queries: int) -> None:
    for _, drawing in all_drawings("a", "b", queries=queries):
        assert saved(drawing)
        assert checked(drawing.interactive)().data


def test_the_curves_of_one_query_are_the_points_and_steps_of_the_page() -> None:
    points = {4: [(1 / 3, 1 / 2), (2 / 3, 2 / 3)], 0: []}
    levels = pd.DataFrame(
        {"run_id": [4, 4, 0], "recall": [0.0, 1.0, 0.0], "precision": [2 / 3, 0, 0]}
    )
    figure = static.query_curves(points, levels, {4: "a", 0: "nothing"}, SIZE)
    lines = figure.axes[0].get_lines()
    page = recall.query_curves(points, levels, {4: "a", 0: "nothing"}).data
    drawn = [lines[n].get_xydata().tolist() for n in (2, 3, 0, 4, 5, 1)]
    assert drawn == [[list(at) for at in zip(t["x"], t["y"], strict=True)] for t in page]
    assert lines[2].get_drawstyle() == "steps-pre"
    assert lines[0].get_color() == series_colour(4, "light")
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "nothing"]


def test_equal_runs_are_drawn_as_ties() -> None:
    (run,) = report_runs.loaded("a").runs
    pairs = frames.pair_values(run, run, "AP", {})
    pair = RunPair(pairs, measure_info("AP"), ("a", "a"))
    for draw in (interactive.differences, interactive.scatter):
        assert checked(draw)(pair).data
    assert static.differences(pair, SIZE).axes[0].get_ylim() == (-1.2, 1.2)

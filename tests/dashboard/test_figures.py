from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from checked_figures import Checked

from dashboard.components.wording import MeasureInfo
from dashboard.figures import interactive
from dashboard.figures.frames import RunPair, Swept, complete_runs
from dashboard.theme import SERIES, TOKENS, Scheme

figures = Checked(interactive)

RPREC = MeasureInfo("Rprec", "R-precision", "Precision at rank R.", True, counts=False)
LEVELS = [level / 10 for level in range(11)]
HOSTILE = ("__proto__", "<script>x</script>", "=1+1", "x" * 1000, "%{y} <b>", "constructor")


def curves(run_ids: list[int]) -> pd.DataFrame:
    rows = [
        (run, level, (1 - level) / (i + 1)) for i, run in enumerate(run_ids) for level in LEVELS
    ]
    return pd.DataFrame(rows, columns=["run_id", "recall", "precision"])


def pairs(
    differences: list[float], qids: list[str] | None = None, text: Any = None
) -> pd.DataFrame:
    b = np.full(len(differences), 0.5)
    return pd.DataFrame(
        {
            "qid": qids or [str(301 + i) for i in range(len(differences))],
            "text": [text] * len(differences),
            "a": b + differences,
            "b": b,
            "difference": differences,
        }
    )


def differences(
    values: pd.DataFrame,
    measure: MeasureInfo,
    labels: tuple[str, str],
    *,
    positions: tuple[int, int] = (0, 1),
    **options: Any,
) -> go.Figure:
    return figures.differences(RunPair(values, measure, labels, positions), **options)


def chosen_by(figure: go.Figure) -> list[str]:
    """The query that a click on each bar chooses."""
    return [row[-1] for row in figure.data[0].customdata]


def drawn_texts(figure: go.Figure) -> list[str]:
    """Every text that plotly would read for markup."""
    layout = figure.layout
    texts = [layout.xaxis.title.text, layout.yaxis.title.text]
    texts += [annotation.text for annotation in layout.annotations]
    for trace in figure.data:
        texts += [trace.name, trace.hovertemplate]
        if trace.type == "bar":
            texts += list(trace.x)
            texts += [cell for row in trace.customdata for cell in row[:5]]
    return [text for text in texts if text]


def test_there_is_one_curve_an_engine_with_a_point_at_each_of_the_11_recall_levels() -> None:
    figure = figures.recall_precision(curves([4, 9]), {4: "bm25", 9: "tfidf"})
    assert len(figure.data) == 2
    assert [len(trace.x) for trace in figure.data] == [11, 11]
    assert list(figure.data[0].x) == LEVELS
    assert all(trace.mode == "lines+markers" for trace in figure.data)


def test_both_axes_of_the_curves_run_from_0_to_1_under_the_names_of_the_field() -> None:
    figure = figures.recall_precision(curves([1, 2]), {1: "bm25", 2: "tfidf"})
    assert figure.layout.xaxis.title.text == "Recall"
    assert figure.layout.yaxis.title.text == "Interpolated precision"
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        low, high = axis.range
        assert -0.1 < low <= 0
        assert 1 <= high < 1.1


def test_engines_keep_their_colours_whatever_the_order_of_the_rows() -> None:
    labels = {1: "bm25", 2: "tfidf"}
    straight = figures.recall_precision(curves([1, 2]), labels)
    shuffled = figures.recall_precision(curves([2, 1]).sample(frac=1, random_state=1), labels)
    assert [t.line.color for t in straight.data] == [t.line.color for t in shuffled.data]
    assert [t.name for t in straight.data] == [t.name for t in shuffled.data]
    assert list(shuffled.data[0].x) == LEVELS


def test_twelve_engines_are_told_apart_by_colour_dash_and_mark() -> None:
    many = list(range(len(SERIES["light"])))
    figure = figures.recall_precision(curves(many), {run: f"e{run}" for run in many})
    looks = {(t.line.color, t.line.dash, t.marker.symbol) for t in figure.data}
    assert len(looks) == len(many)


@pytest.mark.parametrize("queries", [1, 5, 250])
@pytest.mark.parametrize("order", ["query", "difference"])
def test_there_is_a_bar_for_every_query(queries: int, order: figures.Order) -> None:
    spread = np.round(np.linspace(-1, 1, queries), 2).tolist()
    figure = differences(pairs(spread), RPREC, ("bm25", "tfidf"), order=order)
    (bars,) = figure.data
    assert len(bars.x) == len(set(bars.x)) == len(bars.y) == queries
    assert list(figure.layout.xaxis.categoryarray) == list(bars.x)


def test_the_bars_are_a_minus_b_and_the_axis_says_so() -> None:
    figure = differences(pairs([0.25, -0.5]), RPREC, ("bm25", "tfidf"))
    assert list(figure.data[0].y) == [0.25, -0.5]
    title = re.sub("[\u2068\u2069]", "", figure.layout.yaxis.title.text)
    assert title == "R-precision(bm25) − R-precision(tfidf)"


def test_a_name_is_escaped_once() -> None:
    figure = differences(pairs([0.1]), RPREC, ("<b>&", "b"))
    assert "&lt;b&gt;&amp;\u2069" in figure.layout.annotations[0].text


def test_the_picture_says_who_wins_on_which_side() -> None:
    figure = differences(pairs([0.25, -0.5]), RPREC, ("bm25", "tfidf"))
    above, below = (re.sub("<.*?>|[\u2068\u2069]", "", a.text) for a in figure.layout.annotations)
    assert above == "bm25 better ↑"
    assert below == "tfidf better ↓"
    assert figure.layout.annotations[0].y > figure.layout.annotations[1].y
    low, high = figure.layout.yaxis.range
    assert low == -high


def test_where_less_is_better_the_winner_is_on_the_other_side() -> None:
    errors = MeasureInfo("Cost", "Cost", "", False, counts=False)
    figure = differences(pairs([0.25, -0.5]), errors, ("bm25", "tfidf"))
    above, below = (a.text for a in figure.layout.annotations)
    assert "tfidf" in above
    assert "bm25" in below
    assert figure.data[0].marker.color[0] == SERIES["light"][1]


def test_of_a_count_neither_side_is_called_better() -> None:
    count = MeasureInfo("NumRet", "Retrieved", "", None, counts=True)
    figure = differences(pairs([25.0, -5.0]), count, ("bm25", "tfidf"))
    assert all("higher" in a.text and "better" not in a.text for a in figure.layout.annotations)


def test_a_bar_has_the_colour_of_its_winner_and_a_tie_is_seen() -> None:
    figure = differences(pairs([0.1, 0.0, -0.1]), RPREC, ("a", "b"), positions=(2, 0))
    bars = figure.data[0]
    series = SERIES["light"]
    assert list(bars.marker.color) == [series[2], TOKENS["light"]["tie"], series[0]]
    assert [width > 0 for width in bars.marker.line.width] == [False, True, False]


def test_bars_are_sorted_by_difference_with_ties_in_query_order() -> None:
    figure = differences(pairs([0.0, 0.5, -0.5, 0.0]), RPREC, ("a", "b"), order="difference")
    assert chosen_by(figure) == ["302", "301", "304", "303"]


@pytest.mark.parametrize(
    "qids",
    [
        ["1", "01", "1.0", "1e0"],
        ["2020-01-01", "2020-01-02", "12:00", "0x10"],
        ["__proto__", "constructor", "toString", "hasOwnProperty"],
        ["q" * 300, "q" * 301, "q" * 150 + "x" + "q" * 150, "NA"],
    ],
)
def test_qids_of_any_kind_are_names_and_stay_apart(qids: list[str]) -> None:
    figure = differences(pairs([0.1, 0.2, 0.3, 0.4], qids), RPREC, ("a", "b"))
    names = list(figure.data[0].x)
    assert figure.layout.xaxis.type == "category"
    assert len(set(names)) == 4
    # Plotly's categories live in a JavaScript object, where these are taken.
    assert not set(names) & {"__proto__", "constructor", "toString", "hasOwnProperty"}
    assert chosen_by(figure) == qids


def test_the_hover_box_has_the_query_both_values_and_the_difference() -> None:
    figure = differences(pairs([0.25], ["q7"], "<i>what</i> is %{y}?"), RPREC, ("bm25", "tfidf"))
    qid, text, a, b, difference, _ = figure.data[0].customdata[0]
    assert "q7" in qid
    assert "&lt;i&gt;what&lt;/i&gt; is %{y}?" in text
    assert (a[1:], b[1:]) == ("bm25\u2069: 0.7500", "tfidf\u2069: 0.5000")
    assert difference == "+0.2500"
    assert chosen_by(figure) == ["q7"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_markup_of_a_name_reaches_a_picture(scheme: Scheme) -> None:
    labels = dict(enumerate(HOSTILE, start=1))
    lines = figures.recall_precision(curves(list(labels)), labels, scheme)
    bars = differences(
        pairs([0.1] * len(HOSTILE), list(HOSTILE), HOSTILE[1]),
        RPREC,
        (HOSTILE[1], HOSTILE[4]),
        scheme=scheme,
    )
    for text in drawn_texts(lines) + drawn_texts(bars):
        assert not re.search("<(?!/?b>|br>|extra></extra>|/extra>$)", text), text
        assert "x" * 60 not in text


def test_user_text_is_never_part_of_a_template_that_plotly_evaluates() -> None:
    figure = differences(pairs([0.1], ["%{y}"], "%{x}"), RPREC, ("%{y}", "b"))
    fields = re.findall(r"%\{(.*?)\}", figure.data[0].hovertemplate)
    assert all(field.startswith("customdata[") for field in fields)
    assert len(fields) == 5


def test_pictures_follow_the_colour_scheme() -> None:
    for scheme in ("light", "dark"):
        figure = figures.recall_precision(curves([1]), {1: "a"}, scheme)
        assert figure.layout.template.layout.font.color == TOKENS[scheme]["ink"]
        assert figure.data[0].line.color == SERIES[scheme][1]


@pytest.mark.parametrize("order", ["query", "difference"])
def test_the_bar_of_a_chosen_query_has_its_name_at_its_end(order: figures.Order) -> None:
    figure = differences(pairs([0.1, -0.3, 0.2]), RPREC, ("a", "b"), order=order, chosen="302")
    named = next(a for a in figure.layout.annotations if "302" in a.text)
    assert figure.data[0].y[named.x] == named.y == -0.3
    assert named.yanchor == "top"


def test_without_data_a_picture_says_why() -> None:
    assert "relevant" in figures.recall_precision(curves([]), {}).layout.annotations[0].text
    assert "queries" in differences(pairs([]), RPREC, ("a", "b")).layout.annotations[0].text
    assert "&lt;b&gt;" in figures.message("<b>").layout.annotations[0].text


def test_a_sweep_leaves_out_incomplete_runs_if_a_complete_one_has_the_parameter() -> None:
    whole, part = Swept("whole", {"k": 1}, 0.5, True), Swept("part", {"k": 2}, 0.4, False)
    bare = Swept("bare", {}, 0.6, True)
    assert complete_runs([whole, part, bare], "k") == ([whole, bare], ["part"])
    assert complete_runs([part, bare], "k") == ([part, bare], [])

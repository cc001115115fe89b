"""The distribution of differences, the areas of many queries and the binned scatter."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from checked_figures import checked

from dashboard.components.wording import measure_info
from dashboard.figures.frames import RunPair
from dashboard.figures.interactive import (
    binned,
    binned_scatter,
    bins,
    differences,
    distribution,
    scatter,
)
from dashboard.theme import SERIES, TOKENS

AP = measure_info("AP")
NAMES = ("run", "base")


def frame(values: list[float], prefix: str = "q") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "qid": [f"{prefix}{number}" for number in range(len(values))],
            "text": None,
            "a": np.array(values) + 1,
            "b": np.ones(len(values)),
            "difference": values,
        }
    )


def many(queries: int, ties: int) -> list[float]:
    """Different differences, half above and half below zero, and ties."""
    half = (queries - ties) // 2
    above = (np.arange(half) + 1) / half
    return [*above.tolist(), *[0.0] * ties, *(-above).tolist()]


def test_up_to_60_different_differences_are_counted_each_for_itself() -> None:
    values = [0.5, -1 / 3, 0.5, 0.0, 0.1 + 0.2, 0.3]
    assert [(one.low, one.queries) for one in bins(values)] == [
        (pytest.approx(-1 / 3), 1), (0.0, 1), (0.3, 2), (0.5, 2)
    ]  # fmt: skip


def test_more_fall_into_41_bins_with_zero_for_itself() -> None:
    values = many(1_000, 100)
    counted = bins(values)
    assert len(counted) == 41
    assert [one.queries for one in counted if one.low == one.high == 0] == [100]
    assert sum(one.queries for one in counted if one.low >= 0 and one.high > 0) == 450
    assert counted[-1].high == pytest.approx(1)
    assert counted[0].low == pytest.approx(-1)
    assert [one.queries for one in counted] == [one.queries for one in reversed(counted)]


def test_the_smallest_difference_is_no_tie() -> None:
    counted = bins([*many(200, 0), 1e-6, -1e-6, 0.0])
    [zero] = [one for one in counted if one.low == one.high]
    assert zero.queries == 1


def test_of_no_spread_there_is_one_bar() -> None:
    assert [one.queries for one in bins([0.0] * 7)] == [7]
    assert [one.queries for one in bins([-0.25])] == [1]


@pytest.mark.parametrize("values", [[0.5, 0.0, -0.25, 0.5], many(500, 50)])
def test_the_bars_of_each_colour_hold_the_wins_ties_and_losses(values: list[float]) -> None:
    figure = checked(distribution)(RunPair(frame(values), AP, NAMES))
    counted = dict.fromkeys(figure.data[0].marker.color, 0)
    for colour, queries in zip(figure.data[0].marker.color, figure.data[0].y, strict=True):
        counted[colour] += queries
    signs = np.sign(values).tolist()
    assert counted == {
        SERIES["light"][0]: signs.count(1),
        TOKENS["light"]["tie"]: signs.count(0),
        SERIES["light"][1]: signs.count(-1),
    }


@pytest.mark.parametrize("values", [[0.5, 0.0, -0.25, 0.5], many(500, 50)])
def test_one_bar_is_outlined_for_every_chosen_query(values: list[float]) -> None:
    for number in range(0, len(values), 7):
        figure = checked(distribution)(RunPair(frame(values), AP, NAMES), chosen=f"q{number}")
        [bar] = [n for n, width in enumerate(figure.data[0].marker.line.width) if width]
        assert np.sign(figure.data[0].x[bar]) == np.sign(values[number])


def test_arrays_travel_as_plotly_packs_them() -> None:
    given = frame(many(1_000, 400))
    plain = differences(RunPair(given, AP, NAMES))
    packed = [trace["y"] for trace in plain.to_plotly_json()["data"]]
    by_plotly = json.loads(checked(differences)(RunPair(given, AP, NAMES)).to_json())["data"]
    assert packed == [trace["y"] for trace in by_plotly]


def test_many_queries_are_two_areas_with_the_ties_as_a_labelled_gap() -> None:
    figure = checked(differences)(RunPair(frame(many(1_000, 400)), AP, NAMES))
    better, worse = figure.data
    assert (better.x0, len(better.y)) == (1, 300)
    assert (worse.x0, len(worse.y)) == (701, 300)
    assert list(better.y) == sorted(better.y, reverse=True)
    [label] = [a for a in figure.layout.annotations if a.text == "400 ties"]
    assert label.x == 500.5


@pytest.mark.parametrize(("shift", "side"), [(0.001, "top"), (-0.001, "bottom")])
def test_the_line_of_the_mean_does_not_cross_the_number_of_ties(shift: float, side: str) -> None:
    """The text hangs from zero where the mean is above it, and stands on zero where it is below."""
    values = [value + shift if value else 0.0 for value in many(1_000, 400)]
    figure = checked(differences)(RunPair(frame(values), AP, NAMES))
    [label] = [a for a in figure.layout.annotations if a.text == "400 ties"]
    assert (label.y, label.yanchor) == (0, side)


def test_a_click_and_a_hover_on_an_area_name_the_query() -> None:
    figure = checked(differences)(RunPair(frame([-0.5, *many(500, 0)]), AP, NAMES), chosen="q0")
    number = list(figure.data[1].customdata).index("q0")
    assert figure.data[1].y[number] == -0.5
    at = figure.data[1].x0 + number
    assert any(a.x == at and "q0" in a.text for a in figure.layout.annotations)


def test_ids_that_are_markup_or_addresses_are_not_hovered_in_areas() -> None:
    for prefix in ("<b>", "/c/other", '{"pair": "x"}'):
        figure = checked(differences)(RunPair(frame(many(400, 0), prefix), AP, NAMES))
        assert {trace.hoverinfo for trace in figure.data} == {"skip"}
        assert all(trace.customdata is None for trace in figure.data)


@pytest.mark.parametrize("ties", [0, 3_000])
def test_a_figure_of_6980_queries_is_below_150_kb(ties: int) -> None:
    values = many(6_980, ties)
    pairs = frame(values, "1048")
    for figure in (
        checked(differences)(RunPair(pairs, AP, NAMES)),
        checked(distribution)(RunPair(pairs, AP, NAMES)),
    ):
        assert len(figure.to_json().encode()) < 150_000


def test_the_binned_scatter_counts_every_query_on_its_side() -> None:
    random = np.random.default_rng(1)
    pairs = frame([0.0] * 3_000).assign(
        a=np.round(random.random(3_000), 2), b=np.round(random.random(3_000), 2)
    )
    pairs["difference"] = pairs["a"] - pairs["b"]
    counted = binned(pairs)
    sides = np.sign(pairs["difference"])
    for side in (1, 0, -1):
        assert counted.loc[counted["side"] == side, "queries"].sum() == (sides == side).sum()
    figure, points = (
        checked(binned_scatter)(RunPair(pairs, AP, NAMES)),
        checked(scatter)(RunPair(pairs, AP, NAMES)),
    )
    assert figure.layout.annotations == points.layout.annotations
    assert len(figure.to_json()) < len(points.to_json()) / 2

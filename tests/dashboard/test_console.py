"""The answer of a statement as columns, rows, text and figures: pure functions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from checked_figures import checked

from dashboard.address import Address
from dashboard.components.files import csv_file
from dashboard.pages.sql.page import summary
from dashboard.pages.sql.table import axes, chart, columns, drawn_rows, file_table, kinds, rows
from evalstore.sql.ask import Answer

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def answer(*records: tuple[Any, ...], names: str = "a b c d e f") -> Answer:
    return Answer(tuple(names.split()[: len(records[0])]), list(records), None)


def test_a_column_is_of_the_kind_of_all_its_values() -> None:
    given = answer(
        (1, 0.5, "x", NOON, None, "2026-11-21 12:00:00.000000"),
        (None, 2, 3, None, None, None),
    )
    assert kinds(given) == ("integer", "number", "text", "time", "text", "time")


def test_numbers_are_on_the_right_and_filter_by_at_least_and_at_most() -> None:
    number, text = columns(answer((0.5, "x")))
    assert number["type"] == "numericColumn"
    assert number["filterParams"]["filterOptions"][:2] == ["greaterThanOrEqual", "lessThanOrEqual"]
    assert "type" not in text


def test_null_is_a_value_of_its_own_and_an_empty_text_is_none() -> None:
    [row] = rows(answer((None, "")))
    assert (row["c0"], row["c1"]) == (None, "")
    assert columns(answer((None,)))[0]["cellClassRules"] == {"cell-null": "params.value === null"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**53, 2**53),
        (2**53 + 1, "9007199254740993"),
        (float("inf"), "inf"),
        (NOON, "2026-11-21 12:00:00"),
        (b"\x00\xff", "x'00ff' (2 bytes)"),
        (b"\x01" * 100, f"x'{'01' * 16}…' (100 bytes)"),
        ("y" * 2_001, "y" * 2_000 + "… (2,001 characters)"),
    ],
)
def test_what_json_or_a_cell_can_not_hold_is_text(value: Any, shown: Any) -> None:
    [row] = rows(answer((value,)))
    assert row["c0"] == shown
    json.dumps(row, allow_nan=False)


def csv_of(given: Answer) -> str | bytes:
    return csv_file(file_table(given), "rows.csv").content


def test_a_million_characters_do_not_travel_to_the_browser_but_stand_in_the_file() -> None:
    given = answer(("z" * 1_000_000,))
    assert len(json.dumps(rows(given))) < 3_000
    assert len(csv_of(given)) > 1_000_000


def test_csv_guards_texts_and_names_and_leaves_numbers() -> None:
    assert csv_of(Answer(("=x", "n"), [("@a", -1), (b"\xab", 0.1)], None)) == (
        "'=x,n\n'@a,-1\nab,0.1\n"
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (Answer(("a",), [(1,)], None, total=1), "1 row · 0.21 s"),
        (
            Answer(("a",), [(1,)] * 1_000, "cut after 1,000 rows", "too many rows", 48_210),
            "The first 1,000 of 48,210 rows · 0.21 s",
        ),
        (
            Answer(("a",), [(1,)] * 3, "cut after 16 MiB", "too many bytes"),
            "The first 3 rows; there are more · cut after 16 MiB · 0.21 s",
        ),
    ],
)
def test_the_summary_says_what_is_missing(given: Answer, text: str) -> None:
    assert " · ".join(summary(given, 0.2109)) == text


def test_the_last_column_of_numbers_is_drawn_by_the_first_other_column() -> None:
    given = answer(("x", 1, 0.5))
    assert (axes(given).x, axes(given).y) == (0, 2)
    named = axes(given, "c", "b")
    assert (named.x, named.y) == (2, 1)


def test_a_value_is_drawn_rather_than_a_count_by_a_column_that_tells_the_rows_apart() -> None:
    given = answer(("bm25", "bm25-k1", 0.5, 53), ("bm25", "bm25-k2", 0.25, 53))
    assert (axes(given).x, axes(given).y) == (1, 2)


@pytest.mark.parametrize(("x", "y"), [("nothing", "a"), ("", "nothing")])
def test_a_column_that_is_not_there_or_holds_no_numbers_gives_way_to_the_usual(
    x: str, y: str
) -> None:
    given = answer(("x", 1))
    assert axes(given, x, y) == axes(given)


def test_texts_that_are_alike_have_bars_of_their_own_in_the_order_of_the_rows() -> None:
    given = answer(("q2", 3), ("q2", 1), ("constructor", 2))
    figure = checked(chart)("bar", given, axes(given))
    assert list(figure.data[0].x) == [0, 1, 2]
    assert list(figure.data[0].y) == [3, 1, 2]
    assert [text.strip("\u2068\u2069") for text in figure.layout.xaxis.ticktext] == [
        "q2",
        "q2",
        "constructor",
    ]


def test_values_of_a_column_are_series_that_share_the_places_of_texts() -> None:
    given = answer(("AP", "a", 1), ("AP", "b", 2), ("RR", "b", 3), ("RR", None, 4), ("RR", "b", 5))
    coloured = axes(given, colour="b")
    bars = checked(chart)("bar", given, coloured)
    assert [[*zip(trace.x, trace.y, strict=True)] for trace in bars.data] == [
        [(0, 1)],
        [(0, 2), (1, 3), (2, 5)],  # no bar covers another one of its series
        [(1, 4)],
    ]
    assert [trace.name.strip("\u2068\u2069") for trace in bars.data] == ["a", "b", "NULL"]
    assert len({trace.marker.color for trace in bars.data}) == 3
    points = checked(chart)("scatter", given, coloured)
    assert len({trace.marker.symbol for trace in points.data}) == 3
    assert points.layout.showlegend


def test_values_beyond_the_number_of_colours_are_left_out() -> None:
    given = answer(*((f"run{n}", n) for n in range(15)))
    drawn = drawn_rows(given, 0, 1, 0)
    assert (len(drawn.rows), len(drawn.series)) == (12, 12)
    assert list(drawn.left_out) == ["run12", "run13", "run14"]


def test_numbers_and_times_keep_their_distances() -> None:
    numbers = answer((1, 0.1), (10, 0.2))
    assert list(checked(chart)("scatter", numbers, axes(numbers)).data[0].x) == [1, 10]
    times = answer(("2026-11-01 00:00:00", 1), ("2026-11-21 00:00:00", 2))
    assert checked(chart)("line", times, axes(times)).layout.xaxis.type == "date"


def test_rows_with_null_are_left_out_of_a_chart() -> None:
    given = answer((1, None), (2, 0.5), (None, 1.5))
    figure = checked(chart)("line", given, axes(given))
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([2], [0.5])


@pytest.mark.parametrize("records", [[("x", "y")], [("x", None)]])
def test_where_there_is_nothing_to_draw_the_chart_is_a_sentence(records: list[Any]) -> None:
    given = answer(*records)
    assert (
        "No column of this answer holds numbers"
        in checked(chart)("bar", given, axes(given)).to_json()
    )


def test_texts_of_a_chart_are_no_markup_and_lead_nowhere() -> None:
    given = answer(("/measures", 1), ('{"s": "x"}', 2), ("<b>x</b>", 3))
    for chosen in (axes(given), axes(given, colour="a")):
        figure = checked(chart)("bar", given, chosen)
        assert "<b>" not in "".join(figure.layout.xaxis.ticktext)
        for trace in figure.data:
            assert "<b>" not in trace.name
            assert not any(point[-1].startswith(("/", "{")) for point in trace.customdata)


def test_runs_and_queries_are_linked_in_the_collection_of_their_row() -> None:
    given = Answer(
        ("collection", "qrels", "run", "qid", "run"),
        [("a/b", "strict", "x,y", "q 1", "other"), (None, None, "x", None, "")],
        None,
    )
    first, second = rows(given, "of the page")
    kept = {"qrels": ("strict",)}
    assert first["href2"] == Address("run", "a/b", "x,y", kept).href
    assert first["href4"] == Address("run", "a/b", "other", kept).href
    assert first["href3"] == Address("query", "a/b", "q 1", {"runs": ("x,y",), **kept}).href
    assert not [key for key in second if key.startswith("href")]
    renderers = [column.get("cellRenderer") for column in columns(given)]
    assert renderers == [None, None, "SqlLink", "SqlLink", "SqlLink"]


def test_rows_without_a_collection_are_linked_in_that_of_the_page() -> None:
    given = Answer(("run", "n"), [("bm25", 1), ("z" * 2_001, 2), (b"x", 3)], None)
    linked, *others = rows(given, "small")
    assert linked["href0"] == "/c/small/run/bm25"
    assert [set(row) for row in others] == [{"id", "c0", "c1"}] * 2
    assert "small" in columns(given, "small")[0]["headerTooltip"]
    assert "cellRenderer" not in columns(given)[0]

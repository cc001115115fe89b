from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest

from dashboard import tables
from dashboard.measure_info import MeasureInfo

AP = MeasureInfo("AP", "Average precision", "How early.", True, counts=False)
COST = MeasureInfo("Cost", "Cost", "What it costs.", False, counts=False)
NUMRET = MeasureInfo("NumRet", "Retrieved", "How many.", None, counts=True)
HOSTILE = ("__proto__", "a.b", "=1+1", "<script>", "x" * 1000)


def runs(names: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run_id": range(1, len(names) + 1),
            "content_hash": [f"{number:064x}" for number in range(len(names))],
            "engine": names,
            "run": names,
            "experiment": [None] * len(names),
            "date": pd.to_datetime(["2026-05-01 12:34:56"] * len(names), utc=True),
            "queries_answered": [64] * len(names),
            "judged_answered": [50] * len(names),
            "retrieved": [1000] * len(names),
            "values_only": [False] * len(names),
        }
    )


def values(**columns: list[float]) -> pd.DataFrame:
    length = len(next(iter(columns.values())))
    return pd.DataFrame(columns, index=pd.RangeIndex(1, length + 1), dtype=float)


def best(rows: list[tables.Row], field: str) -> list[bool]:
    return [bool(row[f"{field}_best"]) for row in rows]


def test_every_best_value_is_marked_also_when_tied() -> None:
    rows = tables.leaderboard_rows(runs(("a", "b", "c")), values(AP=[0.3, 0.1 + 0.2, 0.2]), [AP])
    assert best(rows, "m0") == [True, True, False]


def test_a_run_is_counted_by_judged_queries_and_the_others_are_told_apart() -> None:
    (row,) = tables.leaderboard_rows(runs(("a",)), values(AP=[0.3]), [AP])
    assert (row["answered"], row["unjudged"]) == (50, 14)
    named = {c["headerName"] for c in tables.leaderboard_columns([AP], 52, unjudged=True)}
    assert {"Answered", "Not judged"} <= named
    assert "Not judged" not in {c["headerName"] for c in tables.leaderboard_columns([AP], 52)}
    header, line = csv.reader(
        io.StringIO(tables.leaderboard_csv(runs(("a",)), values(AP=[0.3]), [AP], 52))
    )
    assert dict(zip(header, line, strict=True)) | {
        "judged_queries": "52",
        "judged_answered": "50",
        "unjudged_answered": "14",
    } == dict(zip(header, line, strict=True))


def test_the_best_of_a_measure_where_less_is_better_is_the_lowest() -> None:
    rows = tables.leaderboard_rows(runs(("a", "b")), values(Cost=[0.3, 0.2]), [COST])
    assert best(rows, "m0") == [False, True]


def test_a_count_has_no_best_and_a_run_alone_is_not_the_best() -> None:
    two = tables.leaderboard_rows(runs(("a", "b")), values(NumRet=[1, 2]), [NUMRET])
    one = tables.leaderboard_rows(runs(("a",)), values(AP=[0.3]), [AP])
    assert best(two, "m0") == [False, False]
    assert best(one, "m0") == [False]


def test_a_value_that_is_not_stored_is_empty_and_never_the_best() -> None:
    rows = tables.leaderboard_rows(
        runs(("a", "b", "c")), values(AP=[np.nan, 0.1, 0.2]), [AP, NUMRET]
    )
    assert [row["m0"] for row in rows] == [None, 0.1, 0.2]
    assert best(rows, "m0") == [False, False, True]
    assert [row["m1"] for row in rows] == [None] * 3


def test_no_column_is_known_by_a_name_out_of_the_data() -> None:
    labels = dict(enumerate(HOSTILE, start=7))
    hostile_measure = MeasureInfo("__proto__", "x", "y", True, counts=False)
    columns = [
        *tables.leaderboard_columns([hostile_measure], 50),
        *tables.query_columns(labels, AP, ("=1+1", "<script>")),
    ]
    fields = [column["field"] for column in columns]
    assert all(field.replace("_", "a").isalnum() and field.isascii() for field in fields)
    assert not set(fields) & set(HOSTILE)
    assert all(column["headerName"] for column in columns)
    assert max(len(column["headerName"]) for column in columns) < 80


def test_no_cell_is_rendered_as_html() -> None:
    columns = [
        *tables.leaderboard_columns([AP], 50),
        *tables.query_columns({1: "a"}, AP, ("a", "b")),
    ]
    assert {column.get("cellRenderer") for column in columns} == {None, "MeasureValue"}
    assert not any("dangerously" in str(column) for column in columns)


def test_a_header_says_what_its_measure_means() -> None:
    (column,) = (c for c in tables.leaderboard_columns([AP], 50) if c["headerName"] == "AP")
    assert column["headerTooltip"] == (
        "Average precision. How early. The figure: mean over 50 queries."
    )


def test_the_leaderboard_starts_sorted_best_first() -> None:
    sort = {c["field"]: c.get("sort") for c in tables.leaderboard_columns([AP, NUMRET], 50)}
    assert (sort["m0"], sort["m1"]) == ("desc", None)
    assert tables.leaderboard_columns([COST], 50)[2]["sort"] == "asc"


def query_frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    per_query = pd.DataFrame(
        {1: [0.1, 0.5, 1 / 3], 2: [0.2, 0.5, 0.25]},
        index=pd.Index(["01", "1", "=q"], name="qid"),
    )
    pairs = pd.DataFrame(
        {
            "qid": ["01", "1", "=q"],
            "text": [None, "plain", "@SUM(A1)"],
            "a": per_query[1].to_numpy(),
            "b": per_query[2].to_numpy(),
            "difference": (per_query[1] - per_query[2]).to_numpy(),
        }
    )
    return per_query, pairs


def test_a_row_per_query_with_unrounded_values_and_the_difference() -> None:
    per_query, pairs = query_frames()
    rows = tables.query_rows(per_query, pairs, AP)
    assert [row["qid"] for row in rows] == ["01", "1", "=q"]
    assert rows[2]["run_1"] == 1 / 3
    assert rows[2]["difference"] == 1 / 3 - 0.25
    assert rows[0]["text"] is None


def test_the_best_of_a_query_is_marked_unless_all_are_the_same() -> None:
    per_query, pairs = query_frames()
    rows = tables.query_rows(per_query, pairs, AP)
    assert best(rows, "run_1") == [False, False, True]
    assert best(rows, "run_2") == [True, False, False]


def test_there_is_no_column_for_texts_that_are_not_known() -> None:
    columns = tables.query_columns({1: "a"}, AP, ("a", "b"), texts=False)
    assert "text" not in [column["field"] for column in columns]


def test_the_csv_of_queries_holds_every_row_with_full_precision() -> None:
    per_query, pairs = query_frames()
    text = tables.queries_csv(per_query, pairs, {1: "bm25", 2: "=evil"}, ("bm25", "=evil"))
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["qid", "query", "bm25", "'=evil", "bm25 − =evil"]
    assert [row[0] for row in rows] == ["01", "1", "'=q"]
    assert float(rows[2][2]) == 1 / 3
    assert float(rows[0][4]) == 0.1 - 0.2
    assert rows[2][1] == "'@SUM(A1)"


def test_a_run_that_came_as_values_says_so_behind_its_name() -> None:
    frame = runs(("a", "b")).assign(values_only=[True, False])
    rows = tables.leaderboard_rows(frame, values(AP=[0.3, 0.2]), [AP])
    assert [row["run"] for row in rows] == ["a (values only)", "b"]
    lines = csv.DictReader(io.StringIO(tables.leaderboard_csv(frame, values(AP=[1, 0]), [AP], 52)))
    assert [line["values_only"] for line in lines] == ["true", "false"]


def test_the_csv_of_the_leaderboard_keeps_numbers_and_guards_texts() -> None:
    text = tables.leaderboard_csv(
        runs(("=1+1", "ok")), values(AP=[1 / 3, np.nan], NumRet=[1000, 5]), [AP, NUMRET], 52
    )
    header, first, second = csv.reader(io.StringIO(text))
    assert header[-2:] == ["AP", "NumRet"]
    assert first[:3] == ["'=1+1", "'=1+1", ""]
    assert first[3] == "2026-05-01T12:34:56Z"
    assert (float(first[-2]), first[-1]) == (1 / 3, "1000")
    assert second[-2] == ""


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_text_is_a_formula_to_a_spreadsheet(text: str) -> None:
    assert tables.guarded(text) == f"'{text}"
    assert tables.guarded(f"a{text}") == f"a{text}"

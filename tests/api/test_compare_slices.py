"""Comparisons in Python, restricted to some queries or split by an attribute."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import QRELS, write, write_qrels, write_run

import evalstore as ev
from evalstore.errors import DataError
from evalstore.measures import AP, P

A = {"q1": {"x": 2.0, "d1": 1.0}, "q2": {"d2": 1.0}, "q3": {"x": 1.0}}
B = {"q1": {"d1": 1.0}, "q2": {"x": 2.0, "d2": 1.0}, "q3": {"x": 1.0}}
RUNS = {"a": A, "b": B}
QUERIES = {
    "q1": {"text": "how do I", "lang": "de", "level": 7},
    "q2": {"text": "x", "lang": "en", "level": "007"},
    "q3": "three",
}
FRAME = pd.DataFrame(
    {
        "qid": ["q1", "q2", "q3"],
        "text": ["how do I", "x", "three"],
        "lang": ["de", "en", None],
        "level": ["7", "007", np.nan],
    }
)


def test_by_gives_a_frame_with_a_row_a_slice_pair_and_measure() -> None:
    result = ev.compare(QRELS, RUNS, [AP, P @ 1], queries=QUERIES).by("lang")
    assert result.pairs[["slice", "measure", "queries"]].values.tolist() == [
        *(["de", "AP", 1], ["de", "P@1", 1], ["en", "AP", 1], ["en", "P@1", 1]),
        *(["(none)", "AP", 1], ["(none)", "P@1", 1]),
    ]
    assert list(result.pairs)[1:] == list(ev.compare(QRELS, RUNS, [AP]).pairs)
    assert result.pairs.dtypes["queries"] == np.int64
    assert result.queries == {"de": ("q1",), "en": ("q2",), "(none)": ("q3",)}
    assert [sentence.split(" (")[0] for sentence in result.sentences[:2]] == ["lang de"] * 2


def test_the_slices_print_the_whole_first_and_escape_names() -> None:
    queries = {"q1": {"lang": "<b>\u202e"}}
    result = ev.compare(QRELS, RUNS, [AP], queries=queries).by("lang")
    text, html = repr(result), result._repr_html_()
    assert text.startswith("comparable: same judgments, 3 of 3 queries")
    assert text.index("after Holm over 1 pair") < text.index("lang <b>")
    assert "\u202e" not in text + html
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


def test_to_dict_has_the_whole_and_the_slices() -> None:
    compared = ev.compare(QRELS, RUNS, [AP], queries=QUERIES)
    document = compared.by("lang").to_dict()
    assert {key: document[key] for key in compared.to_dict()} == compared.to_dict()
    assert [part["value"] for part in document["slices"]] == ["de", "en", None]  # type: ignore[attr-defined]


def test_where_restricts_every_figure() -> None:
    result = ev.compare(QRELS, RUNS, [AP], queries=QUERIES, where="lang=de")
    assert result.restriction == "the 1 of 3 queries with lang=de"
    assert result.per_query.index.get_level_values("qid").unique().tolist() == ["q1"]
    both = ev.compare(QRELS, RUNS, [AP], queries=QUERIES, where=["lang!=de", "length=1"])
    assert both.pairs["queries"].tolist() == [2]
    assert ev.compare(QRELS, RUNS, [AP], queries=QUERIES).restriction is None


def test_a_held_out_share_is_computed_and_one_run_is_chosen_on_the_other_queries() -> None:
    qrels = {f"q{number}": {"d1": 1} for number in range(10)}
    runs = {
        name: {qid: {"d1": float(score), "d2": 2.0} for qid in qrels}
        for name, score in (("base", 1), ("bad", 1), ("good", 3))
    }
    result = ev.compare(qrels, runs, [AP], baseline="base", holdout=0.3)
    assert result.restriction == "the 3 of 10 held-out queries"
    assert result.pairs[["a", "b", "queries"]].values.tolist() == [["base", "good", 3]]
    with pytest.raises(DataError, match="2 of 10 queries held out: a test needs 3"):
        ev.compare(qrels, runs, [AP], holdout=0.2)


@pytest.mark.parametrize("kind", ["frame", "path", "object"])
def test_queries_come_as_a_frame_a_path_or_an_object_as_well(tmp_path: Path, kind: str) -> None:
    rows = "qid\ttext\tlang\tlevel\nq1\thow do I\tde\t7\nq2\tx\ten\t007\nq3\tthree\t\t\n"
    path = write(tmp_path / "queries.tsv", rows)
    queries = {"frame": FRAME, "path": path, "object": ev.read_queries(path)}[kind]
    expected = ev.compare(QRELS, RUNS, [AP], queries=QUERIES)
    result = ev.compare(QRELS, RUNS, [AP], queries=queries)
    for attribute in ("lang", "level", "length"):
        assert result.by(attribute).to_dict() == expected.by(attribute).to_dict()


def test_a_store_keeps_attributes_and_compares_by_them(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        write_run(tmp_path, {qid: list(docs) for qid, docs in run.items()}, f"{name}.run", name)
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    with ev.open(tmp_path / "s.db") as store:
        store.ingest(collection="c", qrels=write_qrels(tmp_path), queries=FRAME, runs=runs)
        assert store.compare(["a", "b"], [AP]).by("level").queries == {
            **{"7": ("q1",), "007": ("q2",), "(none)": ("q3",)}
        }
        restricted = store.compare(["a", "b"], [AP], where="level>=7")
        assert restricted.restriction == "the 2 of 3 queries with level>=7"


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ({"q1": 7}, "queries, query 'q1': the text 7 is not text"),
        ({"q 1": "x"}, "queries: query id 'q 1' holds blanks or control characters"),
        ({"q1": {"a<b": 1}}, "attribute name 'a<b' holds one of = ! < >"),
        ({"q1": {"n": [1]}}, r"query 'q1': attribute 'n' is \[1\], not text, a finite number"),
        ({"q1": {"n": float("nan")}}, "query 'q1': attribute 'n' is nan, not text"),
        ({1: "x", "1": "y"}, "query '1' stands twice"),
        (pd.DataFrame({"id": ["q1"]}), "no column for the query id: one of qid, query_id, q_id"),
        (3, "queries are a dictionary, a frame or the path of a file, not int"),
    ],
)
def test_queries_that_can_not_be_are_refused(queries: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        ev.compare(QRELS, RUNS, [AP], queries=queries)  # type: ignore[arg-type]


def test_numbers_and_truth_in_memory_are_text_as_in_json() -> None:
    frame = pd.DataFrame({"qid": [1, 2], "n": [3, 4], "share": [0.5, 1e-7], "hard": [True, False]})
    qrels, run = {"1": {"d": 1}, "2": {"d": 1}}, {"1": {"d": 1.0}, "2": {"d": 1.0}}
    compared = ev.compare(qrels, {"a": run, "b": run}, [AP], queries=frame)
    assert {name: list(compared.by(name).queries) for name in ("n", "share", "hard")} == {
        "n": ["3", "4"],
        "share": ["1e-07", "0.5"],
        "hard": ["false", "true"],
    }

"""`ev.evaluate` and `ev.evaluator`: whatever people have goes in, tables come out."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evalstore as ev
from evalstore.evaluation.evaluate import evaluate_files, evaluate_run
from evalstore.evaluation.parallel import Done
from evalstore.measures import AP, GMAP, NumRet, P, alpha_nDCG, nDCG

QRELS = {"q2": {"a": 1, "b": 0, "c": 2}, "q10": {"a": 1}, "q1": {"z": 1}}
BM25 = {"q2": {"a": 3.0, "b": 2.0, "x": 1.0}, "q10": {"b": 2.0, "a": 1.0}}
DENSE = {"q2": {"c": 3.0, "a": 2.0}, "q10": {"a": 9.0}, "q1": {"z": 0.5}}
MEASURES: list[Any] = ["map", nDCG @ 10, "num_ret", P(rel=2) @ 1]
NAMES = ["map", "nDCG@10", "num_ret", "P(rel=2)@1"]


def file_of(folder: Path, name: str, table: dict[str, dict[str, float]]) -> Path:
    path = folder / name
    if name.endswith(".qrels"):
        ev.Qrels.from_dict(table).write(path)
    else:
        ev.Run.from_dict(table).write(path)
    return path


def test_the_figures_are_those_of_the_measures() -> None:
    result = ev.evaluate(QRELS, {"bm25": BM25, "dense": DENSE}, MEASURES)
    assert result.aggregates.columns.tolist() == NAMES
    assert result.aggregates.index.name == "run"
    assert result.aggregates.index.tolist() == ["bm25", "dense"]
    # By hand: q2 1/2, q10 1/2, q1 not answered.
    assert result.aggregates.loc["bm25", "map"] == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert result.aggregates.loc["dense", "map"] == 1
    assert result.aggregates["num_ret"].tolist() == [5, 4]
    assert result.aggregates["P(rel=2)@1"].tolist() == pytest.approx([0, 1 / 3])
    assert result.aggregates.dtypes.tolist() == [np.float64, np.float64, np.int64, np.float64]
    assert result.warnings == ()


def test_values_per_query_are_by_run_and_query() -> None:
    result = ev.evaluate(QRELS, {"bm25": BM25, "dense": DENSE}, MEASURES)
    per_query = result.per_query
    assert per_query.index.names == ["run", "qid"]
    assert per_query.loc["bm25"].index.tolist() == ["q1", "q10", "q2"]
    assert per_query.columns.tolist() == NAMES
    assert per_query["map"].tolist() == [0, 0.5, 0.5, 1, 1, 1]
    assert per_query["num_ret"].tolist() == [0, 2, 3, 1, 1, 2]
    assert per_query["num_ret"].dtype == np.int64
    for name in ("map", "nDCG@10", "P(rel=2)@1"):
        means = per_query[name].groupby(level="run").mean()
        assert means.tolist() == pytest.approx(result.aggregates[name].tolist())


def test_a_dictionary_holds_the_same() -> None:
    result = ev.evaluate(QRELS, {"bm25": BM25}, MEASURES)
    assert list(result.to_dict()) == ["bm25"]
    given = result.to_dict()["bm25"]
    assert given["aggregates"] == result.aggregates.loc["bm25"].to_dict()
    assert given["per_query"] == result.per_query.loc["bm25"].to_dict("index")


def test_an_aggregate_of_its_own_is_no_mean() -> None:
    result = ev.evaluate(QRELS, BM25, [GMAP, AP])
    assert result.aggregates["GMAP"].item() == pytest.approx((0.5 * 0.5 * 1e-5) ** (1 / 3))


# --- what goes in --------------------------------------------------------------------------------


def run_forms(folder: Path) -> dict[str, Any]:
    frame = ev.Run.from_dict(BM25).to_frame()
    return {
        "Run": ev.Run.from_dict(BM25),
        "dictionary": BM25,
        "frame": frame,
        "frame of ir_measures": frame.rename(columns={"qid": "query_id", "docno": "doc_id"}),
        "path": file_of(folder, "bm25.run", BM25),
        "text of a path": str(file_of(folder, "bm25.run.gz", BM25)),
    }


def qrels_forms(folder: Path) -> dict[str, Any]:
    return {
        "Qrels": ev.Qrels.from_dict(QRELS),
        "dictionary": QRELS,
        "frame": ev.Qrels.from_dict(QRELS).to_frame(),
        "path": file_of(folder, "a.qrels", QRELS),
    }


def test_every_form_of_runs_and_judgments_gives_the_same(tmp_path: Path) -> None:
    expected = ev.evaluate(QRELS, BM25, MEASURES).aggregates.values.tolist()
    for run in run_forms(tmp_path).values():
        for runs in (run, [run], (r for r in [run]), {"a name": run}):
            aggregates = ev.evaluate(QRELS, runs, MEASURES).aggregates
            assert aggregates.values.tolist() == expected
    for qrels in qrels_forms(tmp_path).values():
        assert ev.evaluate(qrels, BM25, MEASURES).aggregates.values.tolist() == expected


def test_runs_are_named_by_the_mapping_or_the_file_and_never_lost(tmp_path: Path) -> None:
    path = file_of(tmp_path, "bm25.run.gz", BM25)

    def names(runs: Any) -> list[str]:
        return list(ev.evaluate(QRELS, runs, AP).runs)

    assert names({"A": path, "B": BM25}) == ["A", "B"]
    assert names(path) == names([ev.read_run(path)]) == ["bm25"]
    assert names([path, path, BM25, DENSE]) == ["bm25", "bm25 (2)", "run", "run (2)"]
    assert names(ev.Run.from_dict(BM25, name="mine")) == ["mine"]
    # A query without documents does not make a run a mapping of runs.
    assert names({"q0": {}, **BM25}) == ["run"]
    assert names({"a": {"q0": {}, **BM25}, "b": DENSE}) == ["a", "b"]


def test_an_evaluator_gives_what_evaluate_gives() -> None:
    evaluator = ev.evaluator(QRELS, MEASURES, depth=1, level=2)
    for run in (BM25, DENSE):
        expected = ev.evaluate(QRELS, run, MEASURES, depth=1, level=2)
        assert evaluator.evaluate(run).to_dict() == evaluator(run).to_dict() == expected.to_dict()


def test_options_change_what_they_say() -> None:
    def mean_ap(**options: Any) -> float:
        return float(ev.evaluate(QRELS, BM25, "AP", **options).aggregates["AP"].item())

    assert mean_ap(common=True) == pytest.approx((0.5 + 0.5) / 2)
    assert mean_ap(depth=1) == pytest.approx(0.5 / 3)
    assert mean_ap(level=2) == 0
    assert mean_ap(judged_only=True) == pytest.approx((0.5 + 1) / 3)
    tied = {"q10": {"a": 1.0 + 1e-9, "b": 1.0}}
    at_top = [
        ev.evaluate(QRELS, tied, "RR", compat=compat).per_query.loc[("run", "q10"), "RR"]
        for compat in ("exact", "trec_eval-9")
    ]
    assert at_top == [1.0, 0.5]
    sized = ev.evaluate(QRELS, BM25, "Accuracy", extras=ev.Extras(collection_size=100))
    assert 0 < sized.aggregates["Accuracy"].item() < 1


# --- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((QRELS, BM25, ["NDGC"]), "no measure is called 'NDGC'; did you mean"),
        ((QRELS, BM25, []), "no measure is asked for"),
        ((QRELS, BM25, [P]), "P: the @ is missing"),
        ((QRELS, [], [AP]), "no run is given"),
        ((QRELS, {}, [AP]), "run: it holds no documents"),
        ((QRELS, 5, [AP]), "a run or several are expected, not int"),
        ((QRELS, [5], [AP]), "run: a run is a Run, a frame, a dictionary or a path, not int"),
        ((QRELS, {"A": 5}, [AP]), "A: a run is a Run, a frame, a dictionary or a path, not int"),
        (([1], BM25, [AP]), "a qrels is a Qrels, a frame, a dictionary or a path, not list"),
        ((QRELS, {"A": {"q": {"d": float("nan")}}}, AP), "A, query 'q': document 'd': score nan"),
        ((QRELS, "no/such.run", AP), "no/such.run: no such file or directory"),
    ],
)
def test_what_is_wrong_is_one_sentence(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ev.errors.DataError) as caught:
        ev.evaluate(*arguments)
    assert str(caught.value).startswith(message)


def test_what_a_measure_lacks_can_be_asked_of_the_error() -> None:
    with pytest.raises(ev.errors.MeasureError, match="needs judgments by subtopic$") as caught:
        ev.evaluate(QRELS, BM25, [alpha_nDCG @ 5])
    assert caught.value.needs == "subtopics"


def test_what_is_odd_is_told(tmp_path: Path) -> None:
    result = ev.evaluate(QRELS, {**BM25, "q99": {"a": 1.0}}, AP)
    assert result.warnings == ("run: 1 of 3 queries have no judgments and count nowhere: 'q99'",)


# --- how it shows itself -------------------------------------------------------------------------


def test_it_prints_itself_as_a_table() -> None:
    result = ev.evaluate(QRELS, {"bm25": BM25, "a dense one": DENSE}, ["map", NumRet])
    assert (
        repr(result)
        == str(result)
        == ("run             map  NumRet\nbm25         0.3333       5\na dense one  1.0000       4")
    )


HOSTILE = "<script>alert('x')</script>\x1b[31m\n"


def test_names_are_escaped_wherever_it_shows_itself() -> None:
    result = ev.evaluate(QRELS, {HOSTILE: BM25}, [AP])
    assert len(repr(result).splitlines()) == 2
    assert all(line.isprintable() for line in repr(result).splitlines())
    markup = result._repr_html_()
    assert "<script>" not in markup
    assert "\x1b" not in markup
    assert html.escape("<script>alert('x')</script>") in markup
    assert result.aggregates.index.tolist() == [HOSTILE]


def test_a_notebook_gets_a_table_with_a_row_a_run() -> None:
    markup = ev.evaluate(QRELS, {"bm25": BM25, "dense": DENSE}, ["map", NumRet])._repr_html_()
    rows = [re.findall("<t[hd]>(.*?)</t[hd]>", row) for row in markup.split("</tr>")[:-1]]
    assert rows == [["run", "map", "NumRet"], ["bm25", "0.3333", "5"], ["dense", "1.0000", "4"]]


# --- the use case --------------------------------------------------------------------------------


def test_files_are_evaluated_when_the_function_is_called_and_progress_is_told(
    tmp_path: Path,
) -> None:
    paths = [str(file_of(tmp_path, "a.run", BM25)), str(tmp_path / "missing.run")]
    paths.append(str(file_of(tmp_path, "b.run", DENSE)))
    reports: list[Done[Any]] = []
    qrels = ev.Qrels.from_dict(QRELS)
    ended = evaluate_files(qrels, paths, {"map": AP}, progress=reports.append)
    assert [done.path for done in ended] == paths
    assert reports == ended
    assert [done.error is None for done in ended] == [True, False, True]
    expected = evaluate_run(ev.Run.from_dict(DENSE), qrels, {"map": AP}).aggregates
    assert ended[2].result is not None
    assert ended[2].result.aggregates == expected

"""Logged runs, `.evalrun`: what a file holds, what is refused and where, files without an end."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evalstore.errors import DataError, FileError
from evalstore.formats import ReadOptions, read_run
from evalstore.formats.facts.parameters import facts_from_json, json_of_facts
from evalstore.formats.json import evalrun
from evalstore.formats.json.evalrun import (
    end_line,
    facts_line,
    ranking_line,
    ranking_of,
    start_line,
)
from evalstore.formats.reading.lines import MAX_TEXT_LINE

NAMES = {"run": "bm25-2", "engine": "bm25", "collection": "cacm"}
START: dict[str, Any] = {"evalrun": 1, **NAMES}
Q1: dict[str, Any] = {"qid": "q1", "docs": [["d7", 2.5], ["d9", 1.5]], "ms": 12.5}
Q2: dict[str, Any] = {"qid": "q2", "docs": [["d7", 3.25]]}
END: dict[str, Any] = {"ended_at": "2026-11-21T19:37:04+00:00", "queries": 2}
UNFINISHED = ReadOptions(unfinished=True)


def write(folder: Path, *lines: dict[str, Any] | str, end: str = "\n") -> str:
    """A file of these objects or texts, a line each; `end` is that of the last line."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path = folder / "a.evalrun"
    path.write_text("\n".join(texts) + end, encoding="utf-8")
    return str(path)


def refused(path: str, options: ReadOptions | None = None) -> str:
    with pytest.raises(DataError) as error:
        read_run(path, options)
    return str(error.value).removeprefix(str(Path(path).parent)).removeprefix("/")


# --- what a file holds ---------------------------------------------------------------------------


def test_a_file_has_the_rankings_names_facts_and_times_of_a_run(tmp_path: Path) -> None:
    facts = {"parameters": {"k1": 0.9, "stem": True}, "tags": ["a"], "note": "first"}
    later = {"parameters": {"b": "x"}, "tags": ["b", "a"], "memory_bytes": 4096, "note": "second"}
    run = read_run(write(tmp_path, {**START, "facts": facts}, Q2, {"facts": later}, Q1, END))
    assert run.to_dict() == {"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"d7": 3.25}}
    assert (run.format, run.tag, run.names, run.times) == ("evalrun", "bm25", NAMES, {"q1": 12.5})
    assert run.facts == {
        "parameters": {"k1": 0.9, "stem": True, "b": "x"},
        "tags": ("a", "b"),
        "note": "second",
        "memory_bytes": 4096,
        "ended_at": datetime(2026, 11, 21, 19, 37, 4, tzinfo=UTC),
    }
    assert run.warnings == ()


def test_names_may_be_left_out_and_an_engine_may_have_blanks(tmp_path: Path) -> None:
    assert read_run(write(tmp_path, {"evalrun": 1}, Q1, Q2, END)).tag == "a"
    assert read_run(write(tmp_path, {"evalrun": 1, "engine": "b m"}, Q1, Q2, END)).tag == "b_m"


def test_a_query_without_documents_is_as_one_that_is_not_there_but_for_its_time(
    tmp_path: Path,
) -> None:
    empty = {"qid": "q3", "docs": [], "ms": 2}
    run = read_run(write(tmp_path, START, Q1, empty, {**END, "queries": 2}))
    assert (run.qids, run.times) == (("q1",), {"q1": 12.5, "q3": 2.0})


def test_blank_lines_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    lines = [json.dumps(line) + "\r" for line in (START, Q1, Q2, END)]
    assert read_run(write(tmp_path, "", *lines, "")).qids == ("q1", "q2")


def test_a_run_that_is_read_in_parts_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [{"qid": f"é{n}", "docs": [["d1", n], ["ü", n / 7]]} for n in (10, 2, 33, 4)]
    path = write(tmp_path, START, *lines, {**END, "queries": 4})
    whole = read_run(path)
    monkeypatch.setattr(evalrun, "DOCUMENTS", 3)
    parts = read_run(path)
    assert parts.to_dict() == whole.to_dict()
    assert whole.qids == parts.qids == ("é10", "é2", "é33", "é4")


def test_a_run_that_was_resumed_after_its_end_may_have_more_lines(tmp_path: Path) -> None:
    later = {"ended_at": "2026-11-22T00:00:00Z", "queries": 2}
    run = read_run(write(tmp_path, START, Q1, {**END, "queries": 1}, Q2, later))
    assert run.facts["ended_at"].day == 22
    assert "has not ended" in refused(write(tmp_path, START, Q1, {**END, "queries": 1}, Q2))


# --- files without an end ------------------------------------------------------------------------


def test_a_run_that_has_not_ended_is_refused_or_read_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, START, Q1)
    message = (
        "a.evalrun: the run has not ended, with 1 query so far; resume it, or read it as it is"
    )
    assert refused(path).startswith(message)
    run = read_run(path, UNFINISHED)
    assert run.qids == ("q1",)
    assert [warning.rpartition("/")[2] for warning in run.warnings] == [
        "a.evalrun: the run has not ended, with 1 query so far"
    ]


@pytest.mark.parametrize("torn", ['{"qid": "q2", "docs": [["d7", 3.', "{", '{"qid": "caf\u00e9'])
def test_a_last_line_that_is_cut_off_is_left_out_with_its_number(tmp_path: Path, torn: str) -> None:
    path = write(tmp_path, START, Q1, torn, end="")
    Path(path).write_bytes(Path(path).read_bytes().removesuffix(b"\xa9"))  # half of an é
    assert "has not ended" in refused(path)
    run = read_run(path, UNFINISHED)
    assert run.qids == ("q1",)
    assert run.warnings[0].endswith("a.evalrun:3: the line is cut off; it is left out")


def test_a_last_line_that_lacks_only_its_line_end_counts(tmp_path: Path) -> None:
    assert read_run(write(tmp_path, START, Q1, Q2, END, end="")).qids == ("q1", "q2")


def test_a_line_that_is_cut_off_within_the_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, START, '{"qid": "q2", "docs": [["d7", 3.', Q1)
    assert refused(path, UNFINISHED).startswith("a.evalrun:2: not JSON (")


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "not a JSON object: one object a line is expected"),
        ("[" * 100_000, "not JSON (nested too deep): one object a line is expected"),
        (
            '{"qid": 1' + "0" * 5000 + ', "docs": []}',
            "not JSON (a value out of range)",
        ),
        ('{"qid": "q2", "qid": "q3", "docs": []}', "the key 'qid' stands twice"),
        ({"x": 1}, "a line of a logged run has one of these keys: evalrun, qid, facts, ended_at"),
        (START, "one line has the key evalrun, and it is the first"),
        ({"qid": "q2", "dosc": []}, "a line with qid has no key 'dosc'; did you mean 'docs'?"),
        ({"qid": "q2"}, "query 'q2': docs is a list of [docno, score]"),
        ({"qid": "q2", "docs": {"d7": 1}}, "query 'q2': docs is a list of [docno, score]"),
        ({"qid": "q2", "docs": [7]}, "query 'q2': docs are pairs of a docno and a score"),
        ({"qid": "q2", "docs": [["d7"]]}, "query 'q2': docs are pairs of a docno and a score"),
        ({"qid": "q2", "docs": [[["d"], 1]]}, "query 'q2': docs are pairs of a docno and a score"),
        (
            {"qid": "q2", "docs": [["d7", 1], ["d7", 2]]},
            "query 'q2': document 'd7' stands twice; keep one of the two",
        ),
        (
            {"qid": "q2", "docs": [["d7", "1"]]},
            "query 'q2': document 'd7': score '1' is not a number",
        ),
        (
            '{"qid": "q2", "docs": [["d7", NaN]]}',
            "query 'q2': document 'd7': score nan is not a finite number",
        ),
        (
            '{"qid": "q2", "docs": [["d7", 1e999]]}',
            "query 'q2': document 'd7': score inf is not a finite number",
        ),
        (
            {"qid": "q2", "docs": [["d 7", 1]]},
            "query 'q2': docno 'd 7' holds blanks or control characters",
        ),
        ({"qid": "", "docs": []}, "an empty query id"),
        ({"qid": None, "docs": []}, "query id None is not text and not a whole number"),
        (Q1, "query 'q1' stands twice (first on line 2); keep one of the two"),
        ({**Q2, "ms": -1}, "query 'q2': -1 is no number of milliseconds"),
        ('{"qid": "q2", "docs": [], "ms": NaN}', "query 'q2': nan is no number of milliseconds"),
        ({**Q2, "ms": "5"}, "query 'q2': '5' is no number of milliseconds"),
        ({"facts": 5}, "facts are an object, by their names"),
        ({"facts": {"notes": "x"}}, "there is no fact 'notes'; did you mean 'note'?"),
        ({"facts": {"note": 5}}, "the fact note can't be 5"),
        ({"facts": {"money": 10**400}}, "the fact money can't be 1000"),
        ({"facts": {"tags": [5]}}, "the fact tags can't be [5]"),
        ({"facts": {"commit_dirty": 1}}, "the fact commit_dirty can't be 1"),
        ({"facts": {"memory_bytes": 1.5}}, "the fact memory_bytes can't be 1.5"),
        ({"facts": {"started_at": "today"}}, "started_at is no time like 2026-11-21T19:37:04"),
        ({"facts": {"started_at": "0001-01-01T00:00+10:00"}}, "started_at is no time like"),
        (
            {"ended_at": "2026-11-21", "queries": 3},
            "the run ended with 3 queries, and 1 are here: lines were lost, get a whole copy",
        ),
        ({"ended_at": 5}, "ended_at is no time like"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(
    tmp_path: Path, line: dict[str, Any] | str, message: str
) -> None:
    path = write(tmp_path, START, Q1, line, END)
    assert refused(path).startswith(f"a.evalrun:3: {message}")


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (
            {"evalrun": 2},
            "written by a newer evalstore (version 2 of the format, this one reads 1)",
        ),
        ({"evalrun": True}, "True is no version of the format"),
        ({"evalrun": 1, "run": 5}, "the name of the run is a text, not 5"),
        ({"evalrun": 1, "engine": " "}, "the name of the engine is a text, not ' '"),
        ({"evalrun": 1, "parent": "x"}, "a line with evalrun has no key 'parent'"),
    ],
)
def test_a_first_line_that_breaks_a_rule_is_named(
    tmp_path: Path, start: dict[str, Any], message: str
) -> None:
    assert refused(write(tmp_path, start, Q1)).startswith(f"a.evalrun:1: {message}")


def test_a_file_without_documents_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, START, {"qid": "q1", "docs": []}, {**END, "queries": 1})
    assert refused(path) == "a.evalrun: no documents: a run is expected"


def test_a_line_of_more_than_16_mib_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, START, '{"qid": "' + "x" * MAX_TEXT_LINE)
    assert refused(path) == "a.evalrun:2: the line is longer than 16 MiB"


# --- making lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "docs",
    [
        [("d9", 1.5), ("d7", 2.5)],
        {"d7": np.float32(2.5), "d9": np.float64(1.5)},
        (pair for pair in (["d7", 2.5], ["d9", 1.5])),
        zip(["d7", "d9"], np.array([2.5, 1.5]), strict=True),
    ],
    ids=["pairs", "numpy", "generator", "zip"],
)
def test_documents_may_come_in_any_order_as_pairs_or_a_dictionary(docs: Any) -> None:
    ranking = ranking_of("bm25", "q1", docs, np.float32(12.5))
    assert json.loads(ranking_line("bm25", ranking)) == Q1
    assert list(ranking.docs) == ["d7", "d9"]


def test_whole_numbers_are_ids_by_their_digits() -> None:
    ranking = ranking_of("bm25", np.int64(301), {7: 1, "007": 2})
    assert (ranking.qid, ranking.docs) == ("301", {"007": 2.0, "7": 1.0})


@pytest.mark.parametrize(
    ("query", "docs", "milliseconds", "message"),
    [
        (None, {}, None, "b: query id None is not text and not a whole number"),
        ("q1", {"d7": float("nan")}, None, "b, query 'q1': document 'd7': score nan is not"),
        ("q1", [("d7", 1), ("d7", 1)], None, "b: query 'q1': document 'd7' stands twice"),
        ("q1", [("7", 1), (7, 1)], None, "b, query 'q1': document '7' is given twice"),
        ("q1", ["d7", "d9"], None, "b: query 'q1': docs are pairs of a docno and a score"),
        ("q1", ["d007"], None, "b: query 'q1': docs are pairs of a docno and a score"),
        ("q1", 5, None, "b: query 'q1': docs are pairs of a docno and a score"),
        ("q1", {"d7": True}, None, "b, query 'q1': document 'd7': score True is not a number"),
        ("q1", {}, -1, "b: query 'q1': -1 is no number of milliseconds"),
        ("q1", {}, "fast", "b: query 'q1': 'fast' is no number of milliseconds"),
    ],
)
def test_what_a_file_could_not_hold_is_no_ranking(
    query: object, docs: Any, milliseconds: object, message: str
) -> None:
    with pytest.raises(DataError) as error:
        ranking_of("b", query, docs, milliseconds)
    assert str(error.value).startswith(message)


def test_more_documents_than_a_line_holds_are_refused() -> None:
    ranking = ranking_of("b", "q1", {"é" * 500 + str(n): n for n in range(6_000)})
    with pytest.raises(DataError, match="more than 16 MiB of documents"):
        ranking_line("b", ranking)


def test_lines_that_were_made_are_read_back_the_same(tmp_path: Path) -> None:
    zone = timezone(timedelta(hours=2))
    facts = {
        "parameters": {"k1": 0.1, "é": "ü"},
        "started_at": datetime(2026, 1, 2, 3, tzinfo=zone),
    }
    ranking = ranking_of("b", "é", {"d1": 1 / 3, "d2": -1e-300})
    lines = [start_line(NAMES, facts), ranking_line("b", ranking), facts_line({"tags": ("x",)})]
    (tmp_path / "b.evalrun").write_bytes(b"".join([*lines, end_line("2026-01-03", 1)]))
    run = evalrun.read_run(str(tmp_path / "b.evalrun"))
    assert run.to_dict() == {"é": {"d1": 1 / 3, "d2": -1e-300}}
    assert run.facts["started_at"] == facts["started_at"]
    assert (run.facts["parameters"], run.facts["tags"]) == (facts["parameters"], ("x",))
    assert facts_from_json(json.loads(json.dumps(json_of_facts(run.facts)))) == run.facts


def test_hostile_facts_do_not_grow_without_end(tmp_path: Path) -> None:
    lines = [{"facts": {"tags": [f"t{n}"]}} for n in range(1_001)]
    with pytest.raises(FileError, match="more than 1,000 tags"):
        read_run(write(tmp_path, START, *lines, Q1, Q2, END))

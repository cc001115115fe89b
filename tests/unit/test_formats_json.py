"""Runs and judgments as JSON: what is accepted, what is refused, and how messages name it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval

from evalstore.errors import DataError, FileError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.json import files
from evalstore.formats.reading.lines import tag_of_text

SCORES = {"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"d7": 3.25}}
META = {"model_name": "org/small-model", "revision": "4c2f"}


def write(folder: Path, text: str, name: str = "a.json") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def refused(path: str) -> str:
    with pytest.raises(DataError) as error:
        read_run(path)
    return str(error.value).removeprefix(str(Path(path).parent)).removeprefix("/")


@pytest.mark.parametrize("indent", [None, 1])
def test_a_run_is_recognised_however_it_is_indented_and_named_after_its_file(
    tmp_path: Path, indent: int | None
) -> None:
    run = read_run(write(tmp_path, json.dumps(SCORES, indent=indent), "small model.json"))
    assert run.to_dict() == SCORES
    assert (run.format, run.tag) == ("run-json", "small_model")


def test_what_pytrec_eval_parsed_and_json_wrote_is_the_run(tmp_path: Path) -> None:
    """The dictionary is pytrec_eval's own, of a TREC run."""
    parsed = pytrec_eval.parse_run(io.StringIO("q1 Q0 d7 1 2.5 t\nq1 Q0 d9 2 1.5 t\n"))
    assert read_run(write(tmp_path, json.dumps(parsed))).to_dict() == parsed
    judged = pytrec_eval.parse_qrel(io.StringIO("q1 0 d7 1\nq1 0 d9 0\n"))
    qrels = read_qrels(write(tmp_path, json.dumps(judged), "qrels.json"))
    assert (qrels.to_dict(), qrels.format) == (judged, "qrels-json")


def test_the_values_are_those_of_ir_measures_on_the_same_dictionaries(tmp_path: Path) -> None:
    import evalstore as ev
    from evalstore.measures import AP

    judged = {"q1": {"d7": 0, "d9": 1}, "q2": {"d7": 1}}
    run = write(tmp_path, json.dumps(SCORES))
    ours = ev.evaluate(write(tmp_path, json.dumps(judged), "q.json"), run, [AP]).aggregates
    assert (
        ours.iloc[0, 0]
        == ir_measures.calc_aggregate([ir_measures.AP], judged, SCORES)[ir_measures.AP]
    )


def test_ids_stay_texts(tmp_path: Path) -> None:
    text = '{"007": {"NA": 1, "null": 2, "9007199254740993": 3, "1.0": 4, "1": 5}}'
    run = read_run(write(tmp_path, text))
    assert run.qids == ("007",)
    assert list(run.to_dict()["007"]) == ["1", "1.0", "9007199254740993", "null", "NA"]


def test_gzip_and_queries_without_documents_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b'{"q0": {}, "q1": {"d7": 2}}'))
    assert read_run(str(path)).to_dict() == {"q1": {"d7": 2}}


def test_standard_input_is_recognised_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (json.dumps(SCORES).encode(), gzip.compress(json.dumps(SCORES).encode())):
        stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))  # type: ignore[type-var]
        monkeypatch.setattr(sys, "stdin", stream)
        run = read_run("-")
        assert (run.to_dict(), run.tag) == (SCORES, "stdin")


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q1": {"d7": NaN}}', "a.json, query 'q1': document 'd7': score nan is not a finite"),
        ('{"q1": {"d7": -Infinity}}', "a.json, query 'q1': document 'd7': score -inf is not"),
        ('{"q1": {"d7": 1e999}}', "a.json, query 'q1': document 'd7': score inf is not a finite"),
        ('{"q1": {"d7": "2.5"}}', "a.json, query 'q1': document 'd7': score '2.5' is not a number"),
        ('{"q1": {"d7": true}}', "a.json, query 'q1': document 'd7': score True is not a number"),
        ('{"q1": {"d7": null}}', "a.json, query 'q1': document 'd7': score None is not a number"),
        ('{"q1": {"d7": 1, "d7": 1}}', "a.json, query 'q1': document 'd7' stands twice; keep one"),
        ('{"q1": {"d7": 1}, "q1": {}}', "a.json: query 'q1' stands twice; keep one"),
        ('{"q1": {"d7": 1}, "q2": 3}', "a.json, query 'q2': expected an object of documents"),
        ('{"q1": {"d 7": 1}}', "a.json, query 'q1': docno 'd 7' holds blanks or control"),
        ('{"q1": {"\\ud800": 1}}', "a.json, query 'q1': docno '\\ud800' holds blanks or control"),
        ('{"q1": {"d7": 1},\n"q2": {"d7": }}', "a.json:2: not JSON (Expecting value, column 14)"),
        ('{"q1": {"d7": 1}}\n{"q2": {"d7": 1}}', "a.json:2: not JSON (Extra data, column 1)"),
        ('{"q1": {"d7": 1}, "q2": ' + "[" * 200_000, "a.json: not JSON (nested too deep)"),
        (
            '{"q1": {"d7": 1' + "0" * 5_000 + "}}",
            "a.json: not JSON (a value out of range",
        ),
        ('{"ndcg": {"NDCG@10": 0.3}, "map": {}}', "a.json: this looks like the averages of"),
    ],
)
def test_what_is_wrong_is_named_by_query_and_document_or_by_line(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refused(write(tmp_path, text)).startswith(message)


def test_more_than_fits_in_memory_is_refused_by_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_JSON", 1_000)
    large = json.dumps({"q1": {f"d{i}": i for i in range(200)}})
    message = "more than 1,000 bytes of JSON, which is held in memory: give it as TREC lines"
    assert refused(write(tmp_path, large)) == f"a.json: {message}"
    packed = tmp_path / "bomb.json"
    packed.write_bytes(gzip.compress(b'{"q1": {"d1": 1' + b" " * 10_000_000))
    assert refused(str(packed)) == f"bomb.json: {message}"


def test_another_limit_of_bytes_holds_too(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="more than 20 bytes; the limit can be raised"):
        read_run(write(tmp_path, json.dumps(SCORES)), ReadOptions(max_bytes=20))


# --- which format --------------------------------------------------------------------------------


def test_a_format_that_is_named_is_taken_whatever_the_file_looks_like(tmp_path: Path) -> None:
    trec = write(tmp_path, "q1 Q0 d7 1 2.5 t\n", "a.run")
    assert read_run(trec).format == "trec-run"
    with pytest.raises(FileError, match=r"a\.run:1: not JSON"):
        read_run(trec, ReadOptions(formats=("run-json",)))
    # A format of judgments says nothing about runs.
    assert read_run(trec, ReadOptions(formats=("qrels-json",))).format == "trec-run"
    with pytest.raises(DataError, match="no format is called 'run-jsn'; did you mean 'run-json'"):
        read_run(trec, ReadOptions(formats=("run-jsn",)))
    with pytest.raises(DataError, match="this may be run-json or trec-run") as error:
        read_run(trec, ReadOptions(formats=("run-json", "trec-run")))
    assert error.value.problem == "which format"


# --- MTEB ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [{"default": {"test": SCORES}}, {"test": SCORES}])
def test_predictions_of_mteb_name_the_model_with_or_without_subsets(
    tmp_path: Path, content: dict[str, object]
) -> None:
    run = read_run(write(tmp_path, json.dumps({"mteb_model_meta": META, **content})))
    assert run.to_dict() == SCORES
    assert (run.format, run.tag) == ("mteb-predictions", "org/small-model")
    [note] = run.warnings
    assert note.endswith("split 'test', model 'org/small-model', revision '4c2f'")


def test_predictions_without_a_model_are_named_after_the_file(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, json.dumps({"default": {"test": SCORES}}), "T_x.json"))
    assert run.tag == "T_x"
    assert run.warnings[0].endswith("model unknown, revision unknown")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            {"default": {"test": SCORES, "dev": SCORES}},
            "a.json: one run is expected, and there are 2 (subset 'default', split 'test'; ",
        ),
        ({}, "a.json: one run is expected, and there are 0 (none)"),
        ({"default": 3}, "a.json: 'default' holds no object of splits"),
        ({"default": {"test": {"q1": {"d7": "x"}}}}, "a.json, query 'q1': document 'd7': score"),
    ],
)
def test_of_predictions_what_is_no_single_run_is_refused(
    tmp_path: Path, content: dict[str, object], message: str
) -> None:
    document = json.dumps({"mteb_model_meta": META, **content})
    assert refused(write(tmp_path, document)).startswith(message)


def test_a_text_becomes_a_tag_that_a_run_file_can_hold() -> None:
    assert tag_of_text("my model\x1b[31m\n") == "my_model_[31m_"
    assert tag_of_text("") == "run"
    assert len(tag_of_text("é" * 2_000).encode()) == 1_024

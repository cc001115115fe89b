"""Files of any fields, read by a mapping; JSON of no known format says so."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalstore.errors import DataError
from evalstore.formats import ReadOptions, read_qrels, read_run

CONTEXTS = "qid=query_id,docno=contexts[].doc_id,score=contexts[].score"
RAG = [
    {
        "query_id": "q1",
        "question": "who?",
        "contexts": [{"doc_id": "007", "score": 1.5}, {"doc_id": "NA", "score": "0.5"}],
    },
    {"query_id": 9007199254740993, "contexts": [{"doc_id": "d", "score": 2}]},
]
READ = {"q1": {"007": 1.5, "NA": 0.5}, "9007199254740993": {"d": 2.0}}


def file(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    "text", ["\n".join(map(json.dumps, RAG)), json.dumps(RAG, indent=1)], ids=["lines", "list"]
)
def test_json_is_read_by_the_paths_of_its_fields(tmp_path: Path, text: str) -> None:
    path = file(tmp_path, "rag.jsonl", text)
    assert read_run(path, ReadOptions(maps=(CONTEXTS,))).to_dict() == READ


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_ids_in_columns_are_text(tmp_path: Path, delimiter: str) -> None:
    lines = [("q", "doc", "s"), ("007", "NA", "2.5"), ("007", "1.0", "1e-3"), ("x", '"a,b"', "1")]
    path = file(tmp_path, "run.csv", "\n".join(delimiter.join(line) for line in lines))
    run = read_run(path, ReadOptions(maps=("qid=q,docno=doc,score=s",)))
    assert run.to_dict() == {"007": {"NA": 2.5, "1.0": 0.001}, "x": {"a,b": 1.0}}


def test_a_trec_file_beside_mapped_ones_is_read_as_it_is(tmp_path: Path) -> None:
    run = file(tmp_path, "bm25.run", "q1 Q0 d1 1 2.5 bm25\n")
    qrels = file(tmp_path, "qrels", "q1 0 d1 1\n")
    options = ReadOptions(maps=(CONTEXTS, "qid=q,docno=d,grade=g"))
    assert read_run(run, options).to_dict() == {"q1": {"d1": 2.5}}
    assert read_qrels(qrels, options).to_dict() == {"q1": {"d1": 1}}


def test_parquet_is_read_by_its_columns(tmp_path: Path) -> None:
    table = pa.table({"q": ["q1", "q1"], "hits": [["a", "b"], ["c"]]})
    pq.write_table(table.slice(0, 1), tmp_path / "run.parquet")
    run = read_run(str(tmp_path / "run.parquet"), ReadOptions(maps=("qid=q,docno=hits[]",)))
    assert run.to_dict() == {"q1": {"a": 1.0, "b": 0.5}}, "the order of the list is the ranking"


def test_a_mapping_with_a_grade_is_for_judgments(tmp_path: Path) -> None:
    path = file(tmp_path, "judged.json", '[{"q": "q1", "d": "d1", "label": 2}]')
    options = ReadOptions(maps=(CONTEXTS, "qid=q,docno=d,grade=label"))
    assert read_qrels(path, options).to_dict() == {"q1": {"d1": 2.0}}


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ("qid=query_id", "the mapping lacks docno: write it like qid=query_id,docno=contexts"),
        ("qid", "the mapping 'qid' is not NAME=PATH"),
        ("qid=a,docno=b,scores=c", "the mapping names 'scores'; did you mean 'score'?"),
        (
            "qid=id,docno=contexts[].doc_id",
            r"rag.jsonl:1: nothing under 'id' of 'id', which has query_id",
        ),
        (
            "qid=query_id,docno=contexts[].id",
            "under 'id' of 'contexts.*which has doc_id, s",
        ),
        ("qid=query_id,docno=question[]", r"a list is expected for \[\] in 'question\[\]'"),
    ],
)
def test_what_is_wrong_with_a_mapping_is_said_with_the_place(
    tmp_path: Path, mapping: str, message: str
) -> None:
    path = file(tmp_path, "rag.jsonl", json.dumps(RAG[0]))
    with pytest.raises(DataError, match=message):
        read_run(path, ReadOptions(maps=(mapping,)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps(RAG[0]) + "\n" + json.dumps(RAG[0]), "JSON lines, of no known format"),
        ('[{"user_input": "a", "retrieved_contexts": ["b"]}]', "JSON, of no known format"),
        (
            '{"took": 3, "responses": [{"hits": {"hits": []}}]}',
            "answers of _msearch, which name",
        ),
    ],
)
def test_json_of_no_known_format_is_called_so(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_run(file(tmp_path, "x.json", text))
    assert caught.value.problem == "unmapped"


def test_lists_of_documents_by_query_are_a_run(tmp_path: Path) -> None:
    path = file(tmp_path, "run.json", '{"q1": ["b", "a"], "q2": ["a"]}')
    run = read_run(path)
    assert run.format == "run-lists"
    assert run.to_dict() == {"q1": {"b": 1.0, "a": 0.5}, "q2": {"a": 1.0}}
    with pytest.raises(DataError, match="query 'q1': a document stands twice; keep one"):
        read_run(file(tmp_path, "twice.json", '{"q1": ["b", "b"]}'))

"""Judgments of models: umbrela's output, lines whose grade is no number, and who judged."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest

from evalstore.errors import DataError
from evalstore.formats import Qrels, ReadOptions, read_qrels
from evalstore.formats.facts.judged_by import judged_by_text, parse_judged_by
from evalstore.formats.queries import ids_by_text

MODEL = {"kind": "model", "model": "gpt-4o"}


def umbrela(passage: str, judgment: object, **others: object) -> dict[str, object]:
    """A line as `umbrela judge` writes it: texts without ids."""
    return {
        "model": "gpt-4o",
        "query": "red dress",
        "passage": passage,
        "prompt": f"Grade. Query: red dress, passage: {passage}.",
        "prediction": f"##final score: {judgment}",
        "judgment": judgment,
        "result_status": 1,
        **others,
    }


def read(folder: Path, *lines: object, options: ReadOptions | None = None) -> Qrels:
    path = folder / "judged.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return read_qrels(str(path), options)


def test_umbrelas_output_is_found_by_the_texts_and_names_the_model_and_its_prompt(
    tmp_path: Path,
) -> None:
    options = ReadOptions(
        query_ids=ids_by_text({"q1": "red dress"}), docnos=lambda: {"a gown": "d7", "a shoe": "d9"}
    )
    lines = [umbrela("a gown", 2), umbrela("a shoe ", 0), umbrela("a gown", 2)]
    qrels = read(tmp_path, *lines, options=options)
    assert qrels.to_dict() == {"q1": {"d7": 2, "d9": 0}}
    template = b"Grade. Query: {query}, passage: {passage}."
    assert qrels.origin == {**MODEL, "prompt": hashlib.sha256(template).hexdigest()}
    assert qrels.format == "umbrela"
    with pytest.raises(
        DataError, match=r"jsonl:2: 1 of its documents have no id, and are no texts"
    ):
        read(tmp_path, umbrela("a gown", 2), umbrela("a hat", 1), options=options)
    with pytest.raises(DataError, match="no texts of queries are known"):
        read(tmp_path, *lines)


def test_requests_whose_candidates_have_a_judgment_have_ids(tmp_path: Path) -> None:
    candidates = [
        {"docid": "d7", "doc": {"segment": "a gown"}, "judgment": 3},
        {"docid": 9, "doc": {"segment": "a shoe"}, "judgment": 0},
    ]
    request = {"query": {"qid": "q1", "text": "red dress"}, "candidates": candidates}
    qrels = read(tmp_path, request)
    assert qrels.to_dict() == {"q1": {"d7": 3, "9": 0}}
    assert qrels.origin == {"kind": "model", "model": "umbrela"}


@pytest.mark.parametrize(
    "unparsed",
    [
        {"judgment": 0, "result_status": 0},
        *({"judgment": answer} for answer in (None, "high", "1e999", math.inf)),
    ],
)
def test_a_judgment_that_was_not_read_in_the_answer_is_none_and_is_counted(
    tmp_path: Path, unparsed: dict[str, object]
) -> None:
    ids = {"qid": "q1", "docid": "d7"}
    other = umbrela("a", 1, qid="q1", docid="d8")
    qrels = read(tmp_path, umbrela("b", 1, **ids) | unparsed, other)
    assert qrels.to_dict() == {"q1": {"d8": 1}}
    assert qrels.warnings == (
        f"{tmp_path}/judged.jsonl: 1 of 2 answers of the model is no grade: not judged (line 1)",
    )
    with pytest.raises(DataError, match="none of its 1 judgments is a grade"):
        read(tmp_path, umbrela("b", 1, **ids) | unparsed)
    with pytest.raises(DataError, match=r"jsonl:2: document 'd8' graded 2 for query 'q1', but 1"):
        read(tmp_path, other, umbrela("a", 2, qid="q1", docid="d8"))


LINES = (
    "q1 0 d1 None\n# by gpt-4o\nq1 0 d2 1\nq1 0 d3\nq1 0 d4 no idea\nq2 0 d1 True\nq2 0 d2 False\n"
    "q2 0 d3 1e999\n"
)


def test_lines_of_a_model_may_have_no_grade_or_that_of_autojudge(tmp_path: Path) -> None:
    """TREC AutoJudge reads True and False as 1 and 0."""
    path = tmp_path / "model.qrels"
    path.write_text(LINES, "utf-8")
    options = ReadOptions(judged_by=MODEL)
    qrels = read_qrels(str(path), options)
    assert qrels.to_dict() == {"q1": {"d2": 1}, "q2": {"d1": 1, "d2": 0}}
    assert qrels.warnings == (
        f"{path}: 4 of 7 answers of the model are no grades: not judged "
        "(line 1; line 4; line 5; line 8)",
    )
    assert qrels.origin == MODEL
    with pytest.raises(DataError, match=r"qrels:1: grade 'None' is not a finite decimal number"):
        read_qrels(str(path))
    for text, message in (
        ("q1 0\n", "qrels:1: expected 4 columns, found 2"),
        ("q1 0 d1 None\n", "none of its 1 judgments is a grade"),
        (
            "q1 0 d1 x\nq1 0 d2 1\nq1 0 d2 2\n",
            "qrels:3: document 'd2' graded 2 for query 'q1', but",
        ),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(DataError, match=message):
            read_qrels(str(path), options)


def test_a_judge_is_a_model_with_the_hash_of_its_prompt(tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_bytes(b"Grade it.\n")
    known = hashlib.sha256(b"Grade it.\n").hexdigest()
    text = f"model=gpt-4o, prompt={prompt},temperature=0.5,repeat=2,date=2026-06-30,family=gpt"
    origin = parse_judged_by(text)
    assert origin == {
        **{**MODEL, "prompt": known, "temperature": 0.5},
        **{"repeat": 2, "date": "2026-06-30", "family": "gpt"},
    }
    assert parse_judged_by(judged_by_text(origin), only_hash=True) == origin


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpt-4o", "'gpt-4o' is not NAME=VALUE: write it like model=gpt-4o"),
        ("modle=gpt-4o", "no 'modle' of a judge; did you mean 'model'?"),
        ("temperature=0", "name the model that judged"),
        ("model=a,model=b", "the judge has model twice: a and b"),
        ("model=a,temperature=warm", "temperature 'warm' is not a number from 0 on"),
        ("model=a,temperature=nan", "temperature 'nan' is not a number from 0 on"),
        ("model=a,repeat=0", "repeat '0' is not a whole number from 1 on"),
        ("model=a,date=June", "date 'June' is not a date like 2026-06-30"),
        ("model=a\x1b", "the model is a line of at most 200 characters"),
        ("model=a,prompt=no-such-file", "the prompt 'no-such-file' can't be read: No such file"),
    ],
)
def test_a_judge_that_can_not_be(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        parse_judged_by(text)
    assert message in str(error.value)


def test_a_server_opens_no_file_that_a_request_names() -> None:
    with pytest.raises(DataError, match="by its SHA-256 here"):
        parse_judged_by("model=a,prompt=/etc/hostname", only_hash=True)

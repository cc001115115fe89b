"""Data frames in CSV and Parquet: what is accepted, what is refused, on which line or row."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from evalstore.errors import DataError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.tables import frames

TREC = "q1 Q0 d7 1 2.5 t\nq1 Q0 d9 2 1.5 t\nq2 Q0 007 1 3.25 t\n"
SCORES = {"q1": {"d7": 2.5, "d9": 1.5}, "q2": {"007": 3.25}}
IDS = ["007", "NA", "null", "9007199254740993", "1.0"]


def write(folder: Path, text: str, name: str = "a.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def parquet_file(folder: Path, columns: dict[str, Any], name: str = "a.parquet") -> str:
    parquet.write_table(pa.table(columns), folder / name)
    return str(folder / name)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_frames_that_ir_measures_reads_from_trec_files_are_read_from_files(
    tmp_path: Path, ending: str
) -> None:
    run = pd.DataFrame(ir_measures.read_trec_run(write(tmp_path, TREC, "a.run")))
    judged = pd.DataFrame(ir_measures.read_trec_qrels("q1 0 d7 1\nq2 0 007 0\n"))
    paths = {name: str(tmp_path / f"{name}.{ending}") for name in ("run", "qrels")}
    for name, frame in (("run", run), ("qrels", judged)):
        if ending == "parquet":
            frame.to_parquet(paths[name])
        else:
            frame.to_csv(paths[name], index=False, sep="," if ending == "csv" else "\t")
    read = read_run(paths["run"])
    assert (read.to_dict(), read.format, read.tag) == (SCORES, "run-frame", "run")
    qrels = read_qrels(paths["qrels"])
    assert (qrels.to_dict(), qrels.format) == ({"q1": {"d7": 1}, "q2": {"007": 0}}, "qrels-frame")


@pytest.mark.parametrize("names", ["qid,docno", "query_id,doc_id", "q_id,doc_id"])
def test_the_columns_of_pyterrier_ir_measures_and_ranx_are_known(
    tmp_path: Path, names: str
) -> None:
    run = read_run(write(tmp_path, f",{names},score\n0,q1,d7,2.5\n1,q1,d9,1.5\n"))
    assert run.to_dict() == {"q1": {"d7": 2.5, "d9": 1.5}}
    for grade in ("grade", "relevance", "label", "score"):
        qrels = read_qrels(write(tmp_path, f"{names},{grade}\nq1,d7,2\n"))
        assert qrels.to_dict() == {"q1": {"d7": 2}}


def test_ids_stay_texts(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i},{n}\n" for n, i in enumerate(IDS))
    run = read_run(write(tmp_path, f"qid,docno,score\n{rows}"))
    assert run.to_dict() == {i: {i: float(n)} for n, i in enumerate(IDS)}
    columns = {"qid": IDS, "docno": IDS, "score": [float(n) for n in range(len(IDS))]}
    assert read_run(parquet_file(tmp_path, columns)).to_dict() == run.to_dict()
    whole = {"qid": [1, 1], "docno": [2**53 + 1, 7], "score": [2.0, 1.0]}
    assert read_run(parquet_file(tmp_path, whole)).to_dict() == {
        "1": {"9007199254740993": 2, "7": 1}
    }


def test_quoted_cells_and_queries_in_turns_keep_their_lines(tmp_path: Path) -> None:
    text = 'qid,query,docno,score\nq2,"a ""b"",\nc\n",d1,1\nq1,x,d1,1\nq2,y,d2,2\n\nq1,x,d1,3\n'
    with pytest.raises(DataError, match=r"a\.csv:8: document 'd1' retrieved twice .*on line 5"):
        read_run(write(tmp_path, text))
    run = read_run(write(tmp_path, text.replace("q1,x,d1,3", "q1,x,d3,3")))
    assert run.to_dict() == {"q1": {"d3": 3, "d1": 1}, "q2": {"d2": 2, "d1": 1}}


def test_gzip_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"qid,docno,score\nq1,d7,2\n"))
    assert read_run(str(path)).to_dict() == {"q1": {"d7": 2}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qid,docno,score\nq1,d1\n", "a.csv:2: expected 3 columns as in the first line, found 2"),
        ("qid,docno,score\nq1,d1,nan\n", "a.csv:2: score 'nan' is not a finite decimal number"),
        ("qid,docno,score\nq1,d1,\n", "a.csv:2: score '' is not a finite decimal number"),
        ("qid,docno,score\nq1,d1,1e999\n", "a.csv:2: score inf is not a finite number"),
        ("qid,docno,score\nq1,d 1,1\n", "a.csv:2: docno 'd 1' holds blanks or control characters"),
        ("qid,docno,score\nq1,d1,1\n,d1,1\n", "a.csv:3: an empty query id"),
        ('qid,docno,score\nq1,d1,1\nq1,"d2,1\n', "a.csv:3: not CSV (unexpected end of data)"),
        (f'qid,docno,score\nq1,"{"x" * 200_000}",1\n', "a.csv:2: not CSV (field larger than"),
        ("qid,docno,score\n", "a.csv: no rows: a run is expected"),
        ("qid,query_id,docno,score\nq,q,d,1\n", "a.csv: several columns for the query id"),
    ],
)
def test_a_wrong_line_of_csv_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        read_run(write(tmp_path, text))
    assert str(error.value).removeprefix(f"{tmp_path}/").startswith(message)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"qid": ["q1"], "docno": ["d1"]}, "a.parquet: no column for the score: one of score"),
        (
            {"qid": ["q1", "q1"], "docno": ["d1", "d2"], "score": [1.0, None]},
            "a.parquet, row 1: score nan is not a finite number",
        ),
        (
            {"qid": [1.5], "docno": ["d1"], "score": [1.0]},
            "a.parquet, row 0: query id 1.5 is not text and not a whole number",
        ),
        (
            {"qid": ["q1"] * 2, "docno": ["d1"] * 2, "score": [1.0, 2.0]},
            "a.parquet, row 1: document 'd1' retrieved twice for query 'q1' (first in row 0)",
        ),
        (
            {"qid": pa.array([], pa.string()), "docno": pa.array([], pa.string()), "score": []},
            "a.parquet: the file has no rows",
        ),
    ],
)
def test_a_wrong_row_of_parquet_is_named(
    tmp_path: Path, columns: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as error:
        read_run(parquet_file(tmp_path, columns))
    assert str(error.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_parquet_that_is_damaged_or_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"qid": ["q1"] * 1000, "docno": [f"d{i}" for i in range(1000)], "score": [1.0] * 1000}
    path = parquet_file(tmp_path, columns)
    (tmp_path / "cut.parquet").write_bytes(Path(path).read_bytes()[:-20])
    with pytest.raises(DataError, match=r"cut\.parquet: not a Parquet file that can be read"):
        read_run(str(tmp_path / "cut.parquet"))
    with pytest.raises(DataError, match="more than 100 bytes in the columns"):
        read_run(path, ReadOptions(max_bytes=100))
    monkeypatch.setattr(frames, "MAX_PARQUET", 200)
    with pytest.raises(DataError, match="more than 200 bytes in the columns"):
        read_run(path)


def test_a_run_is_not_taken_for_judgments(tmp_path: Path) -> None:
    columns = {"qid": ["q1"], "docno": ["d1"], "rank": [0], "score": [1.0]}
    for path in (
        write(tmp_path, "qid,docno,rank,score\nq1,d1,0,1\n"),
        parquet_file(tmp_path, columns),
    ):
        assert read_run(path).to_dict() == {"q1": {"d1": 1}}
        with pytest.raises(DataError, match="this looks like a run, not judgments"):
            read_qrels(path)


def test_csv_of_other_columns_is_not_recognised(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this looks like CSV"):
        read_run(write(tmp_path, "text,docid,grade\nx,d1,1\n"))

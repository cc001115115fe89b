"""Formats on the command line: recognised and named, forced with --format, listed by `ingest`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import QRELS, Program, raw_output_dangers, write, write_qrels, write_run

import evalstore as ev
from evalstore.formats.registry import folder_formats, formats

pytestmark = pytest.mark.slow  # many commands, figures or resamples

RUN = {"q1": {"d1": 3, "d9": 2, "d2": 1}, "q2": {"d5": 2, "d4": 1}, "q3": {"d8": 2, "d6": 1}}
INGEST = ("ingest", "--collection", "test", "--qrels")


def test_ingest_says_which_format_it_recognised(program: Program, folder: Path) -> None:
    qrels = write(folder / "judged.json", json.dumps(QRELS))
    run = write(folder / "small.json", json.dumps(RUN))
    done = program(*INGEST, qrels, run, write_run(folder))
    assert done.stdout.splitlines() == [
        "judgments read as qrels-json",
        "stored          small  (read as run-json)",
        "stored          bm25",
        "2 stored",
    ]
    engines = program("sql", "SELECT name FROM engine ORDER BY name", "--format", "csv").stdout
    assert engines.split() == ["name", "bm25", "small"]


@pytest.mark.parametrize("command", [("evaluate",), ("explain",), ("compare", "--qrels")])
def test_other_commands_recognise_formats_too(
    program: Program, folder: Path, command: tuple[str, ...]
) -> None:
    qrels = write(folder / "judged.json", json.dumps(QRELS))
    run = write(folder / "small.json", json.dumps(RUN))
    name, *option = command
    last = {"explain": ["q1"], "compare": [write_run(folder)]}.get(name, [])
    program(name, *option, qrels, run, *last)


def test_format_reads_a_file_as_what_it_does_not_look_like(program: Program, folder: Path) -> None:
    write_run(folder)
    done = program(*INGEST, write_qrels(folder), "--input-format", "run-json", "bm25.run", status=1)
    assert "failed          bm25.run:1: not JSON" in done.stderr


@pytest.mark.parametrize("name", ["run-jsn", "queries-tsv", "\x1b[31m"])
def test_a_format_that_runs_and_judgments_do_not_have_is_a_usage_error(
    program: Program, folder: Path, name: str
) -> None:
    done = program(
        *INGEST, write_qrels(folder), "--input-format", name, write_run(folder), status=2
    )
    assert "no format of runs or judgments is called" in done.stderr
    hint = (
        "did you mean 'run-json'"
        if name == "run-jsn"
        else "`evalstore ingest --formats` lists them"
    )
    assert hint in done.stderr
    assert list(raw_output_dangers(done.stderr)) == []


def test_formats_lists_every_format_with_an_example(program: Program) -> None:
    lines = program("ingest", "--formats").stdout.splitlines()
    names = [form.name for form in (*formats(), *folder_formats())]
    assert [line.split()[0] for line in lines[1:]] == names


def test_a_folder_of_beir_is_judgments_queries_and_documents_in_one(
    program: Program, folder: Path
) -> None:
    (folder / "beir" / "qrels").mkdir(parents=True)
    rows = [f"{qid}\t{docno}\t{grade}" for qid, g in QRELS.items() for docno, grade in g.items()]
    judged = "\n".join(["query-id\tcorpus-id\tscore", *rows, ""])
    write(folder / "beir" / "qrels" / "test.tsv", judged)
    write(
        folder / "beir" / "queries.jsonl", '{"_id": "q1", "text": "what is it", "metadata": {}}\n'
    )
    write(
        folder / "beir" / "corpus.jsonl",
        '{"_id": "d1", "title": "It", "text": "It is it."}\n'
        '{"_id": "far", "title": "", "text": "x"}\n',
    )
    done = program("ingest", "--collection", "test", "--beir", "beir", write_run(folder))
    assert done.stdout.splitlines() == [
        "judgments read as beir-qrels",
        "texts of 1 of 2 documents stored",
        "stored          bm25",
    ]
    texts = program("sql", "SELECT text FROM query WHERE qid = 'q1'", "--format", "csv").stdout
    assert texts.split("\n")[1].strip() == "what is it"
    write(folder / "beir" / "qrels" / "dev.tsv", judged)
    done = program("ingest", "--collection", "test", "--beir", "beir", "bm25.run", status=1)
    assert done.stderr.endswith(
        "judgments of several splits (dev.tsv, test.tsv): choose one: give it with --qrels FILE\n"
    )
    split = str(Path("beir", "qrels", "dev.tsv"))
    program("ingest", "--collection", "test", "--beir", "beir", "--qrels", split, "bm25.run")


def test_a_bundle_that_was_logged_offline_is_ingested_or_evaluated(
    program: Program, folder: Path
) -> None:
    qrels = write_qrels(folder)
    with ev.offline("bundles").start_run("my engine", "test", "first", params={"k1": 0.9}) as run:
        for qid, scores in RUN.items():
            run.log(qid, scores)
    done = program(*INGEST, qrels, str(run.path))
    assert done.stdout == "stored          first  (read as evalrun)\n"
    facts = json.loads(program("runs", "show", "first", "--format", "json").stdout)
    assert (facts["engine"], facts["parameters"]) == ("my engine", {"k1": 0.9})
    assert "0.7778" in program("evaluate", qrels, str(run.path), "-m", "AP").stdout


def test_a_bundle_that_has_not_ended_is_taken_where_that_is_said(
    program: Program, folder: Path
) -> None:
    qrels = write_qrels(folder)
    run = ev.offline(".").start_run("bm25", "cacm", "first")
    run.log("q1", {"d1": 1})
    with pytest.raises(KeyError), run:
        raise KeyError
    name = run.path.name
    done = program(*INGEST, qrels, name, status=1)
    message = f"{name}: the run has not ended, with 1 query so far; resume it, or read it as it is"
    assert done.stderr.splitlines()[-1] == f"failed          {message}: --unfinished does that"
    done = program("evaluate", qrels, name, status=1)
    assert f"{message}: --unfinished does that" in done.stderr
    assert "1 query so far" in program("evaluate", qrels, name, "--unfinished").stderr
    done = program(*INGEST, qrels, "--unfinished", name)
    assert "the run has not ended, with 1 query so far" in done.stderr
    assert "names collection 'cacm', and is stored in 'test'" in done.stderr

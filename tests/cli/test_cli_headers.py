"""The ir_metadata of runs on the command line: read, shown, corrected, searched and written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from samples import BM25, TFIDF, Program, run_text, write, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands

ASKED = ("ingest", "--collection", "test", "--qrels", "test.qrels", "--no-checkout")
HEADER = """\
# ir_metadata.start
# tag: bm25
# implementation:
#   source:
#     commit: "1234567"
# method:
#   automatic: true
#   retrieval:
#   - name: first stage
#     k1: 0.9
# mood: good
# ir_metadata.end
"""


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A qrels, a run with a header and one without in the current folder."""
    write_qrels(folder)
    write(folder / "bm25.run", HEADER + run_text(BM25))
    write_run(folder, TFIDF, "tfidf.run", "tfidf")


def facts(program: Program, run: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(program("runs", "show", run, "--format", "json").stdout)
    return read


def test_ingest_keeps_the_header_and_warns_of_keys_it_does_not_know(program: Program) -> None:
    done = program(*ASKED, "bm25.run")
    assert done.stdout.startswith("stored")
    assert "bm25.run:11: keys that the schema of ir_metadata does not have are kept: 'mood'" in (
        done.stderr
    )
    run_facts = facts(program, "bm25")
    assert run_facts["header"]["method"]["retrieval"] == [{"name": "first stage", "k1": 0.9}]
    assert run_facts["commit"] == "1234567"


def test_an_option_says_more_than_the_header(program: Program) -> None:
    program(*ASKED, "--commit", "c1", "bm25.run")
    assert facts(program, "bm25")["commit"] == "c1"


def test_show_has_a_row_for_each_value_of_the_header(program: Program) -> None:
    program(*ASKED, "bm25.run")
    lines = [line.split(maxsplit=1) for line in program("runs", "show", "bm25").stdout.splitlines()]
    assert ["header.method.retrieval.1.k1", "0.9"] in lines
    assert ["header.tag", "bm25"] in lines


def test_an_exported_run_begins_with_its_header(program: Program, folder: Path) -> None:
    program(*ASKED, "bm25.run")
    assert program("export", "run", "bm25").stdout.startswith(HEADER)
    program("export", "run", "bm25", "-o", "out.run")
    program("ingest", "--collection", "other", "--qrels", "test.qrels", "out.run")
    assert facts(program, "out")["header"] == facts(program, "bm25")["header"]


def test_evaluating_a_file_warns_of_its_header_too(program: Program) -> None:
    done = program("evaluate", "test.qrels", "bm25.run")
    assert "bm25.run:11: keys that the schema" in done.stderr


def test_annotate_replaces_the_header_by_that_of_a_file(program: Program, folder: Path) -> None:
    program(*ASKED, "bm25.run")
    write(folder / "h.yaml", "tag: bm25\nmethod:\n  automatic: false\nmood: bad\n")
    done = program("runs", "edit", "bm25", "--header", "h.yaml")
    assert "bm25  header.method.automatic: true -> false" in done.stdout.splitlines()
    assert "warning: h.yaml:4: keys that the schema" in done.stderr
    assert (
        program("runs", "edit", "bm25", "--header", "h.yaml").stdout == "bm25: nothing to change\n"
    )
    program("runs", "edit", "bm25", "--unset", "header")
    assert facts(program, "bm25")["header"] is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: b: c\n", "h.yaml:1: the YAML can't be read"),
        ("tag: a\n\nb: [\n", "h.yaml:3: the YAML can't be read"),
        ("- a\n", "h.yaml:1: no mapping of YAML"),
        ("", "h.yaml: no metadata"),
        ("{}", "h.yaml: no metadata"),
        (None, "h.yaml: no such file"),
    ],
)
def test_a_header_that_can_not_be_read_changes_nothing(
    program: Program, folder: Path, content: str | None, message: str
) -> None:
    program(*ASKED, "bm25.run")
    if content is not None:
        write(folder / "h.yaml", content)
    assert message in program("runs", "edit", "bm25", "--header", "h.yaml", status=1).stderr
    assert facts(program, "bm25")["header"]["tag"] == "bm25"


def test_runs_are_listed_by_header_parameter_and_words(program: Program) -> None:
    program(*ASKED, "--param", "k1=0.9", "bm25.run")
    program(*ASKED, "--param", "k1=1.2", "--note", "with Stemming", "tfidf.run")

    def listed(*options: str) -> list[str]:
        read = json.loads(program("runs", *options, "--format", "json").stdout)
        return [run["run"] for run in read]

    assert listed("--where", "k1>=0.9") == ["bm25", "tfidf"]
    assert listed("--where", "k1>=0.9", "--where", "header.mood=good") == ["bm25"]
    assert listed("--where", "header.method.retrieval.name=first stage") == ["bm25"]
    assert listed("--find", "stemming") == ["tfidf"]
    assert program("runs", "--find", "nothing").stdout == "no run is like that\n"


@pytest.mark.parametrize(
    ("condition", "message", "status"),
    [
        ("k1", "expected one of =, !=, <, <=, > or >=", 2),
        ("k1>much", "expected a number or a date after >", 2),
        ("kk1=1", "no run has the fact 'kk1'; did you mean 'k1'?", 1),
        ("header.tga=bm25", "did you mean 'header.tag'?", 1),
        ("header.tag=bm52", "did you mean 'bm25'?", 1),
    ],
)
def test_a_condition_that_no_run_can_fulfil_is_an_error(
    program: Program, condition: str, message: str, status: int
) -> None:
    program(*ASKED, "--param", "k1=0.9", "bm25.run")
    assert message in program("runs", "--where", condition, status=status).stderr

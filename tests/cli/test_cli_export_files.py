"""`evalstore export run` and `export qrels`: stored runs and judgments as files of any format."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from changed_runs import annotate
from samples import (
    HOSTILE,
    QRELS,
    Fill,
    Program,
    add,
    raw_output_dangers,
    write,
    write_qrels,
)
from sqlalchemy import text

from evalstore.catalog.given_facts import GivenFacts
from evalstore.formats import any_format, read_qrels, read_run
from evalstore.formats.any_format import written_formats
from evalstore.formats.registry import formats
from evalstore.store import Store

QIDS = [name.replace(" ", "_") for name in HOSTILE]
pytestmark = pytest.mark.slow  # many commands

PAGE = Path(__file__).parents[2] / "docs" / "exporting.md"


@pytest.fixture
def stored(copied: Callable[[Fill], Path]) -> Path:
    """A store of one run with hostile ids, tied scores and a model, and two qrels, one decimal."""
    return copied(fill)


def fill(store: Store, folder: Path) -> None:
    lines = [
        f"{qid} Q0 {docno} 1 {0.1 + i // 2} tag\n"
        for qid in QIDS
        for i, docno in enumerate([qid, "007", "NA", "9007199254740993"])
    ]
    run = write(folder / "hostile.run", "".join(lines))
    add(store, folder, run, qrels=write_qrels(folder, {q: {q: 1, "NA": 0} for q in QIDS}))
    decimal = write_qrels(folder, {"q": {"d": 0.5}}, "decimal.qrels")
    add(store, folder, run, qrels=decimal, allow_disjoint=True, collection="other")
    facts = GivenFacts(parameters={"model": "a/b", "revision": "r1"})
    annotate(store, "hostile", facts, collection="test")


def export_run(program: Program, *arguments: str, status: int = 0) -> bytes:
    done = program("export", "run", "hostile", "--collection", "test", *arguments, status=status)
    return done.stdout_bytes


@pytest.mark.parametrize("name", written_formats("run"))
def test_a_run_in_any_format_is_the_run_that_was_ingested(
    program: Program, stored: Path, name: str
) -> None:
    export_run(program, "--format", name, "-o", "out")
    assert export_run(program, "--format", name) == Path("out").read_bytes()
    back, ingested = any_format.read_run("out"), read_run("hostile.run")
    assert back.format == name
    if name == "msmarco-run":
        ranked = {qid: list(documents) for qid, documents in back.to_dict().items()}
        assert ranked == {qid: list(documents) for qid, documents in ingested.to_dict().items()}
        return
    assert back.to_dict() == ingested.to_dict()


@pytest.mark.parametrize("name", written_formats("qrels"))
def test_judgments_in_any_format_are_those_that_were_ingested(
    program: Program, stored: Path, name: str
) -> None:
    if name == "beir-qrels":
        write_qrels(stored, QRELS, "plain.qrels")
        program("ingest", "--collection", "test", "--qrels", "plain.qrels", "--default-qrels",
                "--allow-disjoint", "hostile.run")  # fmt: skip
    program("export", "qrels", "test", "--format", name, "-o", "out")
    printed = program("export", "qrels", "test", "--format", name).stdout_bytes
    assert printed == Path("out").read_bytes()
    back = any_format.read_qrels("out")
    assert back.format == name
    wanted = "plain.qrels" if name == "beir-qrels" else "test.qrels"
    assert back.to_dict() == read_qrels(wanted).to_dict()


def test_the_parameters_of_a_run_name_its_model_for_mteb(program: Program, stored: Path) -> None:
    content = json.loads(export_run(program, "--format", "mteb-predictions"))
    assert content["mteb_model_meta"] == {"model_name": "a/b", "revision": "r1"}
    assert list(content["default"]) == ["test"]


def test_named_judgments_are_written_and_decimal_ones_refused_by_beir(
    program: Program, stored: Path
) -> None:
    asked = ("export", "qrels", "other", "--qrels", "decimal")
    assert program(*asked).stdout == "q 0 d 0.5\n"
    done = program(*asked, "-o", "out.tsv", status=1)
    (line,) = done.stderr.splitlines()
    assert "BEIR has whole numbers only" in line
    assert not Path("out.tsv").exists()
    assert list(stored.glob(".out*")) == []


def test_the_end_of_the_file_name_says_the_format_and_packs(program: Program, stored: Path) -> None:
    export_run(program, "-o", "out.json.gz")
    assert gzip.decompress(Path("out.json.gz").read_bytes()) == export_run(
        program, "--format", "run-json"
    )
    export_run(program, "-o", "out.parquet")
    assert Path("out.parquet").read_bytes().startswith(b"PAR1")
    export_run(program, "--format", "run-json", "-o", "out.csv")
    assert Path("out.csv").read_bytes().startswith(b"{")
    export_run(program, "-o", "out.parquet.gz", status=1)


def test_a_hyphen_is_standard_output_and_no_file_name(program: Program, stored: Path) -> None:
    for words in (("export", "qrels", "test"), ("sql", "SELECT 1")):
        assert program(*words, "-o", "-").stdout_bytes == program(*words).stdout_bytes
    refused = program("export", "report", "hostile", "-o", "-", status=2).stderr
    assert "needs a file, not standard output" in refused
    assert not Path("-").exists()


@pytest.mark.parametrize("command", [("run", "hostile"), ("qrels", "test")])
@pytest.mark.parametrize("name", ["run-jsn", "queries-tsv", "\x1b[31m"])
def test_a_format_that_is_not_written_is_a_usage_error_that_lists_those_that_are(
    program: Program, stored: Path, command: tuple[str, str], name: str
) -> None:
    done = program("export", *command, "--format", name, status=2)
    assert f"{command[0]}-frame" in done.stderr
    assert list(raw_output_dangers(done.stderr)) == []


@pytest.mark.parametrize("ending", [".lz4", ".bz2", ".xz", ".zst", ".zip"])
def test_a_name_that_promises_another_compression_than_gzip_is_refused(
    program: Program, stored: Path, ending: str
) -> None:
    for command in ("run", "hostile", "--collection", "test"), ("qrels", "test"):
        done = program("export", *command, "-o", f"x.json{ending}", status=1)
        assert done.stderr == f"x.json{ending}: files are packed with gzip only: end it in .gz\n"
    assert not Path(f"x.json{ending}").exists()


def test_a_run_without_rankings_is_refused(program: Program, stored: Path) -> None:
    with Store.open("evalstore.db") as store, store.write() as connection:
        connection.execute(text("UPDATE run SET values_only = true"))
    done = program("export", "run", "hostile", "--collection", "test", "-o", "out", status=1)
    assert "run 'hostile' came as values, without rankings" in done.stderr
    assert not Path("out").exists()


def test_what_is_not_stored_is_status_1(program: Program, stored: Path) -> None:
    for arguments in (("run", "nothing"), ("qrels", "nothing"), ("qrels", "test", "--qrels", "x")):
        (line,) = program("export", *arguments, status=1).stderr.splitlines()
        assert "nothing" in line or "x" in line


def test_the_page_lists_every_format_that_is_written_with_what_it_loses() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|(.*)\|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = {name: (endings, lost.strip()) for name, endings, lost in rows}
    for form in formats():
        if form.writers:
            endings, lost = listed[form.name]
            assert re.findall(r"`(\.[a-z]+)`", endings) == [end for end in form.writers if end]
            assert bool(lost) == bool(form.lost)

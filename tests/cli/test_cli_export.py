"""`evalstore export comparison` and `export leaderboard`: what is written, and where to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from forked_program import ForkedProgram
from nightly import one_in
from parsed_exports import parsed_csv, parsed_latex, parsed_markdown, parsed_trec
from samples import BM25, ESCAPE, TFIDF, Program, add, write_qrels, write_run

import evalstore as ev
from evalstore.cli.commands.transfer import SUFFIXES
from evalstore.store import Store
from evalstore.tables.renderers import FORMATS, Format

pytestmark = pytest.mark.slow  # many resamples and a terminal

FILES = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")


def test_every_format_has_a_suffix() -> None:
    assert tuple(SUFFIXES.values()) == FORMATS == get_args(Format)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("shape", ["csv", "json"])
@pytest.mark.parametrize(
    "arguments",
    [
        (*FILES, "-m", "AP", "-m", "NumRet"),
        ("bm25", "tfidf", "partial", "--test", "sign", "--correction", "bh", "--alpha", "0.2"),
        ("tfidf", "--baseline", "bm25"),
    ],
    ids=["files", "options", "baseline"],
)
def test_csv_and_json_are_what_compare_prints(
    program: Program, shape: str, arguments: tuple[str, ...]
) -> None:
    printed = program("compare", *arguments, "--format", shape)
    exported = program("export", "comparison", *arguments, "--format", shape)
    assert exported.stdout_bytes == printed.stdout_bytes
    assert exported.stderr == printed.stderr


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("shape", FORMATS)
def test_python_gives_the_text_of_the_command(program: Program, shape: Format) -> None:
    result = ev.compare("test.qrels", ["bm25.run", "tfidf.run"], ["AP", "nDCG@10"])
    assert result.export(shape) == program("export", "comparison", *FILES, "--format", shape).stdout


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("what", [("comparison", "bm25", "tfidf"), ("leaderboard", "test")])
def test_the_end_of_the_file_name_says_the_format(
    program: Program, suffix: str, what: tuple[str, ...]
) -> None:
    done = program("export", *what, "-o", f"out{suffix.upper()}")
    assert done.stdout == ""
    printed = program("export", *what, "--format", SUFFIXES[suffix]).stdout
    assert Path(f"out{suffix.upper()}").read_text("utf-8") == printed


@pytest.mark.usefixtures("stored")
def test_the_option_comes_before_the_end_of_the_file_name(program: Program) -> None:
    program("export", "leaderboard", "test", "-o", "out.txt", "--format", "trec")
    assert parsed_trec(Path("out.txt").read_text("utf-8"))["bm25", "AP", "all"] == "0.7778"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("what", [("comparison", "bm25", "tfidf"), ("leaderboard", "test")])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "say what to write with --format: csv, tsv, json, markdown, latex, trec"),
        (("-o", "out.txt"), "'out.txt' ends like no format (.csv, .tsv, .json, .md, .tex, .trec)"),
        (("-o", f"a{ESCAPE}"), "'a\\x1b[31m' ends like no format"),
        (("--format", "latex", "-q"), "--per-query is for --format trec"),
        (("--format", "latex", "--digits", "18"), "--digits"),
    ],
)
def test_what_is_not_said_or_can_not_be_is_an_error_of_usage(
    program: Program, what: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    done = program("export", *what, *options, status=2)
    assert message in done.stderr
    assert not Path("out.txt").exists()


@pytest.mark.usefixtures("stored")
def test_tukey_with_a_baseline_is_an_error_of_usage(program: Program) -> None:
    asked = ("leaderboard", "test", "--format", "csv", "--baseline", "bm25", "--test", "tukey")
    assert "it takes no --baseline" in program("export", *asked, status=2).stderr


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("shape", FORMATS)
def test_runs_that_can_not_be_compared_end_with_1_and_give_no_figure(
    program: Program, shape: str
) -> None:
    write_run(Path(), {"q9": ["d1"]}, "other.run")
    asked = ("bm25.run", "other.run", "--qrels", "test.qrels", "--format", shape)
    done = program("export", "comparison", *asked, status=1)
    assert "not comparable, because the runs share no judged query" in done.stderr
    assert "0." not in done.stdout


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("shape", FORMATS)
def test_a_verdict_that_is_not_yes_and_the_notes_are_on_standard_error(
    program: Program, shape: str
) -> None:
    done = program("export", "comparison", "bm25", "partial", "--format", shape)
    verdict = "partly comparable: 2 of 3 queries answered by both; q3 missing from partial"
    assert done.stderr.startswith(verdict)
    assert "warning: 3 queries are few" in done.stderr


@pytest.mark.usefixtures("stored")
def test_digits_are_the_decimals_of_documents(program: Program) -> None:
    asked = ("export", "leaderboard", "test", "-m", "AP", "--digits", "2", "--format")
    assert parsed_markdown(program(*asked, "markdown").stdout)[0]["AP"] == "0.78"
    assert parsed_latex(program(*asked, "latex").stdout)[0]["AP"] == "0.78"
    assert float(parsed_csv(program(*asked, "csv").stdout)[0]["AP"]) == pytest.approx(7 / 9)


@pytest.mark.usefixtures("stored")
def test_trec_text_has_the_values_of_queries_where_that_is_asked_for(program: Program) -> None:
    for what in (("comparison", "bm25", "tfidf"), ("leaderboard", "test")):
        done = program("export", *what, "-m", "P@1", "--format", "trec", "-q")
        values = parsed_trec(done.stdout)
        assert [values["bm25", "P@1", qid] for qid in ("q1", "q2", "q3", "all")] == [
            *("1.0000", "1.0000", "0.0000", "0.6667"),
        ]


@pytest.mark.usefixtures("stored")
def test_a_leaderboard_has_all_runs_with_the_figures_of_the_runs_command(program: Program) -> None:
    measures = ("-m", "AP", "-m", "nDCG@10", "-m", "NumRet")
    exported = parsed_csv(
        program("export", "leaderboard", "test", *measures, "--format", "csv").stdout
    )
    listed = json.loads(program("runs", *measures, "--format", "json").stdout)
    assert len(exported) == 3
    for run in listed:
        [row] = [row for row in exported if row["run"] == run["run"]]
        for measure in ("AP", "nDCG@10", "NumRet"):
            assert float(row[measure]) == run[measure]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nothing",), "there is no collection 'nothing' in the store"),
        (("test", "--qrels", "nothing"), "has no qrels 'nothing'"),
        (("test", "--baseline", "bm26"), "there is no run 'bm26' in collection 'test'; did you"),
        (("test", "-m", "nothing"), "nothing"),
        (("test", "-m", "ResponseTime"), "ResponseTime"),
    ],
)
def test_what_the_store_lacks_ends_with_1_and_writes_no_file(
    program: Program, options: tuple[str, ...], message: str
) -> None:
    done = program("export", "leaderboard", *options, "-o", "out.csv", status=1)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("out.csv").exists()


def test_notes_are_on_standard_error_where_the_format_has_no_caption(
    program: Program, stored: Path
) -> None:
    asked = ("export", "leaderboard", "test", "-m", "NumRet", "--format")
    note = "NumRet has no ranks: neither a high nor a low value is better"
    answers = (
        "not all of the 3 judged queries are answered by partial (2); the others count as empty "
        "rankings"
    )
    for shape in ("csv", "tsv", "trec"):
        assert program(*asked, shape).stderr == f"warning: {answers}\nwarning: {note}\n"
    for shape in ("markdown", "latex", "json"):
        done = program(*asked, shape)
        assert (done.stderr, note in done.stdout) == ("", True)


def test_names_that_are_formulas_are_guarded_where_that_is_asked_for(
    program: Program, folder: Path
) -> None:
    write_qrels(folder)
    write_run(folder, BM25, "=1+1.run")
    write_run(folder, TFIDF, "@sum.run")
    asked = ("export", "comparison", "=1+1.run", "@sum.run", "--qrels", "test.qrels", "-m", "AP")
    [plain] = parsed_csv(program(*asked, "--format", "csv").stdout)
    assert (plain["a"], plain["b"]) == ("=1+1", "@sum")
    [guarded] = parsed_csv(program(*asked, "--format", "csv", "--guard-formulas").stdout)
    assert (guarded["a"], guarded["b"]) == ("'=1+1", "'@sum")
    assert guarded["difference"] == plain["difference"]
    assert plain["difference"].startswith("-")  # a number is no formula


@pytest.mark.parametrize("shape", one_in(3, ["csv", "tsv", "json"]))
def test_a_terminal_gets_formatting_characters_escaped(
    folder: Path, shape: str, forked: ForkedProgram
) -> None:
    qrels = write_qrels(folder)
    run = write_run(folder, BM25)
    with Store.open(str(folder / "evalstore.db")) as store:
        add(store, folder, run, qrels=qrels, name="a\u202eb", engine="x\u2066y")
    printed = forked.on_terminal("export", "leaderboard", "test", "-m", "AP", "--format", shape)
    assert not {"\u202e", "\u2066"} & set(printed)
    assert "a\\u202eb" in printed

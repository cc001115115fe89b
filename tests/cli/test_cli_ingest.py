"""`evalstore ingest`: one line a run, a bad file fails alone, the same again changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import (
    BM25,
    QRELS,
    TFIDF,
    Program,
    dump_without_files,
    run_text,
    write,
    write_qrels,
    write_run,
)

from evalstore.formats.reading.lines import run_name
from evalstore.store import Store

ASKED = ("ingest", "--collection", "test", "--qrels", "test.qrels")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """A qrels and two runs in the current folder."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run.gz", "tfidf")


def stored(url: str = "sqlite:///evalstore.db") -> dict[str, list[tuple[object, ...]]]:
    with Store.open(url) as store:
        return dump_without_files(store)


def runs(program: Program) -> list[list[str]]:
    """Engine, run and experiment of every stored run, in a missing experiment's place nothing."""
    listed = program(
        "sql",
        "SELECT engine, run, experiment FROM leaderboard WHERE measure = 'AP' ORDER BY run",
        "--format",
        "csv",
    )
    return [line.split(",") for line in listed.stdout.splitlines()[1:]]


def test_a_line_a_run_says_what_became_of_it(program: Program) -> None:
    done = program(*ASKED, "bm25.run", "tfidf.run.gz")
    assert done.stdout.splitlines() == ["stored          bm25", "stored          tfidf", "2 stored"]
    assert runs(program) == [["bm25", "bm25", ""], ["tfidf", "tfidf", ""]]


def test_judgments_of_other_queries_are_not_kept_if_they_are_new(
    program: Program, folder: Path
) -> None:
    write_qrels(folder, {"other": {"d1": 1}}, "wrong.qrels")
    wrong = ("ingest", "--collection", "test", "--qrels", "wrong.qrels", "bm25.run")
    assert "none of its queries" in program(*wrong, status=1).output
    assert not {"collection", "qrels", "judgment"} & {
        name for name, rows in stored().items() if rows
    }
    program(*ASKED, "bm25.run")
    before = stored()
    write_qrels(folder, {"other": {"d1": 1}, "q1": {"d1": 1}}, "more.qrels")
    write_run(folder, {"q2": ["d1"]}, "q2.run")
    program("ingest", "--collection", "test", "--qrels", "more.qrels", "q2.run", status=1)
    assert stored()["qrels"] == before["qrels"]


def test_without_a_terminal_progress_is_a_line_a_file_with_the_share_of_the_bytes(
    program: Program, folder: Path
) -> None:
    write(folder / "long.run", run_text({q: [f"d{i}" for i in range(3)] for q in QRELS}))
    small, large = Path("bm25.run").stat().st_size, Path("long.run").stat().st_size
    done = program(*ASKED, "bm25.run", "long.run")
    share = f"{small / (small + large):.0%}"
    lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    assert lines == [f"[1/2, {share}] bm25.run", "[2/2, 100%] long.run"]


def test_the_same_content_again_stores_nothing_and_is_no_failure(
    program: Program, folder: Path
) -> None:
    program(*ASKED, "bm25.run")
    before = stored()
    (folder / "again").mkdir()
    write(folder / "again/bm25.txt", run_text(BM25).replace("\n", "\r\n"))
    done = program(*ASKED, "bm25.run", "again/bm25.txt")
    assert done.stdout.splitlines() == [
        *["already stored  bm25"] * 2,
        "2 already stored",
        "1 file unchanged since it was stored",
    ]
    assert stored() == before


def test_the_same_name_with_other_content_fails_and_names_the_options(
    program: Program, folder: Path
) -> None:
    program(*ASKED, "bm25.run")
    before = stored()
    write_run(folder, TFIDF, "bm25.run")
    done = program(*ASKED, "bm25.run", status=1)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("failed ")]
    assert "--name" in line
    assert "--replace" in line
    assert done.stdout == ""
    assert stored() == before
    program(*ASKED, "bm25.run", "--name", "other")
    assert [run for _, run, _ in runs(program)] == ["bm25", "other"]


def test_replace_replaces(program: Program, folder: Path) -> None:
    program(*ASKED, "bm25.run")
    write_run(folder, TFIDF, "bm25.run", "tfidf")
    assert program(*ASKED, "--replace", "bm25.run").stdout == "replaced        bm25\n"
    assert runs(program) == [["tfidf", "bm25", ""]]


def test_a_bad_file_fails_alone_and_the_status_is_1(program: Program, folder: Path) -> None:
    write(folder / "bad.run", "q1 Q0 d1 1 9 t\nq1 Q0 d2 2 nan t\n")
    done = program(*ASKED, "bm25.run", "bad.run", "missing.run", "tfidf.run.gz", status=1)
    assert done.stdout.splitlines() == [
        "stored          bm25",
        "stored          tfidf",
        "2 stored, 2 failed",
    ]
    failed = [line for line in done.stderr.splitlines() if not line.startswith("[")]
    assert [line.split(": ")[0] for line in failed] == [
        "failed          bad.run:2",
        "failed          missing.run",
    ]
    assert [run for _, run, _ in runs(program)] == ["bm25", "tfidf"]


def test_a_warning_that_several_runs_have_is_one_line(program: Program, folder: Path) -> None:
    for name, more in (("a", ["x1"]), ("b", ["x1", "x2"]), ("c", [])):
        write_run(folder, {**BM25, **{qid: ["d1"] for qid in more}}, f"{name}.run", name)
    write(folder / "d.run", "q1 Q0 d1 1 9 t\nq1 Q0 d2 1 10 t\n")
    done = program(*ASKED, "a.run", "b.run", "c.run", "d.run")
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert warnings == [
        "warning: a.run: 1 of 4 queries have no judgments and count nowhere: 'x1' "
        "(likewise 1 other run: b)",
        "warning: d.run:1: the rank contradicts the scores in 1 line; the order is by score",
        "warning: d.run: only 1 of the 3 judged queries are answered; the others count as empty "
        "rankings",
    ]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25.ax.run.gz", "bm25.ax"),
        ("bm25.run", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25.trec", "bm25"),
        ("bm25.res.gz", "bm25"),
        ("bm25.tsv", "bm25"),
        ("bm25.txt.run", "bm25.txt"),
        ("bm25.gz.gz", "bm25.gz"),
        ("bm25.ax", "bm25.ax"),
        ("bm25.v1.2", "bm25.v1.2"),
        ("bm25", "bm25"),
        (".run", ".run"),
        (".gz", ".gz"),
        ("folder.run/x.run", "x"),
        ("-", "stdin"),
    ],
)
def test_a_run_is_named_after_its_file_less_a_known_suffix(file: str, name: str) -> None:
    assert run_name(file) == name


def test_engine_experiment_and_name_may_be_given(program: Program) -> None:
    more = ("--engine", "My engine", "--experiment", "june", "--name", "first")
    program(*ASKED, "bm25.run", *more)
    assert runs(program) == [["My engine", "first", "june"]]


@pytest.mark.parametrize("option", [("--engine", "other"), ("--experiment", "june")])
def test_a_run_that_is_stored_keeps_its_facts_and_the_command_that_changes_them_is_named(
    program: Program, option: tuple[str, str]
) -> None:
    program(*ASKED, "bm25.run")
    done = program(*ASKED, *option, "bm25.run")
    assert done.stdout == "already stored  bm25\n"
    fact = option[0].removeprefix("--")
    assert f"keeps its facts; other values were given for {fact}\n" in done.stderr
    assert "`evalstore runs edit RUN` changes the facts of a stored run\n" in done.stderr
    assert runs(program) == [["bm25", "bm25", ""]]


def test_the_same_rankings_under_another_name_are_another_run(program: Program) -> None:
    program(*ASKED, "--param", "k1=0.9", "bm25.run")
    given = ("--name", "third", "--engine", "other", "--param", "k1=1.2")
    done = program(*ASKED, *given, "bm25.run")
    assert done.stdout == "stored          third  (same rankings as bm25)\n"
    assert runs(program) == [["bm25", "bm25", ""], ["other", "third", ""]]


def test_a_run_takes_no_name_of_another(program: Program) -> None:
    program(*ASKED, "bm25.run", "tfidf.run.gz")
    before = stored()
    done = program(*ASKED, "--name", "tfidf", "--engine", "other", "bm25.run", status=1)
    assert "a run named 'tfidf' with other content is in collection 'test'" in done.stderr
    assert stored() == before


def test_query_texts_may_be_given(program: Program, folder: Path) -> None:
    write(folder / "queries.tsv", "q1\thow do I split a string\nq2\tcafé\n")
    program(*ASKED, "--queries", "queries.tsv", "bm25.run")
    asked = "SELECT DISTINCT qid, query FROM query_values ORDER BY qid"
    assert program("sql", asked, "--format", "csv").stdout.splitlines()[1:] == [
        "q1,how do I split a string",
        "q2,café",
        "q3,",
    ]


def test_the_qrels_may_be_left_out_when_the_collection_has_one(program: Program) -> None:
    done = program("ingest", "--collection", "test", "bm25.run", status=1)
    (line,) = done.stderr.splitlines()
    assert "--qrels" in line
    program(*ASKED, "bm25.run")
    later = program("ingest", "--collection", "test", "tfidf.run.gz")
    assert later.stdout == "stored          tfidf\n"


def test_a_run_stored_before_is_evaluated_under_another_qrels(
    program: Program, folder: Path
) -> None:
    program(*ASKED, "bm25.run")
    write_qrels(folder, {"q1": {"d9": 1}}, "second.qrels")
    asked = ("ingest", "--collection", "test", "--qrels", "second.qrels", "bm25.run")
    done = program(*asked)
    assert done.stdout == "evaluated       bm25\n"
    assert "warning: second.qrels is another set of judgments" in done.stderr
    assert program(*asked).stdout == "already stored  bm25\n"


def test_a_run_may_come_on_standard_input(program: Program) -> None:
    assert program(*ASKED, "-", given=run_text(BM25)).stdout == "stored          stdin\n"


def test_bad_judgments_are_one_line_and_nothing_is_stored(program: Program, folder: Path) -> None:
    write(folder / "test.qrels", "q1 0 d1 1\nq1 0 d2 yes\n")
    done = program(*ASKED, "bm25.run", status=1)
    (line,) = done.stderr.splitlines()
    assert line.startswith("test.qrels:2: ")
    assert stored()["collection"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest", "--qrels", "test.qrels", "bm25.run"),
        ("ingest", "--collection", "test", "--qrels", "test.qrels"),
        (*ASKED, "--name", "one", "bm25.run", "tfidf.run.gz"),
        (*ASKED, "--keep-top", "-1", "bm25.run"),
        (*ASKED, "--jobs", "0", "bm25.run"),
        (*ASKED, "--nonsense", "bm25.run"),
    ],
)
def test_wrong_usage_is_status_2_and_makes_no_database(
    program: Program, arguments: tuple[str, ...]
) -> None:
    assert "Usage:" in program(*arguments, status=2).stderr
    assert not Path("evalstore.db").exists()


@pytest.mark.parametrize("option", ["--collection", "--engine", "--experiment", "--name"])
def test_a_name_with_a_control_character_is_refused_in_one_harmless_line(
    program: Program, option: str
) -> None:
    done = program(*ASKED, option, "a\x1b[31mb", "bm25.run", status=1)
    (line,) = done.stderr.splitlines()
    assert "control character" in line
    assert "\x1b" not in done.output
    assert not Path("evalstore.db").exists()


# --- which database ------------------------------------------------------------------------------


def test_the_database_is_evalstore_db_here_unless_said(program: Program) -> None:
    program(*ASKED, "bm25.run")
    assert len(stored("sqlite:///evalstore.db")["run"]) == 1


def test_db_names_the_database_and_goes_before_the_environment(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", "sqlite:///environment.db")
    program(*ASKED, "bm25.run")
    program("--db", "sqlite:///said.db", *ASKED, "tfidf.run.gz")
    assert [row[4] for row in stored("sqlite:///environment.db")["run"]] == ["bm25"]
    assert [row[4] for row in stored("sqlite:///said.db")["run"]] == ["tfidf"]
    assert not Path("evalstore.db").exists()


@pytest.mark.parametrize("url", ["sqlite:evalstore.db", "mysql://me:hunter2@host/x", "sqlite:///."])
def test_what_is_no_database_is_one_line_and_status_1(program: Program, url: str) -> None:
    done = program("--db", url, *ASKED, "bm25.run", status=1)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "hunter2" not in line


def compat_of(program: Program) -> str:
    return program("sql", "SELECT compat FROM evaluation", "--format", "csv").stdout.split()[1]


def test_the_mode_of_trec_eval_is_recorded_with_the_evaluation(program: Program) -> None:
    program(*ASKED, "--compat", "trec_eval-9", "bm25.run")
    assert compat_of(program) == "trec_eval-9"


def test_another_mode_replaces_an_evaluation_only_when_told_to(program: Program) -> None:
    program(*ASKED, "bm25.run")
    other = (*ASKED, "--compat", "trec_eval-10", "bm25.run")
    refused = program(*other, status=1)
    assert "'bm25' is evaluated as exact already, not as trec_eval-10: --replace" in refused.stderr
    assert compat_of(program) == "exact"
    assert program(*other, "--replace").stdout == "evaluated       bm25\n"
    assert compat_of(program) == "trec_eval-10"


def test_judgments_without_runs_are_told_of_the_command_for_them(program: Program) -> None:
    done = program("ingest", "--collection", "test", "--qrels", "test.qrels", status=2)
    assert "alone are stored, for a collection with runs, by `evalstore reevaluate" in done.stderr


def test_of_many_runs_progress_is_ten_lines_and_quiet_prints_failures_only(
    program: Program, folder: Path
) -> None:
    many = [f"run-{number:02}.run" for number in range(25)]
    for name in many:
        write(folder / name, run_text({q: [f"d{i}" for i in range(3)] for q in QRELS}))
    done = program(*ASKED, *many)
    assert sum(line.startswith("[") for line in done.stderr.splitlines()) == 10
    assert "[25/25, 100%] run-24.run\n" in done.stderr
    write(folder / "bad.run", "q1 Q0\n")
    quiet = program(*ASKED, "--quiet", *many, "bad.run", status=1)
    assert quiet.stdout.splitlines()[0] == "25 already stored, 1 failed"
    [failed] = [line for line in quiet.stderr.splitlines() if "warning" not in line]
    assert failed.startswith("failed          bad.run:1: expected 6 columns, found 2")

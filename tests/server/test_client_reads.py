"""Commands that read print through a server what they print on its store, to the byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from changed_runs import annotate, tag_run
from click.testing import CliRunner, Result
from listening import Listening, listening
from nightly import one_in
from samples import BM25, TFIDF, add, write_qrels, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.queries import tag_queries
from evalstore.cli import cli
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.server.people.tokens import create_token
from evalstore.store import Store

pytestmark = pytest.mark.slow  # many commands through a server

CALLS = [
    ("runs",),
    ("runs", "--tags", "-m", "AP", "-m", "nDCG@3", "--sort", "AP"),
    ("runs", "--collection", "test", "--where", "run=bm25", "--format", "csv"),
    ("runs", "--find", "nothing like it"),
    ("runs", "--collection", "tset"),
    ("runs", "--engine", "bm52"),
    ("runs", "--tag", "paper", "--since", "2020-01-01", "--limit", "1", "--format", "json"),
    ("compare", "bm25", "tfidf"),
    ("compare", "tfidf"),
    ("compare", "bm25"),
    ("compare", "bm25", "tfidf", "hybrid", "--format", "csv"),
    ("compare", "bm25", "tfidf", "hybrid", "--no-baseline", "-m", "map", "-m", "P@2"),
    ("compare", "bm25", "1", "--baseline", "hybrid", "--format", "json"),
    ("compare", "bm25", "tfidf", "--by", "lang", "--plot", "--worst", "2"),
    ("compare", "bm25", "tfidf", "--where", "lang=de", "--format", "json"),
    ("compare", "bm25", "tfidf", "--where", "lang=fr"),
    ("compare", "bm25", "tfidf", "--test", "randomization", "--correction", "bh"),
    ("compare", "bm25", "tfidff"),
    ("compare", "bm25", "tfidf", "-m", "alpha_nDCG@5"),
    ("compare", "bm25", "tfidf", "--qrels", "tset"),
    ("holes", "bm25", "tfidf"),
    ("holes", "1", "hybrid", "-m", "AP", "--format", "json"),
    ("holes", "bm25", "tfidf", "-m", "P@2", "--where", "lang=de", "--format", "qrels"),
    ("reproduce", "bm25", "tfidf", "--baseline", "hybrid", "--reproduced-baseline", "bm25"),
    ("reproduce", "1", "hybrid", "-m", "P@2", "--where", "lang=de", "--format", "json"),
    ("pool", "bm25", "tfidf", "hybrid", "--depth", "2", "--order", "settle"),
    ("qrels", "diff", "test", "other", "-m", "P@1"),
    ("qrels", "diff", "test", "tset"),
    ("qrels", "reuse", "test", "-m", "P@1", "--by", "k1"),
    ("check", "tfidf", "--fail-if", "AP drop > 0.01"),
    ("check", "tfidf", "--fail-if", "AP drop > 99"),
    ("check", "tfidf", "--baseline", "hybrid", "--fail-if", "AP rise > 0", "--format", "markdown"),
    ("check", "tfidf", "--baseline", "none", "--fail-if", "AP drop > 0", "--format", "json"),
    ("history", "bm25", "-m", "AP"),
    ("history", "bm25", "--format", "csv", "--test", "sign"),
    ("history", "bm25", "-m", "map", "--last", "1", "--format", "json"),
    ("history", "bm52"),
    ("sql", "SELECT run, value FROM leaderboard ORDER BY run, measure"),
    ("sql", "SELECT x'00ff' AS b, 1.5 AS x, NULL AS n, 'é' AS t, 9e999 AS big, 1 AS x"),
    ("sql", "SELECT 1 AS x, 2 AS x", "--format", "csv"),
    ("sql", "SELECT 1 AS x, 2 AS x", "--format", "json"),
    ("sql", "SELECT qid FROM query ORDER BY qid", "--limit", "2"),
    ("sql", "SELECT * FROM nothing"),
    ("sql", ""),
    ("leaderboard", "test"),
    ("leaderboard", "test", "-m", "map", "-m", "nDCG@3", "--groups", "--intervals"),
    ("leaderboard", "test", "--no-baseline", "--test", "tukey", "--format", "csv"),
    ("leaderboard", "test", "--test", "sign", "--correction", "bh", "--format", "json"),
    ("leaderboard", "test", "--baseline", "hybrid", "--format", "json"),
    ("leaderboard", "test", "--baseline", "bm52"),
    ("leaderboard", "tset"),
    ("leaderboard", "test", "--qrels", "nothing"),
    ("leaderboard", "test", "-m", "alpha_nDCG@5"),
    ("runs", "diff", "bm25", "tfidf"),
    ("runs", "diff", "tfidf", "hybrid", "-m", "map", "-m", "P@2"),
    ("runs", "diff", "hybrid", "1", "--format", "json"),
    ("runs", "diff", "bm25", "bm25"),
    ("runs", "diff", "bm25", "tfidf", "--qrels", "nothing"),
    ("runs", "diff", "bm25", "tfidf", "--collection", "tset"),
    ("runs", "diff", "bm25", "bm52"),
    ("runs", "diff", "bm25", "tfidf", "-m", "alpha_nDCG@5"),
    ("runs", "show", "bm25"),
    ("runs", "show", "1", "--format", "json"),
    ("runs", "show", "bm52"),
    ("db", "events", "--collection", "test"),
    ("db", "events", "--collection", "test", "--last", "2", "--format", "csv"),
    ("db", "events", "--run", "bm25", "--format", "json"),
    ("db", "events", "--collection", "tset"),
    ("runs", "baseline"),
    ("runs", "baseline", "--format", "json"),
    ("collections",),
    ("collections", "--format", "csv"),
    ("collections", "--format", "json"),
    ("qrels",),
    ("qrels", "--collection", "test", "--format", "json"),
    ("qrels", "--collection", "tset"),
    ("export", "run", "bm25"),
    ("export", "run", "bm25", "--format", "run-json"),
    ("export", "run", "bm52"),
    ("export", "qrels", "test"),
    ("export", "qrels", "test", "--qrels", "nothing"),
    ("export", "comparison", "bm25", "tfidf", "--format", "latex"),
    ("export", "comparison", "bm25", "tfidf", "--format", "trec", "-q"),
    ("export", "leaderboard", "test", "--format", "markdown", "--groups", "--intervals"),
    ("export", "leaderboard", "test", "--format", "csv"),
    ("export", "leaderboard", "test", "--format", "trec", "-q", "-m", "AP"),
    ("export", "leaderboard", "test", "--format", "json", "--test", "tukey"),
    ("export", "leaderboard", "tset", "--format", "tsv"),
]

HYBRID = {"q1": ["d2", "d1"], "q2": ["d4", "d5"], "q3": ["d7", "d6"]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    folder = tmp_path_factory.mktemp("server")
    with Store.open(str(folder / "store.db")) as store:
        runs = [
            write_run(folder, rankings, f"{name}.run", name)
            for name, rankings in (("bm25", BM25), ("tfidf", TFIDF), ("hybrid", HYBRID))
        ]
        add(store, folder, *runs)
        other = write_qrels(folder, {"q1": {"d1": 1, "d2": 0}, "q2": {"d4": 1}}, "other.qrels")
        add(store, folder, *runs[:2], qrels=other)
        add(store, folder, write_run(folder, HYBRID, "new.run", "new"), engine="bm25", replace=True)
        set_baseline(store, "bm25", "test")
        tag_run(store, "bm25", ["paper"])
        annotate(store, "tfidf", GivenFacts(parent="new", parameters={"k1": 0.9}))
        annotate(store, "hybrid", GivenFacts(parent="tfidf", parameters={"k1": 1, "b": True}))
        tag_queries(store, "test", {"q1": {"lang": "de"}, "q2": {"lang": "de"}})
        with listening(store) as listens:
            yield listens


@pytest.fixture
def token(served: Listening, monkeypatch: pytest.MonkeyPatch) -> str:
    text = create_token(served.store, f"ci-{len(served.requests)}", "reader")
    monkeypatch.setenv("EVALSTORE_TOKEN", text)
    return text


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def database_of(served: Listening) -> str:
    assert served.store.file is not None
    return str(served.store.file)


@pytest.mark.parametrize("arguments", one_in(2, CALLS), ids=" ".join)
def test_a_command_prints_through_a_server_what_it_prints_on_the_store(
    served: Listening, token: str, arguments: tuple[str, ...]
) -> None:
    here = call(*arguments, "--db", database_of(served))
    there = call(*arguments, "--db", served.url)
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr
    assert there.exit_code == here.exit_code


DRAWINGS = [
    ("export", "report", "bm25", "--output", "out.html"),
    ("export", "report", "bm25", "--output", "out.html", "--where", "lang=de", "-m", "map"),
    ("export", "report", "bm25", "tfidf", "--output", "out.html"),
    ("export", "report", "hybrid", "bm25", "new", "--output", "out.html", "--no-baseline"),
    ("export", "report", "bm25", "bm52", "--output", "out.html"),
    ("export", "report", "bm52", "--output", "out.html"),
    ("export", "report", "bm25", "--output", "out.html", "--qrels", "nothing"),
    ("export", "figure", "median", "bm25", "--output", "out.html"),
    (
        "export",
        "figure",
        "median",
        "tfidf",
        "--output",
        "out.html",
        "-m",
        "P@2",
        "--where",
        "lang=de",
    ),
    ("export", "figure", "median", "bm52", "--output", "out.html"),
]


@pytest.mark.parametrize("arguments", DRAWINGS, ids=" ".join)
def test_a_page_is_written_through_a_server_as_from_the_store(
    served: Listening,
    token: str,
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path("out.html")
    pages: list[str | None] = []
    done = []
    for db in (database_of(served), served.url):
        done.append(call(*arguments, "--db", db))
        text = page.read_text("utf-8") if page.exists() else None
        pages.append(text and re.sub(r"[0-9-]{10} [0-9:]{5} UTC", "a time", text))
        page.unlink(missing_ok=True)
    here, there = done
    assert (there.stdout, there.stderr, there.exit_code) == (
        here.stdout,
        here.stderr,
        here.exit_code,
    )
    assert pages[1] == pages[0]
    assert (pages[0] is None) == (here.exit_code != 0)


def test_a_report_of_a_run_file_under_the_judgments_of_a_server_has_no_median(
    served: Listening, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("candidate.run", "bm25.run"):  # the second is named as a stored run is
        write_run(tmp_path, TFIDF, name, "candidate")
        given = (
            "export",
            "report",
            name,
            "--collection",
            "test",
            "--output",
            "out.html",
            "--db",
            served.url,
        )
        done = call(*given)
        assert (done.exit_code, done.stderr) == (0, "")
        assert 'id="no-median"' in Path("out.html").read_text("utf-8")
    stored = call("export", "report", "bm25", "--output", "out.html", "--db", served.url)
    assert stored.exit_code == 0
    assert 'id="no-median"' not in Path("out.html").read_text("utf-8")


def test_a_statement_that_changes_something_is_refused_through_a_server_too(
    served: Listening, token: str
) -> None:
    done = call("sql", "DELETE FROM run", "--db", served.url)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("SQL: ")


def test_a_run_file_is_checked_before_it_is_stored_as_it_would_be_afterwards(
    served: Listening, token: str, tmp_path: Path
) -> None:
    file = write_run(tmp_path, TFIDF, "candidate.run", "candidate")
    rule = ("--fail-if", "AP drop > 0.01", "--db", served.url)
    stored = call("check", "tfidf", "--baseline", "bm25", *rule)
    given = call("check", str(file), "--baseline", "bm25", *rule)
    assert (given.exit_code, given.stderr) == (1, "")
    assert given.stdout == stored.stdout.replace("tfidf", "candidate")
    passed = call("check", str(file), "--baseline", "bm25", "--fail-if", "AP drop > 9", *rule[2:])
    assert passed.exit_code == 0


def test_a_run_file_is_checked_against_the_baseline_of_the_collection_that_is_named(
    served: Listening, token: str, tmp_path: Path
) -> None:
    file = str(write_run(tmp_path, TFIDF, "candidate.run", "candidate"))
    rule = ("--fail-if", "AP drop > 0.01", "--db", served.url)
    done = call("check", file, "--collection", "test", *rule)
    assert done.exit_code == 1
    assert "note: compared with bm25, the baseline of collection 'test'" in done.stdout
    unnamed = call("check", file, *rule)
    assert (unnamed.exit_code, unnamed.stdout) == (2, "")
    assert "say --collection" in unnamed.stderr


def test_a_gate_that_can_not_compare_ends_with_2(
    served: Listening, token: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.run"
    file.write_text("q1 Q0 d1\n")
    rule = ("--fail-if", "AP drop > 0", "--db", served.url)
    bad = call("check", str(file), "--baseline", "bm25", *rule)
    assert bad.exit_code == 2
    assert bad.stderr.startswith(f"{file}:1: expected 6 columns, found 3")
    assert call("check", "nothing.run", "--baseline", "bm25", *rule).exit_code == 2
    gone = call("check", "tfidf", "--baseline", "bm25", *rule[:2], "--db", "http://127.0.0.1:1")
    assert gone.exit_code == 2
    assert gone.stderr == "http://127.0.0.1:1 can't be reached: connection refused\n"


def test_files_are_compared_with_each_other_under_the_judgments_of_the_server(
    served: Listening, token: str, tmp_path: Path
) -> None:
    files = [write_run(tmp_path, BM25, "a.run", "a"), write_run(tmp_path, TFIDF, "b.run", "b")]
    given = call("compare", *files, "--collection", "test", "--worst", "0", "--db", served.url)
    stored = call("compare", "bm25", "tfidf", "--worst", "0", "--db", served.url)
    assert given.stderr == ""
    renamed = stored.stdout.replace("bm25", "a").replace("tfidf", "b")
    assert given.stdout.split() == renamed.split()


def test_the_holes_of_a_file_and_a_stored_run_are_those_of_two_stored_runs(
    served: Listening, token: str, tmp_path: Path
) -> None:
    file = write_run(tmp_path, TFIDF, "b.run", "b")
    of = ("--collection", "test", "-m", "P@2", "--format", "csv", "--db", served.url)
    for given, stored in (((file, "bm25"), ("tfidf", "bm25")), (("bm25", file), ("bm25", "tfidf"))):
        assert call("holes", *given, *of).stdout == call("holes", *stored, *of).stdout != ""

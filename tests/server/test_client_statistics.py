"""Statistics, experiments, queries and explanations: printed through a server as on its store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from listening import Listening, listening
from nightly import one_in
from ranked_runs import add_ranked_runs
from samples import BM25, NOTHING_FOR_Q3, QRELS, TFIDF, add, statuses, write, write_qrels, write_run

from evalstore.catalog.queries import store_queries
from evalstore.catalog.runs import remove_runs
from evalstore.cli import cli
from evalstore.formats.queries import Queries
from evalstore.ingest.store_qrels import store_qrels
from evalstore.server.people.tokens import create_token
from evalstore.store import Store
from evalstore.tracking.experiments import edit_experiment, new_experiment

pytestmark = pytest.mark.slow  # many commands through a server

VALUES = {"q1": "0.8333", "q2": "1.0000", "q3": "0.2000"}
BETWEEN_RUNS = ("agreement", "test", "--between", "runs")
CALLS = [
    ("agreement", "test"),
    ("agreement", "test", "-m", "map", "-m", "P@2", "--format", "json"),
    ("agreement", "test", "-m", "RR", "-m", "NumRet", "-m", "map", "--format", "csv"),
    ("agreement", "test", "-m", "AP"),
    ("agreement", "test", "-m", "AP", "-m", "alpha_nDCG@5"),
    ("agreement", "test", "--qrels", "later"),
    ("agreement", "test", "--qrels", "nothing"),
    ("agreement", "tset"),
    ("agreement", "ranked/runs", "-m", "RR", "-m", "P@30", "--format", "json"),
    BETWEEN_RUNS,
    (*BETWEEN_RUNS, "--k", "1", "--depth", "2", "--format", "json"),
    (*BETWEEN_RUNS, "--p", "0.5", "--run", "2", "--run", "partial", "--run", "tfidf"),
    (*BETWEEN_RUNS, "--run", "bm25", "--run", "1"),
    (*BETWEEN_RUNS, "--run", "bm25", "--run", "bm52"),
    (*BETWEEN_RUNS, "--run", "bm25", "--run", "gone"),
    (*BETWEEN_RUNS, "--run", "bm25", "--run", "values"),
    (*BETWEEN_RUNS, "--k", "9", "--depth", "8"),
    ("agreement", "tset", "--between", "runs"),
    ("agreement", "tset", "--between", "runs", "--run", "bm25", "--run", "tfidf"),
    ("agreement", "ranked/runs", "--between", "runs", "--format", "csv"),
    ("power", "test"),
    ("power", "test", "-m", "map", "-m", "nDCG@3", "-m", "GMAP", "--format", "json"),
    ("power", "test", "--test", "tukey", "--alpha", "0.2", "--format", "csv"),
    ("power", "test", "-m", "AP", "-m", "P@30", "--levels"),
    ("power", "test", "--qrels", "later"),
    ("power", "test", "--qrels", "nothing"),
    ("power", "test", "-m", "alpha_nDCG@5"),
    ("power", "tset"),
    ("power", "ranked/runs", "-m", "RR", "-m", "map", "--format", "json"),
    ("experiments",),
    ("experiments", "--format", "csv"),
    ("experiments", "--format", "json"),
    ("experiments", "show", "june"),
    ("experiments", "show", "june", "-m", "map", "-m", "P@2", "--format", "json"),
    ("experiments", "show", "empty"),
    ("experiments", "show", "jnue"),
    ("queries", "--collection", "test"),
    ("queries", "--collection", "test", "--format", "csv"),
    (
        "queries",
        "--collection",
        "test",
        "--where",
        "lang=de",
        "--where",
        "length>=2",
        "--format",
        "json",
    ),
    ("queries", "--collection", "test", "--where", "lang=fr"),
    ("queries", "--collection", "test", "--where", "lnag=de"),
    ("queries", "--collection", "tset"),
    ("explain", "bm25", "q1"),
    ("explain", "1", "q2", "--depth", "1", "--level", "2", "--dcg", "exp-log2"),
    ("explain", "old-rules", "q2"),
    ("explain", "partial", "q3", "--collection", "test"),
    ("explain", "bm25", "q9"),
    ("explain", "bm25", "q1", "--qrels", "later"),
    ("explain", "bm25", "q1", "--qrels", "nothing"),
    ("explain", "values", "q1"),
    ("explain", "values", "q1", "--qrels", "later"),
    ("explain", "bm52", "q1"),
    ("explain", "bm25", "q1", "--collection", "tset"),
    ("export", "leaderboard", "test", "--format", "latex", "--judged", "--digits", "2"),
    ("export", "leaderboard", "test", "--format", "tsv", "--baseline", "tfidf"),
    ("export", "leaderboard", "test", "--format", "markdown", "--no-baseline", "-m", "map"),
    ("export", "leaderboard", "test", "--format", "csv", "--qrels", "later"),
]


def fill(store: Store, folder: Path) -> None:
    """Runs with rankings, as values, by the rules of trec_eval 9, and one that was removed."""
    bm25, tfidf = write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf")
    add(store, folder, bm25, tfidf, experiment="june")
    add(store, folder, write_run(folder, NOTHING_FOR_Q3, "partial.run", "partial"))
    close = "q2 Q0 d4 1 1.00000001 x\nq2 Q0 d9 2 1.00000002 x\nq2 Q0 d5 3 1 x\n"
    add(store, folder, write(folder / "old-rules.run", close), compat="trec_eval-9")
    add(store, folder, write_run(folder, {**BM25, "q1": ["d9"]}, "gone.run", "gone"))
    remove_runs(store, ["gone"])
    printed = "".join(f"map\t{qid}\t{value}\n" for qid, value in VALUES.items())
    values = write(folder / "values.txt", f"{printed}runid\tall\tvalues\n")
    assert statuses(add(store, folder, values)) == ["stored"]
    later = write_qrels(folder, {**QRELS, "q4": {"d1": 1}}, "later.qrels")
    store_qrels(store, "test", qrels_path=later)
    attributes = {"q1": {"lang": "de"}, "q2": {"lang": "en", "kind": "=1+1"}}
    texts = {"q1": "was ist neu?", "q2": "\x1b[31mred <b>\n", "q3": "three words more"}
    store_queries(store, "test", Queries(texts, attributes))
    edit_experiment(store, "june", "is *it* better?\nreally?", "no")
    new_experiment(store, "empty")
    add_ranked_runs(store, folder, "ranked/runs")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    folder = tmp_path_factory.mktemp("server")
    with Store.open(str(folder / "store.db")) as store:
        fill(store, folder)
        with listening(store) as listens:
            yield listens


@pytest.fixture(scope="module")
def token(served: Listening) -> str:
    return create_token(served.store, "ci", "reader")


def call(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


@pytest.mark.parametrize("arguments", one_in(2, CALLS), ids=" ".join)
def test_a_command_prints_through_a_server_what_it_prints_on_the_store(
    served: Listening, token: str, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    here = call(*arguments, "--db", str(served.store.file))
    there = call(*arguments, "--db", served.url)
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr
    assert there.exit_code == here.exit_code


def test_files_are_explained_without_asking_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_DB", "http://127.0.0.1:1")
    done = call("explain", write_qrels(tmp_path), write_run(tmp_path), "q1")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "query q1: 3 documents retrieved" in done.stdout

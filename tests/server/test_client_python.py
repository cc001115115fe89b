"""`ev.open("https://...")`: frames are those of the store itself, and runs are stored."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from changed_runs import tag_run
from listening import listening
from samples import QRELS, TFIDF, add, write_qrels, write_run

import evalstore as ev
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.errors import Conflict, DataError, MeasureError, NotFound, QrelsMissing, StoreError
from evalstore.server.people.tokens import create_token
from evalstore.store import Store

pytestmark = pytest.mark.slow  # many calls through a server

SCORES = {"q1": {"d1": 2.0, "d9": 1.0}, "q3": {"d6": 0.5}}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with two runs, made once."""
    folder = tmp_path_factory.mktemp("filled")
    with Store.open(str(folder / "store.db")) as store:
        runs = [write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf")]
        add(store, folder, *runs, experiment="june")
        tag_run(store, "bm25", ["paper"])
        set_baseline(store, "bm25", "test")
    return folder / "store.db"


@contextmanager
def opened(file: Path) -> Iterator[tuple[ev.Store, ev.Store]]:
    """A store, and the same through a server."""
    with Store.open(str(file)) as store, listening(store) as served:
        token = create_token(store, "ci", "contributor")
        with ev.open(file) as here, ev.open(served.url, token=token) as there:
            yield here, there


@pytest.fixture
def stores(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[ev.Store, ev.Store]]:
    """A store, and the same through a server."""
    monkeypatch.chdir(tmp_path)
    with opened(Path(shutil.copy(filled, tmp_path))) as both:
        yield both


@pytest.fixture(scope="module")
def unchanged(
    filled: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ev.Store, ev.Store]]:
    """The same for all tests that only read."""
    with opened(Path(shutil.copy(filled, tmp_path_factory.mktemp("read")))) as both:
        yield both


READS: dict[str, Callable[[ev.Store], Any]] = {
    "collections": lambda store: store.collections(),
    "qrels": lambda store: store.qrels(),
    "qrels of one": lambda store: store.qrels("test"),
    "runs": lambda store: store.runs(),
    "runs with values": lambda store: store.runs(measures=["AP", "map", "P@2"], sort="AP"),
    "runs that are chosen": lambda store: store.runs("test", tag="paper", where="run=bm25"),
    "leaderboard": lambda store: store.leaderboard("test"),
    "ranks": lambda store: store.leaderboard_ranks("test", measures=["AP", "map"], test="tukey"),
    "power": lambda store: store.power("test", measures=["AP", "map"], test="tukey"),
    "agreement": lambda store: store.agreement("test", measures=["AP", "P@2"]),
    "agreement of runs": lambda store: store.agreement("test", "runs", runs=["tfidf", 1], k=1),
    "leaderboard as text": lambda store: pd.DataFrame(
        [store.export_leaderboard("test", "latex", measures="map", groups=True, digits=2)]
    ),
    "experiments": lambda store: store.experiments(),
    "experiment": lambda store: store.experiment("june").runs,
    "experiment, in words": lambda store: pd.DataFrame(
        [{**vars(store.experiment("june", ["map"])), "runs": None}]
    ),
    "pairs": lambda store: store.compare(["bm25", "tfidf"], ["AP", "nDCG@3"]).pairs,
    "per query": lambda store: store.compare(["tfidf"]).per_query,
    "comparison": lambda store: pd.DataFrame([repr(store.compare(["bm25", 2], baseline="bm25"))]),
    "history": lambda store: store.history("bm25", "AP"),
    "sql": lambda store: store.sql("SELECT run, value FROM leaderboard ORDER BY run, measure"),
    "sql with a limit": lambda store: store.sql("SELECT qid FROM query ORDER BY 1", limit=2),
    "values": lambda store: store.run("bm25").values(["AP", "map"]),
    "rankings": lambda store: store.run("tfidf").to_frame(),
    "diff": lambda store: store.diff("tfidf", "bm25").facts,
    "diff, in words": lambda store: pd.DataFrame([repr(store.diff("bm25", 2, ["AP"]))]),
    "facts": lambda store: pd.DataFrame([vars(store.run(1).facts)]),
}


@pytest.mark.parametrize("read", READS)
def test_a_frame_is_the_same_through_a_server(
    unchanged: tuple[ev.Store, ev.Store], read: str
) -> None:
    here, there = (READS[read](store) for store in unchanged)
    pd.testing.assert_frame_equal(there, here)


def test_held_out_queries_are_those_stored_where_the_store_is(
    stores: tuple[ev.Store, ev.Store],
) -> None:
    here, there = stores
    with pytest.raises(DataError, match="yet, and they can't be stored through a server"):
        there.compare(["bm25", "tfidf"], holdout=0.99)
    expected = here.compare(["bm25", "tfidf"], holdout=0.99)
    assert expected.restriction == "the 3 of 3 held-out queries"
    assert there.compare(["bm25", "tfidf"], holdout=0.99).to_dict() == expected.to_dict()


def test_what_is_not_there_raises_what_the_store_raises(
    unchanged: tuple[ev.Store, ev.Store],
) -> None:
    for ask in (
        lambda store: store.run("bm52"),
        lambda store: store.compare(["bm25", "bm52"]),
        lambda store: store.leaderboard("tset"),
        lambda store: store.sql("SELECT"),
        lambda store: store.run("bm25").values("AP", "tset"),
        lambda store: store.experiment("jnue"),
        lambda store: store.power("tset"),
        lambda store: store.agreement("test", "runs", runs=["bm25"]),
    ):
        errors = []
        for store in unchanged:
            with pytest.raises((NotFound, DataError)) as raised:
                ask(store)  # type: ignore[no-untyped-call]
            errors.append((type(raised.value), str(raised.value), raised.value.problem))
        assert errors[0] == errors[1]
    assert unchanged[1].baseline("test") == "bm25"


def test_runs_of_files_frames_and_dictionaries_are_stored(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    here, there = stores
    file = write_run(tmp_path, {"q1": ["d2"]}, "file.run", "file")
    assert [o.status for o in there.ingest(collection="test", runs=file).outcomes] == ["stored"]
    given = {"given": SCORES, "bad": {"q1": {"": 1.0}}}
    with pytest.raises(DataError):
        there.ingest(collection="test", runs=given)
    result = there.ingest(
        collection="test", runs={"given": SCORES}, engine="own", params={"k1": 0.9}, tags=["x"]
    )
    assert [(o.path, o.status, o.detail) for o in result.outcomes] == [("given", "stored", "given")]
    stored = here.run("given")
    assert stored.ranking.to_dict() == SCORES
    assert (stored.facts.engine, stored.facts.parameters) == ("own", {"k1": 0.9})
    again = there.ingest(
        collection="test", runs={"given": SCORES}, engine="own", params={"k1": 0.9}, tags=["x"]
    )
    assert [o.status for o in again.outcomes] == ["already stored"]


@pytest.mark.parametrize(
    "queries",
    [
        {"q1": "one", "q9": "a query more"},
        {"q1": {"text": "one", "title": "other", "id": "x", "lang": "en", "n": 3, "ok": True}},
        pd.DataFrame({"qid": ["q1", "q2"], "text": ["one", "zwei\tdrei"], "lang": ["en", None]}),
        {},
    ],
    ids=["texts", "attributes", "frame", "none"],
)
@pytest.mark.parametrize("qrels", [None, QRELS], ids=["default qrels", "qrels"])
def test_queries_and_measures_are_stored_as_by_the_store_itself(
    stores: tuple[ev.Store, ev.Store], queries: Any, qrels: Any
) -> None:
    here, there = stores
    asked: dict[str, Any] = {"queries": queries, "qrels": qrels, "measures": ["summary", "P@3"]}
    with ev.open("own.db") as own:
        own.ingest(collection="test", runs={"other": {"q1": {"d2": 1.0}}}, qrels=QRELS)
        for store in (own, there):
            store.ingest(collection="test", runs={"new": SCORES}, **asked)
        for statement in (
            "SELECT qid, text FROM query ORDER BY qid",
            "SELECT qid, name, value FROM query_attribute JOIN query ON query.id = query_id "
            "ORDER BY 1, 2, 3",
            "SELECT measure, value FROM leaderboard WHERE run = 'new' ORDER BY measure",
        ):
            pd.testing.assert_frame_equal(here.sql(statement), own.sql(statement))


def test_queries_that_can_not_be_are_refused_and_nothing_is_stored(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    here, there = stores
    file = tmp_path / "queries.tsv"
    file.write_text("q1\tone\nq1\tone\n")
    for queries, sentence in (
        ({"q1": {"lang": "en"}}, "queries, query 'q1': no text, which a server needs"),
        ({"q1": 3}, "queries, query 'q1': the text 3 is not text"),
        (file, f"{file}:2: query 'q1' stands twice"),
    ):
        with pytest.raises(DataError) as raised:
            there.ingest(collection="test", runs={"new": SCORES}, queries=queries)
        assert str(raised.value).startswith(sentence)
    with pytest.raises(MeasureError, match="an ingest can't store alpha_nDCG"):
        there.ingest(collection="test", runs={"new": SCORES}, measures="alpha_nDCG@5")
    assert here.runs("test")["run"].tolist() == ["bm25", "tfidf"]
    assert here.sql("SELECT text FROM query WHERE text IS NOT NULL").empty


def test_judgments_in_memory_make_a_collection(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    here, there = stores
    with pytest.raises(QrelsMissing, match="there is no collection 'new' in the store"):
        there.ingest(collection="new", runs={"a": SCORES})
    result = there.ingest(collection="new", runs={"a": SCORES}, qrels=QRELS)
    assert [o.status for o in result.outcomes] == ["stored"]
    assert there.qrels("new")["name"].tolist() == ["qrels"]
    there.ingest(collection="test", runs={"a": SCORES}, qrels=write_qrels(tmp_path, QRELS))
    assert here.runs("test")["run"].tolist() == ["bm25", "a", "tfidf"]


def test_a_run_is_logged_and_sent_when_it_has_ended(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    here, there = stores
    with there.start_run("own", "test", "logged", params={"k1": 0.9}) as run:
        run.log("q1", SCORES["q1"], milliseconds=12)
        assert run.path.parent == tmp_path
        run.log("q3", SCORES["q3"])
    assert run.outcome is not None
    assert (run.outcome.status, run.outcome.detail) == ("stored", "logged")
    assert not run.path.exists()
    assert here.run("logged").ranking.to_dict() == SCORES
    assert here.run("logged").facts.parameters == {"k1": 0.9}
    with pytest.raises(Conflict, match="run 'logged' of collection 'test' is stored already"):
        there.start_run("own", "test", "logged")
    assert list(tmp_path.glob("*.evalrun")) == []


def test_a_run_in_memory_is_sent_by_one_call(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    here, there = stores
    arguments: dict[str, Any] = {"engine": "own", "collection": "test", "params": {"k1": 0.9}}
    outcome = there.log_run(SCORES, name="new", **arguments)
    assert (outcome.path, outcome.status, outcome.detail) == ("new", "stored", "new")
    assert here.run("new").ranking.to_dict() == SCORES
    assert here.run("new").facts.parameters == {"k1": 0.9}
    assert there.log_run(SCORES, **arguments).same_as == "new"
    with pytest.raises(DataError, match="^far: none of its queries"):
        there.log_run({"zz": {"d1": 1.0}}, name="far", **arguments)
    assert there.log_run(SCORES, name="new", **arguments).status == "already stored"
    with pytest.raises(Conflict, match="'new' with other content .* replace=True puts this one"):
        there.log_run({"q1": {"d1": 1.0}}, name="new", **arguments)
    assert list(tmp_path.rglob("*.evalrun")) == []


def test_a_logged_run_that_can_not_be_sent_stays_in_its_file(
    stores: tuple[ev.Store, ev.Store], tmp_path: Path
) -> None:
    there = stores[1]
    run = there.start_run("own", "test", "far")
    run.log("zz", {"d1": 1.0})
    with pytest.raises(DataError, match="none of its queries") as raised:
        run.end()
    assert run.path.exists()
    assert str(run.path) in raised.value.__notes__[0]


def test_what_does_not_work_through_a_server_says_so(unchanged: tuple[ev.Store, ev.Store]) -> None:
    there = unchanged[1]
    sentence = "this does not work through one: open the store itself"
    for call in (
        lambda: there.measure("P@7"),
        lambda: there.set_experiment("june", "what?"),
        lambda: there.leaderboard_ranks("test", save=True),
        lambda: there.export_parquet("folder"),
    ):
        with pytest.raises(StoreError, match=sentence):
            call()
    with pytest.raises(DataError, match="a scheduler can't be sent"):
        there.ingest(collection="test", runs={"a": SCORES}, scheduler="tcp://127.0.0.1:1")


def test_a_token_is_for_a_server_and_not_for_plain_http(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a token is for a server"):
        ev.open(tmp_path / "x.db", token="evs_x")
    with pytest.raises(StoreError, match="not encrypted, so the token is not sent"):
        ev.open("http://eval.invalid", token="evs_x")
    assert repr(ev.open("https://eval.invalid/x/", token="evs_x")) == (
        "<evalstore.Store https://eval.invalid/x>"
    )


def test_without_a_token_the_server_asks_for_one(unchanged: tuple[ev.Store, ev.Store]) -> None:
    url = repr(unchanged[1]).split()[1].rstrip(">")
    with ev.open(url) as store, pytest.raises(StoreError, match="takes a token"):
        store.runs()

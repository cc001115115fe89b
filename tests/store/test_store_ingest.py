"""Ingest stores the ranking unchanged, the values unrounded, and nothing twice."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from databases import both_databases
from leaderboard_frames import collections, leaderboard
from samples import (
    BM25,
    NOTHING_FOR_Q3,
    QRELS,
    TFIDF,
    Rankings,
    add,
    counts,
    dump,
    dump_without_files,
    run_text,
    statuses,
    write,
    write_qrels,
    write_run,
)
from sqlalchemy import select

from evalstore.comparison.loading import load_stored_runs
from evalstore.errors import DataError, FileError, QrelsMissing
from evalstore.evaluation import parallel
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.run_rows import standard_measures
from evalstore.formats import read_qrels, read_run
from evalstore.ingest.ingest import Interrupted, Outcome, ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.ingest.store_run import store_run
from evalstore.measures import aggregate, evaluate
from evalstore.measures.join import match
from evalstore.store import Store, models, packing
from evalstore.store.queries.evaluations import list_evaluations, stored_measures


def rankings_of(store: Store, run: str) -> dict[str, list[tuple[str, float]]]:
    """The whole rankings of a run, unpacked."""
    ranking, query, table = (m.__table__ for m in (models.Ranking, models.Query, models.Run))
    asked = (
        select(query.c.qid, ranking.c.packed)
        .join(query, query.c.id == ranking.c.query_id)
        .join(table, table.c.content_id == ranking.c.content_id)
        .where(table.c.name == run)
    )
    rankings = {}
    with store.read() as connection:
        for qid, packed in connection.execute(asked):
            docnos, scores = packing.unpack(packed)
            rankings[qid] = [
                (d.decode(), s) for d, s in zip(docnos.to_pylist(), scores.tolist(), strict=True)
            ]
    return rankings


def rankings_in(rankings: Rankings) -> dict[str, list[tuple[str, float]]]:
    """The rankings of a file that `write_run` writes."""
    return {
        qid: [(docno, 100.0 - rank) for rank, docno in enumerate(docnos, 1)]
        for qid, docnos in rankings.items()
    }


@both_databases
def test_a_ranking_comes_back_as_it_was_in_the_file(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert rankings_of(store, "bm25") == rankings_in(BM25)


def test_ties_are_stored_by_docno_descending_and_line_order_and_rank_are_ignored(
    store: Store, tmp_path: Path
) -> None:
    lines = "q1 Q0 d1 1 7 t\nq1 Q0 d3 2 7 t\nq1 Q0 d2 3 7 t\nq1 Q0 d9 4 8.5 t\n"
    add(store, tmp_path, write(tmp_path / "ties.run", lines))
    assert rankings_of(store, "ties") == {
        "q1": [("d9", 8.5), ("d3", 7.0), ("d2", 7.0), ("d1", 7.0)]
    }


@both_databases
def test_a_hit_is_stored_at_its_true_rank_however_deep(store: Store, tmp_path: Path) -> None:
    deep = [f"n{i:04}" for i in range(1, 1234)] + ["d6"]
    lines = "".join(f"q3 Q0 {d} 0 {2000 - i} t\n" for i, d in enumerate(deep, 1))
    add(store, tmp_path, write(tmp_path / "deep.run", lines))
    hit, retrieved = models.Hit.__table__, models.Retrieved.__table__
    with store.read() as connection:
        hits = connection.execute(select(hit.c.rank, hit.c.docno, hit.c.grade, hit.c.score)).all()
        ranks = connection.execute(select(retrieved.c.rank)).scalars().all()
    assert [tuple(row) for row in hits] == [(1234, "d6", 3.0, 766.0)]
    assert sorted(ranks) == list(range(1, 101)), "the top 100 are rows, the rest is packed"


@both_databases
def test_a_judged_document_that_is_not_relevant_is_no_hit(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path, TFIDF, "tfidf.run"))
    hit = models.Hit.__table__
    with store.read() as connection:
        rows = connection.execute(select(hit.c.docno, hit.c.rank)).all()
    assert sorted(tuple(row) for row in rows) == [("d1", 2), ("d4", 3), ("d5", 1), ("d6", 1)]


@both_databases
def test_the_stored_values_and_aggregates_are_those_of_evaluate(
    store: Store, tmp_path: Path
) -> None:
    path, qrels = write_run(tmp_path, NOTHING_FOR_Q3), write_qrels(tmp_path)
    add(store, tmp_path, path)
    judged = match(read_run(path), read_qrels(qrels))
    expected = evaluate(judged, standard_measures())
    board = leaderboard(store, "test")
    (run_id,) = board.runs["run_id"]
    measures = {str(measure): measure for measure in expected}
    (run,) = load_stored_runs(store, [str(run_id)], measures).runs
    assert set(board.measures) == {str(measure) for measure in standard_measures()}
    with store.read() as connection:
        (evaluation,) = list_evaluations(connection, [run_id], None)
        assert stored_measures(connection, evaluation.id) >= measures.keys(), "none is computed"
    assert run.qids == judged.qids
    for measure, values in expected.items():
        np.testing.assert_array_equal(run.values[str(measure)], values, strict=True)
        assert board.values.loc[run_id, str(measure)] == aggregate(measure, values)


def test_keep_top_says_how_many_documents_of_a_ranking_are_rows(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path), keep_top=1)
    rows = dump(store)["retrieved"]
    assert sorted((rank, docno) for _, _, rank, docno, _ in rows) == [
        (1, "d1"),
        (1, "d5"),
        (1, "d8"),
    ]
    assert [d for d, _ in rankings_of(store, "bm25")["q1"]] == ["d1", "d9", "d2"]


def test_the_engine_is_the_run_tag_unless_given(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path, BM25, "a.run", "lucene"))
    add(store, tmp_path, write_run(tmp_path, TFIDF, "b.run", "x"), engine="mine", experiment="e1")
    runs = leaderboard(store, "test").runs
    assert runs[["engine", "run"]].to_numpy().tolist() == [["lucene", "a"], ["mine", "b"]]
    assert runs["experiment"].tolist() == [None, "e1"]


@pytest.mark.parametrize(
    "name", ["same", "crlf", "gzip", "other line order", "other spaces", "another rank column"]
)
def test_the_same_content_again_stores_nothing_new(store: Store, tmp_path: Path, name: str) -> None:
    text = run_text(BM25)
    lines = text.splitlines(keepends=True)
    versions = {
        "same": text.encode(),
        "crlf": text.replace("\n", "\r\n").encode(),
        "gzip": gzip.compress(text.encode()),
        "other line order": "".join(reversed(lines)).encode(),
        "other spaces": b"\xef\xbb\xbf# a comment\n\n" + text.replace(" ", "\t  ").encode(),
        "another rank column": "".join(
            " ".join([*(w := line.split())[:3], "1", *w[4:]]) + "\n" for line in lines
        ).encode(),
    }
    add(store, tmp_path, write_run(tmp_path))
    before = dump_without_files(store)
    copy = tmp_path / "a folder" / "bm25.run"
    copy.parent.mkdir()
    copy.write_bytes(versions[name])
    (outcome,) = add(store, tmp_path, str(copy))
    assert (outcome.status, outcome.detail) == ("already stored", "bm25")
    assert dump_without_files(store) == before


def test_the_same_qrels_again_is_the_same_row(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    before = dump(store)
    backwards = {qid: dict(reversed(g.items())) for qid, g in reversed(QRELS.items())}
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path, backwards, "other-name.txt.gz"))
    assert dump(store) == before


def test_the_same_run_in_another_collection_is_another_run(store: Store, tmp_path: Path) -> None:
    path = write_run(tmp_path)
    assert statuses(add(store, tmp_path, path)) == ["stored"]
    assert statuses(add(store, tmp_path, path, collection="other")) == ["stored"]
    assert counts(store)["run"] == 2


# --- the same name, other content --------------------------------------------------------------


def test_the_same_name_with_other_content_fails(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    before = dump(store)
    (outcome,) = add(store, tmp_path, write_run(tmp_path, TFIDF))
    assert outcome.status == "failed"
    assert "'bm25'" in outcome.detail
    assert outcome.problem == "run has name"
    assert dump(store) == before
    assert statuses(add(store, tmp_path, write_run(tmp_path, TFIDF), name="second")) == ["stored"]


def test_replace_puts_the_new_content_in_the_place_of_the_old(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path, NOTHING_FOR_Q3))
    assert statuses(add(store, tmp_path, write_run(tmp_path), replace=True)) == ["replaced"]
    assert set(rankings_of(store, "bm25")) == {"q1", "q2", "q3"}
    with Store.open(f"sqlite:///{tmp_path / 'fresh.db'}") as fresh:
        add(fresh, tmp_path, write_run(tmp_path))
        expected, row_counts = counts(fresh), counts(store)
    del expected["event"], row_counts["event"]  # what was done stays known
    assert row_counts == expected, "nothing of the old run is left"


# --- several qrels -----------------------------------------------------------------------------


def test_another_version_of_the_qrels_is_a_new_row_and_runs_are_evaluated_under_it_too(
    store: Store, tmp_path: Path
) -> None:
    path = write_run(tmp_path)
    add(store, tmp_path, path)
    more = write_qrels(tmp_path, {**QRELS, "q4": {"d1": 1}}, "test.qrels")
    (outcome,) = add(store, tmp_path, path, qrels=more)
    assert (outcome.status, outcome.detail) == ("evaluated", "bm25")
    assert statuses(add(store, tmp_path, path, qrels=more)) == ["already stored"]
    row_counts = counts(store)
    assert (row_counts["qrels"], row_counts["run"], row_counts["evaluation"]) == (2, 1, 2)
    default, newest = collections(store)["qrels"][0]
    assert (default, newest) == ("test", "test (2)")
    assert leaderboard(store, "test").queries == 3
    assert leaderboard(store, "test", newest).queries == 4


def test_without_a_qrels_the_default_of_the_collection_is_used(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    second = write_qrels(tmp_path, {"q1": {"d9": 1}}, "second.qrels")
    store_qrels(store, "test", qrels_path=second)
    warnings: list[str] = []
    stored = store_qrels(store, "test", warn=warnings.append)
    assert stored.qrels_name == "test"
    assert warnings == ["collection 'test' has several qrels: using its default, 'test'"]
    store_qrels(store, "test", qrels_path=second, default_qrels=True)
    assert store_qrels(store, "test").qrels.qids == ("q1",)


def test_judgments_read_back_judge_as_those_of_the_file(store: Store, tmp_path: Path) -> None:
    path, qrels = write_run(tmp_path), write_qrels(tmp_path)
    store_qrels(store, "test", qrels_path=qrels)
    stored = match(read_run(path), store_qrels(store, "test").qrels)
    read = match(read_run(path), read_qrels(qrels))
    for measure, values in evaluate(read, standard_measures()).items():
        np.testing.assert_array_equal(evaluate(stored, [measure])[measure], values)


def test_without_any_qrels_ingest_is_refused_and_makes_no_collection(store: Store) -> None:
    with pytest.raises(QrelsMissing, match="there is no collection 'test' in the store"):
        store_qrels(store, "test")
    assert collections(store).empty


def test_a_bad_qrels_stores_nothing(store: Store, tmp_path: Path) -> None:
    before = dump(store)
    with pytest.raises(FileError, match=r"bad\.qrels:2: "):
        store_qrels(
            store,
            "test",
            qrels_path=write(tmp_path / "bad.qrels", "q1 0 d1 1\nq1 0 d1 2\n"),
            queries={"q1": "a question"},
        )
    assert dump(store) == before


def test_query_texts_are_stored_and_may_be_changed(store: Store, tmp_path: Path) -> None:
    qrels = write_qrels(tmp_path)
    store_qrels(store, "test", qrels_path=qrels, queries={"q1": "one", "q9": "unjudged"})
    store_qrels(store, "test", qrels_path=qrels, queries={"q1": "One?"})
    table = models.Query.__table__
    with store.read() as connection:
        rows = connection.execute(select(table.c.qid, table.c.text)).all()
    assert dict(map(tuple, rows)) == {
        "q1": "One?",
        "q2": None,
        "q3": None,
        "q9": "unjudged",
    }


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_file_of_a_batch_is_taken_or_refused_for_itself(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 0)
    bad = write(tmp_path / "bad.run", "q1 Q0 d1 1 nan t\n")
    runs = [write_run(tmp_path), bad, write_run(tmp_path, TFIDF, "tfidf.run")]
    stored = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    outcomes = ingest(store, IngestOptions("test"), runs, qrels=stored, jobs=jobs).outcomes
    assert statuses(outcomes) == ["stored", "failed", "stored"]
    assert outcomes[1].detail.startswith(f"{bad}:1: ")
    assert leaderboard(store, "test").runs["run"].tolist() == ["bm25", "tfidf"]
    assert rankings_of(store, "bm25") == rankings_in(BM25)
    assert rankings_of(store, "tfidf") == rankings_in(TFIDF)


# --- a call does its work ------------------------------------------------------------------------


def test_a_qrels_of_another_collection_than_the_requests_is_refused(
    store: Store, tmp_path: Path
) -> None:
    qrels = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    store_qrels(store, "other", qrels_path=write_qrels(tmp_path))
    before = dump(store)
    for collection in ("other", "missing"):
        with pytest.raises(DataError, match="is not of collection"):
            ingest(store, IngestOptions(collection), [write_run(tmp_path)], qrels=qrels)
    assert dump(store) == before


class Seen:
    """A progress that records its calls, and may interrupt."""

    def __init__(self, interrupt_at: str | None = None) -> None:
        self.calls: list[tuple[str, str]] = []
        self._interrupt_at = interrupt_at

    def started(self, path: str) -> None:
        self.calls.append(("started", Path(path).name))
        if Path(path).name == self._interrupt_at:
            raise KeyboardInterrupt

    def finished(self, outcome: Outcome) -> None:
        self.calls.append((outcome.status, Path(outcome.path).name))


def test_progress_is_told_of_each_file_when_it_is_begun_and_when_it_is_done(
    store: Store, tmp_path: Path
) -> None:
    qrels = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    runs = [write_run(tmp_path), str(tmp_path / "missing.run")]
    seen = Seen()
    result = ingest(store, IngestOptions("test"), runs, qrels=qrels, progress=seen)
    assert result.counts == {"stored": 1, "failed": 1}
    assert seen.calls == [
        ("started", "bm25.run"),
        ("stored", "bm25.run"),
        ("started", "missing.run"),
        ("failed", "missing.run"),
    ]


def test_an_interrupt_says_what_is_stored_and_what_is_not(store: Store, tmp_path: Path) -> None:
    qrels = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run")]
    with pytest.raises(Interrupted) as caught:
        ingest(store, IngestOptions("test"), runs, qrels=qrels, progress=Seen("tfidf.run"))
    assert statuses(caught.value.result.outcomes) == ["stored"]
    assert caught.value.result.not_reached == (runs[1],)
    assert leaderboard(store, "test").runs["run"].tolist() == ["bm25"]


def test_a_run_that_was_stored_in_the_moment_of_the_interrupt_is_said_to_be(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stores_and_is_interrupted(*given: Any) -> None:
        store_run(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr("evalstore.ingest.ingest.store_run", stores_and_is_interrupted)
    qrels = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    with pytest.raises(Interrupted) as caught:
        ingest(store, IngestOptions("test"), [write_run(tmp_path)], qrels=qrels)
    assert statuses(caught.value.result.outcomes) == ["stored"]
    assert caught.value.result.not_reached == ()

"""New judgments: every stored run is evaluated under them, and what changes is shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from samples import QRELS, TFIDF, Filled, add, counts, dump, write_qrels, write_run
from sqlalchemy import Connection

from evalstore.catalog.qrels import list_qrels
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.qrels.changes import QrelsChanges, qrels_changes
from evalstore.errors import DataError, Disjoint, NotFound, StoreError
from evalstore.evaluation import parallel
from evalstore.evaluation.measure import measure
from evalstore.formats import Qrels
from evalstore.ingest.reevaluate import (
    Choice,
    Reevaluated,
    ReevaluatedRun,
    read_or_name,
    reevaluate,
)
from evalstore.measures import named_measures
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # many commands, figures or resamples

OTHER = {"q1": {"d1": 0, "d2": 1, "d3": 2, "d9": 0}, "q2": {"d4": 1}, "q3": {"d6": 3}}
"""Against QRELS: d9 of q1 is added, d5 of q2 removed, d1 and d3 of q1 have another grade."""


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def new(grades: object = None) -> Qrels:
    return Qrels.from_dict(grades or OTHER, name="new.qrels")  # type: ignore[arg-type]


def statuses(done: Reevaluated) -> list[tuple[str, str]]:
    return [(run.run, run.status) for run in done.runs]


def changes(store: Store, done: Reevaluated, measures: Sequence[str] = ("AP",)) -> QrelsChanges:
    return qrels_changes(store, "test", named_measures(measures), done.before, done.after)


def figures(store: Store, qrels: str) -> list[tuple[str, str, float]]:
    """Every stored aggregate under a qrels, with run and measure."""
    rows = dump(store)
    qrels_id = next(row[0] for row in rows["qrels"] if qrels in row)
    run_of = {row[0]: row[1] for row in rows["evaluation"] if row[2] == qrels_id}
    return sorted((run_of[row[0]], row[1], row[2]) for row in rows["aggregate"] if row[0] in run_of)


def test_every_run_gets_under_the_new_judgments_what_ingest_would_have_stored(
    filled: Store, tmp_path: Path
) -> None:
    done = reevaluate(filled, "test", new())
    assert (done.before, done.after, done.is_default) == ("test", "new", False)
    assert statuses(done) == [("bm25", "evaluated"), ("tfidf", "evaluated")]
    path = write_qrels(tmp_path, OTHER, "new.qrels")
    before = figures(filled, "new")
    run = write_run(tmp_path)
    assert [o.status for o in add(filled, tmp_path, run, qrels=path)] == ["already stored"]
    assert figures(filled, "new") == before
    with Store.open(f"sqlite:///{tmp_path / 'ingested.db'}") as other:
        add(other, tmp_path, run, str(tmp_path / "tfidf.run"), qrels=path)
        assert figures(other, "new") == before
    assert list(db_check(filled).problems) == []


def test_the_values_under_the_old_judgments_stay(filled: Store) -> None:
    before = figures(filled, "test")
    reevaluate(filled, "test", new())
    assert figures(filled, "test") == before


def test_further_measures_of_a_run_are_computed_for_it_too(filled: Store) -> None:
    measure(filled, list(named_measures(["P@7"]).values()), ["bm25"])
    reevaluate(filled, "test", new())
    assert len(figures(filled, "new")) == len(figures(filled, "test"))
    measure(filled, list(named_measures(["P@9"]).values()), ["tfidf"])  # under both
    done = reevaluate(filled, "test", "test", Choice(before="new"))
    assert statuses(done) == [("bm25", "already evaluated"), ("tfidf", "already evaluated")]


def test_a_run_keeps_the_rules_of_trec_eval_that_it_was_evaluated_by(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path), compat="trec_eval-9")
    reevaluate(store, "test", new())
    assert {row[4] for row in dump(store)["evaluation"]} == {"trec_eval-9"}


def test_what_was_interrupted_goes_on_where_it_stopped(filled: Store) -> None:
    def stop(run: ReevaluatedRun) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reevaluate(filled, "test", new(), Choice(default_qrels=True), progress=stop)
    assert [q.name for q in list_qrels(filled) if q.is_default] == ["test"]
    done = reevaluate(filled, "test", new(), Choice(default_qrels=True))
    assert statuses(done) == [("bm25", "already evaluated"), ("tfidf", "evaluated")]
    assert [q.name for q in list_qrels(filled) if q.is_default] == ["new"]
    again = reevaluate(filled, "test", new(), Choice(default_qrels=True))
    assert (again.before, again.after, again.is_default) == ("test", "new", True)
    assert counts(filled)["evaluation"] == 4


def test_a_run_is_stored_as_a_whole_or_not_at_all(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = events.log

    def fail(connection: Connection, action: events.Action, *rest: Any, **details: object) -> None:
        if action == "reevaluate":  # the last step of the transaction
            raise StoreError("no event")
        write(connection, action, *rest, **details)

    with monkeypatch.context() as patch:
        patch.setattr(events, "log", fail)
        done = reevaluate(filled, "test", new())
    assert statuses(done) == [("bm25", "failed"), ("tfidf", "failed")]
    assert counts(filled)["evaluation"] == 2


def test_each_run_is_an_event_with_both_qrels(filled: Store) -> None:
    reevaluate(filled, "test", new(), Choice(default_qrels=True))
    with filled.read() as connection:
        last = [(e.action, e.subject, e.details) for e in events.events(connection, last=4)]
    both = {"qrels": "new", "before": "test"}
    assert last == [
        ("ingest", "new", {"kind": "qrels", "judgments": 6}),
        ("reevaluate", "bm25", both),
        ("reevaluate", "tfidf", both),
        ("default", "new", {"kind": "qrels"}),
    ]


def test_removed_runs_are_left_out(filled: Store) -> None:
    remove_runs(filled, ["tfidf"])
    assert statuses(reevaluate(filled, "test", new())) == [("bm25", "evaluated")]


@pytest.mark.slow
def test_several_processes_store_the_same(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 0)
    done = reevaluate(filled, "test", new(), jobs=2)
    assert statuses(done) == [("bm25", "evaluated"), ("tfidf", "evaluated")]
    with Store.open(f"sqlite:///{tmp_path / 'ingested.db'}") as other:
        runs = [str(tmp_path / f"{name}.run") for name in ("bm25", "tfidf")]
        add(other, tmp_path, *runs, qrels=write_qrels(tmp_path, OTHER, "new.qrels"))
        assert figures(other, "new") == figures(filled, "new")


def test_a_run_that_shares_no_query_fails_alone_and_keeps_the_default(
    store: Store, tmp_path: Path
) -> None:
    only = write_run(tmp_path, {"q3": ["d6"]}, "only.run", "only")
    add(store, tmp_path, write_run(tmp_path), only)
    choice = Choice(default_qrels=True)
    done = reevaluate(store, "test", new({"q1": {"d1": 1}}), choice)
    assert statuses(done) == [("bm25", "evaluated"), ("only", "failed")]
    assert done.runs[1].problem == "disjoint"
    assert not done.is_default
    allowed = Choice(default_qrels=True, allow_disjoint=True)
    done = reevaluate(store, "test", new({"q1": {"d1": 1}}), allowed)
    assert statuses(done) == [("bm25", "already evaluated"), ("only", "evaluated")]
    assert done.is_default


def test_what_can_not_be_stores_nothing(filled: Store) -> None:
    before = dump(filled)
    with pytest.raises(NotFound, match="no collection 'tset' in the store; did you mean 'test'"):
        reevaluate(filled, "tset", new())
    with pytest.raises(NotFound, match="collection 'test' has no qrels 'tests'; did you mean"):
        reevaluate(filled, "test", "tests")
    with pytest.raises(NotFound, match="has no qrels 'old'"):
        reevaluate(filled, "test", new(), Choice(before="old"))
    with pytest.raises(DataError, match="has no qrels to compare 'test' with"):
        reevaluate(filled, "test", Qrels.from_dict(QRELS))
    with pytest.raises(Disjoint, match="none of its 1 queries"):
        reevaluate(filled, "test", new({"x1": {"d1": 1}}))
    assert dump(filled) == before
    reevaluate(filled, "test", new())
    with pytest.raises(DataError, match="qrels 'new' can't be compared with itself"):
        reevaluate(filled, "test", "new", Choice(before="new"))


def test_a_text_is_a_file_where_there_is_one_and_else_a_name(filled: Store, tmp_path: Path) -> None:
    path = write_qrels(tmp_path)
    judgments = read_or_name(filled, "test", path)
    assert isinstance(judgments, Qrels)
    assert judgments.to_dict() == QRELS
    assert read_or_name(filled, "test", "test") == "test"


# --- what changes --------------------------------------------------------------------------------


def test_judgments_are_counted_as_added_removed_and_graded_otherwise(filled: Store) -> None:
    change = changes(filled, reevaluate(filled, "test", new()))
    assert vars(change.judgments) == {"added": 1, "removed": 1, "changed": 2}
    assert (change.before.judgments, change.after.judgments) == (6, 6)
    assert not any("add a file of corrections" in note for note in change.every_note)
    alone = Qrels.from_dict({"q1": {"d1": 2}}, name="alone")
    (note,) = (
        note
        for note in changes(filled, reevaluate(filled, "test", alone)).every_note
        if "add a file of corrections alone to the other judgments" in note
    )
    assert note.startswith("5 of 6 judgments of qrels 'test' are not in 'alone': ")


def test_values_ranks_and_swapped_pairs_by_hand(filled: Store) -> None:
    """AP before: bm25 (5/6 + 1 + 1/2) / 3 = 7/9; tfidf (1/4 + 5/6 + 1) / 3 = 25/36.

    After: bm25 (1/6 + 1/2 + 1/2) / 3 = 7/18; tfidf (1/2 + 1/3 + 1) / 3 = 11/18.
    """
    [of_ap] = changes(filled, reevaluate(filled, "test", new())).measures
    rows = [(run.run, run.before, run.after, run.rank_before, run.rank_after) for run in of_ap.runs]
    assert rows == [
        ("bm25", pytest.approx(7 / 9), pytest.approx(7 / 18), 1, 2),
        ("tfidf", pytest.approx(25 / 36), pytest.approx(11 / 18), 2, 1),
    ]
    assert [(pair.a.run, pair.b.run) for pair in of_ap.swapped] == [("bm25", "tfidf")]
    assert (of_ap.kendall_tau_b, of_ap.tau_ap) == (-1, -1)


def test_where_lower_is_better_the_order_is_turned_round(filled: Store) -> None:
    """E is 1 - F: lower is better. F@2 before: bm25 1/2, 1, 2/3; tfidf 1/2, 1/2, 2/3."""
    [of_e] = changes(filled, reevaluate(filled, "test", new()), ["E@2"]).measures
    assert [(run.run, run.rank_before) for run in of_e.runs] == [("bm25", 1), ("tfidf", 2)]


def test_a_tie_before_or_after_is_no_swap(filled: Store) -> None:
    """RR before: bm25 (1 + 1 + 1/2) / 3, tfidf (1/2 + 1 + 1) / 3: equal."""
    [of_rr] = changes(filled, reevaluate(filled, "test", new()), ["RR"]).measures
    assert [run.rank_before for run in of_rr.runs] == [1, 1]
    assert of_rr.swapped == ()
    assert math.isnan(of_rr.kendall_tau_b)


def test_other_queries_are_noted(filled: Store) -> None:
    grades = {"q1": {"d1": 1}, "q2": {"d4": 1}, "q9": {"d1": 1}}
    change = changes(filled, reevaluate(filled, "test", new(grades)))
    assert change.notes == (
        "not all of the 3 judged queries are answered by bm25 (2), tfidf (2); the others count as "
        "empty rankings",
        "4 of 6 judgments of qrels 'test' are not in 'new': add a file of corrections alone to the "
        "other judgments",
        "the figures are over different queries: 3 before, 3 after, 2 of them in both",
    )


def test_comparing_writes_nothing(filled: Store) -> None:
    done = reevaluate(filled, "test", new())
    before = dump(filled)
    changes(filled, done, ["AP", "P@7"])
    assert dump(filled) == before


def test_the_runs_of_three_are_swapped_pair_by_pair(store: Store, tmp_path: Path) -> None:
    """RR by the rank of the one relevant document: before a, b, c; after c, b, a."""
    rankings = {name: ["x", "y", "z"] for name in "abc"}
    for name, ranked in zip("abc", ("xyz", "yxz", "yzx"), strict=True):
        rankings[name] = list(ranked)
    paths = [write_run(tmp_path, {"q1": r}, f"{n}.run", n) for n, r in rankings.items()]
    add(store, tmp_path, *paths, qrels=write_qrels(tmp_path, {"q1": {"x": 1}}, "x.qrels"))
    done = reevaluate(store, "test", new({"q1": {"z": 1}}))
    [of_rr] = changes(store, done, ["RR"]).measures
    # z is third in a and b, second in c: c first, a and b equal.
    assert [(p.a.run, p.b.run) for p in of_rr.swapped] == [("a", "c"), ("b", "c")]
    assert [(r.rank_before, r.rank_after) for r in of_rr.runs] == [(1, 2), (2, 2), (3, 1)]
    # Of three pairs one ties after: (0 - 2) / sqrt(3 x 2).
    assert of_rr.kendall_tau_b == pytest.approx(-2 / math.sqrt(6))

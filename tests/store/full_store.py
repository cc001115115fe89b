"""A store with rows in every table, and the content of a store with names instead of ids."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from changed_runs import annotate, tag_run
from samples import BM25, HOSTILE, QRELS, TFIDF, add, write, write_qrels, write_run
from sqlalchemy import Connection, delete, insert, select

from evalstore.catalog.collection_facts import (
    CollectionFacts,
    RunCosts,
    store_collection_facts,
    store_run_facts,
)
from evalstore.catalog.collections import remove_collections
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.links import name_view, save_view
from evalstore.catalog.qrels import remove_qrels
from evalstore.catalog.queries import tag_queries
from evalstore.catalog.runs import remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.evaluation.measure import measure
from evalstore.formats import (
    Queries,
    read_judgment_groups,
    read_preferences,
    read_subtopic_qrels,
)
from evalstore.ingest.documents import store_documents
from evalstore.ingest.store_qrels import store_qrels
from evalstore.ingest.store_run import set_collection_measures
from evalstore.judging.drafts import Assessment, PoolDocument, assess, new_draft
from evalstore.judging.publish import publish
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.leaderboard.saved_ranks import save_ranks
from evalstore.measures import named_measures, parse
from evalstore.store import Store, models
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.documents import load_documents
from evalstore.store.queries.facts import COLUMNS
from evalstore.store.queries.runs import CONTENT_HASH
from evalstore.store.queries.tracking import list_baselines
from evalstore.store.rows import change_row
from evalstore.tracking.comments import comment_on_query, comment_on_run
from evalstore.tracking.experiments import edit_experiment, new_experiment

STARTED = datetime(2026, 11, 21, tzinfo=UTC)
collection_t = models.table(models.Collection)

FACTS = GivenFacts(
    parameters={"k1": 1e-05, "n ✓": -0.0, "stem": True, "text": 'a "k1": 7, {}', "id": "007"},
    tags=("stage=dev", "ü"),
    note="# better\nthan *before*",
    commit="c" * 40,
    commit_dirty=True,
    host="a host",
    started_by="ann",
    started_at=datetime(2026, 11, 1, 12, tzinfo=UTC),
    ended_at=datetime(2026, 11, 1, 12, 30, 0, 5, tzinfo=UTC),
    command="search --k1 1e-05 'a b'",
    index_version="2",
    collection_version="2026-10 ✓",
    parent="tfidf",
    memory_bytes=2**40,
    money=0.1,
    currency="EUR",
    energy_joules=5e-324,
    header={"tag": "a", "research goal": {"venue": {"name": "ü"}}},
)


def fill(store: Store, folder: Path) -> None:
    """Fill every table: hostile names, extreme scores, removed runs, tags, texts."""
    qids = [name.replace(" ", "_") for name in HOSTILE]
    odd = write_qrels(folder, {qid: {qid: 1, "x": 0.1} for qid in qids}, "odd.qrels")
    scores = ("1e308", "3.3333333333333335", "0.1", "5e-324", "-1e-9", "-12345678901234567890")
    lines = [f"{qid} Q0 {qid} 1 {scores[i % 6]} t\n" for i, qid in enumerate(qids)]
    lines += [f"{qids[0]} Q0 d{i} 1 {score} t\n" for i, score in enumerate(scores)]
    add(store, folder, write(folder / "odd.run", "".join(lines)), qrels=odd, collection="odd ✓")
    stored = store_qrels(
        store, "test", qrels_path=write_qrels(folder), queries={"q1": "what?", "q9": "no answer"}
    )
    store_documents(
        store,
        stored.collection_id,
        [("d1", "title", "text"), ("d2", "ü", ""), ("d3", "", "ü " * 99)],
    )
    add(store, folder, write_run(folder), experiment="e1")
    add(store, folder, write_run(folder, TFIDF, "tfidf.run", "tfidf"), keep_top=1)
    add(store, folder, write_run(folder, TFIDF, "again.run", "tfidf"), name="same as tfidf")
    second = write_qrels(folder, {**QRELS, "q4": {"d1": 1}}, "second.qrels")
    add(store, folder, write_run(folder, BM25), qrels=second, compat="trec_eval-9")
    figures = {"map": ("0.8333", "1.0000"), "P_5": ("0.4000", "0.4000"), "num_ret": (3, 2)}
    printed = [f"{name}\tq1\t{a}\n{name}\tq2\t{b}\n" for name, (a, b) in figures.items()]
    add(store, folder, write(folder / "printed", f"{''.join(printed)}runid\tall\tü\n"))
    measure(store, [parse("P@3")], ["tfidf"])
    for collection in ("odd ✓", "test"):
        save_ranks(store, leaderboard_ranks(store, collection, named_measures(["AP", "P@5"])))
    tag_run(store, "tfidf", ["paper"])
    annotate(store, "bm25", FACTS)
    remove_runs(store, ["tfidf"])
    store_collection_facts(
        store,
        "test",
        CollectionFacts(
            subtopics=read_subtopic_qrels(write(folder / "aspects", "q1 a d1 1\nq1 ü d1 1\n")),
            judgment_groups=read_judgment_groups(
                write(folder / "judges", "q1 ann d1 1\nq1 ü d1 0.5\n")
            ),
            preferences=read_preferences(
                write(folder / "prefs", "q1 ü s d1 0.1\nq1 ü s d2 0\nq1 ü ß d1 2\n")
            ),
            known={"q1": {"d1"}},
            collection_size=9,
        ),
    )
    store_run_facts(store, "bm25", RunCosts({"q1": 0.1, "q2": 3e8}, index_bytes=2**40))
    store_run_facts(store, "bm25", RunCosts(explanations={("q1", "d1"): "title ✓ 0.1"}))
    third = write_qrels(folder, {"q1": {"d1": 1}}, "third.qrels")
    store_qrels(store, "test", qrels_path=third, default_qrels=True)
    remove_qrels(store, ["third"])
    store_qrels(store, "gone", qrels_path=third)
    queries = Queries({"q1": "what?"}, {"q1": {"lang": "de", "n ✓": "007"}, "q4": {"lang": "en"}})
    store_qrels(store, "test", queries=queries)
    tag_queries(store, "odd ✓", {qid: {"name ✓": qid} for qid in qids})
    remove_collections(store, ["gone"])
    set_baseline(store, "bm25", "test")
    set_collection_measures(store, "test", "AP,nDCG(dcg='exp-log2')@10")
    edit_experiment(store, "e1", "*what* ✓?", "nothing\nmuch")
    new_experiment(store, "without runs", "why?")
    name_view(store, "/c/test?m=AP", "main ✓", "test")
    comment_on_run(store, "bm25", "**why** ✓?", "test")
    comment_on_query(store, "q1", "ü\n- 1", "test")
    fill_drafts(store)
    save_view(store, "/c/odd%20%E2%9C%93?runs=a,b", "odd ✓")
    fill_server(store)


OWNED = ("judgment_origin", "explanation", "response_time")


def forget(store: Store) -> None:
    """Delete what a run or qrels may be without."""
    with store.write() as connection:
        for name in OWNED:
            connection.execute(delete(models.Base.metadata.tables[name]))


def fill_drafts(store: Store) -> None:
    """A published draft, and what people are told of grades and documents."""
    pool = [PoolDocument("q1", "d3", "top ✓", 0.1), PoolDocument("q2", "ü", assigned="bob")]
    new_draft(store, "test", "first ✓", parent="test", documents=pool, pool="depth 9 ✓", seed=7)
    said = Assessment("q1", "d3", 0.1, comment="**why** ✓?", passage="ü")
    later = Assessment("q2", "ü", state="later", key="b")
    assess(store, "test", "first ✓", "ann ✓", [said._replace(key="a"), later])
    publish(store, "test", "first ✓", "judged ✓", reason="*new* ✓")
    with store.write() as connection:
        collection = find_collection(connection, "test")
        assert collection is not None
        told = {"grade_labels": {"0": "no ✓"}, "document_link": "https://text.example/{docno}"}
        change_row(connection, collection_t, collection, guidelines="# how ✓", **told)


def fill_server(store: Store) -> None:
    """A row in each table of the server; the hashes are of nothing."""
    with store.write() as connection:
        collection = find_collection(connection, "odd ✓")
        assert collection is not None
        change_row(connection, collection_t, collection, access="private")
        rows: dict[type[models.Base], dict[str, object]] = {
            models.Account: {"name": "ann ✓", "kind": "person", "password_hash": "$argon2id$"},
            models.Identity: {"issuer": "https://login.example", "subject": "7"},
            models.Session: {"hash": "a" * 64, "agent": "a browser"},
            models.Role: {"collection_id": collection, "role": "contributor"},
            models.Token: {"name": "ci", "hash": "b" * 64, "prefix": "evs_abcd", "scope": "read"},
            models.Invitation: {"hash": "c" * 64, "role": "reader", "who": "ann"},
            models.LoginAttempt: {"name_hash": "d" * 64, "address": "192.0.2.1", "failures": 1},
            models.Setting: {"name": "public_url", "value": "https://eval.example"},
            models.Job: {"kind": "ingest", "who": "ann", "payload": {}, "attempts": 0,
                         "request_hash": "f" * 64, "state": "waiting"},
            models.Webhook: {"url": "https://hook.example/✓", "tells_of": "run,gate",
                             "secret": "evh_", "event_id": 0},
            models.Upload: {"sha256": "e" * 64, "size": 9, "received": 4, "who": "ann"},
        }  # fmt: skip
        times = dict.fromkeys(
            ("created_at", "last_seen_at", "expires_at", "locked_until", "received_at"), STARTED
        )
        for model, values in rows.items():
            table = models.table(model)
            same = {"account_id": 1, "collection_id": collection, **times}
            given = {name: value for name, value in same.items() if name in table.c}
            connection.execute(insert(table).values({**given, **values}))


NAMED = {
    "content": ("content_hash",),
    "run": ("name", "tag", "content_hash", "queries", "retrieved", "tags", "created_at",
            "deleted_at", "parameters", "commit", "index_bytes",  # of earlier revisions, then:
            *(name for name in COLUMNS
              if name not in ("tags", "parameters", "commit", "index_bytes")), "values_only",
            "experiment"),
    "qrels": ("name", "content_hash", "queries", "judgments", "relevant", "highest_grade",
              "created_at", "is_default", "deleted_at", "who", "reason", "rule", "origin"),
    "judgment_origin": ("docno", "kind", "name", "pool", "stratum", "probability", "judged_at"),
    "draft": ("name", "rule", "overlap", "seed", "pool", "who", "created_at"),
    "draft_document": ("docno", "place", "stratum", "probability", "assigned"),
    "assessment": ("docno", "assessor", "kind", "state", "grade", "comment", "passage", "key",
                   "judged_at"),
    "query": ("qid", "text"),
    "query_attribute": ("name", "value"),
    "document": ("docno", "title", "packed"),
    "collection": ("name", "documents", "created_at", "deleted_at", "access", "grade_labels",
                   "document_link", "guidelines"),
    "subtopic_judgment": ("docno", "subtopic", "grade"),
    "group_judgment": ("docno", "judgment_group", "grade"),
    "preference_judgment": ("judgment_group", "subgroup", "docno", "level"),
    "known_document": ("docno",),
    "response_time": ("milliseconds",),
    "explanation": ("docno", "text"),
    "judgment": ("docno", "grade"),
    "ranking": ("retrieved", "packed"),
    "retrieved": ("rank", "docno", "score"),
    "hit": ("rank", "docno", "grade", "score"),
    "evaluation": ("evaluator", "compat", "created_at"),
    "measure": ("name", "family", "direction", "aggregate"),
    "saved_leaderboard": ("runs", "test", "alpha", "family", "created_at"),
    "saved_rank": ("rank", "rank_low", "rank_high", "rank_group", "low", "high", "judged_top_10",
                   "verdict", "reason", "sentence", "bounds_low", "bounds_high"),
    "run_file": ("path_hash", "size", "version", "bytes_hash", "reading"),
    "engine": ("name",),
    "engine_slot": ("slot",),
    "saved_view": ("key", "address", "created_at", "name", "who"),
    "comment": ("who", "created_at", "text"),
    "experiment": ("name", "question", "conclusion", "created_at"),
}  # fmt: skip


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Everything a store holds, without the ids that the database made."""
    views = (
        *("query_values", "leaderboard", "judgments", "relevant_found", "retrieved_docs"),
        "leaderboard_ranks",
        "query_attributes",
        "run_parameters",
    )
    rows_of: dict[str, list[tuple[Any, ...]]] = {}
    with store.read() as connection:
        for name, columns in NAMED.items():
            table = models.Base.metadata.tables[name]
            others = {"content_hash": CONTENT_HASH} if name == "run" else {}
            chosen = (table.c[one] if one in table.c else others[one] for one in columns)
            rows = connection.execute(select(*chosen))
            rows_of[name] = sorted((tuple(map(exact, row)) for row in rows), key=repr)
        rows_of["document"] = sorted(
            (tuple(row) for (id_,) in connection.execute(select(collection_t.c.id))
             for row in load_documents(connection, id_)),
            key=repr,
        )  # fmt: skip
        rows_of["baseline"] = [tuple(stored) for stored in list_baselines(connection)]
        rows_of["experiment_about"] = sorted(about_of_experiments(connection))
        for view in views:
            rows = connection.exec_driver_sql(f"SELECT * FROM {view}")
            rows_of[view] = sorted((tuple(map(exact, row)) for row in rows), key=repr)
    return rows_of


def about_of_experiments(connection: Connection) -> list[tuple[Any, ...]]:
    """The experiments and the collections that their texts are about, by their names."""
    experiment_t, about_t = models.table(models.Experiment), models.table(models.ExperimentAbout)
    rows = connection.execute(
        select(experiment_t.c.name, collection_t.c.name)
        .join(about_t, about_t.c.experiment_id == experiment_t.c.id)
        .join(collection_t, collection_t.c.id == about_t.c.collection_id)
    )
    return [tuple(row) for row in rows]


def exact(value: Any) -> Any:
    """A number by its bits."""
    return value.hex() if isinstance(value, float) else value

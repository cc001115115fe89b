"""A store of two collections: `open`, and `zanzibar`, which some people must not learn of.

Both have runs, queries, documents and judgments of the same names. Whatever text `zanzibar` has
beside these contains `zanzibar`, and it alone has values of the measure `P@17`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from changed_runs import annotate, rename_run, tag_run
from samples import BM25, QRELS, TFIDF, add, write, write_qrels, write_run
from sqlalchemy import select

from evalstore.catalog.collection_facts import (
    CollectionFacts,
    RunCosts,
    store_collection_facts,
    store_run_facts,
)
from evalstore.catalog.collections import rename_collection
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.links import name_view, save_view
from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.evaluation.measure import measure
from evalstore.formats import Queries, read_judgment_groups, read_preferences, read_subtopic_qrels
from evalstore.ingest.documents import store_documents
from evalstore.ingest.store_qrels import store_qrels
from evalstore.judging.drafts import Assessment, PoolDocument, assess, new_draft
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.leaderboard.saved_ranks import save_ranks
from evalstore.measures import named_measures, parse
from evalstore.store import Store, models
from evalstore.tracking.comments import comment_on_query, comment_on_run
from evalstore.tracking.experiments import edit_experiment, new_experiment

OPEN, PRIVATE = "open", "zanzibar"
MARKERS = ("zanzibar", "P@17")
"""Texts that are in the private collection alone."""

SHARED = "both"
"""An experiment with runs in both collections, whose texts are about the private one too."""


def fill(store: Store, folder: Path) -> None:
    """Store both collections, with rows of each in every table that can have them."""
    # The private one is the first, so that it has the lower ids.
    _fill_collection(store, folder, "zanzibar-before", "zanzibar")
    rename_collection(store, "zanzibar-before", PRIVATE)
    measure(store, [parse("P@17")], ["bm25"], PRIVATE)
    _fill_collection(store, folder, OPEN, "plain")
    edit_experiment(store, SHARED, "is it better on zanzibar?", "yes, on zanzibar")
    new_experiment(store, "zanzibar without runs", "what is zanzibar?")
    save_view(store, f"/c/{PRIVATE}/compare?runs=bm25,zanzibar", PRIVATE)
    save_view(store, f"/c/{OPEN}/compare?runs=bm25,plain", OPEN)
    save_view(store, f"/sql?s=SELECT+'{PRIVATE}'")


def _fill_collection(store: Store, folder: Path, name: str, word: str) -> None:
    qrels = write_qrels(folder, {**QRELS, "q4": {f"{word}-docno": 1}}, f"{word}.qrels")
    texts = dict.fromkeys(("q1", "q2", "q3", "q4"), f"a {word} query")
    attributes = {"q1": {"lang": "en", word: word}, "q2": {"lang": "de"}}
    stored = store_qrels(store, name, qrels_path=qrels, queries=Queries(texts, attributes))
    second = write_qrels(folder, {"q1": {"d1": 1, f"{word}-docno": 2}}, f"{word}-2.qrels")
    store_qrels(store, name, qrels_path=second)
    documents = [("d1", f"{word} title", f"{word} text"), (f"{word}-docno", word, word)]
    store_documents(store, stored.collection_id, documents)
    bm25 = write_run(folder, {**BM25, "q4": [f"{word}-docno"]}, "bm25.run", "bm25")
    tfidf = write_run(folder, TFIDF, "tfidf.run", "tfidf")
    own = write_run(folder, {**BM25, "q1": ["d2", "d1"]}, f"{word}.run", f"{word}-engine")
    derived = write_run(folder, {**BM25, "q1": ["d2"]}, f"{word}-2.run", f"{word}-engine")
    removed = write_run(folder, {**TFIDF, "q1": ["d2"]}, f"{word}-old.run", f"{word}-engine")
    purged = write_run(folder, {**TFIDF, "q1": ["d3"]}, f"{word}-gone.run", f"{word}-engine")
    asked = {"qrels": qrels, "collection": name}
    add(store, folder, bm25, tfidf, experiment=SHARED, **asked)
    add(store, folder, own, derived, removed, purged, experiment=f"{word} experiment", **asked)
    edit_experiment(store, f"{word} experiment", f"why {word}?", f"{word}!")
    rename_run(store, f"{word}-2", f"{word}-derived", name)
    facts = GivenFacts(
        parameters={"k1": 1.2, word: word},
        note=f"a {word} note",
        commit="c" * 40,
        host=f"{word}-host",
        started_by=word,
        started_at=datetime(2026, 11, 1, 12, tzinfo=UTC),
        command=f"search --{word}",
        index_version=word,
        collection_version=word,
        header={"tag": word},
        money=0.1,
        currency="EUR",
        parent="bm25",
    )
    annotate(store, f"{word}-derived", facts, name)
    tag_run(store, word, [word], collection=name)
    store_run_facts(store, "bm25", RunCosts({"q1": 1.5, "q2": 2.5}, index_bytes=2**30), name)
    said = {("q1", f"{word}-docno"): f"a {word} explanation"}
    store_run_facts(store, "bm25", RunCosts(explanations=said), name)
    subtopics = read_subtopic_qrels(write(folder / "aspects", f"q1 {word} d1 1\n"))
    groups = read_judgment_groups(write(folder / "judges", f"q1 {word} d1 1\n"))
    preferences = read_preferences(write(folder / "prefs", f"q1 {word} s d1 1\n"))
    known = {"q1": {f"{word}-docno"}}
    store_collection_facts(
        store,
        name,
        CollectionFacts(
            subtopics=subtopics, judgment_groups=groups, preferences=preferences, known=known
        ),
    )
    save_ranks(store, leaderboard_ranks(store, name, named_measures("AP")))
    set_baseline(store, "bm25", name)
    name_view(store, f"/c/{name}?sort=AP", f"a {word} view", name)
    comment_on_run(store, "bm25", f"a {word} comment", name)
    comment_on_query(store, "q1", f"a {word} remark", name)
    pool = [PoolDocument("q1", f"{word}-docno", word, assigned="ann")]
    new_draft(store, name, "draft", parent=word, documents=pool, pool=f"a {word} pool")
    said = Assessment("q1", f"{word}-docno", 3, comment=word, passage=word, key=word)
    assess(store, name, "draft", word, [said])
    remove_runs(store, [f"{word}-old", f"{word}-gone"], name)
    purge_runs(store, [f"{word}-gone"], name)


def id_of(store: Store, name: str) -> int:
    """The id of a collection."""
    collection = models.table(models.Collection)
    with store.read() as connection:
        query = select(collection.c.id).where(collection.c.name == name)
        return int(connection.execute(query).scalar_one())


def restricted(store: Store) -> Store:
    """The store for somebody who may read the open collection alone."""
    store.allow_restriction()
    return part(store)


def part(store: Store) -> Store:
    """As `restricted`, of a store that was prepared for it; the user may publish there."""
    open_ = [id_of(store, OPEN)]
    return store.restricted_to(open_, open_)


def markers_in(text: object) -> list[str]:
    """The markers of the private collection in a text, or in the representation of an object."""
    lowered = (text if isinstance(text, str) else repr(text)).lower()
    return [marker for marker in MARKERS if marker.lower() in lowered]

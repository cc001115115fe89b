"""`db check` finds nothing in a sound store, and names what is wrong in one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from nightly import one_in
from samples import BM25, TFIDF, Filled, add, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.runs import remove_runs, restore_runs
from evalstore.evaluation.measure import measure
from evalstore.ingest.store_qrels import store_qrels
from evalstore.ingest.store_run import set_collection_measures
from evalstore.measures import parse_all
from evalstore.store import Store
from evalstore.transfer.db_check import CheckResult, db_check


def fill(store: Store, tmp_path: Path) -> None:
    """As `fill_few`, with all measures."""
    fill_few(store, tmp_path)
    restore_runs(store, ["tfidf"])
    measure(store, [m for _, m in parse_all("all_trec")])
    remove_runs(store, ["tfidf"])


def fill_few(store: Store, tmp_path: Path) -> None:
    """Two collections, two qrels, removed runs, shallow rows, few measures."""
    for collection in ("test", "other"):
        store_qrels(store, collection, qrels_path=write_qrels(tmp_path))
        set_collection_measures(store, collection, "AP,P@5")
    add(store, tmp_path, write_run(tmp_path))
    run = write_run(tmp_path, {**TFIDF, "unjudged": ["d1", "d2"]}, "tfidf.run", "tfidf")
    add(store, tmp_path, run, keep_top=2)
    second = write_qrels(tmp_path, {"q1": {"d1": 1, "d2": -1, "d9": 0.5}}, "second.qrels")
    add(store, tmp_path, write_run(tmp_path, BM25), qrels=second, compat="trec_eval-9")
    add(store, tmp_path, write_run(tmp_path), collection="other", keep_top=0)
    remove_runs(store, ["tfidf"])


@pytest.fixture
def few(copied: Filled) -> Store:
    return copied(fill_few)


@pytest.fixture
def full(copied: Filled) -> Store:
    return copied(fill)


@both_databases
def test_a_sound_store_has_nothing_wrong(full: Store) -> None:
    assert db_check(full) == CheckResult(qrels=3, runs=3, evaluations=4, problems=())


def test_an_empty_store_is_sound(store: Store) -> None:
    assert list(db_check(store).problems) == []


OF_BM25 = "(SELECT content_id FROM run WHERE name = 'bm25' ORDER BY id LIMIT 1)"
FIRST_EVALUATION = f"(SELECT min(id) FROM evaluation WHERE content_id = {OF_BM25})"
OF_AP = (
    f"evaluation_id = {FIRST_EVALUATION} AND measure_id = "
    "(SELECT id FROM measure WHERE name = 'AP')"
)
CORRUPTIONS = {
    "a document of the packed ranking": (
        f"UPDATE ranking SET packed = (SELECT packed FROM ranking AS r JOIN query ON "
        f"query.id = r.query_id WHERE query.qid = 'q2' AND r.content_id = {OF_BM25}), "
        f"retrieved = 2 WHERE content_id = {OF_BM25} AND query_id = "
        "(SELECT min(id) FROM query WHERE qid = 'q3')",
        "run 'bm25' of collection 'test': its packed rankings are not those",
    ),
    "the run's hash": (
        f"UPDATE content SET content_hash = 'x' WHERE id = {OF_BM25}",
        "run 'bm25' of collection 'test': its packed rankings are not those",
    ),
    "the bytes of a ranking": (
        f"UPDATE ranking SET packed = substr(packed, 1, 20) WHERE content_id = {OF_BM25}",
        "run 'bm25' of collection 'test': a damaged packed ranking",
    ),
    "the length of a ranking": (
        f"UPDATE ranking SET retrieved = retrieved + 1 WHERE content_id = {OF_BM25}",
        "the ranking of query 'q1' is recorded with 4 documents, but has 3",
    ),
    "a ranking is lost": (
        f"DELETE FROM ranking WHERE content_id = {OF_BM25} AND query_id = "
        "(SELECT min(id) FROM query WHERE qid = 'q2')",
        "it is recorded with 3 queries, but has 2 rankings",
    ),
    "the number of documents of a run": (
        f"UPDATE run SET retrieved = 99 WHERE id = {OF_BM25}",
        "it is recorded with 99 documents, but its rankings hold 7",
    ),
    "a document of retrieved": (
        f"UPDATE retrieved SET docno = 'other' WHERE content_id = {OF_BM25} AND rank = 2",
        "the rows in retrieved for query 'q1' are not the top of its packed ranking",
    ),
    "a score of retrieved": (
        f"UPDATE retrieved SET score = score + 1e-9 WHERE content_id = {OF_BM25} AND rank = 1",
        "the rows in retrieved for query 'q2' are not the top of its packed ranking",
    ),
    "a row of retrieved is lost": (
        f"DELETE FROM retrieved WHERE content_id = {OF_BM25} AND rank = 2 AND docno = 'd6'",
        "query 'q3' has 1 rows in retrieved, where 2 were kept",
    ),
    "a grade": (
        "UPDATE judgment SET grade = 5 WHERE docno = 'd6'",
        "qrels 'test' of collection 'test': its judgments are not those",
    ),
    "the highest grade": (
        "UPDATE qrels SET highest_grade = 7 WHERE name = 'test'",
        "qrels 'test' of collection 'test': it is recorded with highest grade 7.0, but has 3.0",
    ),
    "the number of judgments": (
        "UPDATE qrels SET judgments = 1 WHERE name = 'second'",
        "qrels 'second' of collection 'test': it is recorded with judgments 1, but has 3",
    ),
    "all judgments are lost": (
        "DELETE FROM judgment",
        "qrels 'second' of collection 'test': qrels 'second' has no judgments",
    ),
    "a hit is lost": (
        f"DELETE FROM hit WHERE evaluation_id = {FIRST_EVALUATION} AND rank = 1",
        "under qrels 'test': the hits of 2 queries are not the relevant documents",
    ),
    "the rank of a hit": (
        f"UPDATE hit SET rank = 900 WHERE evaluation_id = {FIRST_EVALUATION} AND docno = 'd6'",
        "under qrels 'test': the hits of 1 queries are not the relevant documents that the run "
        "retrieved: 'q3'",
    ),
    "a figure": (
        f"UPDATE aggregate SET value = value + 1e-9 WHERE evaluation_id = {FIRST_EVALUATION} AND "
        "measure_id = (SELECT id FROM measure WHERE name = 'AP')",
        "under qrels 'test': AP: stored as",
    ),
    "a spread": (
        f"UPDATE aggregate SET spread = NULL WHERE evaluation_id = {FIRST_EVALUATION}",
        "under qrels 'test': AP: the spread is stored as None",
    ),
    "the queries of a figure": (
        f"UPDATE aggregate SET queries = 2 WHERE evaluation_id = {FIRST_EVALUATION}",
        "under qrels 'test': AP: it is recorded with 2 queries, but has 3",
    ),
    "a value is lost": (
        f"DELETE FROM measurement WHERE evaluation_id = {FIRST_EVALUATION} AND measure_id = "
        "(SELECT id FROM measure WHERE name = 'AP') AND query_id = "
        "(SELECT min(id) FROM query WHERE qid = 'q1')",
        "under qrels 'test': AP: values for 2 queries, where 3 are judged",
    ),
    "a figure is lost": (
        f"DELETE FROM aggregate WHERE evaluation_id = {FIRST_EVALUATION}",
        "under qrels 'test': AP: 3 values, but no figure for all queries",
    ),
    "the values of two queries are exchanged": (
        f"UPDATE measurement SET value = 1.5 - value WHERE {OF_AP} AND value IN (0.5, 1)",
        "under qrels 'test': AP: the values of 2 queries are not those of the rankings: 'q",
    ),
    "a last digit of a value": (
        f"UPDATE measurement SET value = value * (1 + 1e-11) WHERE {OF_AP}",
        "under qrels 'test': AP: the values of",
    ),
    "the values of an evaluation are lost": (
        f"DELETE FROM aggregate WHERE evaluation_id = {FIRST_EVALUATION}; "
        f"DELETE FROM measurement WHERE evaluation_id = {FIRST_EVALUATION}",
        "under qrels 'test': there are no values",
    ),
    "the evaluations are lost": (
        "DELETE FROM evaluation",
        "run 'tfidf' of collection 'test': it was never evaluated",
    ),
    "an engine is lost": (
        "DELETE FROM engine WHERE name = 'tfidf'",
        "rows of run that refer to no row of engine: 1",
    ),
    "a query is lost": (
        "DELETE FROM query WHERE qid = 'unjudged'",
        "rows of ranking that refer to no row of query: 1",
    ),
    "the evaluation of values and hits is lost": (
        f"DELETE FROM evaluation WHERE id = {FIRST_EVALUATION}",
        "rows of hit that refer to no row of evaluation: ",
    ),
    "the evaluation of values is lost": (
        f"DELETE FROM evaluation WHERE id = {FIRST_EVALUATION}",
        "rows of measurement that refer to no row of evaluation: ",
    ),
    "the query of values is lost": (
        "DELETE FROM query WHERE qid = 'q1'",
        "rows of measurement that refer to no row of query: ",
    ),
    "the content of rows is lost": (
        f"DELETE FROM content WHERE id = {OF_BM25}",
        "rows of retrieved that refer to no row of content: ",
    ),
    "the run of a content is lost": (
        "DELETE FROM run WHERE name = 'bm25'",
        "rankings that belong to no run: 2",
    ),
    "a row of another collection": (
        "UPDATE ranking SET query_id = (SELECT max(id) FROM query WHERE qid = 'q1') WHERE "
        f"content_id = {OF_BM25} AND query_id = (SELECT min(id) FROM query WHERE qid = 'q1')",
        "rows of ranking that refer to rows of another collection: 1",
    ),
    "a parent in another collection": (
        "UPDATE qrels SET parent_id = (SELECT id FROM qrels WHERE collection_id = 2) "
        "WHERE id = (SELECT min(id) FROM qrels)",
        "rows of qrels that refer to rows of another collection: 1",
    ),
}


ON_POSTGRES = {
    "a value is lost": "UPDATE value_list SET query_ids = query_ids[2:], "
    f"query_values = query_values[2:] WHERE {OF_AP}",
    "the values of two queries are exchanged": "UPDATE value_list SET "
    f"query_values[1] = query_values[2], query_values[2] = query_values[1] WHERE {OF_AP}",
    "a last digit of a value": "UPDATE value_list SET query_values[1] = query_values[1] * "
    f"(1 + 1e-11), query_values[2] = query_values[2] * (1 + 1e-11) WHERE {OF_AP}",
    "the values of an evaluation are lost": f"DELETE FROM aggregate WHERE evaluation_id = "
    f"{FIRST_EVALUATION}; DELETE FROM value_list WHERE evaluation_id = {FIRST_EVALUATION}",
    "a document of retrieved": "UPDATE retrieved_list SET docnos[2] = 'other' "
    f"WHERE content_id = {OF_BM25} AND cardinality(docnos) > 1",
    "a score of retrieved": "UPDATE retrieved_list SET scores[1] = scores[1] + 1e-9 "
    f"WHERE content_id = {OF_BM25}",
    "a row of retrieved is lost": "UPDATE retrieved_list SET ranks = ranks[:1], "
    f"docnos = docnos[:1], scores = scores[:1] WHERE content_id = {OF_BM25} AND docnos[2] = 'd6'",
    "a hit is lost": f"DELETE FROM hit_list WHERE evaluation_id = {FIRST_EVALUATION} "
    "AND ranks[1] = 1",
    "the rank of a hit": "UPDATE hit_list SET ranks[1] = 900 "
    f"WHERE evaluation_id = {FIRST_EVALUATION} AND docnos[1] = 'd6'",
}
"""The same where a table is a view of lists."""


@pytest.mark.slow
@pytest.mark.parametrize("what", CORRUPTIONS)
def test_what_is_wrong_is_named(few: Store, what: str) -> None:
    statements, said = CORRUPTIONS[what]
    check_that_is_named(few, statements, said)


@pytest.mark.slow
@pytest.mark.parametrize("what", one_in(3, ON_POSTGRES))
@pytest.mark.parametrize(
    "new_database", [pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
def test_what_is_wrong_in_a_list_is_named(few: Store, what: str) -> None:
    check_that_is_named(few, ON_POSTGRES[what], CORRUPTIONS[what][1])


def check_that_is_named(store: Store, statements: str, said: str) -> None:
    unguarded(store, statements)
    found = list(db_check(store).problems)
    assert any(said in line for line in found), found
    assert all("\n" not in line for line in found)


def unguarded(store: Store, statements: str) -> None:
    """Change rows without the database's own checks (foreign keys and triggers)."""
    connection = store.engine.raw_connection()
    cursor = connection.cursor()
    if store.engine.dialect.name == "sqlite":
        cursor.execute("PRAGMA query_only = OFF")
        cursor.execute("PRAGMA foreign_keys = OFF")
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}")
    else:
        cursor.execute("SET session_replication_role = replica")
    for statement in statements.split("; "):
        cursor.execute(statement)
    connection.commit()
    cursor.close()
    connection.invalidate()


def test_the_command_ends_with_1_when_something_is_wrong(full: Store, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from evalstore.cli import cli

    url = full.engine.url.render_as_string(hide_password=False)
    done = CliRunner().invoke(cli, ["--db", url, "db", "check"])
    assert (done.exit_code, done.output) == (
        0,
        "checked 3 qrels, 3 runs and 4 evaluations: all is well\n",
    )
    unguarded(full, CORRUPTIONS["a figure"][0])
    done = CliRunner().invoke(cli, ["--db", url, "db", "check"])
    assert done.exit_code == 1
    first, last = done.output.splitlines()
    assert "AP" in first
    assert last == "checked 3 qrels, 3 runs and 4 evaluations: 1 thing is wrong"


def test_a_store_that_is_not_there_is_not_made_to_be_checked(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from evalstore.cli import cli

    url = f"sqlite:///{tmp_path / 'nothing.db'}"
    done = CliRunner().invoke(cli, ["--db", url, "db", "check"])
    assert done.exit_code == 1
    assert "there is no store at sqlite:///" in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(f"sqlite:///{path}") as store:
        add(store, tmp_path, write_run(tmp_path))
        connection = store.engine.raw_connection()
        connection.cursor().execute("PRAGMA query_only = OFF").execute(
            "PRAGMA wal_checkpoint(TRUNCATE)"
        )
        connection.close()
        with store.read() as reader:
            page = reader.execute(
                text("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_run_1'")
            ).scalar_one()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\x0a\0\0\0\0\x10\0\0")
        file.flush()
    with Store.open(f"sqlite:///{path}") as store:
        assert "the database file is damaged" in db_check(store).problems[0]

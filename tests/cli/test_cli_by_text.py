"""Files that name queries by their texts on the command line: the collection's queries are used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import Program, raw_output_dangers, write, write_qrels, write_run

import evalstore as ev
from evalstore.evaluation import parallel

pytestmark = pytest.mark.slow  # many commands

QUERIES = "q1\tred dress\nq2\tblue jeans\nq3\twarm socks\n"
RATINGS = "query,docid,rating\nred dress,d1,2\nred dress,d3,0\nblue jeans,d4,1\nwarm socks,,\n"
HEADER = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
SNAPSHOT = f"{HEADER}s,,1,red dress,d1,1\ns,,1,red dress,d9,2\ns,,1,blue jeans,d4,1\n"
INGEST = ("ingest", "--collection", "shop")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Queries, ratings and snapshots in the current folder."""
    write(folder / "queries.tsv", QUERIES)
    write(folder / "judged.csv", RATINGS)
    write(folder / "first.csv", SNAPSHOT)
    write(folder / "second.csv", SNAPSHOT.replace("d9,2", "d3,2"))


def judgments(program: Program) -> str:
    return program(
        "sql",
        "SELECT q.qid, j.docno, j.grade FROM judgment j JOIN query q ON q.id = j.query_id "
        "ORDER BY 1, 2",
        "--format",
        "csv",
    ).stdout


def test_queries_judgments_and_runs_are_ingested_in_one_command(program: Program) -> None:
    done = program(
        *INGEST, "--queries", "queries.tsv", "--qrels", "judged.csv", "first.csv", "second.csv"
    )
    assert done.stdout.splitlines()[:4] == [
        "judgments read as quepid-ratings",
        "stored          first  (read as quepid-snapshot)",
        "stored          second  (read as quepid-snapshot)",
        "2 stored",
    ]
    assert "judged.csv:5: 1 row without a rating; left out" in done.stderr
    assert judgments(program).split() == [
        "qid,docno,grade",
        "q1,d1,2.0",
        "q1,d3,0.0",
        "q2,d4,1.0",
    ]


def test_stored_queries_are_used_where_none_are_given(program: Program, folder: Path) -> None:
    program(*INGEST, "--queries", "queries.tsv", "--qrels", write_qrels(folder), write_run(folder))
    done = program(*INGEST, "--qrels", "judged.csv", "first.csv")
    assert "stored          first  (read as quepid-snapshot)" in done.stdout
    done = program("reevaluate", "--collection", "shop", "--qrels", "judged.csv")
    assert "judged" in done.stdout


def test_texts_given_with_the_command_count_more_than_stored_ones(
    program: Program, folder: Path
) -> None:
    program(*INGEST, "--queries", "queries.tsv", "--qrels", write_qrels(folder), write_run(folder))
    write(folder / "judged.csv", "query,docid,rating\nred dress,d1,1\n")
    swapped = write(folder / "other.tsv", "q1\tblue jeans\nq2\tred dress\n")
    program(*INGEST, "--queries", swapped, "--qrels", "judged.csv", "--default-qrels", "first.csv")
    assert "q2,d1,1.0" in judgments(program)


def test_several_processes_read_runs_by_text(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 0)
    done = program(
        *(*INGEST, "--queries", "queries.tsv", "--qrels", "judged.csv"),
        *("--jobs", "2", "first.csv", "second.csv"),
    )
    assert done.stdout.splitlines()[-1].startswith("2 stored")


def test_a_bad_file_fails_alone_and_names_the_line(program: Program, folder: Path) -> None:
    write(folder / "second.csv", f"{HEADER}s,,1,red dress,d1,1\ns,,1,\x1b[31m,d1,1\n")
    done = program(
        *(*INGEST, "--queries", "queries.tsv", "--qrels", "judged.csv", "first.csv", "second.csv"),
        status=1,
    )
    assert "second.csv:3: " in done.stderr
    assert "1 stored, 1 failed" in done.stdout
    assert list(raw_output_dangers(done.stderr)) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [(("--qrels", "judged.csv", "test.run"), "judged.csv"), (("first.csv",), "first.csv")],
)
def test_without_texts_the_message_names_the_command_that_takes_them(
    program: Program, folder: Path, given: tuple[str, ...], path: str
) -> None:
    program(*INGEST, "--qrels", write_qrels(folder), write_run(folder, name="test.run"))
    done = program(*INGEST, *given, status=1)
    message = (
        f"{path}: it names queries by their texts, and no texts of queries are known: "
        "`evalstore ingest --queries FILE` takes them"
    )
    assert message in done.stderr
    done = program("evaluate", "judged.csv", "test.run", status=1)
    assert done.stderr.strip().endswith("`evalstore ingest --queries FILE` takes them")


def test_files_are_compared_with_the_queries_given(program: Program) -> None:
    program(
        "compare", "--qrels", "judged.csv", "--queries", "queries.tsv", "first.csv", "second.csv"
    )


# --- judges --------------------------------------------------------------------------------------

BOOK = "query,docid,ann,bob\nred dress,d1,1,0\nred dress,d3,,1\nblue jeans,d4,1,1\n"


def test_a_book_gives_the_judgment_groups_of_a_collection(program: Program, folder: Path) -> None:
    book = write(folder / "book.csv", BOOK)
    program(
        *(*INGEST, "--queries", "queries.tsv", "--qrels", "judged.csv"),
        *("--judgment-groups", book, "first.csv"),
    )
    by_book = program("reevaluate", "-m", "GroupAP", "--collection", "shop").stdout
    groups = write(
        folder / "groups.qrels",
        "q1 ann d1 1\nq1 bob d1 0\nq1 bob d3 1\nq2 ann d4 1\nq2 bob d4 1\n",
    )
    values = ("sql", "SELECT qid, value FROM query_values WHERE measure = 'GroupAP' ORDER BY 1")
    first = program(*values).stdout
    assert len(first.splitlines()) == 3
    assert "GroupAP" in by_book
    program("reevaluate", "-m", "GroupAP", "--collection", "shop", "--judgment-groups", groups)
    assert program(*values).stdout == first
    program("reevaluate", "-m", "GroupAP", "--collection", "shop", "--judgment-groups", book)


def test_a_bad_book_is_named_and_no_store_is_made(program: Program, folder: Path) -> None:
    book = write(folder / "book.csv", BOOK.replace("blue", "no such"))
    done = program(
        *(*INGEST, "--queries", "queries.tsv", "--qrels", "judged.csv"),
        *("--judgment-groups", book, "first.csv"),
        status=1,
    )
    assert "book.csv:4: a text that is not the text of a query: 'no such jeans'" in done.stderr
    assert not (folder / "evalstore.db").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [("book.csv", BOOK), ("groups.qrels", "q1 ann d1 1\nq1 bob d1 0\n")],
)
def test_judgments_of_several_judges_as_qrels_are_refused_with_the_option_that_takes_them(
    program: Program, folder: Path, name: str, content: str
) -> None:
    write(folder / name, content)
    done = program(
        *INGEST, "--queries", "queries.tsv", "--qrels", name, write_run(folder), status=1
    )
    assert "give it with --judgment-groups FILE" in done.stderr


# --- Python --------------------------------------------------------------------------------------


def test_python_ingests_and_reevaluates_by_text(folder: Path) -> None:
    with ev.open(f"sqlite:///{folder / 'python.db'}") as store:
        done = store.ingest(
            collection="shop", runs=["first.csv"], qrels="judged.csv", queries="queries.tsv"
        )
        assert [outcome.status for outcome in done.outcomes] == ["stored"]
        results = [
            {"searchText": "red dress", "documentIds": ["d3", "d1"]},
            {"searchText": "blue jeans", "documentIds": ["d4"]},
        ]
        path = write(folder / "results.json", json.dumps(results))
        assert store.ingest(collection="shop", runs=[path]).outcomes[0].format == (
            "opensearch-results"
        )
        write(folder / "newer.csv", RATINGS.replace("d1,2", "d1,1"))
        store.reevaluate("shop", "newer.csv")

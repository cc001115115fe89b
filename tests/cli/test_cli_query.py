"""`evalstore queries`, and comparisons restricted to or split by attributes of queries."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from samples import Program, write, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands, figures or resamples

QUERIES = "qid\ttext\tlang\nq1\thow do I split\tde\nq2\tsort\ten\nq3\ta b\tde\n"
FILES = ("a.run", "b.run", "--qrels", "test.qrels", "--queries", "queries.tsv", "-m", "AP")
STORED = ("a", "b", "-m", "AP")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Judgments, two runs, and queries of which two are German."""
    write_qrels(folder, {f"q{number}": {"d": 1} for number in (1, 2, 3)})
    write_run(folder, {"q1": ["x", "d"], "q2": ["d"], "q3": ["x", "d"]}, "a.run", "a")
    write_run(folder, {"q1": ["d"], "q2": ["x", "d"], "q3": ["d"]}, "b.run", "b")
    write(folder / "queries.tsv", QUERIES)


@pytest.fixture
def stored(program: Program) -> None:
    """The same in a store."""
    words = ("--collection", "test", "--qrels", "test.qrels", "--queries", "queries.tsv")
    program("ingest", *words, "a.run", "b.run")


def as_json(program: Program, *arguments: str) -> dict[str, object]:
    document: dict[str, object] = json.loads(program(*arguments, "--format", "json").stdout)
    return document


# --- query ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("stored")
def test_list_shows_texts_and_attributes(program: Program) -> None:
    assert program("queries", "--collection", "test").stdout.splitlines() == [
        "qid  text            lang",
        "q1   how do I split  de",
        "q2   sort            en",
        "q3   a b             de",
    ]
    rows = program(
        "queries", "--collection", "test", "--where", "lang=en", "--format", "csv"
    ).stdout
    assert list(csv.reader(io.StringIO(rows))) == [["qid", "text", "lang"], ["q2", "sort", "en"]]
    long = json.loads(
        program("queries", "--collection", "test", "--where", "length>3", "--format", "json").stdout
    )
    assert long == [{"qid": "q1", "text": "how do I split", "attributes": {"lang": "de"}}]


@pytest.mark.usefixtures("stored")
def test_tag_and_untag_change_attributes_and_say_of_how_many_queries(program: Program) -> None:
    assert program("queries", "tag", "--collection", "test", "level=007", "q1", "q2").stdout == (
        "level: set for 2 queries\n"
    )
    assert (
        program("queries", "tag", "--collection", "test", "level=007", "q1").stdout
        == "nothing to change\n"
    )
    assert (
        program("queries", "untag", "--collection", "test", "level", "q1").stdout
        == "level: removed from 1 query\n"
    )
    assert program("queries", "untag", "--collection", "test", "lang", "--all").stdout == (
        "lang: removed from 3 queries\n"
    )
    [_, row] = csv.reader(
        io.StringIO(
            program(
                "queries", "--collection", "test", "--where", "level=007", "--format", "csv"
            ).stdout
        )
    )
    assert row == ["q2", "sort", "007"]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    "text", ['qid,lang,n\nq1,fr,"1,5"\nq3,,2\n', "qid\tlang\tn\nq1\tfr\t1,5\nq3\t\t2\n"]
)
def test_tag_takes_a_table_of_tabs_or_commas(program: Program, folder: Path, text: str) -> None:
    write(folder / "more.csv", text)
    assert program("queries", "tag", "--collection", "test", "--file", "more.csv").stdout == (
        "lang: set for 1 query\nn: set for 2 queries\n"
    )
    listed = json.loads(program("queries", "--collection", "test", "--format", "json").stdout)
    assert [row["attributes"] for row in listed] == [
        {"lang": "fr", "n": "1,5"},
        {"lang": "en"},
        {"lang": "de", "n": "2"},
    ]


@pytest.mark.usefixtures("stored")
def test_a_list_in_csv_can_be_edited_and_given_back(program: Program, folder: Path) -> None:
    listed = program("queries", "--collection", "test", "--format", "csv").stdout
    write(folder / "edited.csv", listed.replace(",en", ",fr"))
    assert program("queries", "tag", "--collection", "test", "--file", "edited.csv").stdout == (
        "lang: set for 1 query\n"
    )


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (
            ("tag", "--collection", "test"),
            2,
            "give NAME=VALUE and the ids of queries, or --file FILE",
        ),
        (
            ("tag", "--collection", "test", "lang"),
            2,
            "expected NAME=VALUE, like lang=de; got 'lang'",
        ),
        (("tag", "--collection", "test", "lang=de"), 2, "name the queries to set lang=de for"),
        (("untag", "--collection", "test", "lang"), 2, "name the queries, or say --all"),
        (
            ("--collection", "test", "--where", "lang"),
            2,
            "condition 'lang', character 5: expected one of",
        ),
        (("tag", "--collection", "test", "qid=5", "q1"), 1, "no attribute can be called 'qid'"),
        (("tag", "--collection", "test", "text=x", "q1"), 1, "no attribute can be called 'text'"),
        (
            ("tag", "--collection", "test", "lang=de", "q9"),
            1,
            "collection 'test' has no query 'q9'",
        ),
        (("untag", "--collection", "test", "lng", "--all"), 1, "did you mean 'lang'?"),
        (("--collection", "none"), 1, "there is no collection 'none' in the store"),
        (("--collection", "test", "--where", "lang=fr"), 1, "no query has 'lang=fr'"),
        (
            ("tag", "--collection", "test", "--file", "queries.tsv", "lang=de", "q1"),
            2,
            "or --file FILE",
        ),
        (
            ("tag", "--collection", "test", "--file", "a.run"),
            1,
            "a.run:1: expected the names of the columns",
        ),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(
    program: Program, words: tuple[str, ...], status: int, message: str
) -> None:
    done = program("queries", *words, status=status)
    assert message in done.stderr.splitlines()[-1]
    assert done.stdout == ""


# --- compare -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("stored")
def test_where_compares_only_some_queries_and_every_output_says_so(program: Program) -> None:
    phrase = "only the 2 of 3 queries with lang=de"
    table = program("compare", *STORED, "--where", "lang=de")
    assert table.stdout.splitlines()[0].startswith(f"comparable: same judgments, {phrase}, depth")
    assert phrase in program("compare", *STORED, "--where", "lang=de", "--format", "csv").stderr
    document = as_json(program, "compare", *STORED, "--where", "lang=de")
    assert document["restricted_to"] == "the 2 of 3 queries with lang=de"
    [pair] = document["pairs"]  # type: ignore[misc]
    assert (pair["queries"], pair["wins"], pair["losses"]) == (2, 2, 0)


@pytest.mark.usefixtures("stored")
def test_files_with_queries_are_compared_as_the_stored_runs(program: Program) -> None:
    for more in (("--where", "lang=de"), ("--by", "lang"), ("--by", "length")):
        assert as_json(program, "compare", *FILES, *more) == as_json(
            program, "compare", *STORED, *more
        )


def test_by_adds_the_slices_below_the_whole(program: Program) -> None:
    lines = program("compare", *FILES, "--by", "lang").stdout.splitlines()
    whole = next(number for number, line in enumerate(lines) if line.startswith("a  "))
    by = lines.index("by lang, 2 slices; p corr. is over 2 comparisons:")
    assert whole < by
    assert lines[by + 1].startswith("note: slices of fewer than 10 queries are small")
    assert [line.split()[:5] for line in lines[by + 2 : by + 5]] == [
        ["lang", "a", "b", "measure", "queries"],
        ["de", "a", "b", "AP", "2"],
        ["en", "a", "b", "AP", "1"],
    ]
    assert any(line.startswith("lang de (2 queries, a small slice): b ") for line in lines)


def test_by_adds_a_key_to_json_and_a_column_to_csv(program: Program) -> None:
    document = as_json(program, "compare", *FILES, "--by", "lang")
    assert list(document) == ["comparable", "reasons", "notes", "pairs", "attribute", "slices"]
    slices = document["slices"]
    assert [(s["value"], s["queries"], s["small"]) for s in slices] == [  # type: ignore[attr-defined]
        ("de", 2, True),
        ("en", 1, True),
    ]
    text = program("compare", *FILES, "--by", "lang", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["slice"], row["queries"]) for row in rows] == [("", "3"), ("de", "2"), ("en", "1")]
    plain = program("compare", *FILES, "--format", "csv").stdout
    assert "slice" not in plain.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--where", "lang=dee"), 1, "no query has 'lang=dee'; did you mean 'de'?"),
        (("--by", "lnag"), 1, "no query has the attribute 'lnag'; did you mean 'lang'?"),
        (("--where", "length>many"), 2, "expected a number or a date after >"),
    ],
)
def test_a_wrong_condition_or_attribute_is_one_line(
    program: Program, words: tuple[str, ...], status: int, message: str
) -> None:
    assert message in program("compare", *FILES, *words, status=status).stderr.splitlines()[-1]


def test_files_without_queries_say_how_to_give_attributes(program: Program) -> None:
    words = ("a.run", "b.run", "--qrels", "test.qrels", "--by", "lang")
    message = program("compare", *words, status=1).stderr
    assert (
        "no query has the attribute 'lang': no attributes or texts of the queries are known"
        in message
    )
    assert "`evalstore queries tag`" in message
    assert "--queries FILE" in message


@pytest.mark.usefixtures("stored")
def test_a_file_of_queries_is_for_files(program: Program) -> None:
    message = program("compare", *STORED, "--queries", "queries.tsv", status=2).stderr
    assert "--queries is for files" in message

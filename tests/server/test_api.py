"""What each address of the HTTP API answers, on each database."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow as pa
import pytest
from api_client import PARQUET, READERS, ROOT, Team
from click.testing import CliRunner
from two_collections import OPEN, PRIVATE

from dashboard.serving import slots
from evalstore.cli import cli
from evalstore.errors import NotFound
from evalstore.server.api import leaderboard
from evalstore.server.api.routes import OPERATIONS

RUN = f"/collections/{OPEN}/runs/bm25"


def printed(api: Team, *arguments: str) -> Any:
    """The JSON that a command prints."""
    done = CliRunner().invoke(
        cli, [*arguments, "--format", "json", "--db", api.store.url], catch_exceptions=False
    )
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.each_database
def test_collections_are_listed_with_their_counts(api: Team) -> None:
    listed = api.administrator.get("/collections")
    assert [row["name"] for row in listed["collections"]] == [OPEN, PRIVATE]
    of_open = listed["collections"][0]
    assert (of_open["runs"], of_open["qrels"], of_open["queries"]) == (4, 2, 4)
    assert listed["next"] is None


def test_judgments_are_those_of_all_collections_or_of_one(api: Team) -> None:
    listed = api.administrator.get("/qrels")["qrels"]
    assert [(row["collection"], row["name"]) for row in listed] == [
        (OPEN, "plain"),
        (OPEN, "plain-2"),
        (PRIVATE, "zanzibar"),
        (PRIVATE, "zanzibar-2"),
    ]
    assert api.administrator.get(f"/qrels?collection={OPEN}")["qrels"] == listed[:2]
    status, sentence = api.administrator.refused("/qrels?collection=opn")
    assert (status, sentence) == (
        404,
        "there is no collection 'opn' in the store; did you mean 'open'?",
    )


@pytest.mark.each_database
def test_runs_are_those_that_the_command_prints(api: Team) -> None:
    for options in ("", "find=note", "where=k1>=1", "tag=plain", "sort=-nDCG@10", "engine=bm25"):
        arguments = ["--collection", OPEN]
        for option in filter(None, [options]):
            name, _, value = option.partition("=")
            arguments += [f"--{name}", value]
        listed = api.administrator.ask("/runs", query_string=f"collection={OPEN}&{options}")
        rows = printed(api, "runs", *arguments)
        names = ("id", "run", "engine", "experiment", "queries", "answered", "values_only")
        answered = listed.get_json()["runs"]
        assert rows
        assert [[row[name] for name in names] for row in answered] == [
            [row[name] for name in names] for row in rows
        ]
        assert [row["values"]["nDCG@10"] for row in answered] == [row["nDCG@10"] for row in rows]


def test_a_run_is_found_by_its_name_and_by_its_id(api: Team) -> None:
    by_name = api.administrator.get(RUN)
    shown = printed(api, "runs", "show", "bm25", "--collection", OPEN)
    comments = shown.pop("comments")
    assert by_name == shown
    assert api.administrator.get(f"/runs/bm25/comments?collection={OPEN}")["comments"] == comments
    assert api.administrator.get(f"/collections/{OPEN}/runs/{by_name['id']}") == by_name


def test_rankings_are_those_of_the_run_in_pages_of_queries(api: Team) -> None:
    first = api.administrator.get(f"{RUN}/rankings?limit=2")
    assert [row["qid"] for row in first["rankings"]] == ["q1", "q2"]
    assert first["rankings"][0]["documents"][0] == {"rank": 1, "docno": "d1", "score": 99.0}
    last = api.administrator.get(f"{RUN}/rankings?limit=2&cursor={first['next']}")
    assert [row["qid"] for row in last["rankings"]] == ["q3", "q4"]
    assert last["next"] is None
    one = api.administrator.get(f"{RUN}/rankings?query=q2")
    assert one["rankings"] == first["rankings"][1:]
    status, sentence = api.administrator.refused(f"{RUN}/rankings?query=q9")
    assert (status, sentence) == (404, "run 'bm25' has no ranking for query 'q9'")


def test_values_are_of_every_judged_query(api: Team) -> None:
    listed = api.administrator.get(f"{RUN}/values?measure=AP&measure=P@2")
    assert (listed["qrels"], listed["next"]) == ("plain", None)
    assert [row["qid"] for row in listed["queries"]] == ["q1", "q2", "q3", "q4"]
    assert listed["queries"][1]["values"] == {"AP": 1.0, "P@2": 1.0}
    assert listed["queries"][0]["values"]["P@2"] == 0.5


def test_the_leaderboard_is_what_the_command_prints(api: Team) -> None:
    options = ["--measure", "AP", "--measure", "P@5", "--test", "t", "--alpha", "0.1"]
    asked = f"/collections/{OPEN}/leaderboard?measure=AP&measure=P@5&test=t&alpha=0.1"
    assert api.administrator.get(asked) == printed(api, "leaderboard", OPEN, *options)


def test_the_comparison_is_what_the_command_prints(api: Team) -> None:
    for options, asked in (
        (["bm25", "tfidf"], "run=bm25&run=tfidf"),
        (["tfidf"], "run=tfidf"),
        (["bm25", "tfidf", "--baseline", "tfidf"], "run=bm25&run=tfidf&baseline=tfidf"),
        (["bm25", "tfidf", "plain", "--no-baseline", "-m", "AP", "--test", "sign"],
         "run=bm25&run=tfidf&run=plain&no_baseline=true&measure=AP&test=sign"),
        (["bm25", "tfidf", "--by", "lang"], "run=bm25&run=tfidf&by=lang"),
        (["bm25", "tfidf", "--where", "lang=de"], "run=bm25&run=tfidf&where=lang%3Dde"),
    ):  # fmt: skip
        document = printed(api, "compare", *options, "--collection", OPEN)
        assert api.administrator.get(f"/collections/{OPEN}/comparison?{asked}") == document


@pytest.mark.each_database
def test_sql_answers_with_columns_and_rows_and_says_where_it_is_cut(api: Team) -> None:
    asked = {
        "sql": f"SELECT run, run, 1.5 FROM runs_overview WHERE collection = '{OPEN}' ORDER BY 1"
    }
    answer = api.administrator.ask("/sql", "POST", json=asked).get_json()
    assert answer["columns"][:2] == ["run", "run_2"]
    assert answer["rows"][0] == ["bm25", "bm25", 1.5]
    assert answer["cut"] is None
    cut = api.administrator.ask("/sql", "POST", json={**asked, "limit": 1}).get_json()
    assert (len(cut["rows"]), cut["cut"]) == (1, "cut after 1 rows")


@pytest.mark.parametrize("statement", ["DELETE FROM run", "", "SELECT nothing", "SELECT '\0'"])
def test_sql_that_is_wrong_or_no_query_is_refused_with_a_sentence(
    api: Team, statement: str
) -> None:
    status, sentence = api.administrator.refused("/sql", "POST", json={"sql": statement})
    assert status == 400
    assert sentence


def test_more_statements_than_may_run_at_a_time_are_told_to_wait(api: Team) -> None:
    free = api.reader.served.app.extensions[slots.KEY]
    for _ in range(slots.STATEMENTS):
        free.acquire()
    try:
        answer = api.reader.ask("/sql", "POST", json={"sql": "SELECT 1"})
    finally:
        for _ in range(slots.STATEMENTS):
            free.release()
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert "SQL statements are running already" in answer.get_json()["detail"]


def test_a_long_computation_is_told_to_wait_while_too_many_run(
    api: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = f"/collections/{OPEN}/leaderboard?measure=AP"
    answers = []

    def compute(*_: Any, **__: Any) -> Any:
        answers.append(api.reader.ask(asked))  # while this one is being computed
        raise NotFound("computed")

    monkeypatch.setattr(leaderboard, "leaderboard_ranks", compute)
    assert api.reader.refused(asked) == (404, "computed")
    assert [answer.status_code for answer in answers] == [429, 404, 404]
    assert answers[0].headers["Retry-After"] == "1"


def test_a_comparison_that_is_too_large_is_refused(
    api: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = f"/collections/{OPEN}/comparison?run=bm25&run=tfidf&run=plain&measure=AP&no_baseline=1"
    monkeypatch.setattr(leaderboard, "MOST_DIFFERENCES", 11)
    sentence = (
        "this comparison has 3 pairs x 1 measures x 4 queries, of 11 at most: "
        "name fewer runs, or a baseline for all others"
    )
    assert api.reader.refused(asked) == (400, sentence)
    monkeypatch.setattr(leaderboard, "MOST_DIFFERENCES", 12)
    assert api.reader.ask(asked).status_code == 200


def test_a_comparison_over_held_out_queries_reads_the_stored_split_and_stores_none(
    api: Team,
) -> None:
    asked = f"/collections/{OPEN}/comparison?run=bm25&run=tfidf&holdout=0.75"
    for sender in (api.reader, api.administrator):
        status, sentence = sender.refused(asked)
        assert status == 400
        assert "has no held-out queries yet, and this only reads the store" in sentence
    document = printed(api, "compare", "bm25", "tfidf", "--collection", OPEN, "--holdout", "0.75")
    assert document["restricted_to"] == "the 3 of 4 held-out queries"
    assert api.reader.get(asked) == document


@pytest.mark.each_database
def test_events_are_oldest_first_and_those_of_accounts_are_for_administrators(api: Team) -> None:
    listed = api.administrator.get("/events?limit=1000")["events"]
    times = [row["at"] for row in listed]
    assert times == sorted(times)
    assert {"ingest", "token", "server"} <= {row["action"] for row in listed}
    actions = [row["action"] for row in api.reader.get("/events?limit=1000")["events"]]
    assert "ingest" in actions
    assert {"token", "server", "role", "account"}.isdisjoint(actions)


@pytest.mark.parametrize("media_type", READERS)
@pytest.mark.each_database
def test_large_tables_come_as_arrow_or_parquet_with_the_same_content(
    api: Team, media_type: str
) -> None:
    def table(path: str, **options: Any) -> pa.Table:
        answer = api.administrator.ask(path, accept=f"{media_type}, */*;q=0.1", **options)
        assert (answer.status_code, answer.mimetype) == (200, media_type)
        return READERS[media_type](answer.data)

    rankings = [
        {"qid": row["qid"], **hit}
        for row in api.administrator.get(f"{RUN}/rankings")["rankings"]
        for hit in row["documents"]
    ]
    assert table(f"{RUN}/rankings").to_pylist() == rankings
    asked = f"{RUN}/values?measure=AP"
    values = [
        {"qid": row["qid"], "answered": row["answered"], **row["values"]}
        for row in api.administrator.get(asked)["queries"]
    ]
    assert table(asked).to_pylist() == values
    asked = f"/collections/{OPEN}/leaderboard?measure=AP"
    (ranks,) = api.administrator.get(asked)["measures"]
    assert table(asked).drop("measure").to_pylist() == ranks["runs"]
    statement = {"sql": "SELECT run, queries_answered FROM runs_overview ORDER BY run_id"}
    answer = api.administrator.ask("/sql", "POST", json=statement).get_json()
    rows = table("/sql", method="POST", json=statement)
    assert [list(row.values()) for row in rows.to_pylist()] == answer["rows"]


def test_a_media_type_that_an_address_has_not_is_406(api: Team) -> None:
    status, sentence = api.reader.refused("/runs", accept=PARQUET)
    assert (status, sentence) == (406, "This address answers with application/json.")


def test_what_the_api_does_not_have_is_a_problem_too(api: Team) -> None:
    assert api.reader.refused("/nothing")[0] == 404
    assert api.reader.refused("/runs/")[0] == 404
    for root in ("", "/"):
        sentence = "The API has nothing at this address: /api lists it."
        assert api.reader.refused(root) == (404, sentence)
    answer = api.reader.ask("/sql")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "OPTIONS, POST")
    assert api.reader.refused("/runs", "BREW")[0] == 405
    status, sentence = api.reader.refused("/sql", "POST", data="{}", content_type="text/plain")
    assert (status, sentence) == (415, "Send the parameters as application/json.")
    for body in ("", "{", "[]", "[" * 100_000, '{"sql": "\\ud800"}'):
        options = {"data": body, "content_type": "application/json"}
        assert api.reader.refused("/sql", "POST", **options)[0] == 400, body[:20]


def test_a_body_that_is_too_large_is_413_also_without_a_length(api: Team) -> None:
    body = json.dumps({"sql": "SELECT 1", "x": "x" * 300_000}).encode()
    options: dict[str, Any] = {"content_type": "application/json"}
    sentence = "the body has more than 262,144 bytes"
    assert api.reader.refused("/sql", "POST", data=body, **options) == (413, sentence)
    chunked = {
        "input_stream": io.BytesIO(body),
        "environ_overrides": {"wsgi.input_terminated": True},
        "headers": {"Transfer-Encoding": "chunked"},
    }
    assert api.reader.refused("/sql", "POST", **chunked, **options)[0] == 413


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("colection=x", "there is no parameter 'colection'; did you mean 'collection'?"),
        ("find=a&find=b", "the parameter 'find' is given more than once"),
        ("limit=0", "parameter 'limit': input should be greater than or equal to 1"),
        ("limit=1001", "parameter 'limit': input should be less than or equal to 1000"),
        ("measure=nDCG@ten", None),
        ("where=k1", "condition 'k1', character 3: expected one of =, !=, <, <=, > or >="),
        ("since=June", None),
        ("find=%00", None),
        ("cursor=bm25", None),
    ],
)
def test_a_wrong_parameter_is_400_with_a_sentence(
    api: Team, asked: str, sentence: str | None
) -> None:
    status, detail = api.reader.refused(f"/runs?{asked}")
    assert (status, detail) == (400, sentence or detail)


def test_every_operation_is_asked_for_here() -> None:
    known = {
        *("/collections", "/qrels", "/runs", "/sql", "/events", "/health", "/metrics"),
        # Those of sent files: test_uploads.py, test_sent_runs.py and test_jobs.py
        "/collections/<name:collection>/blobs/<blob>",
        *(f"/collections/<name:collection>/{what}" for what in ("runs", "qrels")),
        *(f"/collections/<name:collection>/{what}" for what in ("queries", "documents", "facts")),
        *("/jobs", "/jobs/<int:job>"),
        *("/openapi.json", "/collections/<name:collection>/runs/<name:run>"),
        "/collections/<name:collection>/runs/<name:run>/rankings",
        "/collections/<name:collection>/runs/<name:run>/values",
        "/collections/<name:collection>/leaderboard",
        "/collections/<name:collection>/comparison",
        # Changes: test_changes.py
        *("/removed-runs", "/restored-runs", "/qrels/<name:qrels>"),
        *(f"/collections/<name:collection>/{what}" for what in ("drafts", "edited-judgments")),
        "/collections/<name:collection>/drafts/<name:draft>",
        *(
            f"/collections/<name:collection>/drafts/<name:draft>/{what}"
            for what in ("assessments", "documents", "qrels")
        ),
        # These are asked for in tests/server/test_client*.py.
        *("/runs/<name:run>", "/runs/<name:run>/comments", "/history", "/values"),
        *("/runs-to-compare", "/collections/<name:collection>/baseline"),
        *("/baselines", "/collections/<name:collection>/gates"),
        "/collections/<name:collection>/judgments",
        "/collections/<name:collection>/documents-to-judge",
        "/collections/<name:collection>/judgment-groups",
        "/collections/<name:collection>/leaderboard/text",
        *(
            f"/collections/<name:collection>/runs/<name:run>/{of}"
            for of in ("ancestors", "medians")
        ),
        "/collections/<name:collection>/engines",
        *("/collections/<name:collection>/values", "/experiments"),
    }
    assert {each.path for each in OPERATIONS} == known
    assert {each.rule for each in OPERATIONS} == {ROOT + path for path in known}

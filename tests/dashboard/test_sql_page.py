"""The SQL page: what it answers, what it refuses, and how values look, on both databases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from postgres import Server
from samples import dump

from dashboard import vendored
from dashboard.address import Address, parse
from dashboard.app import create_app
from dashboard.pages.sql import page as page_module
from dashboard.serving import slots
from evalstore.catalog.links import name_view
from evalstore.sql.ask import Limits
from evalstore.sql.cookbook import for_collection, questions
from evalstore.store import Store
from evalstore.store.views import VIEWS

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
BEST = """SELECT run, value
FROM leaderboard
WHERE collection = 'small' AND measure = 'Rprec'
ORDER BY value DESC"""


def href(sql: str, **parameters: str) -> str:
    return Address("sql").changed(s=sql, **parameters).href


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def asked(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Store]:
    """The small store, on each database in turn."""
    folder = tmp_path_factory.mktemp("asked")
    if request.param == "sqlite":
        with sample_stores.main(folder) as store:
            yield store
        return
    postgres: Server = request.getfixturevalue("postgres")
    with Store.open(postgres.new_store()) as store:
        sample_stores.add_main(store, folder)
        yield store


@pytest.fixture(scope="module")
def console(asked: Store) -> Browserless:
    return Browserless(create_app(asked).server.test_client())


def links_in(listed: Any) -> list[Any]:
    """The links of the list of questions."""
    return [
        item["props"]["children"]
        for section in listed["children"]
        for item in section["props"]["children"][1]["props"]["children"]
    ]


def body(console: Browserless, address: str) -> Any:
    return console.page(address)["page"]["children"]


def heading(page: Any) -> str:
    return text_of(find(page, "sql-headline")["children"])


def test_the_rows_of_a_statement_are_shown_with_their_number_and_time(console: Browserless) -> None:
    page = body(console, href(BEST))
    assert find(page, "sql-statement")["value"] == BEST
    grid = find(page, "sql-grid")
    assert [row["c0"] for row in grid["rowData"]] == ["bm25", "tfidf", "boolean"]
    assert [row["c1"] for row in grid["rowData"]] == pytest.approx([0.9, 0.6, 0.0])
    assert [column["headerName"] for column in grid["columnDefs"]] == ["run", "value"]
    assert re.fullmatch(r"3 rows 0\.\d\d s", heading(page))


def test_without_a_statement_there_are_questions_and_views(console: Browserless) -> None:
    text = text_of(body(console, "/sql"))
    assert f"{len(questions())} questions" in text
    assert "Which run has the highest value?" in text
    for view in VIEWS:
        assert f"{view.name} {view.comment}" in text
    assert "rows ·" not in text


def test_more_rows_than_are_shown_are_counted(console: Browserless) -> None:
    text = text_of(body(console, href(NUMBERS.format(48_210) + "SELECT i FROM n")))
    assert "The first 1,000 of 48,210 rows " in text


def test_rows_that_take_too_long_to_count_are_said_to_be_more(
    console: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "COUNT_SECONDS", 0.05)
    endless = NUMBERS.format(10**12) + "SELECT i FROM n"
    text = text_of(body(console, href(endless)))
    assert "The first 1,000 rows; there are more " in text


def test_a_statement_that_takes_too_long_ends_with_a_sentence(
    console: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "SHOWN", Limits(seconds=0.3, rows=10))
    text = text_of(body(console, href(NUMBERS.format(10**12) + "SELECT count(*) FROM n")))
    assert "Stopped after 0.3 seconds. Ask for less" in text


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM run",
        "INSERT INTO engine (name) VALUES ('mine')",
        "SELECT 1; DELETE FROM run",
        "DROP VIEW leaderboard",
        "WITH gone AS (DELETE FROM run RETURNING id) SELECT * FROM gone",
        "PRAGMA query_only = 0",
        "SET ROLE postgres",
    ],
)
def test_what_is_no_select_is_refused_and_changes_nothing(
    asked: Store, console: Browserless, sql: str
) -> None:
    before = dump(asked)
    alert = find(body(console, href(sql)), "sql-answer")["children"]["props"]
    assert alert["role"] == "alert"
    answer = console.client.get("/export" + href(sql).replace("/sql", "/sql/rows.csv"))
    assert answer.status_code == 400
    assert dump(asked) == before


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        ("SELECT run,\nnope\nFROM leaderboard", "Line 2:"),
        ("SELECT run\nFROM nowhere", "Line 2:"),
        ("SELECT 'FROM'\n,\nFROM\nFROM leaderboard", "Line 3:"),
        ("SELECT run -- x,\nFROM leaderboard\nWHERE = 1", "Line 3:"),
    ],
)
def test_an_error_names_its_line(console: Browserless, sql: str, line: str) -> None:
    assert text_of(find(body(console, href(sql)), "sql-answer")["children"]).startswith(line)


def test_an_empty_answer_is_a_sentence(console: Browserless) -> None:
    page = body(console, href("SELECT run FROM leaderboard WHERE run = 'nobody'"))
    assert heading(page).startswith("0 rows ")
    assert "no row answers this" in text_of(find(page, "sql-answer")["children"])
    assert find(page, "sql-chart-card")["hidden"] is True


def test_names_of_columns_are_texts_and_never_paths_of_a_grid(console: Browserless) -> None:
    sql = """SELECT 1 AS "a.b", 2 AS "__proto__", 3 AS "<b>x</b>", 4 AS "=1+1", 5 AS "a.b" """
    grid = find(body(console, href(sql)), "sql-grid")
    assert [column["field"] for column in grid["columnDefs"]] == ["c0", "c1", "c2", "c3", "c4"]
    assert grid["rowData"] == [{"id": "0", "c0": 1, "c1": 2, "c2": 3, "c3": 4, "c4": 5}]
    assert "<b>x</b>" in as_json(grid["columnDefs"])
    line = console.client.get("/export" + href(sql).replace("/sql", "/sql/rows.csv")).text
    assert line == "a.b,__proto__,<b>x</b>,'=1+1,a.b\n1,2,3,4,5\n"


def test_the_file_has_every_row_and_digit(console: Browserless) -> None:
    sql = NUMBERS.format(1_500) + "SELECT i, i / 3.0 AS third, NULL AS absent, '=2' AS text FROM n"
    answer = console.client.get("/export" + href(sql).replace("/sql", "/sql/rows.csv"))
    lines = answer.text.splitlines()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="rows.csv"'
    assert len(lines) == 1_501
    number, third, absent, text = lines[1].split(",")
    assert (number, absent, text) == ("1", "", "'=2")
    assert float(third) == pytest.approx(1 / 3, abs=1e-16)


def test_an_answer_too_large_for_a_file_is_refused(
    console: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_module, "IN_FILE", Limits(bytes=1_000))
    sql = NUMBERS.format(1_500) + "SELECT i FROM n"
    answer = console.client.get("/export" + href(sql).replace("/sql", "/sql/rows.csv"))
    assert answer.status_code == 413
    assert "evalstore sql" in answer.text


def test_another_statement_leaves_the_field_in_place(console: Browserless) -> None:
    first = console.page(href(BEST))["rendered"]["data"]
    answer = console.go(href("SELECT 7 AS seven"), first)
    assert "page" not in answer
    assert answer["sql-statement"] == {"value": "SELECT 7 AS seven"}
    assert text_of(answer["sql-headline"]["children"]).startswith("1 row ")


def test_a_chart_is_drawn_when_it_is_asked_for(console: Browserless) -> None:
    first = console.page(href(BEST))["rendered"]["data"]
    answer = console.go(href(BEST, chart="bar"), first)
    assert set(answer) >= {"sql-chart", "sql-axes"}
    assert answer["rendered"]["data"]["controls"]["chart"] == "bar"
    assert "sql-answer" not in answer
    graph = find_by(answer["sql-chart"]["children"], {"graph": "sql"})
    assert graph["figure"]["data"][0]["type"] == "bar"
    whole = body(console, href(BEST, chart="bar"))
    assert find_by(whole, {"graph": "sql"})["figure"] == graph["figure"]


def test_the_column_of_colours_is_in_the_address(console: Browserless) -> None:
    measures = "SELECT run, measure, value FROM leaderboard WHERE collection = 'small'"
    first = console.page(href(measures, chart="bar"))["rendered"]["data"]
    answer = console.go(href(measures, chart="bar", colour="run"), first)
    assert answer["rendered"]["data"]["controls"]["colour"] == "run"
    whole = body(console, href(measures, chart="bar", colour="run"))
    choice = find_by(whole, {"control": "colour"})
    assert choice["value"] == "run"
    assert [option["value"] for option in choice["data"]] == ["", "run", "measure", "value"]
    drawn = find_by(whole, {"graph": "sql"})["figure"]
    assert len(drawn["data"]) == 3
    assert find_by(answer["sql-chart"]["children"], {"graph": "sql"})["figure"] == drawn
    unknown = body(console, href(measures, chart="bar", colour="nope"))
    assert len(find_by(unknown, {"graph": "sql"})["figure"]["data"]) == 1


@pytest.mark.parametrize("column", ["run", "engine"])
def test_a_run_or_engine_has_its_colour_whatever_the_order_of_the_rows(
    console: Browserless, column: str
) -> None:
    sql = f"SELECT collection, {column}, value FROM leaderboard WHERE collection = 'small'"
    colours = []
    for order in ("", "DESC"):
        page = body(console, href(f"{sql} ORDER BY {column} {order}", chart="bar", colour=column))
        traces = find_by(page, {"graph": "sql"})["figure"]["data"]
        colours.append({trace["name"]: trace["marker"]["color"] for trace in traces})
    assert len(set(colours[0].values())) == 3
    assert colours[0] == colours[1]


def test_values_without_a_colour_are_named_and_many_series_have_their_marks_on_the_page(
    console: Browserless,
) -> None:
    sql = NUMBERS.format(40) + "SELECT 'run ' || i AS run, i FROM n UNION ALL SELECT 'none', NULL"
    page = body(console, href(sql, chart="bar", colour="run"))
    text = text_of(find(page, "sql-chart")["children"])
    assert (
        "The chart draws 12 of 41 rows: 1 of them have NULL. Colours are for the first 12 of 40 "
        "values of run ; left out: run 13 , run 14 , "
    ) in text
    assert "run 32 and 8 more." in text
    assert "run 10 run 11 run 12" in text


def test_the_cells_of_runs_and_queries_lead_to_their_pages(console: Browserless) -> None:
    sql = "SELECT collection, run, qid FROM query_values WHERE run = 'bm25' AND qid = 'q1'"
    [*_, row] = find(body(console, href(sql)), "sql-grid")["rowData"]
    assert (row["href1"], row["href2"]) == ("/c/small/run/bm25", "/c/small/query/q1?runs=bm25")
    for address in (row["href1"], row["href2"]):
        assert "bm25" in console.text(address)


def test_runs_without_a_collection_are_those_of_the_chosen_one(console: Browserless) -> None:
    chosen = console.page(href(BEST, collection="small"))
    grid = find(chosen["page"]["children"], "sql-grid")
    assert grid["rowData"][0]["href0"] == "/c/small/run/bm25"
    assert "collection=small" in as_json(find(chosen["page"]["children"], "sql-questions"))
    other = console.go(href(BEST), chosen["rendered"]["data"])
    grid = find(other["sql-answer"]["children"], "sql-grid")
    assert grid["rowData"][0]["href0"] == "/c/other/run/bm25"


def test_the_editor_gets_the_names_and_meanings_of_the_views(console: Browserless) -> None:
    place = find(body(console, "/sql"), "sql-editor")
    assert place["data-script"] == vendored.CODEMIRROR.path()
    given = {view["name"]: view for view in json.loads(place["data-views"])}
    assert list(given) == [view.name for view in VIEWS]
    assert given["leaderboard"]["columns"]["measure"].startswith("the measure's canonical name")


def test_the_questions_have_the_names_of_the_chosen_collection(console: Browserless) -> None:
    page = console.page("/sql")
    assert find_by(page["context"]["children"], {"control": "collection"})["value"] == "other"
    assert "questions about other , or" in heading(page["page"]["children"])
    assert "python-docs" not in as_json(find(page["page"]["children"], "sql-questions"))
    answer = console.go("/sql?collection=small", page["rendered"]["data"])
    assert quote("collection = 'small'", safe="'") in as_json(answer["sql-questions"])
    assert '"/c/small/history"' in as_json(answer["navigation"])


def test_a_question_is_asked_of_the_collection_that_is_chosen_then(
    asked: Store, console: Browserless
) -> None:
    other, small = (
        href(for_collection(asked, name)[1].sql, collection=name) for name in ("other", "small")
    )
    first = console.page(other)["rendered"]["data"]
    chosen = parse("/sql", other.partition("?")[2]).changed(collection="small").href
    assert console.go(chosen, first)["redirect"]["data"] == small
    own = console.page(href(BEST))["rendered"]["data"]
    assert "redirect" not in console.go(href(BEST, collection="small"), own)


def test_all_questions_are_open_until_one_is_asked_and_then_those_of_its_section(
    console: Browserless,
) -> None:
    def is_open(listed: Any) -> list[bool]:
        return [section["props"]["open"] for section in listed["children"]]

    first = console.page("/sql")
    assert all(is_open(find(first["page"]["children"], "sql-questions")))
    last = questions()[-1].title
    [to] = [
        link["props"]["href"]
        for link in links_in(find(first["page"]["children"], "sql-questions"))
        if link["props"]["children"] == last
    ]
    asked = console.go(to, first["rendered"]["data"])["sql-questions"]
    assert is_open(asked) == [False] * 4 + [True]
    current = [link for link in links_in(asked) if link["props"].get("aria-current")]
    assert [link["props"]["children"] for link in current] == [last]
    own = find(body(console, href("SELECT 1")), "sql-questions")
    assert is_open(own) == [True] + [False] * 4


def test_the_other_pages_keep_their_runs_after_the_sql_page(console: Browserless) -> None:
    on_screen = {"href": "/", "scheme": "light", "keep": "/c/small?runs=bm25"}
    kept = console.go("/sql?collection=small", on_screen)["rendered"]["data"]
    assert kept["keep"] == "/c/small?runs=bm25"
    assert "navigation" not in console.go(href(BEST, collection="small"), kept)
    other = console.go("/sql", on_screen)["rendered"]["data"]["keep"]
    assert other.startswith("/c/other")


def test_the_link_of_every_question_is_answered(console: Browserless) -> None:
    links = [
        link
        for link in as_json(find(body(console, "/sql"), "sql-questions")).split('"')
        if link.startswith("/sql?s=")
    ]
    assert len(links) == len(questions())
    for link in links[:8]:
        assert re.match(
            r".+\? \d+ rows? · ", heading(body(console, link))
        )  # it begins with the question


def test_quotes_in_a_collection_stay_within_the_literal(hostile_app: Browserless) -> None:
    links = as_json(find(body(hostile_app, "/sql"), "sql-questions"))
    assert quote("run = '\"quoted\" ''n'' <b>bold</b> & %{x}'", safe="'()!*") in links


def test_a_comma_and_a_plus_of_a_statement_survive_the_address() -> None:
    sql = "SELECT 'a, b' AS x,\n  1+1"
    path, _, search = href(sql).partition("?")
    assert parse(path, search).one("s") == sql
    assert parse("/sql", "s=SELECT 'a,%20b'").one("s") == "SELECT 'a, b'"


def test_a_store_without_collections_shows_the_questions_of_the_demo(
    empty_app: Browserless, tmp_path: Path
) -> None:
    page = body(empty_app, "/sql")
    assert heading(page).startswith("Nothing is stored yet")
    assert "python-docs" in as_json(find(page, "sql-questions"))


def test_no_more_than_a_few_statements_run_at_once_and_the_next_one_is_told(asked: Store) -> None:
    server = create_app(asked).server
    console = Browserless(server.test_client())
    running = [
        server.extensions[slots.KEY].acquire(blocking=False) for _ in range(slots.STATEMENTS)
    ]
    assert all(running)
    page_text = console.text(href(BEST))
    assert f"{slots.STATEMENTS} SQL statements are running already" in page_text
    file = console.client.get(f"/export/sql/rows.csv?s={quote(BEST)}")
    assert file.status_code == 503
    assert "in a moment" in file.text
    assert "Ask one of" in console.text("/sql")  # without a statement nothing runs

    server.extensions[slots.KEY].release()
    # The same question: what was said before is not kept.
    for _ in range(slots.STATEMENTS + 1):  # each gives its place back
        assert "3 rows" in console.text(href(BEST))
    assert "yntax error" in console.text(href("SELECT FROM"))
    assert server.extensions[slots.KEY].acquire(blocking=False)


def test_a_chart_says_which_rows_it_leaves_out(app: Browserless) -> None:
    many = (
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1166) "
        "SELECT n, n AS m FROM t"
    )
    text = app.text(f"/sql?chart=line&s={quote(many)}")
    assert "The chart draws the first 1,000 of 1,166 rows." in text
    some = "SELECT 1 AS a, 2 AS b UNION ALL SELECT 2, NULL"
    text = app.text(f"/sql?chart=line&s={quote(some)}")
    assert "The chart draws 1 of 2 rows: the others have NULL." in text
    assert "The chart draws" not in app.text(f"/sql?chart=line&s={quote('SELECT 1 AS a, 2 AS b')}")


def test_a_saved_view_with_a_name_is_the_heading_of_its_answer(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        name_view(store, href("SELECT 2 AS two", chart="bar"), "Tour 1: <b>Two", "other")
        console = Browserless(create_app(store).server.test_client())
        said = heading(body(console, href("SELECT 2 AS two")))
    assert re.fullmatch(r"Tour 1: <b>Two 1 row · 0\.\d\d s", said)


def test_an_answer_without_saved_ranks_says_what_saves_them(console: Browserless) -> None:
    page = body(console, href("SELECT run FROM leaderboard_ranks", collection="small"))
    said = text_of(find(page, "sql-answer")["children"])
    assert "evalstore leaderboard small -m AP --save" in said


def test_the_export_menu_has_rows_once_there_is_a_statement(console: Browserless) -> None:
    first = console.page("/sql")
    assert "rows.csv" not in as_json(first["exports"])
    answer = console.go(href(BEST), first["rendered"]["data"])
    assert "rows.csv" in as_json(answer["exports"])

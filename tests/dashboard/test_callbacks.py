"""What moves when a control moves, through the Flask test client."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
import sample_stores
from browserless import Browserless, as_json, text_of


@pytest.fixture
def compared(link_of: dict[str, str]) -> dict[str, Any]:
    """What the Compare page keeps of a comparison of bm25, tfidf and boolean."""
    runs = [link_of["bm25"], link_of["tfidf"], link_of["boolean"]]
    return {
        "runs": runs,
        "qrels": None,
        "rendered_qrels": "judgments",
        "measure": "Rprec",
        "a": runs[0],
        "b": runs[1],
    }


def numbers(sent: Any) -> list[float]:
    """An array of a figure, as it travels: a list, or typed and in base64."""
    if isinstance(sent, dict):
        return np.frombuffer(base64.b64decode(sent["bdata"]), dtype=sent["dtype"]).tolist()
    return [float(number) for number in sent]


def controls(compared: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "compare_measure": "Rprec",
        "compare_a": compared["a"],
        "compare_b": compared["b"],
        "compare_context": compared,
    } | more


def test_the_menu_closes_on_the_way_to_another_page_but_not_as_the_first_comes(
    app: Browserless,
) -> None:
    first = app.call("page.children", url__pathname="/", url__search="", rendered=None)
    assert "menu-burger" not in first
    second = app.call("page.children", url__pathname="/compare", url__search="", rendered="/")
    assert second["menu-burger"] == {"opened": False}


def test_the_bars_are_the_differences_of_the_store(
    app: Browserless, compared: dict[str, Any]
) -> None:
    answer = app.call(
        "differences.figure",
        **controls(compared, differences_order="query", scheme="light"),
    )
    (bars,) = answer["differences"]["figure"]["data"]
    expected = np.subtract(sample_stores.RPREC["bm25"], sample_stores.RPREC["tfidf"])
    assert numbers(bars["y"]) == expected.tolist() == [0.5, 0.5, 1.0, -0.5, 0.0]
    said = text_of(answer["differences-outcome"]["children"])
    assert said == "3 bm25 better 1 tie 1 tfidf better +0.3000 mean difference (A − B)"


def test_the_curves_have_a_line_an_engine_and_follow_the_query(
    app: Browserless, compared: dict[str, Any]
) -> None:
    every = app.call("curves.figure", curves_query=None, scheme="dark", compare_context=compared)
    one = app.call("curves.figure", curves_query="q3", scheme="dark", compare_context=compared)
    assert len(every["curves"]["figure"]["data"]) == 3
    assert "averaged over 5 queries" in as_json(every["curves-caption"])
    # q3 has one relevant document: first for bm25, second for tfidf, not found by boolean.
    lines = [numbers(line["y"]) for line in one["curves"]["figure"]["data"]]
    assert lines == [[1.0] * 11, [0.5] * 11, [0.0] * 11]
    assert "q3" in as_json(one["curves-caption"])


def test_the_table_holds_the_values_of_the_store_unrounded(
    app: Browserless, compared: dict[str, Any]
) -> None:
    answer = app.call("queries-grid.rowData", **controls(compared))
    rows = answer["queries-grid"]["rowData"]
    a, _, c = (run.partition("~")[0] for run in compared["runs"])
    assert [row["qid"] for row in rows] == ["q1", "q2", "q3", "q4", "q5"]
    assert [row[f"run_{a}"] for row in rows] == sample_stores.RPREC["bm25"]
    assert [row[f"run_{c}"] for row in rows] == sample_stores.RPREC["boolean"]
    assert [row["difference"] for row in rows] == [0.5, 0.5, 1.0, -0.5, 0.0]
    headers = [column["headerName"] for column in answer["queries-grid"]["columnDefs"]]
    assert headers == ["Query", "Text", "bm25", "tfidf", "boolean", "bm25 − tfidf"]
    assert answer["queries-csv"]["href"].startswith(
        f"/export/queries.csv?runs={','.join(compared['runs'])}&measure=Rprec&"
    )


def test_the_means_are_shown_with_their_difference_to_a(
    app: Browserless, compared: dict[str, Any]
) -> None:
    answer = app.call("compare-summary.children", **controls(compared))
    said = text_of(answer["compare-summary"]["children"])
    assert "bm25 0.9000 best engine A" in said
    assert "tfidf 0.6000 −0.3000 to A · engine B" in said
    assert "boolean 0.0000 −0.9000 to A" in said


@pytest.mark.parametrize(
    ("output", "more"),
    [
        ("differences.figure", {"differences_order": "query", "scheme": "light"}),
        ("queries-grid.rowData", {}),
        ("compare-summary.children", {}),
    ],
)
def test_a_part_that_can_not_be_made_says_so(
    app: Browserless, compared: dict[str, Any], output: str, more: dict[str, Any]
) -> None:
    gone = {**compared, "runs": [*compared["runs"][:2], "999"]}
    answer = app.call(output, **controls(gone, **more))
    assert "no run 999" in as_json(answer)


def write(app: Browserless, compared: dict[str, Any], search: str, **moved: Any) -> Any:
    given = {
        "differences_order": "query",
        "curves_query": None,
        "url__pathname": "/compare",
        "url__search": search,
        "rendered": f"/compare{search}",
        **moved,
    }
    return app.call("url.search", **(controls(compared) | given))


def test_a_control_that_moves_is_written_into_the_address(
    app: Browserless, compared: dict[str, Any]
) -> None:
    here = "?runs=" + ",".join(compared["runs"])
    answer = write(app, compared, here, compare_measure="AP", curves_query="q2")
    assert answer["url"]["search"] == f"{here}&measure=AP&query=q2"
    # So that the shell does not put up anew the page that wrote it.
    assert answer["rendered"]["data"] == f"/compare{here}&measure=AP&query=q2"
    assert (
        app.call(
            "page.children",
            url__pathname="/compare",
            url__search=answer["url"]["search"],
            rendered=answer["rendered"]["data"],
        )
        == {}
    )


@pytest.mark.parametrize("more", ["", "&measure=Rprec", "&measure=Rprec&sort=query"])
def test_putting_a_page_up_leaves_its_address_alone(
    app: Browserless, compared: dict[str, Any], more: str
) -> None:
    here = "?runs=" + ",".join(compared["runs"]) + more
    assert write(app, compared, here) == {}


def test_a_page_that_is_being_left_writes_no_address(
    app: Browserless, compared: dict[str, Any]
) -> None:
    here = "?runs=" + ",".join(compared["runs"])
    moved = {"compare_measure": "AP"}
    assert write(app, compared, here, **moved) != {}
    assert write(app, compared, here, **moved, url__search=f"{here}&measure=RR") == {}
    assert write(app, compared, here, **moved, url__pathname="/") == {}


def test_what_one_side_has_taken_the_other_can_not(app: Browserless) -> None:
    choices = [{"value": "1", "label": "a"}, {"value": "2", "label": "b"}]
    answer = app.call(
        "compare-a.data",
        **{"compare_a--value": "1", "compare_b--value": "2", "compare_a--data": choices},
    )
    assert [c["disabled"] for c in answer["compare-a"]["data"]] == [False, True]
    assert [c["disabled"] for c in answer["compare-b"]["data"]] == [True, False]


def test_the_sides_can_be_swapped(app: Browserless) -> None:
    answer = app.call("compare-a.value", compare_swap=1, compare_a="1", compare_b="2")
    assert answer["compare-a"]["value"] == "2"
    assert answer["compare-b"]["value"] == "1"


def test_a_bar_that_is_clicked_sets_the_query_of_the_curves(app: Browserless) -> None:
    click = {"points": [{"customdata": ["\u2068shown\u2069", "", "", "", "", "q3"]}]}
    assert app.call("curves-query.value", differences=click)["curves-query"]["value"] == "q3"


def test_a_selection_is_carried_to_the_comparison(app: Browserless) -> None:
    def offered(*runs: str) -> str:
        rows = [{"link": run} for run in runs]
        return as_json(app.call("runs-action.children", runs_grid=rows, url="?qrels=old"))

    assert "Select two or more runs to compare" in offered()
    assert '"disabled": true' in offered("3~1a2b3c4d")
    assert "Select one more run to compare" in offered("3~1a2b3c4d")
    assert "Compare 2 runs" in offered("3~1a2b3c4d", "1~5e6f7a8b")
    assert '"href": "/compare?runs=3~1a2b3c4d,1~5e6f7a8b&qrels=old"' in offered(
        "3~1a2b3c4d", "1~5e6f7a8b"
    )


def test_the_measures_chosen_are_shown_and_written_into_the_address(app: Browserless) -> None:
    context = {"collection": "small", "qrels": "judgments", "default": ["AP", "RR"]}
    shown = app.call("runs-grid.columnDefs", runs_measures=["Rprec"], runs_context=context)
    assert shown["runs-grid"]["columnDefs"][2]["headerName"] == "Rprec"
    assert "measures=Rprec" in shown["runs-csv"]["href"]

    def written(measures: list[str], search: str, rendered: str | None = None) -> Any:
        return app.call(
            "url.search",
            runs_measures=measures,
            runs_context=context,
            url__search=search,
            url__pathname="/",
            rendered=f"/{search}" if rendered is None else rendered,
        )

    answer = written(["Rprec"], "?collection=small")
    assert answer["url"]["search"] == "?collection=small&measures=Rprec"
    assert answer["rendered"]["data"] == "/?collection=small&measures=Rprec"
    assert written(["AP", "RR"], "?collection=small") == {}
    assert written(["Rprec"], "?collection=small", rendered="/?collection=other") == {}
    back = written(["AP", "RR"], "?collection=small&measures=Rprec")
    assert back["url"]["search"] == "?collection=small"


def test_another_collection_starts_from_its_own_defaults(app: Browserless) -> None:
    context = {"collection": "small", "qrels": "judgments", "default": []}
    answer = app.call("url.search", runs_collection="other", runs_context=context)
    assert answer["url"]["search"] == "?collection=other"
    assert app.call("url.search", runs_collection="small", runs_context=context) == {}

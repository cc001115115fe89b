"""The cookbook is run: every statement gives the same rows on both databases, and not none."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sample_stores

from evalstore.catalog.queries import tag_queries
from evalstore.sql.ask import Answer
from evalstore.sql.cookbook import for_collection, questions
from evalstore.store import Store

pytestmark = pytest.mark.slow  # every question is asked

PAGE = (Path(__file__).parents[2] / "evalstore/sql/cookbook.md").read_text(encoding="utf-8")
RECIPES = {question.title: question.sql for question in questions()}


def plain(value: Any) -> Any:
    """What both databases mean: times are text on SQLite, and sums differ in their last digit."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, str):
        return value.removesuffix(".000000")
    return pytest.approx(value, rel=1e-12, abs=1e-12) if isinstance(value, float) else value


def test_the_cookbook_answers_more_than_a_few_questions() -> None:
    assert len(RECIPES) >= 25
    assert len(RECIPES) == PAGE.count("```sql\n")
    assert all(title.endswith("?") for title in RECIPES)


def test_with_the_names_of_the_demo_the_questions_stay_as_they_are(
    opened: Callable[[str], Store],
) -> None:
    assert for_collection(opened("sqlite"), "python-docs") == questions()


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_gives_the_same_rows_on_both_databases(
    answer: Callable[[str, str], Answer], title: str
) -> None:
    sqlite, postgres = (answer(name, RECIPES[title]) for name in ("sqlite", "postgres"))
    assert sqlite.columns == postgres.columns
    assert sqlite.rows
    assert sqlite.cut is None
    rows = [tuple(map(plain, row)) for row in postgres.rows]
    assert [
        tuple(v.removesuffix(".000000") if isinstance(v, str) else v for v in row)
        for row in sqlite.rows
    ] == rows


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_says_an_order_that_leaves_nothing_open(
    answer: Callable[[str, str], Answer], title: str
) -> None:
    sql = RECIPES[title]
    if len(answer("sqlite", sql).rows) > 1:
        assert "ORDER BY" in sql.splitlines()[-1] or "LIMIT" in sql.splitlines()[-1]


def test_the_contents_link_to_questions_that_are_there() -> None:
    there = {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^##+ (.*)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= there


def test_every_view_is_asked_somewhere() -> None:
    from evalstore.store import views

    asked = " ".join(RECIPES.values())
    assert [v.name for v in views.VIEWS if not re.search(rf"\b{v.name}\b", asked)] == []


def test_a_question_by_an_attribute_has_one_of_the_collection(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        tag_queries(store, "small", {"q1": {"lang": "en"}})
        asked = {one.title: one.sql for one in for_collection(store, "small")}
    assert "name = 'lang'" in asked["On which kind of query do two runs differ?"]
    assert "name = 'k1'" in asked["Which runs had k1 > 1?"]

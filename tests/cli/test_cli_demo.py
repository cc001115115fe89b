"""`evalstore demo`: a real experiment in a store, and again nothing changes."""

from __future__ import annotations

import pytest
from samples import Program, dump

from evalstore.store import Store
from evalstore.usecases import compare
from evalstore.usecases.leaderboard import collections, leaderboard

pytestmark = pytest.mark.slow  # the demo is built

URL = "sqlite:///evalstore.db"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The demo as the library builds it."""
    from evalstore.demo.store import build_store

    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}")
    build_store(store)
    return store


def test_the_demo_again_changes_nothing(program: Program) -> None:
    first = program("demo", "--no-serve").stdout
    with Store.open(URL) as store:
        before = dump(store)
    second = program("demo", "--no-serve").stdout
    with Store.open(URL) as store:
        assert dump(store) == before
    assert "(0 new)" not in first
    assert "(0 new)" in second


def test_the_demo_has_at_least_30_questions_and_four_engines(demo: Store) -> None:
    board = leaderboard(demo, "python-docs")
    assert board.queries >= 30
    assert board.runs["engine"].nunique() >= 4
    assert board.runs["experiment"].unique().tolist() == ["demo"]


def test_the_demo_has_the_texts_of_its_questions_and_documents(demo: Store) -> None:
    (collection,) = collections(demo).to_dict("records")
    assert collection["documents"] > 1000
    run_ids = leaderboard(demo, "python-docs").runs["run_id"].tolist()
    assert compare.comparison(demo, run_ids).queries["text"].notna().all()


def test_the_engines_of_the_demo_win_on_different_queries(demo: Store) -> None:
    """It would be no example otherwise: each of the three best wins somewhere against the best."""
    board = leaderboard(demo, "python-docs")
    best, *others = board.values["nDCG@10"].sort_values(ascending=False).index[:3].tolist()
    compared = compare.comparison(demo, [best, *others])
    values = compare.per_query(demo, compared, "nDCG@10")
    for other in others:
        found = compare.outcome((values[best] - values[other]).to_numpy())
        assert found.wins > 2
        assert found.losses > 2


def test_the_demo_adds_its_collection_to_the_store(program: Program, tmp_path: object) -> None:
    program("demo", "--no-serve")
    listed = program("runs", "--format", "csv").stdout
    assert {line.split(",")[1] for line in listed.splitlines()[1:]} == {"python-docs"}

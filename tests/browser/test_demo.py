"""The demo as a newcomer meets it: opened, runs selected, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect
from serving import serving

from evalstore.demo.store import COLLECTION, EXPERIMENT, build_store
from evalstore.store import Store
from evalstore.usecases import compare
from evalstore.usecases.leaderboard import leaderboard

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path_factory.mktemp('demo') / 'demo.db'}") as store:
        build_store(store)
        yield store


def test_the_demo_opens_compares_and_shows_the_values_of_its_store(
    demo: Store, open_page: Callable[..., Page]
) -> None:
    board = leaderboard(demo, COLLECTION)
    newest = board.runs.loc[board.runs["experiment"] == EXPERIMENT, "run_id"].tolist()
    with serving(demo) as address:
        page = open_page(address, height=2400)
        rows = "#runs-grid .ag-pinned-left-cols-container .ag-row"
        expect(page.locator(f"{rows} input[type=checkbox]")).to_have_count(len(board.runs))
        for run in newest:
            page.locator(f'{rows}[row-id="{run}"] input[type=checkbox]').check()
        page.get_by_role("link", name=f"Compare {len(newest)} runs").click()

        expect(page.locator("#curves .scatterlayer .trace")).to_have_count(len(newest))
        expect(page.locator("#differences .barlayer .point")).to_have_count(board.queries)
        expect(
            page.locator("#queries-grid .ag-center-cols-container .ag-row").first
        ).to_be_visible()

        asked = [int(run.partition("~")[0]) for run in page.url.split("runs=")[1].split(",")]
        comparison = compare.comparison(demo, asked)
        values = compare.per_query(demo, comparison, "Rprec")
        shown = 0
        for place, qid in enumerate(comparison.queries["qid"]):
            row = page.locator(f'#queries-grid .ag-row[row-id="{place}"]')
            if row.count() == 0:
                continue  # below the fold: the grid draws what is seen
            assert row.locator('[col-id="qid"]').inner_text() == qid
            for run in asked:
                cell = row.locator(f'[col-id="run_{run}"]').text_content() or ""
                assert cell.replace(" (best)", "") == f"{values.at[qid, run]:.4f}"
            shown += 1
        assert shown >= 10

from __future__ import annotations

import csv
import io
import sys

import pytest
import sample_stores
from browserless import Browserless, as_json

from dashboard.address import Address
from dashboard.components.files import href


def test_the_per_query_table_downloads_whole_and_unrounded(
    app: Browserless,
) -> None:
    answer = app.client.get("/export/c/small/compare/queries.csv?runs=tfidf,bm25&m=RR")
    header, *rows = csv.reader(io.StringIO(answer.text))
    assert answer.mimetype == "text/csv"
    assert header == ["qid", "query", "bm25 − tfidf", "tfidf", "bm25"]
    assert [row[0] for row in rows] == ["q1", "q2", "q3", "q4", "q5"]
    assert [float(row[3]) for row in rows] == [0.5, 1, 0.5, 1, 1]
    assert rows[2][1] == "'=cmd|' /C'!A0"
    assert "attachment" in answer.headers["Content-Disposition"]


def test_the_leaderboard_downloads_with_the_measures_of_the_address(app: Browserless) -> None:
    answer = app.client.get("/export/c/small/leaderboard.csv?m=Rprec,NumRet")
    lines = list(csv.DictReader(io.StringIO(answer.text)))
    means = {line["run"]: float(line["Rprec"]) for line in lines}
    assert means == {name: sum(v) / 5 for name, v in sample_stores.RPREC.items()}
    # 3 + 2 + 2 + 3 + 1 documents.
    assert float(next(line for line in lines if line["run"] == "bm25")["NumRet"]) == 11


def test_hostile_names_download_as_texts_under_a_plain_file_name(
    hostile_app: Browserless,
) -> None:
    page = Address("compare", "<b>collection</b>", None, {"runs": sample_stores.NAMES[:3]})
    answer = hostile_app.client.get(href(page, "queries.csv"))
    header, *rows = csv.reader(io.StringIO(answer.text))
    assert header[3:] == ["__proto__", "<script>window.pwned=1</script>", "'=1+1"]
    assert {row[0] for row in rows} == {
        f"'{qid}" if qid.startswith("=") else qid for qid in sample_stores.QIDS
    }
    disposition = answer.headers["Content-Disposition"]
    name = disposition.removeprefix('attachment; filename="').removesuffix('"')
    assert name.endswith(".csv")
    assert all(c.isalnum() or c in "@._-" for c in name)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("/c/small", ("leaderboard", "leaderboard-long", "all-runs", "all-runs-long")),
        ("/c/small/compare", ("queries", "queries-long", "all-queries", "all-queries-long")),
    ],
)
def test_each_file_of_a_page_has_a_name_of_its_own(
    app: Browserless, page: str, names: tuple[str, ...]
) -> None:
    for name in names:
        answer = app.client.get(f"/export{page}/{name}.csv?runs=bm25,tfidf&m=Rprec")
        more = "_Rprec_bm25_tfidf" if page.endswith("compare") else ""
        assert f'"small_{name}{more}.csv"' in answer.headers["Content-Disposition"]


def test_a_download_of_nothing_is_a_404_with_one_line(
    app: Browserless, empty_app: Browserless
) -> None:
    for client, path in (
        (app.client, "/export/c/small/compare/queries.csv"),
        (app.client, "/export/c/small/compare/queries.csv?runs=bm25,nobody"),
        (app.client, "/export/c/nonsense/leaderboard.csv"),
        (empty_app.client, "/export/c/small/leaderboard.csv"),
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.mimetype == "text/plain"
        assert answer.text.count("\n") == 1


def test_without_matplotlib_figures_say_what_installs_it(
    app: Browserless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    line = "A figure as a file needs matplotlib: pip install 'evalstore[plots]'."
    address = "/c/small/compare?runs=bm25,tfidf"
    answer = app.client.get("/export/c/small/compare/differences.svg?runs=bm25,tfidf")
    assert (answer.status_code, answer.text) == (501, f"{line}\n")
    page = as_json(app.page(address))
    assert page.count(line) == 1
    assert "queries.csv" in page
    assert ".svg" not in page
    assert "median.svg" not in as_json(app.page("/c/small/run/bm25"))

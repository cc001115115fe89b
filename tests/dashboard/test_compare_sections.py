"""What the Compare page opens and hands out: its sections, its remarks and its files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json, find, find_by, text_of
from compare_page import THREE, TWO, body, changed
from samples import add, write_qrels, write_run

import evalstore as ev
from dashboard.app import create_app
from dashboard.components.wording import clean
from dashboard.pages.compare.page import CONTENTS, PAGE
from dashboard.pages.compare.sections import figures_of_packages
from evalstore.catalog.given_facts import GivenFacts
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import ReadOptions
from evalstore.formats.facts.judged_by import parse_judged_by
from evalstore.ingest.ingest import ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store

pytestmark = pytest.mark.slow  # every section, and every file of it

# --- sections ----------------------------------------------------------------------------------


def test_sections_are_drawn_when_they_are_opened(app: Browserless) -> None:
    closed = body(app, THREE)
    assert text_of(find(closed, "section-pairs")) == ""
    answer = changed(app, THREE, "&open=pairs")
    assert "All pairs" in text_of(answer["section-pairs"]["children"])
    assert "section-scatter" not in answer
    assert "page" not in answer
    again = app.go(THREE, answer["rendered"]["data"])
    assert again["section-pairs"] == {"children": None}


def test_a_models_judgments_of_further_queries_correct_the_difference(tmp_path: Path) -> None:
    judged = {f"q{number}": {"d1": 1, "d2": 0} for number in range(1, 11)}
    runs = {
        "bm25": {qid: ["d2", "d1"] for qid in judged},
        "dense": {qid: ["d1"] if n % 3 else ["d2"] for n, qid in enumerate(judged)},
    }
    with Store.open(f"sqlite:///{tmp_path / 'm.db'}") as store:
        people = {qid: judged[qid] for qid in [*judged][:4]}
        sample_stores.add(store, tmp_path, "small", people, runs)
        address = "/c/small/compare?runs=bm25,dense&m=AP"
        title = "A model's judgments"
        assert title not in text_of(
            body(Browserless(create_app(store).server.test_client()), address)
        )
        by = ReadOptions(judged_by=parse_judged_by("model=gpt-4o"))
        stored = store_qrels(
            store, "small", qrels_path=write_qrels(tmp_path, judged, "model.qrels"), options=by
        )
        early = Browserless(create_app(store).server.test_client())
        unknown = find(body(early, f"{address}&open=models"), "section-models")
        assert "evalstore reevaluate --collection=small --qrels=model" in text_of(
            unknown["children"]
        )
        for path in sorted(tmp_path.glob("small-*.run")):
            ingest(store, IngestOptions("small"), [str(path)], qrels=stored)
        app = Browserless(create_app(store).server.test_client())
        assert title in text_of(body(app, address))
        opened = find(body(app, f"{address}&open=models"), "section-models")
        text = text_of(opened["children"])
        no_mean = find(body(app, f"{address[:-2]}GMAP&open=models"), "section-models")
        assert "means over queries alone, and not GMAP" in text_of(no_mean["children"])
    with ev.open(tmp_path / "m.db") as own:
        names = {"qrels": "judgments", "predicted_by": stored.qrels_name}
        [expected] = own.compare(["bm25", "dense"], ["AP"], **names).compared.predicted
    assert "on 6 further queries" in expected.sentence
    assert expected.sentence in text


FIGURES = """
class Figure:
    def __init__(self, **trace):
        self.trace = trace

    def to_plotly_json(self):
        return {"data": [self.trace], "layout": {"template": {}, "title": {"text": "own"}}}

def mean_values(values):
    '''Means of <b>runs</b>.'''
    means = values.groupby("run", sort=False)["value"].mean()
    return Figure(type="bar", x=[*means.index], y=[*means])

def no_columns(values):
    '''Not drawn.'''
    return values["<i>"]

def in_space(values):
    '''Not drawn.'''
    return Figure(type="scatter3d")
"""


def test_figures_of_other_packages_are_drawn_and_say_why_not(
    app: Browserless, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Figures of packages" not in text_of(body(app, TWO))
    (tmp_path / "own_figures.py").write_text(FIGURES, encoding="utf-8")
    info = tmp_path / "own-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1\n")
    names = ("mean_values", "no_columns", "in_space")
    points = [f"{name} = own_figures:{name}" for name in names]
    (info / "entry_points.txt").write_text("\n".join(("[evalstore.figures]", *points)))
    monkeypatch.syspath_prepend(str(tmp_path))
    figures_of_packages.cache_clear()
    try:
        page = body(app, f"{TWO}&open=packages")
    finally:
        figures_of_packages.cache_clear()
    text = text_of(find(page, "section-packages")["children"])
    cards = text.replace("AP: ", "")
    assert "Mean values" in text
    assert "Means of <b>runs</b>." in text  # as text
    assert "No columns Not drawn. This figure can't be drawn: KeyError: '<i>'" in cards
    assert "This figure can't be drawn: ValueError: the dashboard draws no scatter3d" in text
    figure = find_by(page, {"graph": "package-mean_values"})["figure"]
    assert [clean(name) for name in figure["data"][0]["x"]] == ["bm25", "tfidf"]
    assert figure["layout"]["title"] == {"text": "own"}
    assert figure["layout"]["template"]["layout"]  # the dashboard's


def test_the_matrix_is_row_less_column_with_the_best_first(app: Browserless) -> None:
    page = body(app, f"{THREE}&open=pairs&m=Rprec&base=tfidf")
    text = text_of(find(page, "section-pairs")["children"])
    # Means over what both answer: bm25 0.9, tfidf 0.6; bm25 − tfidf = +0.3.
    assert "bm25 +0.3000" in text
    assert "tfidf −0.3000" in text
    assert text.index("bm25 +0.3000") < text.index("tfidf −0.3000")


@pytest.mark.parametrize("measure", ["P", "R", "CG", "DCG", "nDCG"])
def test_curves_by_rank_end_where_the_rankings_end(app: Browserless, measure: str) -> None:
    page = body(app, f"{TWO}&open=ranks&rank={measure}")
    figure = find_by(page, {"graph": "ranks"})["figure"]
    assert figure["data"][0]["x"] == [5]  # no ranking has more than 3 documents
    assert f"{measure}@k" in text_of(find(page, "section-ranks")["children"])


def test_only_the_parameters_that_differ_are_listed(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'f.db'}") as store:
        qrels = write_qrels(tmp_path)
        for name, k1 in (("one", 0.9), ("two", 1.2)):
            path = write_run(tmp_path, {"q1": [f"d{name}", "d1"]}, f"{name}.run", "bm25")
            facts = GivenFacts(parameters={"k1": k1, "b": 0.4})
            add(store, tmp_path, path, qrels=qrels, engine="bm25", facts=facts)
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/test/compare?runs=one,two&open=facts")
        section = text_of(find(page, "section-facts")["children"])
        assert "k1 0.9 1.2" in section
        assert "0.4" not in section
        assert "Parameters that differ: 1 of " in section


def test_why_has_the_queries_documents_and_parameters_that_make_the_difference(
    tmp_path: Path,
) -> None:
    far = [f"x{number}" for number in range(10)]
    qrels = {"q1": {"d": 1}, "q2": {"d": 1}, "q3": {"d": 1}, "q4": {"d": 1}}
    old = {"q1": ["d"], "q2": ["d"], "q3": ["d"], "q4": ["x", "d"]}
    new = {"q1": [*far, "d"], "q2": ["x", "d"], "q3": ["d"], "q4": ["d"]}
    with Store.open(f"sqlite:///{tmp_path / 'w.db'}") as store:
        qrels_path = write_qrels(tmp_path, qrels)
        for name, rankings, k1 in (("old", old, 0.9), ("new", new, 1.2)):
            run = write_run(tmp_path, rankings, f"{name}.run", name)
            add(store, tmp_path, run, qrels=qrels_path, facts=GivenFacts(parameters={"k1": k1}))
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/test/compare?runs=old,new&base=old&m=RR&open=why")
    why = find(page, "section-why")["children"]
    # RR falls by 10/11 on q1 and by 1/2 on q2, and rises by 1/2 on q4.
    text = text_of(why)
    assert (
        "RR: 2 of the 2 queries with a difference below 0 make 100 % of what these differ" in text
    )
    assert text.index("q1 −0.9091 d 1 → 11 –") < text.index("q2 −0.5000 – –")
    assert "q3" not in text
    queries, _, unjudged = text.partition("Unjudged documents")
    assert "q4" not in queries
    # With x relevant, old has RR 1 on q4 and not 1/2: a quarter of the 1/2 in the mean.
    assert "? q4 x −0.1250" in unjudged
    assert "k1 0.9 1.2" in text
    assert '"/c/test/query/q1?runs=old,new&base=old&m=RR"' in as_json(why)


def test_why_names_a_query_that_a_run_does_not_answer_and_has_the_notes_as_texts(
    tmp_path: Path,
) -> None:
    runs = {"old": {"q1": ["d"], "q2": ["d"]}, "new": {"q2": ["d"]}}
    note = "By *mistake* <img src=x> one query is lost"
    with Store.open(f"sqlite:///{tmp_path / 'n.db'}") as store:
        qrels = write_qrels(tmp_path, {"q1": {"d": 1}, "q2": {"d": 1}})
        for name, facts in (("old", GivenFacts()), ("new", GivenFacts(note=note))):
            run = write_run(tmp_path, runs[name], f"{name}.run", name)
            add(store, tmp_path, run, qrels=qrels, facts=facts)
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/test/compare?runs=old,new&base=old&m=RR&open=why")
    why = find(page, "section-why")["children"]
    text = text_of(why)
    assert "q1 new : it does not answer this query −1.0000 d 1 → not retrieved" in text
    assert f"Note of new : {note}" in text
    assert "Note of old" not in text
    assert "dangerously" not in as_json(why)


def test_why_opens_below_its_chip_but_leads_a_page_that_is_opened_with_it(
    app: Browserless,
) -> None:
    address = "/c/small/compare?runs=bm25,tfidf"
    closed, opened = (as_json(body(app, page)) for page in (address, f"{address}&open=why"))
    assert closed.index('"curves"') < closed.index('"section-why"')
    assert opened.index('"section-why"') < opened.index('"curves"')


def test_why_of_runs_without_a_difference_says_so(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'w.db'}") as store:
        same = {"q1": ["d"]}
        sample_stores.add(
            store, tmp_path, "c", {"q1": {"d": 1}}, {"a": same, "b": {"q1": ["d", "e"]}}
        )
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/c/compare?runs=a,b&m=RR&open=why")
    assert "There is no difference to explain" in text_of(find(page, "section-why")["children"])


def test_slices_begin_with_all_and_call_small_ones_small(app: Browserless) -> None:
    text = text_of(find(body(app, f"{TWO}&open=slices&slice=length"), "section-slices")["children"])
    assert text.index("all 5 small") < text.index("(none) 2 small")


def test_without_attributes_slices_say_where_they_come_from(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 't.db'}") as store:
        runs = {"a": {"q1": ["d"]}, "b": {"q1": ["x", "d"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        page = body(app, "/c/c/compare?runs=a,b&open=slices")
    assert "Further columns of the queries file are attributes" in text_of(page)


def test_the_statistics_name_four_tests_and_the_one_that_decides(app: Browserless) -> None:
    text = text_of(find(body(app, f"{TWO}&open=tests"), "section-tests")["children"])
    for name in ("t test decides", "Wilcoxon test", "sign test", "randomization test"):
        assert name in text
    assert "Cohen's d" in text


# --- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "media_type", "start"),
    [
        ("comparison.csv", "text/csv", b"comparable,"),
        ("comparison.tex", "text/x-tex", b"%"),
        ("recall-precision.svg", "image/svg+xml", b"<?xml"),
        ("differences.svg", "image/svg+xml", b"<?xml"),
        ("recall-precision.png", "image/png", b"\x89PNG"),
        ("differences.png", "image/png", b"\x89PNG"),
        ("recall-precision.pdf", "application/pdf", b"%PDF"),
        ("differences.pdf", "application/pdf", b"%PDF"),
        ("report.html", "text/html", b"<!doctype html>"),
    ],
)
def test_the_page_can_be_had_as_files(
    app: Browserless, name: str, media_type: str, start: bytes
) -> None:
    answer = app.client.get(f"/export/c/small/compare/{name}?runs=bm25,tfidf")
    assert answer.status_code == 200
    assert answer.mimetype == media_type
    assert answer.data[:20].lower().startswith(start.lower())


def test_the_curves_of_a_marked_query_are_those_of_the_file(app: Browserless) -> None:
    of_means, of_query = (
        app.client.get(f"/export/c/small/compare/recall-precision.svg?runs=bm25,tfidf{more}").text
        for more in ("", "&query=q1")
    )
    assert "Interpolated precision" in of_means
    assert "Interpolated precision" not in of_query
    assert ">Precision<" in of_query


def test_the_long_file_has_a_row_for_each_query_and_run(app: Browserless) -> None:
    asked = "runs=bm25,boolean&m=Rprec"
    text = app.client.get(f"/export/c/small/compare/all-queries-long.csv?{asked}").text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 5
    assert rows[1] | {"query": ""} == {
        **{"qid": "q1", "query": "", "run": "boolean", "measure": "Rprec", "value": "0.0"},
        **{"baseline": "bm25", "difference": "-1.0"},
    }
    assert (rows[-1]["value"], rows[-1]["difference"]) == ("", "-1.0")  # no answer


def test_the_one_export_menu_is_in_the_header_and_says_what_each_file_holds(
    app: Browserless,
) -> None:
    page = app.page(THREE)
    menu = as_json(page["exports"])
    assert "/export/c/small/compare/report.html?runs=bm25,tfidf,boolean" in menu
    words = text_of(page["exports"]["children"])
    assert "queries.csv queries as the filters show them, a column a run" in words
    assert "all-queries-long.csv all queries, a row for each query and run" in words
    assert "/export/" not in as_json(page["page"])
    assert set(CONTENTS) <= set(PAGE.files)
    assert "differences.png the histogram of the pair" in words


def test_runs_that_can_not_be_compared_offer_only_files_that_say_why(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'n.db'}") as store:
        runs = {"one": {"q1": ["d1"]}, "two": {"q2": ["d1"]}}
        sample_stores.add(store, tmp_path, "c", {"q1": {"d1": 1}, "q2": {"d1": 1}}, runs)
        app = Browserless(create_app(store).server.test_client())
        menu = as_json(app.page("/c/c/compare?runs=one,two")["exports"])
        assert "queries.csv" not in menu
        for name in ("comparison.csv", "report.html"):
            assert name in menu
            assert app.client.get(f"/export/c/c/compare/{name}?runs=one,two").status_code == 200


def test_where_one_run_was_cut_the_difference_at_its_depth_is_in_the_heading(
    tmp_path: Path,
) -> None:
    # The first 10 documents are the same; the other 10 have a further relevant one.
    qids = [f"q{number}" for number in range(12)]
    deep = ["d", *(f"n{number}" for number in range(18)), "e"]
    runs = {"cut": dict.fromkeys(qids, deep[:10]), "deep": dict.fromkeys(qids, deep)}
    with Store.open(f"sqlite:///{tmp_path / 'd.db'}") as store:
        sample_stores.add(store, tmp_path, "c", {qid: {"d": 1, "e": 1} for qid in qids}, runs)
        app = Browserless(create_app(store).server.test_client())

        def claim(parameters: str) -> str:
            return text_of(find(body(app, f"/c/c/compare?{parameters}"), "claim")["children"])

        assert "deep is better than cut on AP by 0.0500" in claim("runs=cut,deep&m=AP")
        same = "At the depth of both rankings, the first 10 documents: 0.0000 (p = 1.0000"
        assert same in claim("runs=cut,deep&m=AP")
        for parameters in ("runs=cut,deep&m=P@10", "runs=cut,deep&m=Rprec"):
            assert "the depth of both" not in claim(parameters)


def test_where_much_is_unjudged_the_difference_on_judged_documents_stands_beside(
    tmp_path: Path,
) -> None:
    # Nobody judged what "new" has first; without it both rankings are the same.
    qrels = {f"q{number}": {"d": 1, "e": 0} for number in range(12)}
    rankings = {"old": ["d", "e"], "new": ["x", "d", "e"], "same": ["e", "d"]}
    runs = {name: {qid: list(ranking) for qid in qrels} for name, ranking in rankings.items()}
    with Store.open(f"sqlite:///{tmp_path / 'j.db'}") as store:
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        claim = text_of(find(body(app, "/c/c/compare?runs=old,new&m=RR"), "claim")["children"])
        assert "Of the top 10 of new 67 % is judged (old 100 %)." in claim
        assert "On judged documents alone: 0.0000 (p = 1.0000, not corrected)." in claim
        other = text_of(find(body(app, "/c/c/compare?runs=old,same&m=RR"), "claim")["children"])
        assert "judged documents alone" not in other
        even = text_of(find(body(app, "/c/c/compare?runs=old,new&m=P@1000"), "claim")["children"])
        assert "leaderboard" not in even  # nothing is shown that it could deny
        no_bounds = "How far unjudged documents could move AP is not known; for nDCG@10 it is."
        assert no_bounds in app.text("/c/c/compare?runs=old,new&m=AP")
        assert "could move AP" not in app.text("/c/c/compare?runs=old,new&m=nDCG@10")
        assert "could move AP" not in app.text("/c/c/compare?runs=old,same&m=AP")  # all is judged


ONE_RELEVANT = {"a": ["d"], "b": ["x", "d"]}


def test_nearly_flat_curves_say_so_and_name_success_at_k(tmp_path: Path) -> None:
    qrels = {f"q{number}": {"d": 1} for number in range(10)}
    runs = {name: {qid: list(ranking) for qid in qrels} for name, ranking in ONE_RELEVANT.items()}
    with Store.open(f"sqlite:///{tmp_path / 'o.db'}") as store:
        sample_stores.add(store, tmp_path, "c", qrels, runs)
        app = Browserless(create_app(store).server.test_client())
        text = app.text("/c/c/compare?runs=a,b")
        assert "On 100 % of the queries one document is relevant" in text
        assert "Success@1 / 5 / 10 tells more: a 1.000 / 1.000 / 1.000; b 0.000 / 1.000" in text
        assert "nearly flat" not in app.text("/c/c/compare?runs=a,b&query=q1")


def test_of_a_run_without_rankings_there_is_no_difference_at_a_common_depth(
    tmp_path: Path,
) -> None:
    qids = [f"q{number}" for number in range(3)]
    with Store.open(f"sqlite:///{tmp_path / 'v.db'}") as store:
        runs = {"cut": {qid: ["d"] for qid in qids}}
        sample_stores.add(store, tmp_path, "c", {qid: {"d": 1, "e": 1} for qid in qids}, runs)
        values = {"num_ret": "3", "map": "1.0000"}
        values |= {f"iprec_at_recall_{level / 10:.2f}": "1.0000" for level in range(11)}
        printed = "".join(f"{name}\t{qid}\t{of}\n" for qid in qids for name, of in values.items())
        path = tmp_path / "printed.txt"
        path.write_text(f"{printed}runid\tall\tprinted\n")
        qrels = store_qrels(store, "c")
        ingest(store, IngestOptions("c"), [str(path)], qrels=qrels)
        app = Browserless(create_app(store).server.test_client())
        claim = text_of(find(body(app, "/c/c/compare?runs=cut,printed&m=AP"), "claim")["children"])
    assert "printed is ahead of cut" in claim
    assert "the depth of both" not in claim

"""`evalstore demo`: a real experiment in a store, and again nothing changes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browserless import Browserless
from leaderboard_frames import collections, leaderboard
from samples import Program, dump_without_files

from dashboard.address import parse_href
from dashboard.app import create_app
from evalstore.catalog.links import engine_slots, saved_view, tour
from evalstore.catalog.queries import list_queries
from evalstore.comparison.choosing.baselines import baseline
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import load_stored_runs
from evalstore.comparison.significance import Pair
from evalstore.demo.corpus import Document, known_items
from evalstore.demo.engines import ENGINES, VERSIONS
from evalstore.demo.store import made_up_grade
from evalstore.measures import named_measures, parse
from evalstore.sql.ask import ask
from evalstore.store import Store
from evalstore.store.queries.events import Event, events
from evalstore.tracking.experiments import experiments
from evalstore.tracking.history import engine_history
from evalstore.tracking.run_overview import run_facts
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # the demo is built

URL = "sqlite:///evalstore.db"


@pytest.fixture(scope="module")
def demo(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store, for tests that only read it."""
    file = shutil.copy(built_demo / "evalstore.db", tmp_path_factory.mktemp("demo"))
    with Store.open(file, create=False) as store:
        yield store


@pytest.fixture
def printed(built_demo: Path, folder: Path) -> str:
    """What the program printed; the store is copied to the current folder."""
    shutil.copy(built_demo / "evalstore.db", folder)
    return (built_demo / "printed.txt").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_the_demo_again_changes_nothing(printed: str, program: Program) -> None:
    with Store.open(URL) as store:
        before = dump_without_files(store)
    second = program("demo", "--no-serve").stdout
    with Store.open(URL) as store:
        assert dump_without_files(store) == before
    assert "(0 new)" not in printed
    assert "(0 new)" in second


def test_the_demo_names_commands_that_work(printed: str, program: Program) -> None:
    commands = [line.split()[1:] for line in printed.splitlines() if line.startswith("  evalstore")]
    assert {"history", "runs", "leaderboard", "compare", "reevaluate"} <= {
        command[0] for command in commands
    }
    for command in commands:
        assert program(*command).stdout


def test_an_engine_has_the_same_colour_in_both_collections(demo: Store) -> None:
    assert engine_slots(demo, "python-docs") == engine_slots(demo, "python-summaries")


def test_the_demo_has_at_least_30_questions_and_four_engines(demo: Store) -> None:
    board = leaderboard(demo, "python-docs")
    assert board.queries >= 30
    assert board.runs["engine"].nunique() >= 4


def test_older_versions_are_an_experiment_of_their_own_and_fewer_than_the_engines(
    demo: Store,
) -> None:
    runs = leaderboard(demo, "python-docs").runs
    newest, older = (runs[runs["experiment"] == name] for name in ("demo", "demo-versions"))
    assert newest["run"].tolist() == newest["engine"].tolist()
    assert 0 < len(older) < len(newest)
    assert len(newest) + len(older) == len(runs)
    for experiment in experiments(demo):
        assert experiment.question
        assert experiment.conclusion


def test_what_is_made_up_is_marked_in_every_run(demo: Store) -> None:
    for version in VERSIONS:
        facts = run_facts(demo, version.name)
        assert facts.tags == ("made-up-facts",)
        assert "date, commit and parent are made up" in (facts.note or "")
        assert (facts.commit, facts.parent) == (version.commit, version.parent)
        assert facts.started_at == version.started_at
        assert facts.parameters == (version.engine.parameters or None)


def test_a_version_is_newer_than_the_one_it_was_derived_from() -> None:
    by_name = {version.name: version for version in VERSIONS}
    for version in VERSIONS:
        if version.parent is not None:
            assert by_name[version.parent].started_at < version.started_at
    assert list(by_name) == [v.name for v in sorted(VERSIONS, key=lambda v: v.started_at)]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "AP(judged_only=True)"])
def test_the_history_of_ql_stem_shows_the_regression_and_its_repair(
    demo: Store, measure: str
) -> None:
    """Also where documents without a judgment, which the older versions have, are left out."""
    history = engine_history(demo, "ql-stem", (measure, parse(measure)), "python-docs")
    change_of = {run.run: run.change for run in history.runs}
    assert change_of["ql-stem-2026-09"] == "worse"
    assert change_of["ql-stem"] == "better"


def test_every_run_has_measured_times_and_sizes(demo: Store) -> None:
    names = ["ResponseTime", "ResponseTime(percentile=95)", "IndexSize"]
    board = leaderboard(demo, "python-docs", measures=names)
    assert (board.values[names] > 0).all().all()
    size_of = dict(zip(board.runs["run"], board.values["IndexSize"], strict=True))
    assert size_of["bm25"] < size_of["bm25-name"]  # which searches the same and names
    assert size_of["bm25"] == size_of["tfidf"]


def test_bm25_is_the_baseline(demo: Store) -> None:
    stored = baseline(demo, "python-docs")
    assert stored is not None
    assert stored.name == "bm25"


def test_every_question_has_attributes(demo: Store) -> None:
    for query in list_queries(demo, "python-docs"):
        assert {*query.attributes} == {"area", "form", "words"}
        assert query.attributes["words"] == str(len((query.text or "").split()))


def test_engines_swap_between_the_draft_of_the_judgments_and_the_judgments(demo: Store) -> None:
    """Engines that the draft was not made with look worse than they are."""
    before, after = (
        leaderboard(demo, "python-docs", qrels).values["AP"] for qrels in ("qrels-draft", "qrels")
    )
    runs = leaderboard(demo, "python-docs").runs
    id_of = dict(zip(runs["run"], runs["run_id"], strict=True))
    assert before[id_of["bm25"]] > before[id_of["ql-stem"]]
    assert after[id_of["bm25"]] < after[id_of["ql-stem"]]
    assert leaderboard(demo, "python-docs").qrels == "qrels"  # the default


def demo_events(store: Store) -> list[Event]:
    with store.read() as connection:
        return list(events(connection, collection="python-docs"))


def test_each_stop_of_the_tour_shows_what_it_is_for(demo: Store) -> None:
    app = Browserless(create_app(demo).server.test_client())
    told = (
        "python-docs",
        "Why: ql-stem-2026-09",
        "ql-stem is ahead of bm25 on nDCG@10",
        "ql-stem is better than bm25 on nDCG@10",
        "outcome: failed",
        "milder",
        "10 rows",
    )
    for stop, words in zip(tour(demo), told, strict=True):
        assert words in app.text(f"/v/{stop.key}")
    assert "better" not in (tour(demo)[-1].name or "")  # its statement has no test


def test_five_judgments_decide_the_undecided_pair_of_the_tour(demo: Store) -> None:
    measures = named_measures("nDCG@10")

    def pair(qrels: str) -> Pair:
        loaded = load_stored_runs(demo, ["bm25", "ql-stem"], measures, qrels=qrels)
        return compare_loaded(loaded, measures).pairs[0]

    before, after = pair("qrels-but-five"), pair("qrels")
    assert (before.verdict, before.unjudged) == ("undecided", 5)
    assert (after.verdict, after.unjudged) == ("better", 0)


def test_the_made_up_judge_favours_one_engine_and_is_no_default(demo: Store) -> None:
    board, judged = (leaderboard(demo, "python-docs", q) for q in (None, "model-judge-made-up"))
    assert board.qrels == "qrels"
    newest = board.runs.loc[board.runs["experiment"] == "demo", ["run", "run_id"]]
    gains = {
        run: judged.values["nDCG@10"][id_] - board.values["nDCG@10"][id_]
        for run, id_ in newest.itertuples(index=False)
    }
    favoured = gains.pop("ql-stem")
    assert favoured > 1.5 * max(gains.values())


@pytest.mark.usefixtures("printed")
def test_the_made_up_judge_is_found_to_favour_the_family(program: Program) -> None:
    told = program("qrels", "diff", "qrels", "model-judge-made-up").stdout
    assert "b favours the runs of the family query likelihood" in told


def test_the_made_up_judge_raises_what_it_favours_and_keeps_grades_on_the_scale() -> None:
    favoured = {("q1", "d1")}
    assert [made_up_grade("q1", "d1", grade, favoured) for grade in range(4)] == [1, 2, 3, 3]
    others = {made_up_grade("q1", f"d{number}", 0, ()) for number in range(100)}
    assert others == {0}


def test_the_gate_of_the_tour_failed(demo: Store) -> None:
    [gate] = [event for event in demo_events(demo) if event.action == "gate"]
    assert (gate.subject, (gate.details or {})["outcome"]) == ("ql-stem-2026-09", "failed")


def test_the_demo_passes_the_check_of_the_store(demo: Store) -> None:
    assert db_check(demo).problems == ()


def test_the_demo_has_the_texts_of_its_questions_and_documents(demo: Store) -> None:
    assert (collections(demo)["documents"] > 1000).all()
    run_ids = leaderboard(demo, "python-docs").runs["run_id"].astype(str).tolist()
    loaded = load_stored_runs(demo, run_ids, {})
    assert set(loaded.texts) == set(loaded.runs[0].qids)


def test_the_engines_of_the_demo_win_on_different_queries(demo: Store) -> None:
    """It would be no example otherwise: each of the three best wins somewhere against the best."""
    board = leaderboard(demo, "python-docs")
    newest = board.runs.loc[board.runs["experiment"] == "demo", "run_id"]
    values = board.values.loc[newest, "nDCG@10"]
    best_three = values.sort_values(ascending=False).index[:3].astype(str).tolist()
    measures = named_measures("nDCG@10")
    loaded = load_stored_runs(demo, best_three, measures)
    for pair in compare_loaded(replace(loaded, baseline=0), measures).pairs:
        assert pair.wins > 2
        assert pair.losses > 2


def test_the_known_items_are_first_paragraphs_taken_out_of_their_documents() -> None:
    words = "one two three four five six seven eight nine ten"
    texts = {
        "a.kept": f"Return the sum of\nall numbers.\n\n{words}",
        "b.twice": f"Return the size of it.\n\n{words}",
        "c.twice": f"Return the size of it.\n\n{words}",
        "d.short": f"Return the sum.\n\n{words}",
        "e.alone": "Return the sum of all fractions.",
        "f.signature": f"f(a, b) -> the sum of both.\n\n{words}",
    }
    given = [Document(docno, docno, text) for docno, text in texts.items()]
    left, questions = known_items(given)
    assert questions == {"a.kept": "Return the sum of all numbers."}
    assert left == [given[0]._replace(text=words), *given[1:]]


def test_the_second_collection_has_every_engine_once(demo: Store) -> None:
    board = leaderboard(demo, "python-summaries")
    assert sorted(board.runs["engine"]) == sorted(engine.tag for engine in ENGINES)
    assert board.queries == 100


def test_the_last_stop_has_the_differences_of_both_collections(demo: Store) -> None:
    """Its figures are those of `compare` on each collection."""
    address = parse_href(saved_view(demo, tour(demo)[-1].key))
    rows = ask(demo, address.one("s")).rows
    of = {(engine, collection): difference for engine, collection, _, _, difference, _ in rows}
    measures = named_measures("nDCG@10")
    for collection, ending in (("python-docs", ""), ("python-summaries", "-summaries")):
        runs = [f"bm25{ending}", f"ql-stem{ending}"]
        loaded = load_stored_runs(demo, runs, measures, collection=collection)
        (pair,) = compare_loaded(loaded, measures).pairs
        assert of["ql-stem", collection] == pytest.approx(pair.difference, abs=1e-12)

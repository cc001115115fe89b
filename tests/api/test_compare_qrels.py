"""Two qrels compared in Python: dictionaries, files and stored ones, as frames."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import QRELS, TFIDF, write_qrels, write_run

import evalstore as ev
from evalstore.measures import P

STRICT = {"q1": {"d1": 2, "d2": 0, "d3": 0}, "q2": {"d4": 1, "d5": 0, "d9": 2}}


def test_frames_of_given_qrels() -> None:
    of = ev.compare_qrels(dict(QRELS), STRICT)
    assert list(of.confusion.columns) == [0, 1, 2, 3, "not judged"]
    assert of.confusion.loc[1, 0] == 2
    assert of.confusion.loc[3, "not judged"] == 1
    assert of.figures.loc["agreement", "value"] == 0.6
    assert of.by_grade["same"].tolist() == [1, 1, 1, 0]
    assert of.per_query["both"].tolist() == [3, 2, 0]
    assert of.runs.empty
    assert of.claims.empty
    assert of.to_dict()["sentence"] == of.sentence
    assert repr(of) == f"<QrelsComparison: {of.sentence}>"


def test_a_seed_and_the_number_of_resamples_are_chosen() -> None:
    one, two, three = (
        ev.compare_qrels(dict(QRELS), STRICT, resamples=9, seed=seed).figures.fillna(0)
        for seed in (1, 1, 2)
    )
    assert one.equals(two)
    assert not one.equals(three)


def test_stored_qrels_have_the_figures_of_given_ones(tmp_path: Path) -> None:
    runs = [write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")]
    paths = [write_qrels(tmp_path), write_qrels(tmp_path, STRICT, "strict.qrels")]
    given = ev.compare_qrels(*paths, runs, P @ 1)
    assert given.runs["rank_b"].tolist() == [1, 2]
    with ev.open(tmp_path / "store.db") as store:
        for path in paths:
            store.ingest(collection="test", qrels=path, runs=runs)
        stored = store.compare_qrels("test", "strict", "P@1")
        assert stored.runs.equals(given.runs)
        assert stored.figures.equals(given.figures)
        repeats = store.qrels_repeats(["test", "strict"], "P@1")
        of_files = ev.qrels_repeats(paths, runs, "P@1")
        assert (repeats.same, repeats.runs, repeats.claims) == (0.6, of_files.runs, of_files.claims)
        with pytest.raises(ev.errors.NotFound, match="no qrels 'strickt'"):
            store.compare_qrels("test", "strickt")


def test_a_models_judgments_lose_and_invent_and_its_own_family_alone_is_tested(
    tmp_path: Path,
) -> None:
    qids = [f"q{number}" for number in range(8)]
    people = write_qrels(tmp_path, {qid: {"x": 1, "y": 1, "z": 0} for qid in qids})
    judged = {qid: {"x": 2, "y": 1, "z": n % 2} for n, qid in enumerate(qids)}
    llm = write_qrels(tmp_path, judged, "llm.qrels")
    by = "model=gpt-4o,family=gpt"
    runs = {
        name: ev.Run.from_dict({qid: dict.fromkeys(docnos, 1) for qid in qids})
        for name, docnos in (("ours", "x"), ("other", "y"), ("third", "z"))
    }
    families = {"ours": "gpt", "other": "llama"}
    of_files = ev.compare_qrels(people, ev.read_qrels(llm, judged_by=by), runs, families=families)
    rows = of_files.families.set_index("family")
    assert rows["p_corrected"].notna().to_dict() == {"gpt": True, "llama": False}
    assert (
        "1 by b alone; none turns the other way; b favours the runs of the family gpt, by"
        in of_files.sentence
    )
    with ev.open(tmp_path / "store.db") as store:
        for run, given in runs.items():
            stated = {"family": families[run]} if run in families else {}
            store.ingest(collection="test", qrels=people, runs={run: given}, params=stated)
            store.ingest(
                collection="test", qrels=ev.read_qrels(llm, judged_by=by), runs={run: given}
            )
        of_store = store.compare_qrels("test", "llm")
        assert of_store.families.equals(of_files.families)
        assert of_store.sentence == of_files.sentence

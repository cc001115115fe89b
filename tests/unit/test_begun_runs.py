"""Runs that are begun before the store is open are taken only if they are what it asks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from evalstore.catalog.given_facts import GivenFacts
from evalstore.evaluation import parallel
from evalstore.evaluation.parallel import Begun
from evalstore.evaluation.prepare import Prepared, Request
from evalstore.evaluation.processes import Forked
from evalstore.formats import Qrels, ReadOptions
from evalstore.formats.sources import RunSource, RunSources
from evalstore.ingest import begun_runs as use_case
from evalstore.ingest.begun_runs import BegunRuns, begin_runs
from evalstore.measures import parse_list

SOURCES = (RunSource("bm25.run"), RunSource("dense.run"))
QRELS = Qrels.from_dict({"q1": {"d1": 1}})
REQUEST = Request("web", measures=tuple(parse_list("AP").values()), options=ReadOptions(threads=1))


class Results:
    """In the place of what processes do."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def begun() -> tuple[BegunRuns, Results]:
    results = Results()
    processes = cast("Begun[RunSource, Prepared]", results)
    return BegunRuns((RunSources(SOURCES),), QRELS, SOURCES, REQUEST, processes), results


def test_what_was_begun_is_taken_where_it_is_what_is_asked() -> None:
    """Of a request, only what reading a file uses counts."""
    runs, results = begun()
    request = replace(REQUEST, engine="Lucene", replace=True, facts=GivenFacts(tags=("new",)))
    assert runs.results(list(SOURCES), QRELS, request) is results
    assert not results.is_closed


OTHERS: dict[str, dict[str, Any]] = {
    "a run less": {"sources": SOURCES[:1]},
    "other judgments": {"qrels": Qrels.from_dict({"q1": {"d1": 1}})},
    "other measures": {"measures": tuple(parse_list("AP,RR").values())},
    "another name": {"name": "bm25"},
    "another collection": {"collection": "news"},
    "more rows": {"keep_top": 1000},
    "another evaluator": {"compat": "trec_eval-9"},
    "disjoint": {"allow_disjoint": True},
    "without identical ids": {"ignore_identical_ids": True},
    "query ids": {"options": replace(REQUEST.options, query_ids={"red dress": ("q1",)})},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_the_processes_end_where_something_else_is_asked(other: dict[str, Any]) -> None:
    runs, results = begun()
    sources, qrels = other.get("sources", SOURCES), other.get("qrels", QRELS)
    fields = {name: value for name, value in other.items() if name not in ("sources", "qrels")}
    assert runs.results(sources, qrels, replace(REQUEST, **fields)) is None
    assert results.is_closed


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def begin(**given: Any) -> BegunRuns | None:
    """Begin two runs, or what is given in their place, without processes."""
    usual = {"paths": ["bm25.run", "dense.run"], "jobs": 2, "measures": None, "collection": "web"}
    asked = {**usual, **given}
    paths, qrels = asked.pop("paths"), asked.pop("qrels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parallel, "WORTH_IT", 0)
        patch.setattr(use_case, "Begun", lambda *_: Results())
        return begin_runs(paths, qrels, ReadOptions(), cast("Forked", None), **asked)


def test_runs_are_begun_as_a_new_store_asks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "bm25.run", "q1 Q0 d1 1 2.5 bm25\n")
    write(tmp_path, "dense.run", "q1 Q0 d2 1 2.5 dense\n")
    runs = begin(qrels=write(tmp_path, "web.qrels", "q1 0 d1 1\n"))
    assert runs is not None
    asked = replace(REQUEST, measures=tuple(parse_list("standard").values()))
    assert runs.results(SOURCES, runs.qrels, asked) is not None


CAN_T_BE_BEGUN: dict[str, dict[str, Any]] = {
    "no judgments": {"qrels": None},
    "no such judgments": {"qrels": "missing.qrels"},
    "bad judgments": {"qrels": "q1 0 d1\n"},
    "judgments by the texts of queries": {"qrels": '"query","docid","rating"\n"red",d1,1\n'},
    "standard input": {"paths": ["-", "bm25.run"]},
    "no such run": {"paths": ["bm25.run", "missing.run"]},
    "one process": {"jobs": 1},
    "unknown measures": {"measures": "Quality"},
    "measures of facts": {"measures": "alpha_nDCG@10"},
    "a name that can't be": {"name": "a\nb"},
}


@pytest.mark.parametrize("given", CAN_T_BE_BEGUN.values(), ids=CAN_T_BE_BEGUN)
def test_nothing_is_begun_where_something_is_wrong_or_the_store_is_needed(
    given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told in its turn, by what would be done otherwise."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "bm25.run", "q1 Q0 d1 1 2.5 bm25\n")
    write(tmp_path, "dense.run", "q1 Q0 d2 1 2.5 dense\n")
    qrels = write(tmp_path, "web.qrels", "q1 0 d1 1\n")
    if " " in (given.get("qrels") or "") or "," in (given.get("qrels") or ""):
        given = {**given, "qrels": write(tmp_path, "other.qrels", given["qrels"])}
    assert begin(**{"qrels": qrels, **given}) is None

"""Runs are chosen by what is recorded of them: conditions on facts, and words in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from databases import both_databases, both_for_the_first
from samples import BM25, HOSTILE, NOTHING_FOR_Q3, TFIDF, Filled, add, write_run

import evalstore as ev
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import Condition, parse_conditions
from evalstore.catalog.runs import remove_runs
from evalstore.errors import DataError, NotFound
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.store import Store

HEADER = {
    "method": {"name": "BM25", "retrieval": [{"name": "first", "k": 10}, {"name": "second"}]},
    "research goal": {"evaluation": {"baseline": ["ql", "tfidf"]}},
    "notes": {"empty": {}, "none": None},
}
FACTS: dict[str, GivenFacts] = {
    "bm25": GivenFacts(
        parameters={"k1": 0.9, "b": 1, "index.stemmer": "porter", "host": "p"},
        tags=("paper", "stage=prod"),
        note="The *first* baseline",
        host="search-1",
        header=HEADER,
    ),
    "dense": GivenFacts(
        parameters={"k1": 1.2, "model": "minilm", "rerank": True},
        commit="4f2a9c1",
        header={"method": {"name": "Dense"}},
    ),
    "plain": GivenFacts(),
}


def fill(store: Store, folder: Path) -> None:
    """A store with the runs bm25, dense and plain."""
    contents = (BM25, TFIDF, NOTHING_FOR_Q3)
    for (name, facts), ranking in zip(FACTS.items(), contents, strict=True):
        path = write_run(folder, ranking, f"{name}.run", f"tag-{name}")
        add(store, folder, path, facts=facts, engine=f"engine of {name}", experiment="June")


@pytest.fixture
def three(read_only: Filled) -> Store:
    return read_only(fill)


@pytest.fixture
def own(copied: Filled) -> Store:
    """The same for a test that changes it."""
    return copied(fill)


def chosen(store: Store, *where: str, find: str | None = None) -> list[str]:
    choice = Choice(where=parse_conditions(where), find=find)
    return [run.run for run in list_runs(store, [], choice)]


@both_for_the_first(
    "where,expected",
    [
        (["k1>=0.9"], ["bm25", "dense"]),
        (["k1>0.9"], ["dense"]),
        (["parameters.k1<1"], ["bm25"]),
        (["k1=0.90"], ["bm25"]),
        (["b=1.0"], ["bm25"]),
        (["k1!=0.9"], ["dense", "plain"]),
        (["model=minilm"], ["dense"]),
        (["rerank=true"], ["dense"]),
        (["index.stemmer=porter"], ["bm25"]),
        (["header.method.name=BM25"], ["bm25"]),
        (["header.method.name!=BM25"], ["dense", "plain"]),
        (["header.method.retrieval.name=second"], ["bm25"]),
        (["header.method.retrieval.2.name=second"], ["bm25"]),
        (["header.method.retrieval.k>5"], ["bm25"]),
        (["header.research goal.evaluation.baseline=tfidf"], ["bm25"]),
        (["host=search-1"], ["bm25"]),
        (["parameters.host=p"], ["bm25"]),
        (["commit=4f2a9c1"], ["dense"]),
        (["tags=paper"], ["bm25"]),
        (["tags=stage=prod"], ["bm25"]),
        (["tag=tag-plain"], ["plain"]),
        (["run!=plain", "engine=engine of dense"], ["dense"]),
        (["k1>=0.9", "k1<1"], ["bm25"]),
        (["k1>=0.9", "run=plain"], []),
        (["model>1"], []),
    ],
)
def test_conditions_choose_runs_by_their_facts(
    three: Store, where: list[str], expected: list[str]
) -> None:
    assert chosen(three, *where) == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("modl=minilm", "no run has the fact 'modl'; did you mean 'model'?"),
        ("header.methd.name=x", "no run has the fact 'header.methd.name'; did you mean"),
        ("header.notes.none=x", "no run has the fact 'header.notes.none'"),
        ("zzz=1", "no run has the fact 'zzz'; known: b, collection, commit, "),
        ("model=minlm", "no run has 'model=minlm'; did you mean 'minilm'?; the values of"),
        ("k1=5", "no run has 'k1=5'; the values of 'k1' are 0.9, 1.2"),
        ("k1!=5", "no run has 'k1=5'"),
    ],
)
def test_a_fact_or_value_that_no_run_has_is_an_error_that_names_the_nearest(
    three: Store, where: str, message: str
) -> None:
    with pytest.raises(NotFound) as error:
        chosen(three, where)
    assert str(error.value).startswith(message)


@both_databases
def test_only_the_runs_that_other_options_choose_are_asked(three: Store) -> None:
    with pytest.raises(NotFound, match="'model'"):
        list_runs(three, [], Choice(tag="paper", where=parse_conditions("model=minilm")))


def test_a_removed_run_is_not_asked(own: Store) -> None:
    remove_runs(own, ["dense"])
    with pytest.raises(NotFound, match="'model'"):
        chosen(own, "model=minilm")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BM25", ["bm25"]),
        ("dense", ["dense"]),
        ("engine", ["bm25", "dense", "plain"]),
        ("june", ["bm25", "dense", "plain"]),
        ("tag-plain", ["plain"]),
        ("STAGE=prod", ["bm25"]),
        ("first baseline", ["bm25"]),
        ("*first*", ["bm25"]),
        ("minilm", ["dense"]),
        ("stemmer", ["bm25"]),
        ("1.2", ["dense"]),
        ("research tfidf", ["bm25"]),
        ("4f2a", ["dense"]),
        ("minilm porter", []),
        ("parameters", []),
        ("header", []),
        ("nothing has this", []),
        (" ", ["bm25", "dense", "plain"]),
    ],
)
def test_words_are_found_in_names_tags_notes_parameters_and_headers(
    three: Store, text: str, expected: list[str]
) -> None:
    assert chosen(three, find=text) == expected


def test_words_and_conditions_both_have_to_fit(three: Store) -> None:
    assert chosen(three, "k1>=0.9", find="minilm") == ["dense"]
    assert chosen(three, "k1<1", find="minilm") == []


@both_databases
def test_how_a_character_is_composed_does_not_matter(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path), facts=GivenFacts(note="cafe\u0301"))
    assert chosen(store, find="CAF\u00c9") == ["bm25"]


@pytest.mark.slow
@both_for_the_first("name", HOSTILE)
def test_hostile_values_are_found_as_they_are(store: Store, tmp_path: Path, name: str) -> None:
    facts = GivenFacts(parameters={"p": name}, header={"a": {"b": [name]}})
    add(store, tmp_path, write_run(tmp_path), facts=facts)
    choice = Choice(where=(Condition("p", "=", name), Condition("header.a.b", "=", name)))
    assert [run.run for run in list_runs(store, [], choice)] == ["bm25"]
    assert chosen(store, find=name) == ["bm25"]


def test_an_empty_store_has_no_run_whatever_is_asked_for(store: Store) -> None:
    assert chosen(store, "k1>0", find="x") == []


def test_runs_are_chosen_in_python_too(tmp_path: Path) -> None:
    runs: dict[str, Any] = {name: BM25 if name == "bm25" else TFIDF for name in ("bm25", "tfidf")}
    qrels = {qid: dict.fromkeys(docnos, 1) for qid, docnos in BM25.items()}
    with ev.open(tmp_path / "evalstore.db") as store:
        for number, (name, rankings) in enumerate(runs.items()):
            scores = {
                qid: {docno: 9.0 - rank for rank, docno in enumerate(docnos)}
                for qid, docnos in rankings.items()
            }
            store.ingest(
                collection="test",
                qrels=qrels,
                runs={name: scores},
                engine=name,
                params={"k1": number},
                header={"method": {"name": name}},
            )
        assert list(store.runs(where="k1>=1")["run"]) == ["tfidf"]
        assert list(store.runs(where=["k1<1", "header.method.name=bm25"])["run"]) == ["bm25"]
        assert list(store.runs(find="TFIDF")["run"]) == ["tfidf"]
        with pytest.raises(DataError, match="expected one of"):
            store.runs(where="k1")
        path = tmp_path / "out.run"
        store.run("bm25").ranking.write(path)
        assert ev.read_run(path).facts == {"header": {"method": {"name": "bm25"}}}

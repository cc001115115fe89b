"""The ir_metadata that heads a run file: stored, corrected and written back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from changed_runs import annotate
from databases import both_databases
from samples import BM25, TFIDF, add, run_text, statuses, write, write_run

from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.differences import differing_facts
from evalstore.errors import DataError
from evalstore.formats import read_run
from evalstore.formats.any_format import write_file
from evalstore.store import Store
from evalstore.tracking.run_overview import rows, run_facts
from evalstore.transfer.copy import copy
from evalstore.transfer.export import run_lists

HEADER: dict[str, Any] = {
    "tag": "007",
    "actor": {"team": "a: b # c", "mood": "\u202e\u2028🦉 null"},
    "research goal": {"evaluation": {"baseline": ["1e5", "no"]}},
    "implementation": {"source": {"commit": "1234567"}, "executable": {"cmd": "a --b 'c'"}},
    "method": {"automatic": False, "retrieval": [{"name": "bm25", "k1": 0.9, "b": None}]},
    "notes": {"text": "two\nlines\nir_metadata.end\n# more", "empty": {}, "list": []},
}


def lines_of(header: dict[str, Any]) -> str:
    from evalstore.formats.facts.ir_metadata import header_lines

    return "".join(f"{line}\n" for line in header_lines(header))


def headed(folder: Path, header: dict[str, Any] = HEADER, name: str = "bm25.run") -> str:
    """A run file with a header."""
    return write(folder / name, lines_of(header) + run_text(BM25))


def header_of(store: Store, run: str = "bm25") -> Any:
    return run_facts(store, run).header


def test_a_run_has_the_header_of_its_file_and_its_commit_and_command(
    store: Store, tmp_path: Path
) -> None:
    [outcome] = add(store, tmp_path, headed(tmp_path))
    assert outcome.status == "stored"
    assert header_of(store) == HEADER
    facts = run_facts(store, "bm25")
    assert (facts.commit, facts.command) == ("1234567", "a --b 'c'")
    assert any("'actor.mood'" in warning for warning in outcome.warnings)


@both_databases
def test_the_commit_of_the_checkout_gives_way_to_that_of_the_header(
    store: Store, tmp_path: Path
) -> None:
    origin = GivenFacts(commit="c0", commit_dirty=True, host="here")
    add(store, tmp_path, headed(tmp_path), origin=origin)
    facts = run_facts(store, "bm25")
    assert (facts.commit, facts.commit_dirty, facts.host) == ("1234567", None, "here")


def test_a_header_does_not_make_another_run(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert statuses(add(store, tmp_path, headed(tmp_path))) == ["already stored"]
    assert header_of(store) is None


def test_a_header_that_is_no_yaml_does_not_lose_the_run(store: Store, tmp_path: Path) -> None:
    text = "# ir_metadata.start\n# a: [\n# ir_metadata.end\n" + run_text(BM25)
    [outcome] = add(store, tmp_path, write(tmp_path / "bm25.run", text))
    assert outcome.status == "stored"
    assert header_of(store) is None
    assert any("bm25.run:" in w and "the header is left out" in w for w in outcome.warnings)


def export(store: Store, path: Path) -> str:
    with run_lists(store, "bm25") as lists:
        write_file(lists, "run", str(path))
    return str(path)


def test_an_exported_run_has_its_header_first_and_reads_as_the_same_run(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, headed(tmp_path))
    exported = export(store, tmp_path / "exported.run")
    assert Path(exported).read_text(encoding="utf-8").startswith("# ir_metadata.start\n")
    run = read_run(exported)
    assert run.facts["header"] == HEADER
    assert run.to_dict() == read_run(headed(tmp_path)).to_dict()
    (again,) = add(store, tmp_path, exported)
    assert (again.status, bool(again.same_as)) == ("stored", True)


def test_a_run_without_a_header_is_exported_without_one(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, write_run(tmp_path))
    assert "#" not in Path(export(store, tmp_path / "x.run")).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["again.run", "again.run.gz"])
def test_a_run_that_was_read_is_written_with_its_header(tmp_path: Path, name: str) -> None:
    run = read_run(headed(tmp_path))
    run.write(tmp_path / name)
    again = read_run(str(tmp_path / name))
    assert again.facts == run.facts
    assert again.to_dict() == run.to_dict()


@both_databases
def test_a_header_is_replaced_and_taken_away_later(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, headed(tmp_path))
    changes = annotate(store, "bm25", GivenFacts(header={**HEADER, "tag": "new"}))
    assert changes == {"header.tag": ("007", "new")}
    annotate(store, "bm25", GivenFacts(), unset=["header"])
    assert header_of(store) is None
    assert run_facts(store, "bm25").commit == "1234567"


def test_a_header_given_in_memory_is_checked() -> None:
    with pytest.raises(DataError, match="'x' can't be in a header"):
        GivenFacts(header={"x": object()})


def test_a_header_is_shown_a_row_for_each_value(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, headed(tmp_path))
    facts = dict(rows(run_facts(store, "bm25")))
    assert facts["header.method.retrieval.1.k1"] == 0.9
    assert facts["header.research goal.evaluation.baseline"] == ["1e5", "no"]
    assert facts["header.notes.empty"] == {}


def test_runs_differ_in_the_keys_of_their_headers(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, headed(tmp_path))
    other = {**HEADER, "method": {"automatic": True}}
    text = lines_of(other) + run_text(TFIDF)
    add(store, tmp_path, write(tmp_path / "tfidf.run", text))
    a, b = run_facts(store, "bm25"), run_facts(store, "tfidf")
    facts = {fact.fact: (fact.a, fact.b) for fact in differing_facts(a, b)}
    assert facts["header.method.automatic"] == (False, True)
    assert facts["header.method.retrieval.1.name"] == ("bm25", None)
    assert "header.actor.team" not in facts


def test_a_copy_of_the_store_keeps_headers(store: Store, tmp_path: Path) -> None:
    add(store, tmp_path, headed(tmp_path))
    with Store.open(f"sqlite:///{tmp_path / 'copy.db'}") as target:
        copy(store, target)
        assert header_of(target) == HEADER

"""Judgments of models in a store: their origin, identity and default, and texts without ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from databases import both_databases
from samples import QRELS, Grades, add, write_qrels, write_run

from evalstore.catalog.qrels import list_qrels, purge_qrels, remove_qrels
from evalstore.errors import DataError
from evalstore.formats import Document, ReadOptions
from evalstore.formats.facts.judged_by import parse_judged_by
from evalstore.ingest.documents import store_texts
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export_parquet import export_parquet
from evalstore.transfer.import_parquet import check_folder, import_parquet

MODEL = "model=gpt-4o,temperature=0"


def of_model(store: Store, path: str, judged_by: str = MODEL, **asked: bool) -> str:
    """Store judgments of a model; returns their name."""
    options = ReadOptions(judged_by=parse_judged_by(judged_by))
    return store_qrels(store, "test", qrels_path=path, options=options, **asked).qrels_name


@both_databases
def test_repeats_with_the_same_grades_are_told_apart_and_never_the_default(
    store: Store, tmp_path: Path
) -> None:
    people = write_qrels(tmp_path)
    with pytest.raises(DataError, match="a model's judgments would be the first of collection"):
        of_model(store, people)
    store_qrels(store, "test", qrels_path=people)
    names = [of_model(store, people, f"{MODEL},repeat={repeat}") for repeat in (1, 2, 1)]
    assert names == ["test (2)", "test (3)", "test (2)"]
    # The file without its judge is that of people, who have the same grades.
    assert store_qrels(store, "test", qrels_path=people).qrels_name == "test"
    stored = {qrels.name: qrels for qrels in list_qrels(store)}
    assert stored["test (3)"].origin == {
        **{"kind": "model", "model": "gpt-4o", "temperature": 0, "repeat": 2}
    }
    assert (stored["test"].origin, stored["test"].is_default) == (None, True)
    # No model's judgments take the place of a removed default while people's are left.
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path, {"q1": {"d1": 1}}, "few.qrels"))
    of_model(store, write_qrels(tmp_path, {"q1": {"d2": 1}}, "llm.qrels"))
    remove_qrels(store, ["test"])
    assert [qrels.name for qrels in list_qrels(store) if qrels.is_default] == ["few"]


def test_grades_of_a_model_off_the_scale_are_counted(store: Store, tmp_path: Path) -> None:
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    grades: Grades = {"q1": {"d1": -1, "d2": -2, "d3": 3}, "q2": {"d4": 4, "d5": 10}}
    path = write_qrels(tmp_path, grades, "llm.qrels")
    said: list[str] = []
    options = ReadOptions(judged_by=parse_judged_by(MODEL))
    store_qrels(store, "test", qrels_path=path, options=options, warn=said.append)
    assert said[:2] == [
        f"{path}: 2 grades are below 0: they count as not judged",
        f"{path}: 2 grades are above 3, the highest grade of the judgments",
    ]
    said.clear()
    store_qrels(store, "test", qrels_path=path, warn=said.append)  # of people, as far as is known
    assert not any("grades are" in one for one in said)


@both_databases
def test_a_models_judgments_are_checked_exported_and_imported_with_their_origin(
    store: Store, tmp_path: Path
) -> None:
    add(store, tmp_path, write_run(tmp_path))
    of_model(store, write_qrels(tmp_path))
    assert list(db_check(store).problems) == []
    export_parquet(store, tmp_path / "files")
    with Store.open(str(tmp_path / "other.db")) as other:
        copied = import_parquet(other, check_folder(tmp_path / "files"))
        assert "failed" not in {one.status for one in copied}
        assert [one.origin for one in list_qrels(other)] == [
            one.origin for one in list_qrels(store)
        ]
        assert list(db_check(other).problems) == []


def test_a_file_that_names_no_judge_is_a_models_if_a_model_gave_the_same_grades(
    store: Store, tmp_path: Path
) -> None:
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path))
    llm = write_qrels(tmp_path, {"q1": {"d1": 1}}, "llm.qrels")
    assert of_model(store, llm) == store_qrels(store, "test", qrels_path=llm).qrels_name == "llm"
    remove_qrels(store, ["llm"])
    purge_qrels(store)
    assert store_qrels(store, "test", qrels_path=llm).qrels_name == "llm"
    assert list_qrels(store)[1].origin is None


def test_a_person_can_make_a_models_judgments_the_default(store: Store, tmp_path: Path) -> None:
    assert of_model(store, write_qrels(tmp_path), default_qrels=True) == "test"
    assert [qrels.is_default for qrels in list_qrels(store)] == [True]


def test_umbrelas_output_without_ids_is_found_by_stored_texts(store: Store, tmp_path: Path) -> None:
    store_qrels(store, "test", qrels_path=write_qrels(tmp_path), queries={"q1": "red dress"})
    add(store, tmp_path, write_run(tmp_path))
    store_texts(
        store, "test", [Document("d1", "Gowns", "all of silk"), Document("d2", "", "a shoe")]
    )
    line = {"model": "m", "query": "red dress", "prediction": "2", "result_status": 1}
    texts = {"Gowns all of silk": 2, "a shoe": 0}
    path = tmp_path / "llm.jsonl"
    lines = [json.dumps({**line, "passage": text, "judgment": g}) for text, g in texts.items()]
    path.write_text("\n".join(lines), "utf-8")
    stored = store_qrels(store, "test", qrels_path=str(path))
    assert stored.qrels.to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert list_qrels(store)[1].origin == {"kind": "model", "model": "m"}
    assert QRELS["q1"]["d2"] == 1

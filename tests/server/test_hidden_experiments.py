"""Runs of several people in an experiment of one name: nobody learns of the others' runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import Program, Team
from sending import OTHER, Sender, run_file
from two_collections import OPEN, PRIVATE, SHARED, id_of, markers_in
from werkzeug.test import TestResponse

from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.errors import NotFound
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.sql.ask import ask
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.restriction import ROWS
from evalstore.tracking.experiments import edit_experiment, experiment_runs, experiments

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("works")]  # a worker stores what is sent

HIDDEN = "zanzibar experiment"
"""An experiment of the private collection alone."""

NAMES = [*ROWS, "leaderboard", "runs_overview"]
"""The tables, and the views that have experiments."""

OF_EACH_RUN = {
    "job",
    "id",
    "run_id",
    "engine_id",
    "content_id",
    "content_hash",
    "at",
    "date",
    "created_at",
    "ingested_at",
    "stored_at",
}
"""What is another one for each run."""


@pytest.fixture
def of_private(api: Team) -> Iterator[Sender]:
    """A program that may write into the private collection, and read no other."""
    token = create_token(api.store, "ci2", "contributor", PRIVATE)
    yield Sender(api.reader.served, token, PRIVATE)
    revoke_token(api.store, "ci2")


def send(sender: Sender, name: str, **facts: str) -> TestResponse:
    """Send a run that no other test sends."""
    hash_ = sender.send(run_file(name, {**OTHER, "q1": [name]}))
    return sender.store(hash_, file=f"{name}.run", **facts)


def move(sender: Sender, name: str, experiment: str) -> TestResponse:
    """Move a run into an experiment."""
    body = {"experiment": experiment, "collection": sender.collection}
    return Program(sender.served, sender.token).ask(f"/runs/{name}", "PATCH", json=body)


def readable(store: Store, collection: str) -> Store:
    """The store for who may read one collection."""
    return store.restricted_to({id_of(store, collection)})


def seen(store: Store, collection: str) -> dict[str, tuple[object, ...]]:
    """The experiments that people see who read one collection: their texts, times and runs."""
    part = readable(store, collection)
    by_name = {}
    for each in experiments(part):
        runs = experiment_runs(part, each.name, []).runs
        assert each.runs == len(runs)
        by_name[each.name] = (*vars(each).values(), *(run.run for run in runs))
    return by_name


# --- what a sender learns ------------------------------------------------------------------------


def learned(api: Team, sender: Sender, run: str, experiment: str) -> dict[str, Any]:
    """All that the sender finds who asks for a run and its experiment, by the place."""
    program = Program(sender.served, sender.token)
    answers = {
        "run": program.get(f"/runs/{run}"),
        "runs": program.get(f"/runs?experiment={experiment}"),
        "events of the run": program.get(f"/events?subject={run}")["events"],
        "events of the experiment": program.get(f"/events?subject={experiment}")["events"],
        "experiments": [
            row
            for row in program.get("/experiments?limit=1000")["experiments"]
            if row["name"] == experiment
        ],
    }
    for name, rows in table_rows(readable(api.store, OPEN)).items():
        answers[f"number of {name}"] = len(rows)
        answers[f"rows of {name}"] = [row for row in rows if experiment in row.values()]
    return answers


def table_rows(store: Store) -> dict[str, list[dict[str, Any]]]:
    """What can be read in SQL."""
    rows = {}
    for name in NAMES:
        answer = ask(store, f"SELECT * FROM {name}")
        rows[name] = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    return rows


def highest_ids(store: Store) -> dict[str, int]:
    """The highest id in each table."""
    tables = table_rows(store).items()
    return {name: max((row.get("id", 0) for row in rows), default=0) for name, rows in tables}


def without_names(content: Any, names: dict[str, str]) -> Any:
    """What was found, with other words for some names, without what each run has of its own."""
    if isinstance(content, dict):
        return {
            key: without_names(value, names)
            for key, value in content.items()
            if key not in OF_EACH_RUN
        }
    if isinstance(content, list | tuple):
        return [without_names(value, names) for value in content]
    return names.get(content, content) if isinstance(content, str) else content


@pytest.mark.each_database(by_night=True)
def test_the_name_of_a_private_experiment_is_answered_as_one_that_is_new(
    api: Team, sender: Sender
) -> None:
    assert_private_is_as_new(api, sender, "sent")


def test_a_run_is_moved_into_a_private_experiment_as_into_one_that_is_new(
    api: Team, sender: Sender
) -> None:
    assert_private_is_as_new(api, sender, "moved")


def assert_private_is_as_new(api: Team, sender: Sender, way: str) -> None:
    """An experiment of a private collection is answered as one that nobody has."""
    answers = []
    for number, experiment in enumerate(("of nobody yet", HIDDEN)):
        run, ids = f"{way}{number}", highest_ids(api.store)
        numbers = {name: len(rows) for name, rows in table_rows(readable(api.store, OPEN)).items()}
        if way == "sent":
            answer = send(sender, run, experiment=experiment)
        else:
            assert send(sender, run).status_code == 201
            answer = move(sender, run, experiment)
        all_of_it = learned(api, sender, run, experiment)
        (listed,) = all_of_it["experiments"]
        assert listed["created_at"] == all_of_it["run"]["created_at"]
        for name in NAMES:
            all_of_it[f"number of {name}"] -= numbers[name]
            assert all(
                row.get("id", ids[name] + 1) > ids[name] for row in all_of_it[f"rows of {name}"]
            )
        all_of_it |= {"status": answer.status_code, "answer": answer.get_json()}
        words = {run: "RUN", f"{run}.run": "FILE", experiment: "EXPERIMENT"}
        answers.append(without_names(all_of_it, words))
        remove_runs(api.store, [run], OPEN)
        purge_runs(api.store, [run], OPEN)
    of_nobody, hidden = answers
    assert of_nobody["rows of run"]
    assert of_nobody["experiments"]
    for where, what in of_nobody.items():
        assert hidden[where] == what, where


def test_an_experiment_is_named_where_a_run_leaves_it_since_its_people_know_it(
    api: Team, sender: Sender
) -> None:
    assert send(sender, "leaves", experiment=HIDDEN).status_code == 201
    assert move(sender, "leaves", "").get_json()["changes"] == {"experiment": [HIDDEN, None]}
    with api.store.read() as connection:
        assert events.events(connection)[-1].details == {"experiment": [HIDDEN, None]}
    assert HIDDEN not in seen(api.store, OPEN)


# --- what its people see -------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", [HIDDEN, SHARED])
def test_the_people_of_an_experiment_see_it_as_before_when_a_stranger_joins(
    api: Team, sender: Sender, experiment: str
) -> None:
    before = seen(api.store, PRIVATE)
    assert send(sender, f"joins-{experiment[0]}", experiment=experiment).status_code == 201
    assert seen(api.store, PRIVATE) == before
    stranger = seen(api.store, OPEN)[experiment]
    assert f"joins-{experiment[0]}" in stranger
    assert markers_in(stranger[1:]) == []


@pytest.mark.each_database
def test_a_private_run_neither_hides_an_experiment_of_others_nor_shows_its_texts(
    api: Team, of_private: Sender
) -> None:
    before = seen(api.store, OPEN)
    assert send(of_private, "unseen", experiment="plain experiment").status_code == 201
    assert seen(api.store, OPEN) == before
    name, _, question, conclusion, *_, run = seen(api.store, PRIVATE)["plain experiment"]
    assert (name, question, conclusion, run) == ("plain experiment", None, None, "unseen")


@pytest.mark.each_database
def test_texts_are_about_the_collections_that_had_runs_when_they_were_written(
    api: Team, sender: Sender, of_private: Sender
) -> None:
    for each in (sender, of_private):
        assert send(each, "nightly", experiment="nightly").status_code == 201
    edit_experiment(api.store, "nightly", "which is better?")
    both = api.store.restricted_to({id_of(api.store, name) for name in (OPEN, PRIVATE)})
    for store, question in [
        (both, "which is better?"),
        (readable(api.store, OPEN), None),
        (readable(api.store, PRIVATE), None),
    ]:
        assert experiment_runs(store, "nightly", []).experiment.question == question
    assert move(of_private, "nightly", "").status_code == 200
    with pytest.raises(NotFound):
        experiment_runs(readable(api.store, PRIVATE), "nightly", [])
    edit_experiment(api.store, "nightly", conclusion="none")
    assert seen(api.store, OPEN)["nightly"][2:4] == (None, None)


def test_texts_written_before_any_run_are_about_the_collection_of_the_first(
    api: Team, sender: Sender, of_private: Sender
) -> None:
    experiment = "zanzibar without runs"
    assert send(of_private, "first", experiment=experiment).status_code == 201
    assert seen(api.store, PRIVATE)[experiment][2] == "what is zanzibar?"
    assert send(sender, "second", experiment=experiment).status_code == 201
    assert seen(api.store, PRIVATE)[experiment][2] == "what is zanzibar?"
    assert seen(api.store, OPEN)[experiment][2] is None

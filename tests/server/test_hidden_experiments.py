"""A run that is sent with the name of an experiment that its sender may not know of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_client import Team
from sending import OTHER, Sender, run_file
from two_collections import OPEN, PRIVATE, SHARED, id_of
from werkzeug.test import TestResponse

from evalstore.server.people.accounts import grant
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store import Store
from evalstore.store.collections import set_access
from evalstore.usecases.experiments import experiment_runs, experiments
from evalstore.usecases.run_list import Choice, list_runs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("works")]  # a worker stores what is sent

HIDDEN = "zanzibar experiment"
"""An experiment of the private collection alone."""


@pytest.fixture
def of_private(api: Team) -> Iterator[Sender]:
    """A program that may write into the private collection, and read no other."""
    token = create_token(api.store, "ci2", "contributor", PRIVATE)
    yield Sender(api.reader.served, token, PRIVATE)
    revoke_token(api.store, "ci2")


def send(sender: Sender, docno: str, experiment: str) -> TestResponse:
    """Send a run that no other test sends, into an experiment."""
    hash_ = sender.send(run_file(docno, {**OTHER, "q1": [docno]}))
    return sender.store(hash_, file=f"{docno}.run", experiment=experiment)


def seen(store: Store, collection: str) -> dict[str, tuple[object, ...]]:
    """The experiments that people see who read one collection: their texts, times and runs."""
    part = store.restricted_to({id_of(store, collection)})
    found = {}
    for each in experiments(part):
        runs = experiment_runs(part, each.name, []).runs
        found[each.name] = (*vars(each).values(), *(run.run for run in runs))
    return found


@pytest.mark.parametrize("experiment", [HIDDEN, SHARED])
def test_no_run_joins_an_experiment_of_a_private_collection_that_its_sender_may_not_read(
    api: Team, sender: Sender, experiment: str
) -> None:
    before = seen(api.store, PRIVATE)
    answer = send(sender, f"d-{experiment[:4]}", experiment)
    assert answer.status_code == 422
    assert answer.get_json()["detail"] == (
        f"the name of the experiment {experiment!r} is taken: give another one"
    )
    assert seen(api.store, PRIVATE) == before
    assert not list_runs(api.store, [], Choice(find=f"d-{experiment[:4]}"))


def test_a_run_that_is_stored_is_not_moved_into_such_an_experiment(
    api: Team, sender: Sender
) -> None:
    before = seen(api.store, PRIVATE)
    assert send(sender, "d-moved", "of its own").status_code == 201
    assert send(sender, "d-moved", HIDDEN).status_code == 422
    assert seen(api.store, PRIVATE) == before
    assert seen(api.store, OPEN)["of its own"][-1] == "d-moved"


def test_no_run_of_a_private_collection_hides_an_experiment_that_its_sender_may_not_read(
    api: Team, of_private: Sender
) -> None:
    before = seen(api.store, OPEN)
    assert "plain experiment" in before
    assert send(of_private, "d-hides", "plain experiment").status_code == 422
    assert seen(api.store, OPEN) == before


def test_any_other_name_is_an_experiment_that_its_sender_sees(
    api: Team, sender: Sender, of_private: Sender
) -> None:
    assert send(sender, "d-new", "a new one").status_code == 201
    assert seen(api.store, OPEN)["a new one"][-1] == "d-new"
    assert send(of_private, "d-new", HIDDEN).status_code == 201
    assert "d-new" in seen(api.store, PRIVATE)[HIDDEN]
    # One that was made before its runs is shown with the first of them.
    assert send(sender, "d-first", "zanzibar without runs").status_code == 201
    assert seen(api.store, OPEN)["zanzibar without runs"][-1] == "d-first"


def test_who_may_read_all_of_an_experiment_adds_to_it(api: Team, sender: Sender) -> None:
    grant(api.store, "ci", "contributor", PRIVATE)
    assert send(sender, "d-added", SHARED).status_code == 201
    assert "d-added" in {run.run for run in experiment_runs(api.store, SHARED, []).runs}


def test_collections_that_are_not_private_share_experiments(
    api: Team, sender: Sender, of_private: Sender
) -> None:
    """The tokens of two collections of one team need not read each other's."""
    with api.store.write() as connection:
        set_access(connection, id_of(api.store, PRIVATE), "store")
    try:
        for each in (sender, of_private):
            assert send(each, "d-nightly", "nightly").status_code == 201
        assert len(experiment_runs(api.store, "nightly", []).runs) == 2
    finally:
        with api.store.write() as connection:
            set_access(connection, id_of(api.store, PRIVATE), "private")

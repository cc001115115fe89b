"""Changes the store behind a server, with the methods of `client.changer_part.Changer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.run_changes import ChangedRun, RunChange
from evalstore.client.changer_part import DefaultQrels, RunName
from evalstore.client.connection import Server, in_path
from evalstore.formats.facts.json_facts import TIMES, json_of_facts, time_from_json


class ServerChanger:
    """Changes the store behind a server; what is refused is raised as the store would raise it."""

    def __init__(self, server: Server) -> None:
        """Change the store of this server."""
        self.server = server

    def change_run(self, run: str, change: RunChange, collection: str | None = None) -> ChangedRun:
        """Change a run: its names, tags and facts; all of it or nothing."""
        given = {
            "name": change.name,
            "engine": change.engine,
            "experiment": change.experiment,
            "add_tags": list(change.add_tags),
            "remove_tags": list(change.remove_tags),
            "facts": _given(change.facts),
            "unset": list(change.unset),
            "unset_parameters": list(change.unset_parameters),
        }
        path = f"/runs/{in_path(run)}"
        content = self._change("PATCH", path, collection=collection, **given)
        return ChangedRun(
            content["collection"],
            content["before"],
            content["run"],
            {fact: _pair(fact, *pair) for fact, pair in content["changes"].items()},
            tuple(content["tags"]),
        )

    def remove_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """Mark runs as removed, all of them or none."""
        content = self._change("POST", "/removed-runs", runs=list(names), collection=collection)
        return list(map(_named, content["runs"]))

    def restore_runs(self, names: Sequence[str], collection: str | None = None) -> list[RunName]:
        """Bring back runs that were removed, all of them or none."""
        content = self._change("POST", "/restored-runs", runs=list(names), collection=collection)
        return list(map(_named, content["runs"]))

    def set_baseline(self, run: str, collection: str | None = None) -> RunName:
        """Make a run the baseline of its collection."""
        return _named(self._change("POST", "/baselines", run=run, collection=collection))

    def unset_baseline(self, collection: str) -> RunName:
        """Leave a collection without a baseline; gives the run that it was."""
        return _named(self._change("DELETE", f"/collections/{in_path(collection)}/baseline"))

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        """Make a qrels the one under which the figures of its collection are shown."""
        path = f"/qrels/{in_path(name)}"
        return DefaultQrels(**self._change("PATCH", path, is_default=True, collection=collection))

    def _change(self, method: str, path: str, **content: Any) -> Any:
        """What answers a change; what is None or empty is left out."""
        given = {name: value for name, value in content.items() if value not in (None, [], {})}
        return self.server.change(method, path, **given)


def _named(content: Mapping[str, Any]) -> RunName:
    return RunName(content["collection"], content["run"])


def _given(facts: GivenFacts) -> Mapping[str, Any]:
    """The facts that are given, as JSON has them."""
    given = {name: value for name, value in vars(facts).items() if value not in (None, (), {})}
    return json_of_facts(given)


def _pair(fact: str, before: Any, now: Any) -> tuple[Any, Any]:
    """The values of a fact before and now, as the store has them."""
    if fact not in TIMES:
        return before, now
    times = [None if time is None else time_from_json(fact, time) for time in (before, now)]
    return times[0], times[1]

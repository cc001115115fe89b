"""Changes the store behind a server, with the methods of `client.changer_part.Changer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalstore.catalog.annotate import ChangedRun, RunChange
from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.connection import Server, in_path
from evalstore.client.reader import DefaultQrels, RunName
from evalstore.client.remote import ServerReader
from evalstore.comparison.check import Checked
from evalstore.comparison.check_reports import headline
from evalstore.errors import NotFound
from evalstore.formats.facts.parameters import TIMES, json_of_facts, time_from_json


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


# Record on a server what a gate decided, for its log and for webhooks

LONGEST_TEXT = 1_000
MOST_RULES = 100
"""What the server takes."""

MAY_ONLY_READ = (401, 403)
PATIENCE = 10.0


def record_gate(server: Server, run: str, collection: str | None, checked: Checked) -> None:
    """Record the result of a gate; nothing where the token may only read, or there is none.

    Args:
        server: the server.
        run: the run that was checked: the name or id of a stored one, or else the path of a file.
        collection: its collection, where it is named.
        checked: the result; that of files under judgments of a file is not recorded.

    Raises:
        EvalstoreError: the server refuses the result, or can't be reached.
    """
    of_runs = [compared.collection for compared in checked.compared.runs]
    if of_runs and not any(of_runs):
        return
    collection = next(filter(None, reversed(of_runs)), collection)
    try:
        facts = ServerReader(server).run_facts(run, collection)
    except NotFound:
        name, is_stored = Path(run).name, False
    else:
        name, is_stored, collection = facts.name, True, facts.collection
    if collection is None:
        return
    rules = [
        {"rule": result.rule.text[:LONGEST_TEXT], "fails": result.fails}
        for result in checked.results
    ]
    server.ask(
        "POST",
        f"/collections/{in_path(collection)}/gates",
        patience=PATIENCE,
        accept=MAY_ONLY_READ,
        json={
            "run": name,
            "is_stored": is_stored,
            "outcome": checked.outcome,
            "baseline": checked.compared.runs[0].name if of_runs else None,
            "summary": headline(checked)[:LONGEST_TEXT],
            "rules": rules[:MOST_RULES],
        },
    )

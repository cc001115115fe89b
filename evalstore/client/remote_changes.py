"""Record on a server what a gate decided, for its log and for webhooks."""

from __future__ import annotations

from pathlib import Path

from evalstore.client.connection import Server, in_path
from evalstore.client.remote_store import RemoteStore
from evalstore.comparison.check import Checked
from evalstore.comparison.check_reports import headline
from evalstore.errors import NotFound

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
        facts = RemoteStore(server).run_facts(run, collection)
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

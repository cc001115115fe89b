"""`evalstore show`: all that is recorded of a run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from evalstore.cli.commands.change_runs import run_argument, run_collection_option
from evalstore.cli.options import format_option, store_or_server_option
from evalstore.cli.output import printable, table, write_json
from evalstore.cli.stores import reading


@click.command()
@run_argument
@format_option("table", "json")
@run_collection_option
@store_or_server_option
def show(db: str, name: str, shape: str, collection: str | None) -> None:
    """Show all that is recorded of a run: parameters, tags, note, commit, parent, cost, ...

    The table has what was given, and the note stands below it; JSON has every fact, null where it
    was not given. Times are UTC. `evalstore annotate` adds and corrects facts.
    """
    from evalstore.tracking.show_run import as_dict, rows

    with reading(db) as reader:
        facts = reader.run_facts(name, collection)
    if shape == "json":
        write_json(as_dict(facts))
        return
    listed = [(fact, as_text(value)) for fact, value in rows(facts) if fact != "note"]
    if facts.values_only:
        listed = [
            (fact, "true (no rankings)") if fact == "values_only" else (fact, value)
            for fact, value in listed
        ]
    table(["fact", "value"], listed, left=2)
    for line in ("", *facts.note.splitlines()) if facts.note else ():
        click.echo(printable(line))


def as_text(value: Any) -> str:
    """A fact as people read it: every digit of a number, `(none)` where there is none."""
    import json

    if value is None:
        return "(none)"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

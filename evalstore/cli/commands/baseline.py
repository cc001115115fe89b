"""`evalstore baseline`: the run of each collection that others are compared with."""

from __future__ import annotations

import click

from evalstore.cli import complete
from evalstore.cli.commands.change_runs import run_collection_option
from evalstore.cli.options import format_option, store_or_server_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import changing, reading


@click.group()
def baseline() -> None:
    """Choose the run of a collection that others are compared with.

    `evalstore check` and `evalstore compare` with one run compare it with the baseline of its
    collection. `compare` with three runs or more that include the baseline compares all others with
    it. `evalstore leaderboard` and `evalstore export leaderboard` show differences to it.
    """


@baseline.command("set")
@click.argument("run", metavar="RUN", shell_complete=complete.runs)
@run_collection_option
@store_or_server_option
def set_command(db: str, run: str, collection: str | None) -> None:
    """Make a run the baseline of its collection, in place of any other.

    It stays the baseline when it is renamed or replaced (`evalstore ingest --replace`), does not
    count while it is marked as removed, and ceases to be the baseline when it is purged.
    """
    with changing(db) as changer:
        stored = changer.set_baseline(run, collection)
    click.echo(printable(f"baseline of {stored.collection}: {stored.name}"))


@baseline.command("list")
@format_option("table", "csv", "json")
@store_or_server_option
def list_command(db: str, shape: str) -> None:
    """List the baselines of all collections."""
    with reading(db) as reader:
        stored = reader.baselines()
    headers = ["collection", "engine", "run", "status"]
    rows = [(*each[:3], "removed" if each.is_removed else "active") for each in stored]
    print_rows(
        shape,
        headers,
        rows,
        nothing="no collection has a baseline: `evalstore baseline set RUN` chooses one",
    )


@baseline.command()
@click.argument("collection", metavar="COLLECTION", shell_complete=complete.collection_names)
@store_or_server_option
def unset(db: str, collection: str) -> None:
    """Leave a collection without a baseline; its runs stay."""
    with changing(db) as changer:
        before = changer.unset_baseline(collection)
    click.echo(printable(f"{collection} has no baseline any more; it was {before.name}"))

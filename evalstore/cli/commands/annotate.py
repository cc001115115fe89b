"""`evalstore annotate`: add or correct the facts of a stored run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.change_runs import run_argument, run_collection_option
from evalstore.cli.commands.show import as_text
from evalstore.cli.facts_options import facts_from, facts_options
from evalstore.cli.options import Size, reading_from, reading_options, store_or_server_option
from evalstore.cli.output import printable, warn
from evalstore.cli.stores import changing

if TYPE_CHECKING:
    from evalstore.formats import ReadOptions

FACTS = (
    *("parameters", "tags", "note", "commit", "host", "started_by", "started_at", "ended_at"),
    *("command", "index_version", "collection_version", "header", "index_bytes", "memory_bytes"),
    *("money", "energy_joules", "parent"),
)
"""What can be taken away, by the names that `evalstore show` prints; a test compares them."""


@click.command()
@run_argument
@facts_options
@click.option("--index-bytes", type=Size(), help="The size of the index.")
@click.option(
    "--header",
    metavar="FILE",
    shell_complete=complete.files,
    help="The ir_metadata of the run, in YAML; it replaces the one before.",
)
@click.option(
    "--unset",
    type=click.Choice(FACTS),
    metavar="FACT",
    multiple=True,
    help=f"Take a fact away; may be repeated. One of {', '.join(FACTS)}.",
)
@click.option(
    "--unset-param",
    "unset_params",
    metavar="NAME",
    multiple=True,
    help="Take a parameter away; may be repeated.",
)
@reading_options
@run_collection_option
@store_or_server_option
def annotate(
    db: str,
    name: str,
    collection: str | None,
    index_bytes: int | None,
    header: str | None,
    unset: tuple[str, ...],
    unset_params: tuple[str, ...],
    **values: Any,
) -> None:
    """Add or correct what is recorded of a run.

    Parameters and tags are added to those of the run; any other fact replaces the one before. What
    changed is printed, and stands in `evalstore events` with the value before and the value now.
    """
    options = reading_from(values)
    metadata = None if header is None else _header(header, options)
    facts = facts_from(values, options, index_bytes=index_bytes, header=metadata)
    if not (facts or unset or unset_params):
        raise click.UsageError("say what to record: --param NAME=VALUE, --note TEXT, ...")
    from evalstore.catalog.run_changes import RunChange

    change = RunChange(facts=facts, unset=unset, unset_parameters=unset_params)
    with changing(db) as changer:
        changes = changer.change_run(name, change, collection).changes
    for fact, (before, now) in changes.items():
        click.echo(printable(f"{name}  {fact}: {as_text(before)} -> {as_text(now)}"))
    if not changes:
        click.echo(printable(f"{name}: nothing to change"))


def _header(path: str, options: ReadOptions) -> dict[str, Any]:
    """The header in a file; what the schema does not expect is a warning."""
    from evalstore.errors import DataError
    from evalstore.formats.facts.ir_metadata import read_header

    header, warnings = read_header(path, options)
    if not header:
        raise DataError(f"{path}: no metadata: lines of YAML like `tag: bm25` are expected")
    for warning in warnings:
        warn(warning)
    return header

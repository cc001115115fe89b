"""`evalstore export`."""

from __future__ import annotations

from pathlib import Path

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option
from evalstore.cli.write_file import written


@click.group()
def export() -> None:
    """Give stored runs back as files."""


@export.command()
@click.argument("name", metavar="RUN", shell_complete=complete.runs)
@click.option(
    "--collection",
    metavar="NAME",
    shell_complete=complete.collection_names,
    help="The run's collection, where several have it.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write.  [default: standard output]",
)
@db_option
def run(db: str, name: str, collection: str | None, output: Path | None) -> None:
    """Write a run, by its name or id, as a run file: same documents, order and scores."""
    from evalstore.store import Store
    from evalstore.usecases.export import run_lines

    with Store.open(db, create=False) as store:
        lines = run_lines(store, name, collection)
        if output is None:
            for line in lines:
                click.echo(line.encode(), nl=False)  # a run is UTF-8, whatever the terminal is
            return
        with written(output) as stream:
            stream.writelines(lines)

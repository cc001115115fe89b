"""`evalstore export`."""

from __future__ import annotations

from typing import TextIO

import click


@click.group()
def export() -> None:
    """Give stored runs back as files."""


@export.command()
@click.argument("name", metavar="RUN")
@click.option("--collection", metavar="NAME", help="The run's collection, where several have it.")
@click.option(
    "-o",
    "--output",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    help="The file to write.  [default: standard output]",
)
@click.pass_obj
def run(db: str, name: str, collection: str | None, output: TextIO) -> None:
    """Write a run, by its name or id, as a run file: same documents, order and scores."""
    from evalstore.store import Store
    from evalstore.usecases.export import run_lines

    with Store.open(db) as store:
        for line in run_lines(store, name, collection):
            output.write(line)

"""`evalstore measures`: the measures there are."""

from __future__ import annotations

import click

from evalstore.cli import complete
from evalstore.cli.output import table


@click.command()
@click.argument("name", shell_complete=complete.measures, metavar="[MEASURE]", required=False)
def measures(name: str | None) -> None:
    """List the measures, or explain one."""
    from evalstore.evaluation.measures import explain, listing

    if name is not None:
        click.echo(explain(name))
        return
    table(["family", "measure", "title"], listing(), left=3)
    click.echo("\n`evalstore measures nDCG` explains one.")

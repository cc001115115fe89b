"""`evalstore formats`: the formats of files that are read."""

from __future__ import annotations

import click

from evalstore.cli.options import format_option
from evalstore.cli.output import table, write_json


@click.command()
@format_option("table", "json")
def formats(shape: str) -> None:
    """List the formats of files that are read, each with an example.

    Files are recognised by their content; `evalstore ingest --format NAME` reads runs and judgments
    as the format of that name all the same. `evalstore export run` and `export qrels` write many of
    them.
    """
    from evalstore.formats.registry import formats as every_format

    if shape == "json":
        write_json(
            [
                {
                    "format": f.name,
                    "content": f.content,
                    "title": f.title,
                    "example": f.example,
                    "written": bool(f.writers),
                    "lost": f.lost,
                }
                for f in every_format()
            ]
        )
        return
    rows = [
        (form.name, form.content, form.title, form.example.splitlines()[0])
        for form in every_format()
    ]
    table(("format", "holds", "what it is", "its first line"), rows, left=4)

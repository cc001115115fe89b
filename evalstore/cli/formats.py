"""`evalstore formats`: the formats of files and folders that are read."""

from __future__ import annotations

import click

from evalstore.cli.options import format_option
from evalstore.cli.output import table, write_json


@click.command()
@format_option("table", "json")
def formats(shape: str) -> None:
    """List the formats of files and folders that are read, each with an example.

    They are recognised by their content; `evalstore ingest --format NAME` reads runs, judgments and
    folders of runs as the format of that name all the same.
    """
    from evalstore.formats.folder_formats import folder_formats
    from evalstore.formats.registry import formats as every_format

    rows = [
        *((f.name, str(f.content), f.title, f.example) for f in every_format()),
        *((f.name, "folder of runs", f.title, f.example) for f in folder_formats()),
    ]
    if shape == "json":
        write_json(
            [
                {"format": name, "content": content, "title": title, "example": example}
                for name, content, title, example in rows
            ]
        )
        return
    shown = [(name, content, title, e.splitlines()[0]) for name, content, title, e in rows]
    table(("format", "holds", "what it is", "its first line, or file"), shown, left=4)

"""What `evalstore ingest` prints of the runs that it was given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evalstore.cli.errors import advised
from evalstore.cli.output import printable, warn
from evalstore.cli.run_paths import RunPaths

if TYPE_CHECKING:
    from evalstore.formats.run_sources import RunSources
    from evalstore.ingest.documents import StoredDocuments
    from evalstore.ingest.ingest import Ingested


def say_what_is_read(path: str, given: RunSources) -> None:
    """Print the format of a folder or of a file of several runs, and how many they are."""
    from evalstore.formats.urls import shown_path

    if given.format or len(given.runs) > 1:
        runs = f"{len(given.runs):,} run{'s' * (len(given.runs) != 1)}"
        form = f" read as {given.format}" if given.format else ""
        click.echo(printable(f"{shown_path(path)}: {runs}{form}"))
    for warning in given.warnings:
        warn(warning)


def say_what_texts_are_stored(texts: StoredDocuments) -> None:
    """Print of how many documents the texts were stored."""
    click.echo(f"texts of {texts.stored:,} of {texts.read:,} documents stored")


def end(result: Ingested, given: RunPaths) -> None:
    """Print what became of the runs, and end with the status that it asks for."""
    _report(result, given)
    if result.not_reached:
        left = ", ".join(result.not_reached)
        click.echo(printable(f"interrupted; not stored: {left}"), err=True)
        sys.exit(130)
    if result.counts["failed"]:
        sys.exit(1)


def _report(result: Ingested, given: RunPaths) -> None:
    """Print a line for every run, how many runs have each status, and what named engines."""
    from evalstore.formats.any_format import TREC

    for outcome in result.outcomes:
        failed = outcome.status == "failed"
        detail = advised(outcome.detail, outcome.problem)
        if failed:
            detail = given.with_line(detail, outcome.path)
        if outcome.format not in ("", TREC["run"]):
            kind = ": values only" if outcome.values_only else ""
            detail += f"  (read as {outcome.format}{kind})"
        click.echo(printable(f"{outcome.status:<15} {detail}"), err=failed)
    if len(result.outcomes) > 1 or result.not_reached:
        counts = [f"{count:,} {status}" for status, count in result.counts.items()]
        if result.not_reached:
            counts.append(f"{len(result.not_reached):,} not reached")
        click.echo(", ".join(counts))
    if result.recognised and len(result.outcomes) > 1:
        files = "1 file" if result.recognised == 1 else f"{result.recognised:,} files"
        since = "it was" if result.recognised == 1 else "they were"
        click.echo(f"{files} unchanged since {since} stored")
    if result.common_tag is not None and (result.counts["stored"] or result.counts["replaced"]):
        tag = printable(repr(result.common_tag))
        click.echo(
            f"all runs carry the run tag {tag}: each engine is named after its run; "
            "--engine NAME or `evalstore edit` names another"
        )

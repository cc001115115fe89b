"""`evalstore explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    collection_option,
    level_option,
    reading_from,
    reading_options,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, warn
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.evaluation.explain import Explained

HEADERS = (
    *("rank", "document", "grade", "relevant", "P@k", "R@k"),
    *("gain", "discount", "DCG", "ideal DCG", "nDCG", "to AP"),
)


@click.command()
@click.argument(
    "words",
    shell_complete=complete.runs_or_files,
    metavar="[QRELS] RUN QID",
    nargs=-1,
    required=True,
)
@click.option("--depth", type=click.IntRange(1), default=20, show_default=True, help="Ranks shown.")
@level_option("The lowest relevant grade.")
@click.option(
    "--dcg",
    type=click.Choice(["log2", "exp-log2", "jk"]),
    default="log2",
    show_default=True,
    help="Gain and discount, as in nDCG(dcg=...).",
)
@collection_option("The stored run's, where several have it.")
@click.option(
    "--qrels",
    "qrels_name",
    metavar="NAME",
    shell_complete=complete.qrels_names,
    help="The stored qrels.  [default: the default]",
)
@reading_options
@store_or_server_option
def explain(
    db: str,
    words: tuple[str, ...],
    depth: int,
    level: float,
    dcg: str,
    collection: str | None,
    qrels_name: str | None,
    **values: Any,
) -> None:
    """Show, rank by rank, how the figures of a query come about, and what was missed.

    With two words RUN is a stored run, by its name or id; with three QRELS and RUN are files.

    A grade of - is a document that nobody judged. "to AP" is what a relevant document adds to
    average precision: the precision at its rank, divided by the number of relevant documents.
    The relstring is trec_eval's: a digit is a grade, - a document outside the qrels, a point one
    with a negative grade.
    """
    if len(words) not in (2, 3):
        raise click.UsageError("give RUN QID of a stored run, or QRELS RUN QID with files")
    if len(words) == 3 and (collection or qrels_name):
        raise click.UsageError("--collection and --qrels are for a stored run: give RUN QID")

    *files, run, qid = words
    if files:
        from evalstore.evaluation.explain import explain_query
        from evalstore.formats import read_qrels, read_run

        options = reading_from(values)
        judgments, ranking = read_qrels(files[0], options), read_run(run, options)
        for warning in (*judgments.warnings, *ranking.warnings):
            warn(warning)
        explained = explain_query(ranking, judgments, qid, depth, rel=level, dcg=dcg)
    else:
        with reading(db) as reader:
            explained = reader.explain(
                run, qid, depth, collection=collection, qrels=qrels_name, rel=level, dcg=dcg
            )
    _print(explained)


def _print(explained: Explained) -> None:
    click.echo(
        printable(
            f"query {explained.qid}: {explained.retrieved:,} documents retrieved, "
            f"{explained.judged:,} judged, {explained.relevant:,} relevant; "
            f"relstring {explained.relstring}"
        )
    )
    rows = [
        (
            *(at.rank, at.docno, "-" if at.grade is None else f"{at.grade:g}", at.found),
            *(at.precision, at.recall, f"{at.gain:g}", at.discount, at.dcg, at.ideal_dcg),
            *(at.ndcg, at.contribution if at.relevant else None),
        )
        for at in explained.ranks
    ]
    drop = ("discount", "gain", "ideal DCG", "DCG", "R@k", "relevant", "nDCG", "to AP", "P@k")
    table(HEADERS, rows, left=2, drop=drop)
    missed = explained.missed
    if missed:
        many = "document" if len(missed) == 1 else "documents"
        click.echo(f"\nmissed: {len(missed):,} relevant {many}")
        table(("document", "grade"), [(docno, f"{grade:g}") for docno, grade in missed])
    elif explained.relevant:
        click.echo("\nmissed: nothing")

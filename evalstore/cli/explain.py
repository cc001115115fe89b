"""`evalstore explain`."""

from __future__ import annotations

from typing import Any

import click

from evalstore.cli.options import level_option, reading_from, reading_options
from evalstore.cli.output import printable, table, warn

HEADERS = (
    *("rank", "document", "grade", "relevant", "P@k", "R@k"),
    *("gain", "discount", "DCG", "ideal DCG", "nDCG", "to AP"),
)


@click.command()
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@click.argument("qid", metavar="QID")
@click.option("--depth", type=click.IntRange(1), default=20, show_default=True, help="Ranks shown.")
@level_option("The lowest relevant grade.")
@click.option(
    "--dcg",
    type=click.Choice(["log2", "exp-log2", "jk"]),
    default="log2",
    show_default=True,
    help="Gain and discount, as in nDCG(dcg=...).",
)
@reading_options
def explain(
    qrels: str, run: str, qid: str, depth: int, level: float, dcg: str, **reading: Any
) -> None:
    """Show, rank by rank, how the figures of a query come about.

    A grade of - is a document that nobody judged. "to AP" is what a relevant document adds to
    average precision: the precision at its rank, divided by the number of relevant documents.
    The relstring is trec_eval's: a digit is a grade, - a document outside the qrels, a point one
    with a negative grade.
    """
    from evalstore.formats import read_qrels, read_run
    from evalstore.usecases.explain import explain_query

    options = reading_from(reading)
    judgments, ranking = read_qrels(qrels, options), read_run(run, options)
    for warning in (*judgments.warnings, *ranking.warnings):
        warn(warning)
    told = explain_query(ranking, judgments, qid, depth, rel=level, dcg=dcg)
    click.echo(
        printable(
            f"query {told.qid}: {told.retrieved:,} documents retrieved, {told.judged:,} judged, "
            f"{told.relevant:,} relevant; relstring {told.relstring}"
        )
    )
    rows = [
        (
            *(at.rank, at.docno, "-" if at.grade is None else f"{at.grade:g}", at.found),
            *(at.precision, at.recall, f"{at.gain:g}", at.discount, at.dcg, at.ideal_dcg),
            *(at.ndcg, at.contribution if at.relevant else None),
        )
        for at in told.ranks
    ]
    table(HEADERS, rows, left=2)

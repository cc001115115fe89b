"""TREC text: the lines that `evalstore evaluate --format trec` prints for several runs."""

from __future__ import annotations

from collections.abc import Iterable

from evalstore.formats.source import printable
from evalstore.tables.table import Figure


def trec_text(figures: Iterable[Figure]) -> str:
    """A line a figure: run, measure, query (or `all`) and value, separated by tabs.

    Values have four decimals, counts none. Control characters in names are escaped, so that a line
    has four columns whatever the names.
    """
    return "".join(
        "\t".join(
            (
                printable(figure.run),
                printable(figure.measure),
                "all" if figure.qid is None else printable(figure.qid),
                f"{figure.value:.{0 if figure.is_count else 4}f}\n",
            )
        )
        for figure in figures
    )

"""The formats that leaderboards and comparisons are exported in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from evalstore.errors import DataError, did_you_mean
from evalstore.tables.delimited import delimited
from evalstore.tables.latex import latex
from evalstore.tables.markdown import markdown
from evalstore.tables.table import Export
from evalstore.tables.trec import trec_text

Format = Literal["csv", "tsv", "json", "markdown", "latex", "trec"]
FORMATS: tuple[Format, ...] = get_args(Format)


def export_text(
    export: Export, format: Format, *, digits: int = 4, guard_formulas: bool = False
) -> str:
    """What is exported as the text of a file.

    Args:
        export: the table and its other forms.
        format: csv, tsv, json, markdown, latex or trec.
        digits: the decimals of Markdown and LaTeX. CSV, TSV and JSON have every digit; TREC text
            has four decimals, as trec_eval prints.
        guard_formulas: put an apostrophe before texts that a spreadsheet would take for a formula,
            in CSV and TSV.

    Raises:
        DataError: there is no such format, or `digits` is not between 0 and 17.
    """
    if not 0 <= digits <= 17:
        raise DataError(f"the decimals must be between 0 and 17; got {digits}")
    write: Mapping[str, Callable[[], str]] = {
        "csv": lambda: delimited(export.table, ",", guard_formulas=guard_formulas),
        "tsv": lambda: delimited(export.table, "\t", guard_formulas=guard_formulas),
        "json": lambda: f"{json.dumps(export.document, ensure_ascii=False, indent=2)}\n",
        "markdown": lambda: markdown(export.table, digits),
        "latex": lambda: latex(export.table, digits),
        "trec": lambda: trec_text(export.figures),
    }
    if format not in write:
        raise DataError(
            f"there is no format {format!r}{did_you_mean(str(format), FORMATS)}; "
            f"there are {', '.join(FORMATS)}"
        )
    return write[format]()

"""Attributes of queries as a table: a first line that names the columns, tabs or commas between."""

from __future__ import annotations

from evalstore.formats.attributes import value_text, why_not_a_name
from evalstore.formats.csv_rows import csv_lines
from evalstore.formats.lines import checked_id, refuse
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.source import ReadOptions, quoted
from evalstore.formats.tables.queries_tsv import QID_HEADERS

Table = dict[str, dict[str, str]]
TEXT = "text"
"""A column of this name is ignored: it is the query's text and no attribute."""


def read_attributes(path: str, options: ReadOptions | None = None) -> Table:
    """Read attributes of queries: the id in the first column, an attribute in each other.

    Values with commas stand in double quotes, as CSV has them. An empty cell gives no attribute.

    Returns:
        Values by query id and name, for every query of the file.

    Raises:
        FileError: the first line that breaks a rule.
    """
    rows = csv_lines(path, options or ReadOptions())
    first = next(rows, None)
    if first is None:
        refuse(path, None, "no lines: the first names the columns, like qid,lang")
    line, header = first
    if header[0].lower() not in QID_HEADERS or len(header) == 1:
        refuse(path, line, "expected the names of the columns: qid, and those of attributes")
    for name in header:
        why = why_not_a_name(name)
        if why is None and header.count(name) > 1:
            why = f"two columns are named {quoted(name)}"
        if why is not None:
            refuse(path, line, why)
    table: Table = {}
    for line, cells in rows:
        if len(cells) != len(header):
            refuse(
                path,
                line,
                f"expected {len(header)} columns as in the first line, found {len(cells)}",
            )
        qid = checked_id(path, line, "query id", cells[0], "it stands in the first column")
        if qid in table:
            refuse(path, line, f"query {quoted(qid)} stands twice")
        named = zip(header[1:], map(value_text, cells[1:]), strict=True)
        table[qid] = {name: value for name, value in named if value and name != TEXT}
    return table


def _recognise(head: str) -> Recognised | None:
    first = head.lstrip().partition("\n")[0].replace("\t", ",").split(",")
    if len(first) > 1 and first[0].strip().lower() in QID_HEADERS:
        return Recognised(False, "a first line that names the columns")
    return None


QUERY_ATTRIBUTES: Format[Table] = Format(
    name="query-attributes",
    title="attributes of queries",
    content="attributes",
    extensions=(".csv", ".tsv"),
    example="qid,lang,category\nq1,de,howto\nq2,en,\n",
    recognise=_recognise,
    read=read_attributes,
)

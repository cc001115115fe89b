"""A measure, a format of files and a figure for evalstore, in a package of its own."""

from typing import Any

import pandas as pd

from evalstore import Run
from evalstore.formats.reading.lines import Lines, run_name
from evalstore.formats.registry import line_format, recognise_if
from evalstore.measures.judged import F64, Judged
from evalstore.measures.registry import REL, measure


@measure(
    name="SuccessAtTop",
    title="Success at the top",
    advice="Use it where people see one result.",
    formula="1 if the first document is relevant, else 0",
    source="this example",
    family="example",
    parameters=(REL,),
)
def first_is_relevant(judged: Judged, *, cutoff: None, rel: float) -> F64:
    """Whether the first document of the ranking is relevant."""
    hits = judged.cut(1).hits(rel)
    return (hits.retrieved > 0).astype(float)


def read_lists(path: str, lines: Lines) -> Run:
    """Read lines like `q1: d7 d9`, the best document first."""
    scores = {}
    for _, line in lines:
        qid, _, docnos = line.partition(":")
        scores[qid] = {docno: -rank for rank, docno in enumerate(docnos.split())}
    return Run.from_dict(scores, name=run_name(path), tag=run_name(path))


LIST_RUN = line_format(
    "list-run",
    "A run with one line per query",
    "run",
    (".lists",),
    "q1: d7 d9\nq2: d3",
    recognise_if(lambda head: ": " in head.partition("\n")[0], "a query and a colon", certain=True),
    read_lists,
)


def spread_of_values(values: pd.DataFrame) -> Any:
    """The values of each run, from the lowest to the highest.

    `values` has the columns run, qid and value; names are escaped for plotly. The dashboard draws
    traces of the types scatter, bar and pie.
    """
    import plotly.graph_objects as go  # noqa: PLC0415 - commands that list measures need no plotly

    figure = go.Figure()
    for run, own in values.dropna().groupby("run", sort=False):
        figure.add_scatter(y=own["value"].sort_values(), name=str(run), mode="lines+markers")
    return figure

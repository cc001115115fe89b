"""The report of one run, as NIST prints one for each run that is submitted to TREC."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.components import wording
from dashboard.components.measure_info import measure_info
from dashboard.figures import figures, frames, interactive
from dashboard.figures.figure import mean_over, outcome
from dashboard.report.page import (
    Html,
    Origin,
    QueryTable,
    facts,
    figure,
    how_computed,
    joined,
    name,
    notes_list,
    page,
    query_section,
    section,
    table,
    where,
)
from evalstore.catalog.names import natural
from evalstore.comparison.comparability import RunValues, notes_on_values
from evalstore.comparison.loading import LoadedRuns, Medians
from evalstore.measures import Measure, parse
from evalstore.measures.evaluate import aggregate
from evalstore.measures.notation import RECALL_LEVELS

AGAINST_MEDIAN = "AP"
"""The measure of the figure against the median."""
COUNTS = ("NumRet", "NumRel", "NumRelRet")


def run_report(
    loaded: LoadedRuns,
    measures: Mapping[str, Measure],
    medians: Medians | None,
    origin: Origin,
) -> str:
    """The page of a run.

    Args:
        loaded: the run, with the values of `frames.FOR_REPORTS`.
        measures: what else the summary shows, by name.
        medians: of AP, of the runs of its collection; None where no others are known.
        origin: how the report came about.
    """
    (run,) = loaded.runs
    only = loaded.restriction
    title = f"Report of {wording.name(run.name)}"
    labels = {0: run.name}
    curves = frames.recall_curves([run])
    cutoffs = frames.cutoff_curves([run], "P")
    drawn = {
        "recall-precision": figures.recall_precision(curves, labels),
        "precision-at-k": interactive.cutoff_curves(cutoffs, labels, "P@k"),
    }
    parts: list[Html] = []
    data: dict[str, object] = {}
    if medians is None:
        parts.append(
            section(
                "Query by query",
                Html('<p id="no-median">No other run is known, and so there is no median.</p>'),
            )
        )
    else:
        info = measure_info(AGAINST_MEDIAN)
        both = (run.name, f"median of {wording.count(medians.runs, 'run')}")
        median = medians.values[AGAINST_MEDIAN]
        values = frames.values_and_medians(run, median, AGAINST_MEDIAN, loaded.texts)
        drawn["pair-0"] = interactive.differences(values, info, both)
        caption = outcome(values["difference"].tolist(), info, both)
        order = sorted(range(len(run.qids)), key=lambda row: natural(run.qids[row]))
        queries, notes = QueryTable(
            runs=both,
            pairs=[(0, 1)],
            measures=[info],
            qids=[run.qids[row] for row in order],
            texts=loaded.texts,
            values={AGAINST_MEDIAN: [run.values[AGAINST_MEDIAN][order], median[order]]},
        ).fitting()
        notes = (
            *notes,
            f"The median of each query is that of the {wording.count(medians.runs, 'run')} of the "
            "collection under the same judgments, this run included.",
        )
        heading = "Average precision per query against the median"
        if queries.qids:
            parts.append(query_section(queries, [caption], notes, heading))
            data = {"queries": queries.document(), "captions": [{"caption": caption}]}
        else:
            parts.append(section(heading, figure("pair-0", caption, f"{caption} {notes[0]}")))
    body = joined(
        Html(f"<h1>{name(run.name)}</h1>"),
        where(run, len(run.qids)),
        *notes_list(
            [
                *([f"Only {only}."] if only else []),
                *notes_on_values([run.name] if run.values_only else []),
                *loaded.notes,
            ]
        ),
        section("Summary statistics", facts(_summary(run, measures), "summary")),
        _averages(run),
        _curves(run),
        *parts,
        how_computed(run, origin, []),
    )
    return page(title, body, drawn, data)


def _summary(run: RunValues, measures: Mapping[str, Measure]) -> list[tuple[str, str]]:
    """The run and its figures over all judged queries."""
    retrieved, relevant, both = (f"{round(float(run.values[c].sum())):,}" for c in COUNTS)
    rows: list[tuple[str, str]] = [("Run", name(run.name))]
    if run.collection:
        rows.append(("Collection", name(run.collection)))
    rows += [
        ("Qrels", name(run.qrels)),
        ("Number of queries", f"{len(run.qids):,}"),
        ("Queries answered", f"{int(run.answered.sum()):,}"),
        ("Documents retrieved", retrieved),
        ("Relevant documents", relevant),
        ("Relevant documents retrieved", both),
    ]
    for label, measure in measures.items():
        info = measure_info(str(measure))
        if info.aggregate == "own":  # which needs more than the values per query
            continue
        value = wording.value(aggregate(measure, run.values[label]), counts=info.counts)
        rows.append((f"{label}, {info.aggregate} over all queries", value))
    return rows


def _averages(run: RunValues) -> Html:
    """The two tables of averages: at recall levels, and at document cutoffs with R-precision."""

    def mean(measure: str) -> str:
        return wording.value(aggregate(parse(measure), run.values[measure]))

    levels = [(level.partition("@")[2], mean(level)) for level in RECALL_LEVELS]
    levels.append(("AP (not interpolated)", mean("AP")))
    cutoffs = [
        (f"at {cutoff:,} documents", mean(measure))
        for cutoff, measure in zip(frames.CUTOFFS, frames.at_cutoffs("P"), strict=True)
    ]
    cutoffs.append(("R-precision (after R documents)", mean("Rprec")))
    tables = (
        table(("Recall", "Precision"), levels, key="recall-levels",
              caption="Averages at the 11 recall levels"),
        table(("Documents", "Precision"), cutoffs, key="document-cutoffs",
              caption="Averages at document cutoffs"),
    )  # fmt: skip
    return section(
        "Averages",
        Html(f'<div class="side-by-side">{tables[0]}{tables[1]}</div>'),
    )


def _curves(run: RunValues) -> Html:
    over = mean_over([run])
    drawn = (
        figure("recall-precision", "Interpolated precision at 11 recall levels.", over),
        figure("precision-at-k", "Precision at cutoffs from 5 to 1,000.", over),
    )
    return section("Curves", Html(f'<div class="pair">{drawn[0]}{drawn[1]}</div>'))

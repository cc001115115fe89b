"""The report on one run, like the one NIST prints for each run submitted to TREC."""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.components import wording
from dashboard.components.wording import measure_info
from dashboard.figures import frames, interactive
from dashboard.figures.figure import mean_over, outcome
from dashboard.figures.frames import RunPair
from dashboard.report.page import Origin, QueryTable, name, render
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
    loaded: LoadedRuns, measures: Mapping[str, Measure], medians: Medians | None, origin: Origin
) -> str:
    """The page of a run, whose values are those of `frames.FOR_REPORTS`.

    `measures` are further measures for the summary. `medians` are of AP over the runs of the
    collection, None if no other runs are known.
    """
    (run,) = loaded.runs
    labels = {0: run.name}
    curves = frames.recall_curves([run])
    cutoffs = frames.cutoff_curves([run], "P")
    drawn = {
        "recall-precision": interactive.recall_precision(curves, labels),
        "precision-at-k": interactive.cutoff_curves(cutoffs, labels, "P@k"),
    }
    data: dict[str, object] = {}
    queries: QueryTable | None = None
    caption, query_notes = "", tuple[str, ...]()
    if medians is not None:
        info = measure_info(AGAINST_MEDIAN)
        both = (run.name, f"median of {wording.count(medians.runs, 'run')}")
        median = medians.values[AGAINST_MEDIAN]
        values = frames.values_and_medians(run, median, AGAINST_MEDIAN, loaded.texts)
        pair = RunPair(values, info, both)
        drawn["pair-0"] = interactive.differences(pair)
        caption = outcome(pair)
        order = sorted(range(len(run.qids)), key=lambda row: natural(run.qids[row]))
        queries, left_out = QueryTable(
            runs=both,
            pairs=[(0, 1)],
            measures=[info],
            qids=[run.qids[row] for row in order],
            texts=loaded.texts,
            values={AGAINST_MEDIAN: [run.values[AGAINST_MEDIAN][order], median[order]]},
        ).fitting()
        query_notes = (
            *left_out,
            f"The median of each query is that of the {wording.count(medians.runs, 'run')} of the "
            "collection under the same judgments, this run included.",
        )
        if queries.qids:
            data = {"queries": queries.document(), "captions": [{"caption": caption}]}
    only = [f"Only {loaded.restriction}."] if loaded.restriction else []
    return render(
        "run",
        f"Report of {wording.name(run.name)}",
        drawn,
        data,
        run=run,
        notes=[*only, *notes_on_values([run.name] if run.values_only else []), *loaded.notes],
        summary=_summary(run, measures),
        recall_levels=[
            *((level.partition("@")[2], _mean(run, level)) for level in RECALL_LEVELS),
            ("AP (not interpolated)", _mean(run, "AP")),
        ],
        cutoffs=[
            *(
                (f"at {cutoff:,} documents", _mean(run, measure))
                for cutoff, measure in zip(frames.CUTOFFS, frames.at_cutoffs("P"), strict=True)
            ),
            ("R-precision (after R documents)", _mean(run, "Rprec")),
        ],
        over=mean_over([run]),
        queries=queries,
        caption=caption,
        query_notes=query_notes,
        origin=origin,
    )


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
        if info.aggregate == "own":  # it needs more than the values per query
            continue
        value = wording.value(aggregate(measure, run.values[label]), counts=info.counts)
        rows.append((f"{label}, {info.aggregate} over all queries", value))
    return rows


def _mean(run: RunValues, measure: str) -> str:
    return wording.value(aggregate(parse(measure), run.values[measure]))

"""Reports: of two or more runs (may they be compared, differences, queries), and of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.components import wording
from dashboard.components.wording import measure_info
from dashboard.figures import frames, interactive
from dashboard.figures.figure import Figure, better_or_worse, mean_over, outcome
from dashboard.figures.frames import RunPair
from dashboard.report.page import Origin, QueryTable, Table, curve_table, name, render
from dashboard.theme import SLOTS, series_variable
from evalstore.catalog.names import natural
from evalstore.comparison.claims import (
    CORRECTION_NAMES,
    TEST_NAMES,
    comparability_line,
    regressions,
    sentences,
)
from evalstore.comparison.comparability import RunValues, notes_on_values
from evalstore.comparison.loading import LoadedRuns, Medians
from evalstore.comparison.significance import Compared, Pair, resamples_for
from evalstore.measures import Measure, parse
from evalstore.measures.evaluate import aggregate
from evalstore.measures.notation import RECALL_LEVELS
from evalstore.tables.table import written_value

# Limits that keep a page below `page.LARGEST`, whatever its data.
MOST_ROWS = 1_000
"""The most rows (pairs x measures) in the table of statistics."""
MOST_SENTENCES, SENTENCES_SHOWN = 100, 12
"""The most sentences, and how many of them are visible before the reader opens the rest."""
MOST_INTERVALS = 40
"""The most rows (pairs x measures) in the figure of intervals."""
MOST_CURVES = 48
"""The most runs in the figures of curves."""
MOST_HISTOGRAMS, HISTOGRAM_BYTES = 24, 1_000_000
"""The most pairs with a figure of their differences, and the most bytes of these figures."""
WORST = 10
MARKS = {"yes": "✓", "partly": "◐", "no": "⊘"}
SHAPES = "●■◆★✚⬟⧗⧓○□◇☆"
"""The marks of the twelve slots as characters."""
AT_CUTOFFS = (("precision-at-k", "Precision", "P"), ("recall-at-k", "Recall", "R"))
PER_QUERY = "Rprec"
"""The measure of the figure of differences."""


def comparison_report(
    loaded: LoadedRuns,
    compared: Compared,
    baseline: int | None,
    origin: Origin,
    slots: Sequence[int] = (),
) -> str:
    """The HTML page of a comparison.

    `loaded` also needs the values of `frames.FOR_REPORTS`. `baseline` is the number of the run with
    which all others are compared; None means the first. `slots` have the colour and mark of each
    run, by default in the order of the runs.
    """
    names = [run.name for run in loaded.runs]
    title = f"Comparison of {_listed(names)}" if names else "Comparison"
    drawn: dict[str, Figure] = {}
    values: dict[str, object] = {}
    data: dict[str, object] | None = None
    if compared.pairs:
        numbers = _numbers(slots or range(len(loaded.runs)))
        pairs = _histogram_pairs(len(names), len(compared.qids), baseline or 0)
        values, drawn = _curves(loaded.runs, numbers)
        drawn["intervals"] = interactive.intervals(
            compared.pairs[:MOST_INTERVALS],
            dict(zip(names, numbers, strict=True)),
            compared.settings,
        )
        captions = []
        for number, (run, other) in enumerate(pairs):
            both, positions = (names[run], names[other]), (numbers[run], numbers[other])
            frame = frames.pair_values(
                loaded.runs[run], loaded.runs[other], PER_QUERY, loaded.texts
            )
            pair = RunPair(frame, measure_info(PER_QUERY), both, positions)
            drawn[f"pair-{number}"] = interactive.differences(pair)
            captions.append(outcome(pair))
        queries, notes = _query_table(loaded, compared, pairs).fitting()
        if len(names) - 1 > len(pairs):
            left_out = f"Only the first {len(pairs)} of {len(names) - 1} runs are shown here."
            notes = (*notes, left_out)
        if queries.qids:
            data = {"queries": queries.document(), "captions": [{"caption": c} for c in captions]}
        values |= {
            "sentences": list(sentences(compared)),
            "SHOWN": SENTENCES_SHOWN,
            "MOST": MOST_SENTENCES,
            "MOST_INTERVALS": MOST_INTERVALS,
            "AT_CUTOFFS": AT_CUTOFFS,
            "queries_compared": len(compared.qids),
            "runs": _runs(loaded.runs, numbers),
            "statistics": statistics(compared),
            **_losses(compared),
            "queries": queries,
            "captions": captions,
            "query_notes": notes,
        }
    return render(
        "comparison",
        title,
        drawn,
        data,
        first=loaded.runs[0] if compared.pairs else None,
        pairs=len(compared.pairs),
        comparable=compared.comparable,
        mark=MARKS[compared.comparable],
        verdict=comparability_line(compared),
        notes=compared.notes,
        origin=origin,
        settings=_settings(compared),
        **values,
    )


def _numbers(slots: Sequence[int]) -> list[int]:
    """A unique number for each run, with the colour and mark of its slot."""
    numbers: list[int] = []
    for slot in slots:
        number = slot
        while number in numbers:
            number += SLOTS
        numbers.append(number)
    return numbers


def _numbered(frame: pd.DataFrame, numbers: Sequence[int]) -> pd.DataFrame:
    """The frame with the positions of runs replaced by these numbers."""
    return frame.assign(run_id=frame["run_id"].map(dict(enumerate(numbers))))


def _listed(names: Sequence[str]) -> str:
    short = [wording.name(label, 40) for label in names]
    if len(short) > 4:
        return f"{len(short)} runs"
    return f"{', '.join(short[:-1])} and {short[-1]}"


def _runs(runs: Sequence[RunValues], numbers: Sequence[int]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for number, run in zip(numbers, runs, strict=True):
        mark = Markup('<span class="mark" style="color:{}" aria-hidden="true">{}</span> ').format(
            series_variable(number), SHAPES[number % len(SHAPES)]
        )
        judged = "–" if np.isnan(run.judged_in_top) else f"{100 * run.judged_in_top:.0f} %"
        answered = f"{int(run.answered.sum()):,} of {len(run.qids):,}"
        depth = f"{run.depth:,}" if run.depth or not run.values_only else "–"
        rows.append((mark + name(run.name), answered, depth, judged))
    return rows


def statistics(compared: Compared) -> Table:
    """The figures of the pairs."""
    test, level = compared.settings.test, wording.level(compared.settings.alpha)
    correction = CORRECTION_NAMES.get(compared.settings.correction, "not corrected")
    headers = (
        *("Run", "Baseline", "Measure", "Queries", "Mean", "Baseline's mean", "Difference"),
        *(f"{level} interval", f"p ({TEST_NAMES[test]})", f"p, {correction}"),
        *("Cohen's d", "Wins / ties / losses"),
    )
    return headers, [_row(pair, compared) for pair in compared.pairs[:MOST_ROWS]]


def _row(pair: Pair, compared: Compared) -> tuple[str, ...]:
    test = compared.settings.test
    arrow = {1: " ↑", -1: " ↓", 0: ""}[pair.direction]
    sign, _ = better_or_worse(pair, test)
    return (
        name(pair.b),
        name(pair.a),
        f"{pair.measure}{arrow}",
        f"{pair.queries:,}",
        wording.value(pair.mean_b),
        wording.value(pair.mean_a),
        f"{wording.difference(pair.difference)} {sign}".strip(),
        wording.interval(*pair.interval),
        written_value(pair.p[test], "p", 4),
        written_value(pair.p_corrected[test], "p", 4),
        f"{pair.cohens_d:.2f}".replace("-", "−") if np.isfinite(pair.cohens_d) else "–",
        f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}",
    )


def _curves(
    runs: Sequence[RunValues], numbers: Sequence[int]
) -> tuple[dict[str, object], dict[str, Figure]]:
    """The curves of the first runs, as tables and as figures."""
    shown = runs[:MOST_CURVES]
    if not frames.shared_queries(shown):
        return {"curves": {}}, {}
    labels = {number: run.name for number, run in zip(numbers, shown, strict=False)}
    over = mean_over(shown)
    if len(shown) < len(runs):
        over += f" Only the first {len(shown)} of {len(runs):,} runs are drawn."
    recall = _numbered(frames.recall_curves(shown), list(labels))
    drawn = {"recall-precision": interactive.recall_precision(recall, labels)}
    curves = {"recall-precision": curve_table(recall, labels, "recall", "precision")}
    for key, _, measure in AT_CUTOFFS:
        points = _numbered(frames.cutoff_curves(shown, measure), list(labels))
        drawn[key] = interactive.cutoff_curves(points, labels, f"{measure}@k")
        curves[key] = curve_table(points, labels, "cutoff", "value")
    return {"curves": curves, "over": over}, drawn


def _losses(compared: Compared) -> dict[str, object]:
    """The largest losses, and the measure they are based on."""
    listed = regressions(compared, WORST)
    if not listed:
        return {"losses": ()}
    measure = listed[0].pair.measure
    counts = measure_info(str(compared.measures[measure])).counts
    rows = [
        (
            *(name(one.qid), wording.name(compared.texts.get(one.qid, ""), 160)),
            *(name(one.pair.b), name(one.pair.a)),
            *(wording.value(value, counts=counts) for value in (one.value_b, one.value_a)),
            wording.difference(one.difference, counts=counts),
        )
        for one in listed
    ]
    return {"losses": rows, "losses_on": measure}


def _histogram_pairs(runs: int, queries: int, baseline: int) -> list[tuple[int, int]]:
    """The pairs of the baseline with other runs, up to the number of figures that fit on a page."""
    size = (450 if queries <= interactive.MOST_BARS else 11) * queries
    most = min(MOST_HISTOGRAMS, max(HISTOGRAM_BYTES // size, 1))
    return [(run, baseline) for run in range(runs) if run != baseline][:most]


def _query_table(
    loaded: LoadedRuns, compared: Compared, pairs: Sequence[tuple[int, int]]
) -> QueryTable:
    """The values of the runs that have a figure, for the compared measures and R-precision."""
    kept = sorted({position for pair in pairs for position in pair})
    place = {position: number for number, position in enumerate(kept)}
    chosen = [loaded.runs[position] for position in kept]
    canonical = {PER_QUERY: PER_QUERY} | {str(m): label for label, m in compared.measures.items()}
    qids = sorted(compared.qids, key=natural)
    return QueryTable(
        runs=[run.name for run in chosen],
        pairs=[(place[run], place[baseline]) for run, baseline in pairs],
        measures=[measure_info(measure) for measure in canonical],
        qids=qids,
        texts=compared.texts,
        values={
            measure: [_in_order(run, label, qids) for run in chosen]
            for measure, label in canonical.items()
        },
    )


def _in_order(run: RunValues, measure: str, qids: Sequence[str]) -> np.ndarray:
    """The values in the order of the ids; NaN if there is none."""
    by_qid = dict(zip(run.qids, run.values[measure].tolist(), strict=True))
    return np.array([by_qid.get(qid, np.nan) for qid in qids], np.float64)


def _settings(compared: Compared) -> list[tuple[str, str]]:
    if not compared.pairs:
        return []
    settings = compared.settings
    resamples = resamples_for(settings, len(compared.pairs))
    return [
        ("Test", f"{TEST_NAMES[settings.test]}, two-sided, alpha {settings.alpha:g}"),
        ("Correction", compared.pairs[0].family),
        ("Intervals", "Student's, of the mean of the differences; other aggregates: bootstrap"),
        ("Seed", f"{settings.seed}, {resamples:,} resamples"),
    ]


# The report on one run, like the one NIST prints for each run submitted to TREC

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

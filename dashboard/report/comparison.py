"""The report of two runs or more: may they be compared, is the difference real, and where."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dashboard.components import wording
from dashboard.components.measure_info import measure_info
from dashboard.figures import figures, frames, interactive
from dashboard.figures.figure import Figure, better_or_worse, mean_over, outcome
from dashboard.report.page import (
    Html,
    Origin,
    QueryTable,
    curve_tables,
    escaped,
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
from dashboard.theme import SLOTS, series_variable
from evalstore.catalog.names import natural
from evalstore.comparison.claims import (
    CORRECTION_NAMES,
    TEST_NAMES,
    is_shown,
    regressions,
    sentences,
    verdict,
)
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Compared, Pair
from evalstore.tables.table import written_value

# How much a page holds, so that it stays under `page.LARGEST` whatever it is made of.
MOST_ROWS = 1_000
"""Pairs and measures in the table of statistics."""
MOST_SENTENCES, SENTENCES_SHOWN = 100, 12
"""Sentences; those after the first are behind a line to click on."""
MOST_INTERVALS = 40
"""Pairs and measures in the figure of intervals."""
MOST_CURVES = 48
"""Runs in the figures of curves."""
MOST_HISTOGRAMS, HISTOGRAM_BYTES = 24, 1_000_000
"""Pairs with a figure of their differences, and what these take together."""
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
    """The page of a comparison.

    Args:
        loaded: the runs, with the values of `frames.FOR_REPORTS` as well.
        compared: the comparison of them.
        baseline: the number of the run that all others are compared with; the first where None.
        origin: how the report came about.
        slots: of each run, the slot of its colour and mark; those of their order where none are
            given, as of runs that are files.
    """
    numbers = _numbers(slots or range(len(loaded.runs)))
    names = [run.name for run in loaded.runs]
    title = f"Comparison of {_listed(names)}" if names else "Comparison"
    above = [
        Html(f"<h1>{escaped(title)}</h1>"),
        where(loaded.runs[0], len(compared.qids)) if compared.pairs else "",
        _verdict(compared),
        *notes_list(compared.notes),
    ]
    if not compared.pairs:
        return page(title, joined(*above, _how_computed(loaded, compared, origin)))
    labels = dict(zip(numbers, names[:MOST_CURVES], strict=False))
    drawn = {
        **_curve_figures(loaded.runs[:MOST_CURVES], labels),
        "intervals": interactive.intervals(
            [
                one._replace(run_id=numbers[one.run_id])
                for one in frames.mean_differences(compared)[:MOST_INTERVALS]
            ],
            _level(compared),
        ),
    }
    pairs = _histogram_pairs(len(names), len(compared.qids), baseline or 0)
    rprec = measure_info(PER_QUERY)
    captions = []
    for number, (run, other) in enumerate(pairs):
        values = frames.pair_values(loaded.runs[run], loaded.runs[other], PER_QUERY, loaded.texts)
        both = (names[run], names[other])
        drawn[f"pair-{number}"] = interactive.differences(
            values, rprec, both, positions=(numbers[run], numbers[other])
        )
        captions.append(outcome(values["difference"].tolist(), rprec, both))
    queries, notes = _query_table(loaded, compared, pairs).fitting()
    if len(names) - 1 > len(pairs):
        notes = (*notes, f"Only the first {len(pairs)} of {len(names) - 1} runs are shown here.")
    body = joined(
        *above,
        _sentences(compared),
        _runs(loaded.runs, numbers),
        section("Statistics", statistics(compared)),
        section("Mean differences", _intervals_figure(compared)),
        _curves(loaded.runs[:MOST_CURVES], labels, len(names)),
        *_regressions(compared),
        _queries(queries, captions, notes),
        _how_computed(loaded, compared, origin),
    )
    data = {"queries": queries.document(), "captions": [{"caption": c} for c in captions]}
    return page(title, body, drawn, data if queries.qids else None)


def _numbers(slots: Sequence[int]) -> list[int]:
    """A number for each run that no other has, with the colour and mark of its slot."""
    numbers: list[int] = []
    for slot in slots:
        number = slot
        while number in numbers:
            number += SLOTS
        numbers.append(number)
    return numbers


def _numbered(frame: pd.DataFrame, numbers: Sequence[int]) -> pd.DataFrame:
    """The frame with these numbers of runs in place of their positions."""
    return frame.assign(run_id=frame["run_id"].map(dict(enumerate(numbers))))


def _listed(names: Sequence[str]) -> str:
    short = [wording.name(label, 40) for label in names]
    if len(short) > 4:
        return f"{len(short)} runs"
    return f"{', '.join(short[:-1])} and {short[-1]}"


def _level(compared: Compared) -> str:
    return f"{100 * (1 - compared.settings.alpha):g} %"


def _verdict(compared: Compared) -> Html:
    words = verdict(compared)
    return Html(
        f'<p class="verdict {compared.comparable}" id="verdict">{MARKS[compared.comparable]} '
        f"{escaped(words[0].upper() + words[1:])}</p>"
    )


def _sentences(compared: Compared) -> Html:
    lines = [f"<li>{escaped(sentence)}</li>" for sentence in sentences(compared)]
    text = f'<ul class="sentences">{"".join(lines[:SENTENCES_SHOWN])}</ul>'
    more = lines[SENTENCES_SHOWN:MOST_SENTENCES]
    if more:
        left_out = len(lines) - SENTENCES_SHOWN - len(more)
        note = f"<p>{left_out:,} further sentences are left out.</p>" if left_out else ""
        text += (
            f"<details><summary>{len(more):,} more sentences</summary>"
            f'<ul class="sentences">{"".join(more)}</ul>{note}</details>'
        )
    return Html(text)


def _runs(runs: Sequence[RunValues], numbers: Sequence[int]) -> Html:
    rows = []
    for number, run in zip(numbers, runs, strict=True):
        mark = (
            f'<span class="mark" style="color:{series_variable(number)}" aria-hidden="true">'
            f"{SHAPES[number % len(SHAPES)]}</span> "
        )
        judged = "–" if np.isnan(run.judged_in_top) else f"{100 * run.judged_in_top:.0f} %"
        answered = f"{int(run.answered.sum()):,} of {len(run.qids):,}"
        depth = f"{run.depth:,}" if run.depth or not run.values_only else "–"
        rows.append((Html(mark + name(run.name)), answered, depth, judged))
    headers = ("Run", "Queries answered", "Depth", "Judged in the top 10")
    return section("Runs", table(headers, rows, key="runs"))


def statistics(compared: Compared) -> Html:
    """The figures of the pairs as a table."""
    test = compared.settings.test
    correction = CORRECTION_NAMES.get(compared.settings.correction, "not corrected")
    rows = [_row(pair, compared) for pair in compared.pairs[:MOST_ROWS]]
    headers = (
        *("Run", "Baseline", "Measure", "Queries", "Mean", "Baseline's mean", "Difference"),
        *(f"{_level(compared)} interval", f"p ({TEST_NAMES[test]})", f"p, {correction}"),
        *("Cohen's d", "Wins / ties / losses"),
    )
    left_out = len(compared.pairs) - len(rows)
    note = f" {left_out:,} further pairs are left out." if left_out else ""
    return joined(
        table(headers, rows, left=3, key="statistics"),
        Html(
            '<p class="hint">Differences are run − baseline. ▲ better and ▼ worse after the '
            "correction, △ ahead and ▽ behind only before it. What has no sign is not shown, "
            "which is no proof of equality."
            f"{note}</p>"
        ),
    )


def _row(pair: Pair, compared: Compared) -> tuple[str, ...]:
    test = compared.settings.test
    low, high = pair.interval
    interval = (
        f"{wording.difference(low)} to {wording.difference(high)}"
        if np.isfinite([low, high]).all()
        else "–"
    )
    arrow = {1: " ↑", -1: " ↓", 0: ""}[pair.direction]
    return (
        name(pair.b),
        name(pair.a),
        f"{pair.measure}{arrow}",
        f"{pair.queries:,}",
        wording.value(pair.mean_b),
        wording.value(pair.mean_a),
        f"{wording.difference(pair.difference)}{_mark(pair, compared)}",
        interval,
        written_value(pair.p[test], "p", 4),
        written_value(pair.p_corrected[test], "p", 4),
        f"{pair.cohens_d:.2f}".replace("-", "−") if np.isfinite(pair.cohens_d) else "–",
        f"{pair.wins:,} / {pair.ties:,} / {pair.losses:,}",
    )


def _mark(pair: Pair, compared: Compared) -> str:
    settings = compared.settings
    shown = is_shown(pair, settings, len(compared.pairs))
    sign, _ = better_or_worse(pair, shown=shown, test=settings.test)
    return f" {sign}" if sign else ""


def _intervals_figure(compared: Compared) -> Html:
    number = len(compared.pairs)
    first = f" The first {MOST_INTERVALS} of {number:,}." if number > MOST_INTERVALS else ""
    return figure(
        "intervals",
        "The mean difference of every pair with its interval; the table above has the figures.",
        f"A filled mark is a difference that is shown after the correction.{first}",
    )


def _curve_figures(runs: Sequence[RunValues], labels: dict[int, str]) -> dict[str, Figure]:
    if not frames.shared_queries(runs):
        return {}
    drawn = {
        "recall-precision": figures.recall_precision(
            _numbered(frames.recall_curves(runs), list(labels)), labels
        )
    }
    for key, _, measure in AT_CUTOFFS:
        curves = _numbered(frames.cutoff_curves(runs, measure), list(labels))
        drawn[key] = interactive.cutoff_curves(curves, labels, f"{measure}@k")
    return drawn


def _curves(runs: Sequence[RunValues], labels: dict[int, str], number: int) -> Html:
    """The curves of the first runs, of so many."""
    if not frames.shared_queries(runs):
        return section("Curves", Html("<p>No query is answered by every run.</p>"))
    over = mean_over(runs)
    if len(runs) < number:
        over += f" Only the first {len(runs)} of {number:,} runs are drawn."
    recall = _numbered(frames.recall_curves(runs), list(labels))
    both = []
    for key, title, measure in AT_CUTOFFS:
        curves = _numbered(frames.cutoff_curves(runs, measure), list(labels))
        drawn = figure(key, f"{title} at cutoffs from 5 to 1,000.", over)
        both.append(joined(drawn, curve_tables(curves, labels, "cutoff", "value")))
    return joined(
        section(
            "Recall-precision",
            figure("recall-precision", "Interpolated precision at 11 recall levels.", over),
            curve_tables(recall, labels, "recall", "precision"),
        ),
        section(
            "Precision and recall at rank k",
            Html(f'<div class="pair"><div>{both[0]}</div><div>{both[1]}</div></div>'),
        ),
    )


def _regressions(compared: Compared) -> list[Html]:
    listed = regressions(compared, WORST)
    if not listed:
        return []
    measure = listed[0].pair.measure
    counts = measure_info(str(compared.measures[measure])).counts
    rows = [
        (
            *(name(one.qid), escaped(wording.name(compared.texts.get(one.qid, ""), 160))),
            *(name(one.pair.b), name(one.pair.a)),
            *(wording.value(value, counts=counts) for value in (one.value_b, one.value_a)),
            wording.difference(one.difference, counts=counts),
        )
        for one in listed
    ]
    headers = ("Query", "Text", "Run", "Baseline", "Value", "Baseline's value", "Difference")
    return [
        section(f"Largest losses on {measure}", table(headers, rows, left=4, key="regressions"))
    ]


def _histogram_pairs(runs: int, queries: int, baseline: int) -> list[tuple[int, int]]:
    """Every other run with the baseline, as many as a page can hold figures of."""
    size = (450 if queries <= interactive.MOST_BARS else 11) * queries
    most = min(MOST_HISTOGRAMS, max(HISTOGRAM_BYTES // size, 1))
    return [(run, baseline) for run in range(runs) if run != baseline][:most]


def _query_table(
    loaded: LoadedRuns, compared: Compared, pairs: Sequence[tuple[int, int]]
) -> QueryTable:
    """The values of the runs that have a figure, on the compared measures and R-precision."""
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
    """The values in the order of the ids; NaN where the run does not answer."""
    values = np.where(run.answered, run.values[measure], np.nan).tolist()
    by_qid = dict(zip(run.qids, values, strict=True))
    return np.array([by_qid.get(qid, np.nan) for qid in qids], np.float64)


def _queries(queries: QueryTable, captions: Sequence[str], notes: Sequence[str]) -> Html:
    if queries.qids:
        return query_section(queries, captions, notes, "Query by query")
    place = figure("pair-0", captions[0], captions[0])
    return section("Query by query", place, *notes_list(notes))


def _how_computed(loaded: LoadedRuns, compared: Compared, origin: Origin) -> Html:
    if not compared.pairs:
        return how_computed(None, origin, [])
    settings = compared.settings
    family = f"over {wording.count(len(compared.pairs), 'pair and measure', 'pairs and measures')}"
    kind = "Student's" if settings.test == "t" else "BCa bootstrap"
    more = [
        ("Test", f"{TEST_NAMES[settings.test]}, two-sided, alpha {settings.alpha:g}"),
        ("Correction", f"{CORRECTION_NAMES.get(settings.correction, 'none')}, {family}"),
        ("Intervals", f"{kind}, of the mean of the differences per query"),
        ("Seed", f"{settings.seed}, {settings.resamples:,} resamples"),
    ]
    return how_computed(loaded.runs[0], origin, more)

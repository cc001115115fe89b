"""The sections of the Compare page that are drawn when they are opened."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import dash_mantine_components as dmc
import pandas as pd
from dash import html

from dashboard.components import controls, elements, ids, shell, wording
from dashboard.components.elements import number, number_heads, scrolling, td, th, tr
from dashboard.components.problems import PageProblem, read, sentence
from dashboard.components.wording import measure_info
from dashboard.figures import frames, interactive
from dashboard.figures.figure import (
    better_or_worse,
    corrected_p,
    from_plotly,
    mean_over,
    outcome,
    tint,
)
from dashboard.figures.interactive import MOST_IN_LEGEND, MOST_POINTS, binned_scatter
from dashboard.page import View
from dashboard.pages.compare import curves
from dashboard.pages.compare.load import RANK_MEASURES, Comparison
from dashboard.pages.compare.why import facts_table, why_section
from evalstore.catalog.names import attribute_names
from evalstore.client.any_store import LocalStore
from evalstore.client.differences import differing_of_several
from evalstore.comparison.claims import CORRECTION_NAMES, TEST_NAMES
from evalstore.comparison.compare import (
    SMALL,
    ComparisonOptions,
    Slices,
    compare_loaded,
    load,
    split_by,
)
from evalstore.comparison.significance import Compared, Pair, resamples_for
from evalstore.errors import DataError
from evalstore.plugins import of_other_packages
from evalstore.tables.table import written_value

LONGEST_NAME = 1_024
MOST_OF_ERROR = 300

# All pairs of a comparison as a matrix: row − column, whether the difference is shown, and p


def ordered(comparison: Comparison) -> list[str]:
    """The names of the runs, the best mean first; runs without a mean last."""
    means: dict[str, float] = {}
    for pair in comparison.compared.pairs:
        means.setdefault(pair.a, pair.mean_a)
        means.setdefault(pair.b, pair.mean_b)
    sign = -comparison.measure.sign_of_better
    names = comparison.names
    return sorted(names, key=lambda name: sign * means[name] if name in means else math.inf)


def _of_all_pairs(comparison: Comparison) -> Compared:
    """The comparison of every pair, which the matrix makes claims on."""
    compared = comparison.compared
    if compared.baseline is None:
        return compared
    loaded = replace(comparison.loaded, baseline=None)
    return compare_loaded(loaded, compared.measures, compared.settings)


def pairs_section(comparison: Comparison, view: View) -> Any:
    """The matrix with its caption."""
    del view
    compared = _of_all_pairs(comparison)
    names = ordered(comparison)
    pairs = {frozenset((pair.a, pair.b)): pair for pair in compared.pairs}
    head = [td()] + [th(_label(comparison, name), scope="col") for name in names]
    body = [
        tr(
            [
                th(_label(comparison, row), scope="row"),
                *(
                    td("", className="diagonal")
                    if row == column
                    else _pair_cell(comparison, row, column, pairs.get(frozenset((row, column))))
                    for column in names
                ),
            ]
        )
        for row in names
    ]
    correction = CORRECTION_NAMES[compared.settings.correction]
    family = wording.count(len(compared.pairs), "pair")
    return shell.card(
        "All pairs",
        html.P(
            f"{comparison.measure.label}, row − column, and p of the paired t test after "
            f"{correction} over {family}. ▲ better and ▼ worse after the correction; △ ahead and "
            "▽ behind before it only. The best mean comes first.",
            className="caption",
        ),
        scrolling(elements.table(head, body, "matrix"), "The differences of all pairs"),
    )


def _label(comparison: Comparison, name: str) -> Any:
    return controls.engine(comparison.slots[name], name, comparison.selection.short(name))


def _pair_cell(comparison: Comparison, row: str, column: str, pair: Pair | None) -> Any:
    if pair is None:
        return td("–", title="No query on which both have a value")
    settings = comparison.compared.settings
    # The figures of a pair are b - a, but a may be the row.
    turned = pair.b != row
    sign, title = better_or_worse(pair, turned=turned)
    difference = -pair.difference if turned else pair.difference
    p = corrected_p(pair, settings.test)
    names = f"{wording.name(row)} − {wording.name(column)}"
    return td(
        [
            html.Span(
                f"{wording.difference(difference, counts=comparison.measure.counts)} {sign}".strip()
            ),
            html.Small(f"p {p}"),
        ],
        className=f"number {tint(sign)}".strip(),
        title=f"{names}{f': {title}' if title else ''}",
    )


# The parameters and other recorded facts in which the compared runs differ


def facts_section(comparison: Comparison, view: View) -> Any:
    """One row per differing fact, one column per run."""
    facts = read(
        view.store,
        lambda: differing_of_several(
            view.store, comparison.names, comparison.address.collection or ""
        ),
    )
    if not facts.facts:
        recorded = wording.count(facts.recorded, "recorded fact")
        sentence = f"These runs do not differ in any of the {recorded}."
        if not facts.recorded:
            sentence = "Nothing is recorded of these runs beside their rankings."
        return shell.card("Parameters that differ", html.P(sentence))
    return shell.card(
        f"Parameters that differ: {len(facts.facts)} of {facts.recorded}",
        facts_table(comparison.labels.items(), facts.facts),
    )


# The statistics of the chosen pair: the method, the effect size, and all four tests


def significance_section(comparison: Comparison, view: View) -> Any:
    """One row per test, with p before and after correction; above it, the basis of the tests."""
    del view
    pair = comparison.pair(comparison.run)
    title = "Statistics"
    if pair is None:
        return shell.card(title, html.P("These two runs have no values on the same query."))
    if pair.untested:
        return shell.card(title, html.P(sentence(pair.untested)))
    settings = comparison.compared.settings
    resamples = resamples_for(settings, len(comparison.compared.pairs))
    correction = CORRECTION_NAMES[settings.correction]
    family = wording.count(len(comparison.compared.pairs), "pair")
    effect = f"{pair.cohens_d:.2f}".replace("-", "−") if math.isfinite(pair.cohens_d) else "–"
    rows = [
        tr(
            [
                th(
                    [TEST_NAMES[test], html.Strong(" decides") if test == settings.test else None],
                    scope="row",
                ),
                number(written_value(pair.p[test], "p", 4)),
                number(written_value(pair.p_corrected[test], "p", 4)),
            ]
        )
        for test in pair.p
    ]
    head = ("Test, two-sided", "p alone", f"p after {correction}, {family}")
    return shell.card(
        title,
        html.P(
            f"{comparison.measure.label}, {comparison.selection.short(comparison.run)} − "
            f"{comparison.selection.short(comparison.baseline)}, paired over "
            f"{wording.count(pair.queries, 'query', 'queries')}. The interval is Student's, of the "
            f"mean of the differences. Cohen's d of the paired differences (mean / standard "
            f"deviation): {effect}. The randomization test draws {resamples:,} patterns "
            f"of signs with seed {settings.seed} where it is not exact.",
            className="caption",
            dir="auto",
        ),
        elements.table(number_heads(*head), rows),
        html.P(
            f"A corrected p below {settings.alpha:g} of the {TEST_NAMES[settings.test]} alone "
            "grants “better”. A larger one is no proof that the runs are equal.",
            className="hint",
        ),
    )


# The comparison of the chosen pair, split by an attribute of the queries

TITLE = "Slices"


def slices_section(comparison: Comparison, view: View) -> Any:
    """One row for all queries, and one for each value of the attribute."""
    compared = comparison.compared
    names = attribute_names(compared.qids, compared.queries)
    if not names:
        return shell.card(
            TITLE,
            html.P(
                [
                    "No attributes or texts of the queries are known. Further columns of the "
                    "queries file are attributes, and ",
                    html.Code("evalstore queries tag"),
                    " sets them.",
                ]
            ),
        )
    asked = comparison.address.one("slice")
    chosen = asked if asked in names else names[0]
    choice = controls.select(
        "slice", controls.options(names), chosen, label="Attribute of the queries"
    )
    # Only pairs with the baseline are in the slices: with all pairs, p would be less useful.
    of_baseline = replace(compared, baseline=0)
    # If the attribute has too many values, only this section fails, not the page.
    try:
        slices = read(view.store, lambda: split_by(of_baseline, chosen))
    except PageProblem as problem:
        return shell.card(TITLE, html.P(problem.sentence, dir="auto"), aside=choice)
    over = wording.count(slices.comparisons, "comparison")
    correction = CORRECTION_NAMES[compared.settings.correction]
    return shell.card(
        TITLE,
        html.P(
            f"{comparison.measure.label}, {comparison.selection.short(comparison.run)} − "
            f"{comparison.selection.short(comparison.baseline)}, over the queries of each "
            f"{wording.name(chosen)}. p of a slice is after {correction} over {over}: each run "
            f"with the baseline, in each slice. Fewer than {SMALL} queries are small: only large "
            "differences can be shown in them.",
            className="caption",
            dir="auto",
        ),
        scrolling(
            elements.table(_head(comparison, chosen), _rows(comparison, slices)),
            "The differences in each slice",
        ),
        aside=choice,
    )


def _head(comparison: Comparison, attribute: str) -> list[Any]:
    level = f"{wording.level(comparison.compared.settings.alpha)} interval"
    run, base = map(comparison.selection.short, (comparison.run, comparison.baseline))
    texts = (wording.name(attribute, 30), "n", run, base, f"{run} − {base}", level, "p")
    return number_heads(*texts)


def _rows(comparison: Comparison, slices: Slices) -> Sequence[Any]:
    names = (comparison.baseline, comparison.run)
    whole = comparison.pair(comparison.run)
    rows = [
        _row(
            comparison,
            "all",
            len(comparison.compared.qids),
            whole,
        )
    ]
    for part in slices.slices:
        pair = next((p for p in part.pairs if (p.a, p.b) == names), None)
        rows.append(_row(comparison, part.label, len(part.qids), pair))
    return rows


def _row(comparison: Comparison, label: str, queries: int, pair: Pair | None) -> Any:
    small = html.Span(" small", className="hint") if queries < SMALL else None
    head = [th(html.Bdi(wording.name(label, 60)), scope="row"), number([f"{queries:,}", small])]
    if pair is None:
        reason = "No query on which both have a value"
        return tr([*head, *(number("–", title=reason) for _ in range(5))])
    counts = comparison.measure.counts
    sign, title = better_or_worse(pair)
    return tr(
        [
            *head,
            number(wording.value(pair.mean_b, counts=counts)),
            number(wording.value(pair.mean_a, counts=counts)),
            td(
                f"{wording.difference(pair.difference, counts=counts)} {sign}".strip(),
                className=f"number {tint(sign)}".strip(),
                title=title,
            ),
            number(wording.interval(*pair.interval)),
            number(corrected_p(pair, comparison.compared.settings.test)),
        ]
    )


class Section(NamedTuple):
    """A section: its title, its drawing function, and the parameters that change it while open."""

    title: str
    draw: Callable[[Comparison, View], Any]
    depends_on: frozenset[str]


def section_id(name: str) -> str:
    """The id of a section's container."""
    return f"section-{name}"


def choice(comparison: Comparison) -> Any:
    """The control that opens sections."""
    useless = set() if len(comparison.names) > 2 else {"pairs"}
    useless |= set() if figures_of_packages() else {"packages"}
    useless |= set() if comparison.models else {"models"}
    names = [name for name in SECTIONS if name not in useless]
    return html.Div(
        dmc.ChipGroup(
            [dmc.Chip(SECTIONS[name].title, value=name, size="sm") for name in names],
            id=ids.control("open"),
            multiple=True,
            value=list(comparison.opened),
        ),
        className="section-choice",
        role="group",
        **{"aria-label": "Further sections to open"},
    )


def section(name: str, comparison: Comparison, view: View) -> Any:
    """A complete section; nothing if it is not open."""
    return SECTIONS[name].draw(comparison, view) if name in comparison.opened else None


def _ranks(comparison: Comparison, view: View) -> Any:
    runs, measure = comparison.loaded.runs, comparison.rank_measure
    points = frames.cutoff_curves(runs, measure)
    # Below the last document of a ranking, a curve has nothing to show.
    deepest = max(run.depth for run in runs)
    points = points[points["cutoff"] <= max(deepest, frames.CUTOFFS[0])]
    points = points.assign(run_id=points["run_id"].map(dict(enumerate(comparison.labels))))
    title = f"{measure}@k"
    drawn = interactive.cutoff_curves(points, comparison.labels, title, view.scheme)
    drawn.update_layout(showlegend=len(runs) <= MOST_IN_LEGEND)
    info = measure_info(f"{measure}@10")
    return shell.card(
        "Curves by rank",
        html.P([html.Abbr(title, title=info.help), f": {mean_over(runs).lower()}",
                curves.marks_remark(comparison)], className="caption"),
        elements.graph(
            "ranks",
            drawn,
            label=f"{title} against the rank, a line a run; the table below has the figures.",
        ),
        curves.points_table(points, comparison, "cutoff", "value", "Rank"),
        aside=controls.segments(
            "rank",
            [(name, f"{name}@k") for name in RANK_MEASURES],
            measure,
            label="Measure of the curves by rank",
        ),
    )  # fmt: skip


def _scatter(comparison: Comparison, view: View) -> Any:
    pair = curves.pair_by_query(comparison)
    few = len(pair.values) <= MOST_POINTS
    draw, words = interactive.scatter if few else binned_scatter, outcome(pair)
    binned = "" if few else " The area of a mark is the number of queries."
    return shell.card(
        "Scatter",
        html.P(f"{words} On the diagonal both are the same.{binned}", className="caption"),
        elements.graph("scatter", draw(pair, view.scheme), label=words, height=520),
        class_name="square-figure",
    )


def _models(comparison: Comparison, view: View) -> Any:
    """The difference of the chosen pair with the judgments of models on further queries."""
    names, measure = (comparison.baseline, comparison.run), comparison.measure.name
    measures = {measure: comparison.compared.measures[measure]}

    def sentences(model: str) -> list[str]:
        options = ComparisonOptions(
            tests=("t",),
            baseline=comparison.baseline,
            collection=comparison.address.collection,
            qrels=comparison.qrels[0],
            predicted_by=model,
        )
        try:
            loaded = load(LocalStore(view.store), names, measures, options)
            compared = compare_loaded(loaded, measures, options)
        except DataError as error:
            return [str(error)]
        more = [note for note in compared.notes if note not in comparison.compared.notes]
        return [*(of.sentence for of in compared.predicted), *more]

    return shell.card(
        "A model's judgments",
        html.P(
            "Where a model judged further queries, its judgments make the difference more precise. "
            "On the queries that people judged too it is corrected. Both must be random samples "
            "of the same queries.",
            className="caption",
        ),
        *(
            html.P(wording.isolated(f"{wording.clean(one)}."), dir="auto")
            for model in comparison.models
            for one in read(view.store, lambda: sentences(model))  # noqa: B023  (called at once)
        ),
        None if comparison.models else html.P("No other judgments are of a model.", dir="auto"),
    )


# Figures of other packages (evalstore/plugins.py): functions from a DataFrame to a plotly figure

DRAWN = frozenset({"scatter", "bar", "pie"})
"""The types of traces that the dashboard's part of plotly.js draws."""

FigureOfPackage = Callable[[pd.DataFrame], Any]


@functools.cache
def figures_of_packages() -> Mapping[str, FigureOfPackage]:
    """The figures of other packages, by the names of their functions."""

    def named(loaded: object) -> tuple[str, FigureOfPackage]:
        name = getattr(loaded, "__name__", "")
        if not callable(loaded) or not name or not loaded.__doc__:
            raise TypeError("not a function with a docstring")
        return name, loaded

    return of_other_packages("figures", named, ())


def _packages(comparison: Comparison, view: View) -> list[Any]:
    """A card for each figure of another package; one that fails says so in its card."""
    measure = comparison.measure.name
    values = pd.concat(
        pd.DataFrame(
            {
                "run": wording.plot_name(run.name, LONGEST_NAME),
                "qid": [wording.plot_name(qid, LONGEST_NAME) for qid in run.qids],
                "value": run.values[measure],
            }
        )
        for run in comparison.loaded.runs
    )
    cards = []
    for name, draw in figures_of_packages().items():
        title = name.replace("_", " ").capitalize()
        words = (draw.__doc__ or "").strip().partition("\n")[0]
        try:
            figure = from_plotly(draw(values.copy()), view.scheme)
            types = {str(trace.get("type", "scatter")) for trace in figure.data}
            if types - DRAWN:
                raise ValueError(f"the dashboard draws no {', '.join(sorted(types - DRAWN))}")
        except Exception as error:  # whatever another package does, the page is shown
            what = wording.clean(f"{type(error).__name__}: {error}")[:MOST_OF_ERROR]
            drawn: Any = html.P(f"This figure can't be drawn: {what}", className="warning")
        else:
            drawn = elements.graph(f"package-{name}", figure, label=words)
        caption = html.P(f"{comparison.measure.label}: {words}", className="caption")
        cards.append(shell.card(title, caption, drawn))
    return cards


SECTIONS: Mapping[str, Section] = MappingProxyType(
    {
        "why": Section("Why", why_section, frozenset({"pair"})),
        "ranks": Section("Curves by rank", _ranks, frozenset({"rank", "scheme"})),
        "scatter": Section("Scatter", _scatter, frozenset({"pair", "scheme"})),
        "pairs": Section("All pairs", pairs_section, frozenset({"pair"})),
        "facts": Section("Parameters that differ", facts_section, frozenset()),
        "slices": Section("Slices", slices_section, frozenset({"pair", "slice"})),
        "tests": Section("Statistics", significance_section, frozenset({"pair"})),
        "models": Section("A model's judgments", _models, frozenset({"pair"})),
        "packages": Section("Figures of packages", _packages, frozenset({"scheme"})),
    }
)

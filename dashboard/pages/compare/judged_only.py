"""What remains of a difference where one run has more unjudged documents than the other."""

from __future__ import annotations

from dashboard.components import wording
from dashboard.components.store_problems import read
from dashboard.page import View
from dashboard.pages.compare.load import Comparison
from evalstore.comparison.claims import LEAST_TESTED, is_shown
from evalstore.comparison.comparability import JUDGED_GAP, TOP
from evalstore.comparison.loading import compare_loaded
from evalstore.comparison.significance import Settings
from evalstore.comparison.stored_runs import load_stored_runs
from evalstore.errors import MeasureError
from evalstore.measures import parse
from evalstore.tables.table import written_value


def on_judged_documents(comparison: Comparison, view: View) -> str:
    """The difference of the chosen pair with unjudged documents left out, as a sentence.

    Nothing where about as much of both top 10 is judged, or the measure can't do without the
    unjudged documents.
    """
    runs = {run.name: run for run in comparison.loaded.runs}
    names = (comparison.baseline, comparison.run)
    baseline, run = (runs[name].judged_in_top for name in names)
    # Not a number where nothing was retrieved: then no comparison holds.
    if not abs(run - baseline) > JUDGED_GAP:
        return ""
    try:
        measure = parse(comparison.measure.name)(judged_only=True)
    except MeasureError:
        return ""
    settings = Settings(tests=("t",))
    loaded = read(
        view.store,
        lambda: load_stored_runs(
            view.store,
            names,
            {str(measure): measure},
            collection=comparison.address.collection,
            qrels=comparison.qrels[0],
        ),
    )
    pairs = compare_loaded(loaded, {str(measure): measure}, settings=settings).pairs
    if not pairs:
        return ""
    if pairs[0].queries < LEAST_TESTED:
        return ""
    verdict = "shown" if is_shown(pairs[0], settings, 1) else "not shown"
    difference = wording.difference(pairs[0].difference, counts=comparison.measure.counts)
    p = written_value(pairs[0].p["t"], "p", 4).replace("<", "< ")
    run_name, base_name = comparison.run, comparison.baseline
    return (
        f"Of the top {TOP} of {run_name} {100 * run:.0f} % is judged ({base_name} "
        f"{100 * baseline:.0f} %). On judged documents alone: {difference}, {verdict} "
        f"(p {'' if p.startswith('<') else '= '}{p}, not corrected)."
    )

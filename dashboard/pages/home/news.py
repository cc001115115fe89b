"""The first answer of the home page: the news since the last visit, or which run leads.

Only the browser knows the time of the last visit (assets/pages/home.js). It sends it once the page
is on the screen, so the tests of runs never delay the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dash import Dash, Input, Output, dcc, html, no_update, set_props

from dashboard.address import Address
from dashboard.components import controls, shell, wording
from dashboard.components.problems import PageProblem, Redirect, read
from dashboard.components.selection import MOST_RUNS, Selection, labels_of, slots_of
from dashboard.figures.figure import better_or_worse, corrected_p, tint
from dashboard.page import StoreOfRequest, View, callback
from dashboard.pages.compare.load import Comparison
from dashboard.pages.compare.load import load as load_comparison
from dashboard.pages.home.events import DONE, MOST_NAMED, day, folded
from dashboard.pages.leaderboard.load import claims_of
from dashboard.pages.leaderboard.load import load as load_leaderboard
from dashboard.theme import version_slot
from evalstore.catalog.links import find_linked_runs
from evalstore.comparison.significance import Pair
from evalstore.leaderboard.ranks import sharing_lead
from evalstore.store import Store
from evalstore.tracking.overview import (
    EARLIEST,
    LATEST,
    LEAST_JUDGED,
    MEASURE,
    CollectionNews,
    CollectionOverview,
    Gate,
    Overview,
    news_since,
    overview,
)

ANSWER = "home-answer"
NEWS = "home-news"
LAST_VISIT = "last-visit"
MOST_COMPARED = 4
"""The most collections whose new runs are compared with the baseline."""
MOST_COLLECTIONS = 12
"""The most collections whose news are listed, and the most whose leads are tested, the newest."""


def parts(store: Store, contents: Overview) -> list[Any]:
    """The heading, which first says which run leads, and the place of the news."""
    return [
        html.Header(
            html.H1(leading(store, contents), id=ANSWER, **{"aria-live": "polite"}),
            className="page-heading",
        ),
        dcc.Store(id=LAST_VISIT),
        html.Div(id=NEWS),
    ]


def register(app: Dash, store_of_request: StoreOfRequest) -> None:
    """Add the callback that answers once the browser has sent the time of the last visit."""

    @callback(
        app,
        Output(ANSWER, "children"),
        Output(NEWS, "children"),
        Input(LAST_VISIT, "data"),
        prevent_initial_call=True,
    )
    def show_news(last_visit: str | None) -> Any:
        store, since = store_of_request(), as_time(last_visit)
        try:
            contents = read(store, lambda: overview(store))
            tested = sorted(
                contents.collections, key=lambda one: one.last_run or EARLIEST, reverse=True
            )
            verdicts = {one.name: verdict(store, one) for one in tested[:MOST_COLLECTIONS]}
            claim = verdicts.get(contents.newest.name, "")
            if since is None:
                answer: tuple[list[Any], list[Any]] = leading(store, contents, claim), []
            else:
                told = tell(store, read(store, lambda: news_since(store, since)))
                answer = heading(told, since), listed(store, told)
                if not told:
                    nothing = f"Nothing new since your last visit, {_when(since)}"
                    answer = leading(store, contents, claim, nothing), []
        except PageProblem:
            return no_update, no_update  # the store can't be read: the next page will say so
        for name, text in verdicts.items():
            set_props(place_of_verdict(name), {"children": text or "–"})
        return answer


def place_of_verdict(collection: str) -> dict[str, str]:
    """The id of the place that says whether the lead in a collection is shown."""
    return {"verdict": collection}


def as_time(text: object) -> datetime | None:
    """Parse a time written by a browser; None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


# Without news: the run that leads the collection with the newest run


def leading(store: Store, contents: Overview, claim: str = "", *facts: str) -> list[Any]:
    """Which run leads the collection with the newest run; `claim` says whether that is shown."""
    newest, several = contents.newest, len(contents.collections)
    which = [f"The collection with the newest run, of {several:,}"] if several > 1 else []
    end = html.Span(" · ".join([*which, *facts]), className="hint")
    begin = [_collection(newest.name), ": "]
    if newest.best is None:
        return [*begin, wording.count(newest.runs, "run"), " ", end]
    name = newest.best.run
    href = Address("run", newest.name, name).href
    slot = version_slot(newest.best.slot, newest.best.newer)
    label = labels_of(store, newest.name, [name])[name]
    run = controls.engine(slot, name, label, href=href)
    value = f" has the highest {MEASURE}, {wording.value(newest.best.value)}"
    return [*begin, run, value, f"; {claim}" if claim else "", " ", end]


def verdict(store: Store, collection: CollectionOverview) -> str:
    """Whether the lead is shown, by the same tests as on the leaderboard; empty if not tested."""
    if collection.best is None:
        return ""
    address = Address("leaderboard", collection.name, None, {"m": (MEASURE,)})
    try:
        claims = read(store, lambda: claims_of(store, load_leaderboard(View(store, address))))
    except PageProblem:
        return ""  # the leaderboard says why; the other collections have their verdicts
    sharing, runs = len(sharing_lead(claims)), len(claims.runs)
    if not sharing or runs < 2:
        return ""
    if sharing > 1:
        return f"not shown to be best: {sharing:,} of {runs:,} runs share the lead"
    return f"shown to be best of {runs:,} runs"


# After that: the news by collection, first as a sentence


@dataclass(frozen=True, eq=False)
class Told:
    """The news of a collection, with the comparison that the link of its new runs leads to.

    `comparison` is None without a baseline, if the runs can't be compared, and of a collection
    after the first `MOST_COMPARED`.
    """

    news: CollectionNews
    comparison: Comparison | None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The claims about the new runs and the baseline."""
        return () if self.comparison is None else self.comparison.compared.pairs


def tell(store: Store, news: Sequence[CollectionNews]) -> list[Told]:
    """Compare the new runs of the first collections with their baselines, as Compare does."""
    told = []
    left = MOST_COMPARED
    for one in news:
        address = compare_address(one)
        compared = None
        if one.baseline is not None and address is not None and left:
            left -= 1
            compared = _compared(store, address)
        told.append(Told(one, compared))
    return told


def compare_address(news: CollectionNews) -> Address | None:
    """The comparison of the newest runs with the baseline, if any; None for fewer than two runs."""
    base = () if news.baseline is None else (news.baseline,)
    runs = [name for name in news.runs if name not in base][: MOST_RUNS - 1]
    if not runs or len(runs) + len(base) < 2:
        return None
    return Address("compare", news.collection, None, {"runs": (*base, *runs)})


def _compared(store: Store, address: Address) -> Comparison | None:
    try:
        comparison = load_comparison(View(store, address))
    except (PageProblem, Redirect):
        return None
    return comparison if comparison.compared.pairs else None


def heading(told: Sequence[Told], since: datetime) -> list[Any]:
    """The news as a sentence on runs and gates, and below it one on judgments."""
    items: list[tuple[list[Any], list[Any], list[Told]]] = []
    runs = [one for one in told if one.news.runs]
    if runs:
        number = sum(len(one.news.runs) for one in runs)
        items.append(([wording.count(number, "new run")], _verdicts(runs), runs))
    for failed, one_gate, gates in (
        (True, "a gate failed", "gates failed"),
        (False, "a gate did not decide", "gates did not decide"),
    ):
        having = [one for one in told if _gates(one, failed=failed)]
        if having:
            number = sum(_gates(one, failed=failed) for one in having)
            items.append(([one_gate if number == 1 else f"{number:,} {gates}"], [], having))
    above = len(items) or 1
    changed = [one for one in told if one.news.qrels]
    if changed:
        stored = any("ingest" in qrels.actions for one in changed for qrels in one.news.qrels)
        items.append((["new judgments" if stored else "changed judgments"], [], changed))
    lacking = [one for one in told if one.news.unjudged]
    if lacking:
        number = sum(len(one.news.unjudged) for one in lacking)
        words = "one run lacks judgments" if number == 1 else f"{number:,} runs lack judgments"
        if any(len(one.news.runs) > LATEST for one in lacking):
            words = f"{number:,} of the newest runs {'lacks' if number == 1 else 'lack'} judgments"
        items.append(([words], [], lacking))
    sentence: list[Any] = [f"Since {_when(since)}: "]
    below: list[Any] = []
    for position, (begin, end, of) in enumerate(items):
        where = _where(of) if position == 0 or len(told) > 1 else []
        part = sentence if position < above else below
        part += [*(["; "] if position not in (0, above) else []), *begin, *where, *end]
    return [*sentence, " ", html.Span(below, className="hint")]


def _when(since: datetime) -> str:
    return day(since).replace("today", "earlier today")


def _gates(told: Told, *, failed: bool) -> int:
    return sum((gate.outcome == "failed") == failed for gate in told.news.gates)


def _where(told: Sequence[Told]) -> list[Any]:
    if len(told) > 1:
        return [f" in {len(told):,} collections"]
    return [" in ", _collection(told[0].news.collection)]


WORDS = {
    "better": "better than",
    "worse": "worse than",
    "equivalent": "equivalent to",
    "undecided": "undecided against",
}


def _verdicts(runs: Sequence[Told]) -> list[Any]:
    """The numbers of new runs by verdict: ", one better than bm25, 2 undecided"."""
    pairs = [pair for one in runs for pair in one.pairs]
    counts: Counter[str] = Counter(
        pair.verdict if pair.verdict in WORDS else "undecided" for pair in pairs
    )
    if not counts:
        return []
    compared = [one.comparison for one in runs if one.comparison is not None]
    base: Any = "the baselines"
    if len(compared) == 1:
        base = html.Bdi(wording.name(compared[0].baseline))
    could_be = sum(name != one.news.baseline for one in runs for name in one.news.runs)
    result: list[Any] = [", " if len(pairs) == could_be else f"; of {len(pairs):,} compared "]
    for verdict in (verdict for verdict in WORDS if counts[verdict]):
        number = "one" if counts[verdict] == 1 else f"{counts[verdict]:,}"
        if len(result) == 1:
            result += [f"{number} {WORDS[verdict]} ", base]
        else:
            result.append(f", {number} {verdict}")
    return result


# The list of the news


def listed(store: Store, told: Sequence[Told]) -> list[Any]:
    """A card for each collection with news."""
    cards = [_card(store, one) for one in told[:MOST_COLLECTIONS]]
    more = len(told) - MOST_COLLECTIONS
    if more > 0:
        words = f"News also in {wording.count(more, 'further collection')}, listed below."
        cards.append(html.P(words, className="caption"))
    return cards


def _card(store: Store, told: Told) -> Any:
    news, compared = told.news, told.comparison
    lines = [
        *(_gate_line(news.collection, gate) for gate in news.gates),
        *(_run_lines(store, told) if news.runs else []),
        *_qrels_lines(news),
        *([_unjudged_line(store, news)] if news.unjudged else []),
    ]
    caption = None
    if compared is not None:
        base = compared.selection.label(compared.selection.run(compared.baseline))
        level = wording.level(compared.compared.settings.alpha)
        words = f", with {level} interval and p after {told.pairs[0].family}"
        caption = html.P(
            [f"{compared.measure.label} less that of the baseline ⚑ ", base, words],
            className="caption",
        )
    address = compare_address(news)
    link = None
    if address is not None:
        text = "Compare these" if news.baseline is None else "Compare with the baseline"
        link = html.A(text, href=address.href, className="quiet-action")
    return shell.card(_collection(news.collection), caption, folded(lines, "news"), aside=link)


def _line(kind: str, subject: Any, text: Any = "", *, class_name: str = "", title: str = "") -> Any:
    return html.Li(
        [
            html.Span(kind, className=f"news-kind {class_name}".strip(), title=title or None),
            html.Span(subject, className="news-subject"),
            html.Span(text, className="news-text"),
        ]
    )


def _run_lines(store: Store, told: Told) -> list[Any]:
    """A line for each new run that is compared, those that differ first; else one for all."""
    news, comparison = told.news, told.comparison
    number = sum(name != news.baseline for name in news.runs)
    more: list[Any] = []
    if number > MOST_RUNS - 1:
        newest = Address("leaderboard", news.collection, None, {"sort": ("-date",)})
        words = wording.count(number - (MOST_RUNS - 1), "older new run", "older new runs")
        more = [html.A(f"and {words}", href=newest.href)]
    if comparison is None:
        runs = _named(store, news.collection, news.runs[: MOST_RUNS - 1])
        why = "no baseline" if news.baseline is None else "not compared"
        return [_line("new", why, [*runs, " ", *more])]
    pairs = {name: comparison.pair(name) for name in comparison.names[1:]}
    lines = [_run_line(comparison, name) for name in sorted(pairs, key=lambda n: _place(pairs[n]))]
    return [*lines, _line("", more)] if more else lines


def _place(pair: Pair | None) -> int:
    return 2 if pair is None else {"better": 0, "worse": 1}.get(pair.verdict, 2)


def _run_line(comparison: Comparison, name: str) -> Any:
    label, pair = comparison.selection.label(comparison.selection.run(name)), comparison.pair(name)
    if pair is None:
        return _line("undecided", label, "no query in common")
    counts = comparison.measure.counts
    sign, title = better_or_worse(pair)
    word = pair.verdict if pair.verdict in WORDS else "undecided"
    interval = wording.interval(*pair.interval, counts=counts)
    text = [
        html.Strong(wording.difference(pair.difference, counts=counts)),
        f" · {interval} · p {corrected_p(pair, 't')}",
    ]
    return _line(f"{sign} {word}".strip(), label, text, class_name=tint(sign), title=title)


def _named(
    store: Store, collection: str, names: Sequence[str], after: Mapping[str, str] | None = None
) -> list[Any]:
    """The runs by mark and name, separated by commas; `after` has words that follow some."""
    runs = find_linked_runs(store, collection, names).runs
    labels = labels_of(store, collection, [run.name for run in runs])
    selection = Selection(collection, runs, slots_of(runs), labels)
    result: list[Any] = []
    for run in runs:
        result += [", ", selection.label(run), (after or {}).get(run.name, "")]
    return result[1:]


def _gate_line(collection: str, gate: Gate) -> Any:
    run: Any = html.Bdi(wording.name(gate.run))
    if gate.is_stored:
        run = html.A(run, href=Address("run", collection, gate.run).href)
    text = html.Bdi(wording.name(gate.summary, 300))
    return _line(f"⊘ gate {wording.clean(gate.outcome)}", run, text, class_name="warning")


def _qrels_lines(news: CollectionNews) -> list[Any]:
    lines = []
    for qrels in news.qrels:
        name: Any = html.Bdi(wording.name(qrels.name))
        if qrels.is_active:
            board = Address("leaderboard", news.collection, None, {"qrels": (qrels.name,)})
            name = html.A(name, href=board.href, title="The leaderboard under these judgments")
        done = ", ".join(DONE.get(action, action) for action in qrels.actions)
        number = f"{wording.count(qrels.judgments, 'judgment')} " if qrels.judgments else ""
        lines.append(_line("judgments", name, f"{number}{done}"))
    return lines


def _unjudged_line(store: Store, news: CollectionNews) -> Any:
    shares = {run: f" {100 * share:.0f} %" for run, share in news.unjudged[:MOST_NAMED]}
    runs = _named(store, news.collection, list(shares), shares)
    if len(news.unjudged) > MOST_NAMED:
        board = Address("leaderboard", news.collection).href
        runs += [" ", html.A(f"and {len(news.unjudged) - MOST_NAMED:,} more", href=board)]
    below = f"under {100 * LEAST_JUDGED:.0f} % of the top 10"
    title = "Documents without a judgment count as not relevant: the figures may be too low."
    return _line("◐ unjudged", below, runs, class_name="warning", title=title)


def _collection(name: str) -> Any:
    href = Address("leaderboard", name).href
    return html.A(html.Bdi(wording.name(name)), href=href)

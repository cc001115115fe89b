"""The latest events in words: what was done alike on a day is one line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import wording
from evalstore.store.queries.events import Event

DONE: Mapping[str, str] = MappingProxyType(
    {
        "ingest": "stored",
        "replace": "replaced",
        "measure": "measured",
        "reevaluate": "evaluated again",
        "edit": "edited",
        "annotate": "edited",
        "rename": "renamed",
        "tag": "tagged",
        "rm": "removed",
        "restore": "restored",
        "purge": "deleted",
        "copy": "copied",
        "default": "made default",
        "baseline": "made baseline",
        "facts": "given facts",
        "rank": "ranked",
        "comment": "commented on",
        "uncomment": "deleted a comment on",
        "view": "saved",
        "unview": "removed",
        "new": "made",
        "publish": "published",
    }
)
"""The action of an event in words, with what it was done to after it."""
NOUNS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "qrels": ("judgments", "judgments"),
        "experiment": ("experiment", "experiments"),
        "queries": ("queries of", "queries of"),
        "draft": ("draft", "drafts"),
        "view": ("the view", "the views"),
        "unview": ("the view", "the views"),
    }
)
"""The kinds of things that an event names beside runs and collections, and the actions on views:
one, and several.
"""
OF_OTHERS = ("view", "unview", "job", "access")
"""The actions on saved views, jobs and collections, whose names may be those of runs."""
MOST_NAMED = 3
"""The most names in a line about similar events."""
MOST_LINES = 10
UNFOLDED = 4
"""The lines of a list that are seen at first."""
FAILED = "gate failed"


def day(at: datetime | None, now: datetime | None = None) -> str:
    """A day in words: today, yesterday, the weekday within the last week, else the date."""
    if at is None:
        return "–"
    days = ((now or datetime.now(UTC)).date() - at.date()).days
    if days <= 0:
        return "today"
    if days == 1:
        return "yesterday"
    return f"{at:%A}" if days < 7 else f"{at:%Y-%m-%d}"


def lately(newest: Iterable[Event], now: datetime, runs: Mapping[str, Collection[str]]) -> Any:
    """The list of events; assets/pages/home.js marks those since the last visit.

    Runs and collections are links if they have a page: `runs` are the active ones by collection.
    """
    events = list(newest)
    groups = alike(events)
    failed = _failed(events)
    # A team must see a failed gate: it comes first.
    groups.sort(key=lambda group: not any(event in failed for event in group))
    groups = groups[:MOST_LINES]
    days = [day(group[0].at, now) for group in groups]
    # A day is written above the first of its lines.
    several = len({event.who for group in groups for event in group}) > 1
    lines = [
        _line(group, "" if named == before else named, runs, by=several)
        for group, named, before in zip(groups, days, ["", *days], strict=False)
    ]
    return folded(lines, "events")


def folded(lines: Sequence[Any], class_name: str) -> Any:
    """A list with the first lines; the others follow folded."""
    first, others = lines[:UNFOLDED], lines[UNFOLDED:]
    if not others:
        return html.Ul(first, className=class_name)
    more = [html.Summary(f"{len(others):,} more"), html.Ul(others, className=class_name)]
    return html.Div([html.Ul(first, className=class_name), html.Details(more)])


def _failed(newest: Sequence[Event]) -> list[Event]:
    """The failed gates after which no other gate of the same run is among the events."""
    gates = [event for event in newest if event.action == "gate"]
    latest = {(event.collection, event.subject): event for event in reversed(gates)}
    return [event for event in latest.values() if done(event) == FAILED]


def alike(newest: Iterable[Event]) -> list[list[Event]]:
    """Group events by day, user, what was done, collection and kind of thing, the latest first."""
    groups: dict[tuple[Any, ...], list[Event]] = {}
    for event in newest:
        kind = event.at.date(), event.who, done(event), event.collection, _kind(event)
        groups.setdefault(kind, []).append(event)
    return list(groups.values())


def _kind(event: Event) -> str:
    return str((event.details or {}).get("kind", ""))


def done(event: Event) -> str:
    """The action of an event in words; of a gate its outcome."""
    if event.action == "gate":
        return f"gate {(event.details or {}).get('outcome', '')}"
    return DONE.get(event.action, event.action)


def _line(
    events: Sequence[Event], named_day: str, runs: Mapping[str, Collection[str]], *, by: bool
) -> Any:
    newest, words = events[0], done(events[0])
    where = newest.collection or ""
    named = list(dict.fromkeys(event.subject for event in events))
    noun = NOUNS.get(newest.action, NOUNS.get(_kind(newest)))
    subjects: list[Any] = [f"{noun[len(named) > 1]} "] if noun else []
    labels = wording.labels(named, 28)
    inside = where and named != [newest.collection]
    board = Address("leaderboard", where) if where in runs else None
    is_of_runs = _kind(newest) in ("", "run") and newest.action not in OF_OTHERS
    of_runs = runs.get(where, ()) if is_of_runs else ()
    for number, name in enumerate(named[:MOST_NAMED]):
        page = Address("run", where, name) if name in of_runs else None if inside else board
        subjects += [*([", "] if number else []), _linked(labels[name], page)]
    if newest.action in ("view", "unview") and len(named) > MOST_NAMED:
        subjects = [f"{len(named):,} views"]  # their names are sentences
    elif len(named) > MOST_NAMED:
        subjects.append(f" and {len(named) - MOST_NAMED:,} more")
    at = html.Span(named_day, className="event-time", title=f"{newest.at:%F %T} UTC")
    who = [" by ", html.Bdi(wording.name(newest.who, 40))]
    return html.Li(
        [
            at,
            html.Span(words, className=f"event-action{' warn' if words == FAILED else ''}"),
            html.Span(
                [
                    html.Span(subjects, title=wording.name(", ".join(named), 400)),
                    *([" in ", _linked(wording.name(where, 40), board)] if inside else []),
                    html.Span(who, className="hint") if by else None,
                ],
                className="event-subject",
            ),
        ],
        **{"data-at": newest.at.isoformat()},
    )


def _linked(label: str, page: Address | None) -> Any:
    return html.Bdi(label) if page is None else html.A(html.Bdi(label), href=page.href)

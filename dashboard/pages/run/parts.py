"""What is recorded of a run: facts, parameters beside its parent's, lineage, note, events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dash import html

from dashboard.address import Address
from dashboard.components import controls, shell, wording
from dashboard.components.elements import td, th, tr
from dashboard.pages.run.load import OneRun
from evalstore.client.differences import differing_facts
from evalstore.tracking.run_overview import Event, RunFacts
from evalstore.tracking.show_run import rows

PARAMETERS, METADATA = "parameters.", "header."
ELSEWHERE = frozenset(
    {"run", "id", "collection", "parent", "tags", "note", "commit", "commit_dirty", "content_hash"}
)
"""Facts that have a part of the page of their own."""
LONGEST_NOTE = 20_000
LONGEST_VALUE = 400
MOST_METADATA = 200


def facts_card(one: OneRun) -> Any:
    """The facts that were given, a row each."""
    facts = one.overview.facts
    collection = facts.collection
    own: list[tuple[str, Any]] = []
    metadata: list[tuple[str, Any]] = []
    for name, value in rows(facts):
        if name in ELSEWHERE or name.startswith(PARAMETERS):
            continue
        if name.startswith(METADATA):
            metadata.append((wording.name(name.removeprefix(METADATA), 80), text(value)))
            continue
        content: Any = text(value)
        if name == "engine":
            href = Address("history", collection, None, {"engine": (facts.engine,)}).href
            content = html.A(content, href=href)
        elif name == "experiment":
            content = html.A(content, href=_leaderboard(collection, str(value)))
        own.append((name.replace("_", " "), content))
    if facts.commit is not None:
        own.append(("commit", _commit(facts)))
    own.append(("content hash", html.Code(facts.content_hash, className="break")))
    if facts.tags:
        own.append(("tags", _tags(facts)))
    parts = [_table(own)]
    if metadata:
        count = wording.count(len(metadata), "entry", "entries")
        listed = _table(metadata[:MOST_METADATA])
        parts.append(html.Details([html.Summary(f"Metadata of the file, {count}"), listed]))
    return shell.card("Facts", *parts)


def _commit(facts: RunFacts) -> Any:
    changed = html.Span(" changed files", className="warn") if facts.commit_dirty else None
    return [html.Code(wording.name(str(facts.commit), 80), className="break"), changed]


def _tags(facts: RunFacts) -> Any:
    links = [
        html.A(
            html.Bdi(wording.name(tag, 40)), href=_leaderboard(facts.collection, tag),
            className="tag",
        )
        for tag in facts.tags
    ]  # fmt: skip
    return html.Span(links, **controls.roving("a"))


def _leaderboard(collection: str, find: str) -> str:
    return Address("leaderboard", collection, None, {"find": (find,)}).href


def parameters_card(one: OneRun) -> Any:
    """The parameters; beside them those of the parent, and what else it does not share."""
    facts, parent = one.overview.facts, one.overview.parent
    own = _parameters(facts)
    if parent is None:
        if not own:
            return shell.card("Parameters", html.P("None were given.", className="hint"))
        return shell.card("Parameters", _table([(name, text(own[name])) for name in own]))
    before = _parameters(parent)
    changed = {one.fact: one for one in differing_facts(parent, facts)}
    cells = [
        tr(
            [
                th(html.Bdi(name), scope="row"),
                td(text(before.get(name))),
                td(text(own.get(name))),
                td("changed" if PARAMETERS + name in changed else "", className="hint"),
            ],
            className="changed" if PARAMETERS + name in changed else "",
        )
        for name in dict.fromkeys([*before, *own])
    ]
    head = ("", wording.name(parent.name, 24), wording.name(facts.name, 24), "")
    table = html.Table(
        [html.Thead(tr([th(html.Bdi(t)) for t in head])), html.Tbody(cells)],
        className="plain-table facts-table",
    )
    others = [name for name in changed if not name.startswith((PARAMETERS, METADATA))]
    number = sum(name.startswith(PARAMETERS) for name in changed)
    verb = "differs" if number == 1 else "differ"
    count = wording.count(number, "parameter") if number else "No parameters"
    beside = f"{count} {verb} from the parent {wording.name(parent.name, 40)}."
    if others:
        beside += f" Also different: {', '.join(name.replace('_', ' ') for name in others)}."
    body = [html.Div(table, className="scroll-x")] if cells else []
    return shell.card("Parameters", html.P(beside, className="caption"), *body)


def _parameters(facts: RunFacts) -> dict[str, Any]:
    return {
        name.removeprefix(PARAMETERS): value
        for name, value in rows(facts)
        if name.startswith(PARAMETERS)
    }


def lineage_card(one: OneRun) -> Any:
    """The runs that it was derived from, and those derived from it, as links."""
    line, children = one.overview.ancestors, one.overview.children
    if not line and not children:
        return None
    lines: list[Any] = []
    if line:
        steps: list[Any] = []
        for ancestor in reversed(line):
            name = html.Bdi(wording.name(ancestor.name, 40))
            if ancestor.is_removed:
                steps += [html.Span([name, " (removed)"], className="hint"), " → "]
            else:
                steps += [html.A(name, href=_run(one, ancestor.name)), " → "]
        own = html.Strong(html.Bdi(wording.name(one.run.name, 40)))
        lines.append(
            html.P(["Derived: ", *steps, own], className="lineage", **controls.roving("a"))
        )
    if children:
        links = [
            [", " if number else "", html.A(html.Bdi(wording.name(child, 40)), _run(one, child))]
            for number, child in enumerate(children)
        ]
        before = f"{wording.count(len(children), 'run')} derived from it: "
        lines.append(
            html.P(
                [before, *(part for link in links for part in link)],
                className="lineage",
                **controls.roving("a"),
            )
        )
    return shell.card("Lineage", *lines)


def _run(one: OneRun, name: str) -> str:
    return Address("run", one.address.collection, name).href


def note_card(one: OneRun) -> Any:
    """The note as it was written: Markdown reads well as text, and text can load nothing."""
    note = one.overview.facts.note
    if not note:
        return None
    short_note = wording.shorten(note, LONGEST_NOTE)
    return shell.card("Note", html.Div(short_note, className="note-text", dir="auto"))


def events_card(one: OneRun) -> Any:
    """Who did what to the run, the newest first."""
    events = one.overview.events
    if not events:
        body: Any = html.P("Nothing is recorded under this name.", className="hint")
    else:
        body = html.Ul([_event(event) for event in events], className="events")
    return shell.card("Events", body)


def _event(event: Event) -> Any:
    details = " · ".join(f"{key}: {text(value)}" for key, value in (event.details or {}).items())
    return html.Li(
        [
            html.Span(f"{event.at:%Y-%m-%d %H:%M}", className="event-time", title="UTC"),
            html.Span(event.action, className="event-action"),
            html.Span(f"by {wording.name(event.who, 40)}", className="event-who"),
            html.Span(wording.name(details, 160), className="event-details", dir="auto"),
        ]
    )


def text(value: Any) -> str:
    """A fact as people read it; – where there is none."""
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, list):
        return wording.name(", ".join(map(text, value)), LONGEST_VALUE)
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return wording.name(written, LONGEST_VALUE)


def _table(pairs: Sequence[tuple[str, Any]]) -> Any:
    body = [tr([th(html.Bdi(name), scope="row"), td(value, dir="auto")]) for name, value in pairs]
    table = html.Table(html.Tbody(body), className="plain-table facts-table")
    return html.Div(table, className="scroll-x")

"""Errors of the store and of links to runs, as sentences for a page."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from dashboard import wording
from dashboard.links import COMPARE, RUNS, CompareView, PageProblem, RunLink, RunsView, WayOut
from evalstore.errors import EvalstoreError, NotComparable, NotFound, StoreError
from evalstore.store import Store
from evalstore.usecases.trace_run import TracedRun, trace_run

T = TypeVar("T")

STORE_ADVICE = {
    "newer schema": "Who runs this dashboard: install a newer evalstore, then start it again.",
    "older schema": "Who runs this dashboard: make a backup, then run `evalstore db upgrade`.",
    "no store": "Who runs this dashboard: `evalstore ingest` or `evalstore demo` makes a store.",
}
"""What mends a problem of the store, by `EvalstoreError.problem`."""

USUAL_ADVICE = (
    "If this stays so, tell the person who runs this dashboard: its terminal shows the reason."
)


def read(store: Store, load: Callable[[], T], way_out: WayOut | None = None) -> T:
    """Return what `load` returns; its errors become a PageProblem that anyone may see."""
    try:
        return load()
    except NotFound as error:
        raise PageProblem("Not in this store", sentence(error)) from error
    except NotComparable as error:
        raise PageProblem(
            "These runs can't be compared", sentence(error), **(way_out or {})
        ) from error
    except StoreError as error:
        raise _store_problem(store, error) from error
    except EvalstoreError as error:
        raise PageProblem("This can't be shown", sentence(error)) from error


def sentence(line: object) -> str:
    """Return an error, which is a line for a terminal, as a sentence."""
    text = str(line)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _store_problem(store: Store, error: StoreError) -> PageProblem:
    """Return what to say about a store that can't be read, without host, user and folder.

    Who runs the dashboard reads the whole error in its terminal.
    """
    logging.getLogger("dashboard").warning("%s", error)
    name = f"the database “{wording.name(store.name)}”"
    if error.__cause__ is None:  # a sentence of ours; what a driver says may name host and user
        text = str(error).replace(store.url_shown, name)
        if store.file is not None:
            text = text.replace(str(store.file), name)
        text = sentence(text)
    else:
        text = sentence(f"{name} can't be read")
    return PageProblem(
        "The store can't be read",
        text,
        advice=STORE_ADVICE.get(error.problem or "", USUAL_ADVICE),
        link="",
        link_text="Try again",
        status=503,
    )


def linked_runs_problem(store: Store, view: CompareView) -> PageProblem | None:
    """Return what became of the runs of a link that are not stored as it names them.

    None where all of them are.
    """
    links = [*view.runs, *(run for run in (view.a, view.b) if run is not None)]
    traced = {link: _trace(store, link) for link in links}
    changed = {link: run for link, run in traced.items() if run.status != "stored"}
    if not changed:
        return None
    one_by_run = {link.id: _what_became_of(link, run) for link, run in changed.items()}
    sentences = list(one_by_run.values())
    more = len(sentences) - 3
    if more > 0:
        sentences = [*sentences[:3], f"The same is true of {wording.count(more, 'other run')}."]
    title = "A run of this link has changed"
    if all(run.status == "unknown" for run in changed.values()):
        title = "Not in this store"
    elif len(one_by_run) > 1:
        title = "Runs of this link have changed"
    return PageProblem(
        title,
        " ".join(sentences),
        advice=_advice(list(changed.values())),
        **_way_on(view, [traced[link] for link in view.runs], list(view.runs)),
    )


def _trace(store: Store, link: RunLink) -> TracedRun:
    return read(store, lambda: trace_run(store, link.id, link.content))


def _what_became_of(link: RunLink, traced: TracedRun) -> str:
    run = f"The run “{wording.name(traced.name or '')}”"
    if traced.collection is not None:
        run += f" of collection “{wording.name(traced.collection)}”"
    match traced.status:
        case "removed":
            return f"{run} was removed on {_time(traced.at)}."
        case "moved" if traced.run is not None:
            return f"{run} has number {traced.run.id} in this store, not {link.id}."
        case "replaced":
            return f"{run} was replaced on {_time(traced.at)} by another one of the same name."
        case "deleted":
            return f"{run} was deleted for good on {_time(traced.at)}."
        case "other" if traced.run is not None:
            name = wording.name(traced.run.name)
            return (
                f"The run that this link names ({link}) is not in this store: number {link.id} "
                f"is the run “{name}” of collection “{wording.name(traced.run.collection)}” here."
            )
    return f"There is no run {link.id} in the store."


def _time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d at %H:%M} UTC" if at else "an unknown date"


def _advice(traced: Sequence[TracedRun]) -> str:
    if any(run.status == "removed" for run in traced):
        return "`evalstore restore` brings removed runs back."
    return ""


def _way_on(view: CompareView, traced: Sequence[TracedRun], links: Sequence[RunLink]) -> WayOut:
    """Return the link to what can still be compared: the same runs, or their successors."""
    kept = [
        RunLink.of(run.run.id, run.run.content_hash)
        for run in traced
        if run.run is not None and run.run.removed_at is None
    ]
    if len({link.id for link in kept}) >= 2:
        names = {run.run.name for run in traced if run.run and run.status in ("replaced", "other")}
        text = "Compare the runs that are left"
        if names:
            text = f"Compare with {', '.join(wording.name(name) for name in sorted(names))}"
        elif len(kept) == len(links):
            text = "Compare them under their numbers here"
        runs = tuple(dict.fromkeys(kept))
        link = COMPARE + CompareView(runs, view.qrels, view.measure, sort=view.sort).search()
        return {"link": link, "link_text": text}
    collections = {run.collection or (run.run.collection if run.run else None) for run in traced}
    collection = min((name for name in collections if name), default=None)
    if collection is not None:
        link = RUNS + RunsView(collection).search()
        return {"link": link, "link_text": f"Runs of {wording.name(collection)}"}
    return {}

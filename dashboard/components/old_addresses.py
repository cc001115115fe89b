"""Addresses of earlier versions: what they are now."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from dashboard.address import Address, linked, without_prefix
from dashboard.components import run_problems
from dashboard.components.problems import PageProblem
from dashboard.components.store_problems import read
from evalstore.catalog.links import TracedRun, trace_run
from evalstore.store import Store

OLD_COMPARE = "/compare"
RUN = re.compile(r"([0-9]{1,15})(?:~([0-9a-f]{4,64}))?")


def moved(store: Store, path: str, search: str) -> str | None:
    """The address that an old one leads on to; None where it is none.

    `/?collection=c&measures=AP,P@5` was the leaderboard. `/compare?runs=1~3f9a,2&a=1&b=2` names
    runs by their ids and hashes; the difference was a - b.

    Raises:
        PageProblem: the runs that it names are not stored any more.
    """
    path, parameters = without_prefix(path), dict(parse_qsl(search.removeprefix("?")))
    chosen: dict[str, tuple[str, ...]] = {
        "qrels": (parameters.get("qrels", ""),),
        "m": (parameters.get("measure", ""),),
    }
    if path == "/" and "collection" in parameters:
        chosen["m"] = tuple(parameters.get("measures", "").split(","))
        return Address("leaderboard", parameters["collection"], None, chosen).href
    if path.rstrip("/") != OLD_COMPARE:
        return None
    runs = {text: _trace(store, text) for text in parameters.get("runs", "").split(",") if text}
    lost = {text: run for text, run in runs.items() if run.run is None or run.status != "stored"}
    lost = {text: run for text, run in lost.items() if run.status != "moved"}
    if lost:
        raise run_problems.problem(lost)
    stored = [run.run for run in runs.values() if run.run is not None]
    if not stored:
        return linked("/")
    names = {text: run.run.name for text, run in runs.items() if run.run is not None}
    chosen |= {
        "runs": tuple(run.name for run in stored),
        "pair": (names.get(parameters.get("a", ""), ""),),
        "base": (names.get(parameters.get("b", ""), ""),),
        "order": ("difference" if parameters.get("sort") == "difference" else "",),
        "query": (parameters.get("query", ""),),
    }
    return Address("compare", stored[0].collection, None, chosen).href


def _trace(store: Store, text: str) -> TracedRun:
    match = RUN.fullmatch(text.strip().lower())
    if match is None:
        raise PageProblem(
            "This link is not understood",
            f"“{text[:40]}” is not the number of a run.",
        )
    run_id, content = int(match[1]), match[2] or ""
    return read(store, lambda: trace_run(store, run_id, content))

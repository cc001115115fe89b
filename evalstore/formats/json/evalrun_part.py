"""Runs that were logged query by query, `.evalrun`: JSON lines; docs/formats.md specifies them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evalstore.errors import DataError, FileError
from evalstore.formats import ids
from evalstore.formats.facts.json_facts import merged
from evalstore.formats.file_names import tag_of_file, tag_of_text
from evalstore.formats.json.evalrun import CutOff, MoreFacts, Ranking, Record, Start, read_records
from evalstore.formats.lines import refuse
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text
from evalstore.formats.trec.messages import counted

DOCUMENTS = 200_000
"""How many documents are made arrays together: as dictionaries they take ten times the memory."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a logged run with its names, facts and times; its tag is the engine's name.

    A query without documents is as one that is not there, but for its time.

    Raises:
        FileError: the first line that breaks a rule, a document or query that stands twice, or a
            run that has not ended, unless `options` take such ones.
    """
    options = options or ReadOptions()
    start, facts = Start({}, {}), dict[str, Any]()
    waiting: list[Ranking] = []
    parts: list[Run] = []
    times: dict[str, float] = {}
    queries = documents = 0
    record: Record | None = None
    for record in read_records(path, options):
        if isinstance(record, Start):
            start, facts = record, dict(record.facts)
        elif isinstance(record, MoreFacts):
            facts = _merged(path, facts, record.facts)
        elif isinstance(record, Ranking):
            queries += 1
            documents += len(record.docs)
            waiting.append(record)
            if record.milliseconds is not None:
                times[record.qid] = record.milliseconds
            if documents >= DOCUMENTS or len(waiting) >= DOCUMENTS:
                parts.extend(_part(path, waiting))
                waiting, documents = [], 0
    parts.extend(_part(path, waiting))
    warnings = _unfinished(path, record, queries, options)
    if not parts:
        refuse(path, None, "no documents: a run is expected")
    engine = start.names.get("engine")
    run = _joined(parts)
    return replace(
        run,
        tag=tag_of_text(engine) if engine else tag_of_file(path),
        warnings=warnings,
        facts=facts,
        times=times,
        names=start.names,
    )


def _merged(path: str, facts: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return merged(facts, later)
    except DataError as error:
        refuse(path, None, str(error))


def _unfinished(
    path: str, last: Record | None, queries: int, options: ReadOptions
) -> tuple[str, ...]:
    """Warnings of a run that has not ended.

    Raises:
        FileError: it has not, and `options` do not take such a run.
    """
    if isinstance(last, MoreFacts) and last.is_end:
        return ()
    what = f"the run has not ended, with {counted(queries, 'query')} so far"
    if not options.unfinished:
        what += "; resume it, or read it as it is"
        raise FileError(path_text(path), None, what, problem="unfinished run")
    cut = f"{path_text(path)}:{last.line}: the line is cut off" if isinstance(last, CutOff) else ""
    return (*([f"{cut}; it is left out"] if cut else []), f"{path_text(path)}: {what}")


def _part(path: str, rankings: Sequence[Ranking]) -> list[Run]:
    """Some rankings as one run; none where no query has a document."""
    answered = [ranking for ranking in rankings if ranking.docs]
    if not answered:
        return []
    name = path_text(path)
    try:
        return [Run.from_dict({ranking.qid: ranking.docs for ranking in answered}, name=name)]
    except DataError:
        for ranking in answered:  # which one it is
            try:
                Run.from_dict({ranking.qid: ranking.docs}, name=name)
            except DataError as error:
                refuse(path, ranking.line, str(error).removeprefix(name).lstrip(",: "))
        raise


def _joined(parts: Sequence[Run]) -> Run:
    """One run of several without a common query."""
    sizes = np.array([len(part.scores) for part in parts], np.int64)
    firsts = np.cumsum(sizes) - sizes
    starts = np.concatenate(
        [part.starts + first for part, first in zip(parts, firsts.tolist(), strict=True)]
    )
    lengths = np.concatenate([part.lengths for part in parts])
    qids = [qid for part in parts for qid in part.qids]
    order = sorted(range(len(qids)), key=lambda number: qids[number].encode())
    columns = [ids.offsets_and_bytes(part.docnos) for part in parts]
    docnos = ids.column_of(
        np.concatenate([np.diff(at).astype(np.int64) for at, _ in columns]),
        b"".join(data[at[0] : at[-1]].tobytes() for at, data in columns),
    )
    return Run(
        path=parts[0].path,
        tag=parts[0].tag,
        qids=tuple(qids[number] for number in order),
        starts=starts[order],
        lengths=lengths[order],
        docnos=docnos,
        scores=np.concatenate([part.scores for part in parts]),
        warnings=(),
    )


def _recognise(head: str) -> Recognised | None:
    if re.match(r'\s*\{\s*"evalrun"\s*:', head):
        return Recognised(True, "JSON lines, the first with the key evalrun")
    return None


EVALRUN: Format[Run] = Format(
    name="evalrun",
    title="run that was logged from code, query by query",
    content="run",
    extensions=(".evalrun",),
    example='{"evalrun": 1, "engine": "bm25", "facts": {"parameters": {"k1": 0.9}}}\n'
    '{"qid": "q1", "docs": [["d7", 2.5], ["d9", 1.5]], "ms": 12.5}\n'
    '{"qid": "q2", "docs": [["d7", 3.25]]}\n'
    '{"ended_at": "2026-11-21T19:37:04+00:00", "queries": 2}\n',
    recognise=_recognise,
    read=read_run,
)

"""Values that trec_eval printed, checked against the judgments and made ready to be written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from evalstore.catalog.names import check_name
from evalstore.errors import DataError, MeasureError
from evalstore.evaluation.prepare import Prepared, Request
from evalstore.evaluation.run_rows import evaluation_rows
from evalstore.formats import Qrels, Run
from evalstore.formats.content_hash import values_hash
from evalstore.formats.source import path_text
from evalstore.formats.trec.values import PrintedValues
from evalstore.measures import Measure, aggregate, evaluate, parse, parse_all
from evalstore.measures.judged import Judged
from evalstore.measures.matching import match

MOST_NAMED = 5
"""A sentence names so many queries or measures; of more it gives the number."""

HALF_A_DIGIT = 0.5e-4
"""How far a printed value may lie from the exact one."""

NUM_Q = "num_q"


def prepare_values(printed: PrintedValues, name: str, qrels: Qrels, request: Request) -> Prepared:
    """Check the values of a run under a qrels; uses no store.

    Every query of the qrels counts, as for all runs: one without values is a query that the run did
    not answer, and has the values of an empty ranking. The figures of all queries are computed from
    these values, not taken from the file.

    Raises:
        DataError: a name that can't be shown, values of queries that the qrels does not judge,
            numbers of relevant documents that are not those of the qrels, or no known measure.
    """
    check_name("run", name)
    path = path_text(printed.path)
    unanswered = _run_without_answers(printed.path)
    judged = match(unanswered, qrels, compat=request.compat)
    measures = _known(path, printed)
    _check_judgments(path, printed, judged, measures)
    rows = evaluation_rows(unanswered, judged, list(measures))
    row_of = {qid: row for row, qid in enumerate(judged.qids)}
    own_rows = [row_of[qid] for qid in printed.qids]
    values = {measure: rows.values[str(measure)].copy() for measure in measures}
    for measure, trec_name in measures.items():
        of_query = printed.values[trec_name]
        values[measure][own_rows] = [of_query[qid] for qid in printed.qids]
    figures = {measure: aggregate(measure, v, judged) for measure, v in values.items()}
    warnings = [
        *_on_left_out(path, printed, measures),
        *_on_figures(path, printed, measures, figures, len(judged.qids)),
    ]
    if request.ignore_identical_ids:
        warnings.append(f"{path}: documents with the id of their query stay: these are values only")
    tag = printed.tag or name
    return Prepared(
        name=name,
        tag=tag,
        content_hash=values_hash(tag, {str(m): printed.values[n] for m, n in measures.items()}),
        content=None,
        queries=_answered(printed, measures),
        evaluation=replace(
            rows,
            values={str(measure): v for measure, v in values.items()},
            aggregates={str(measure): figure for measure, figure in figures.items()},
        ),
        warnings=tuple(warnings),
        format=printed.format,
    )


def _answered(printed: PrintedValues, measures: Mapping[Measure, str]) -> int:
    """How many queries the run answers; trec_eval 10 prints values of the others, too."""
    name = measures.get(parse("NumRet"))
    if name is None:
        return len(printed.qids)
    return sum(retrieved > 0 for retrieved in printed.values[name].values())


def _run_without_answers(path: str) -> Run:
    """A run that answers no query: its values are those of empty rankings."""
    none = np.empty(0, np.int64)
    return Run(
        path=path,
        tag="",
        qids=(),
        starts=none,
        lengths=none,
        docnos=pa.array([], pa.binary()),
        scores=np.empty(0),
        warnings=(),
    )


def _known(path: str, printed: PrintedValues) -> dict[Measure, str]:
    """The measures that values can be stored of, with the file's first name of each.

    Raises:
        DataError: there is none, or two names of one measure have different values.
    """
    measures: dict[Measure, str] = {}
    for name in printed.values:
        measure = _measure(name)
        if measure is None:
            continue
        first = measures.setdefault(measure, name)
        if printed.values[first] != printed.values[name]:
            raise DataError(f"{path}: {first} and {name} are one measure, but their values differ")
    if not measures:
        raise DataError(f"{path}: {_named(list(printed.values))} can't be stored: not known here")
    return measures


def _measure(name: str) -> Measure | None:
    """The one measure of a name, if values of it can be stored.

    Not if it needs more than a run and a qrels, since it is not known with what the values were
    computed, and not if its figure of all queries can't be computed from the values.
    """
    try:
        parsed = parse_all(name)
    except MeasureError:
        return None
    measure = parsed[0][1]
    descriptor = measure.descriptor
    can_be = len(parsed) == 1 and not descriptor.needs and descriptor.combine is None
    return measure if can_be else None


def _check_judgments(
    path: str, printed: PrintedValues, judged: Judged, measures: Mapping[Measure, str]
) -> None:
    """Refuse values that were computed under other judgments, as far as it can be seen."""
    known = set(judged.qids)
    strangers = [qid for qid in printed.qids if qid not in known]
    question = "were the values computed under other judgments?"
    if strangers:
        count = "1 query" if len(strangers) == 1 else f"{len(strangers):,} queries"
        raise DataError(
            f"{path}: values of {count} that the qrels does not judge "
            f"({_named(strangers)}): {question}"
        )
    num_rel = parse("NumRel")
    if num_rel not in measures:
        return
    relevant = dict(zip(judged.qids, evaluate(judged, [num_rel])[num_rel].tolist(), strict=True))
    for qid, number in printed.values[measures[num_rel]].items():
        if number != relevant[qid]:
            raise DataError(
                f"{path}: {measures[num_rel]} of query {qid!r} is {number:g}, but the qrels has "
                f"{relevant[qid]:g} relevant documents for it: {question} Or with `trec_eval -l`?"
            )


def _on_left_out(path: str, printed: PrintedValues, measures: Collection[Measure]) -> list[str]:
    """A sentence on the measures that are in the file and are not stored."""
    unknown = [name for name in printed.values if _measure(name) not in measures]
    of_all = [n for n in printed.aggregates if n not in printed.values and n != NUM_Q]
    parts = []
    if unknown:
        parts.append(f"{_named(unknown)} (not known here, or of more than a run and a qrels)")
    if of_all:
        parts.append(f"{_named(of_all)} (without values of queries)")
    return [f"{path}: not stored: {'; '.join(parts)}"] if parts else []


def _on_figures(
    path: str,
    printed: PrintedValues,
    measures: Mapping[Measure, str],
    figures: Mapping[Measure, float],
    queries: int,
) -> list[str]:
    """A sentence where the file's figures of all queries are not those of its values."""
    others = []
    for measure, name in measures.items():
        kind = measure.descriptor.aggregate
        if name not in printed.aggregates or kind not in ("mean", "sum"):
            continue
        off = HALF_A_DIGIT * (1 + (queries if kind == "sum" else 1)) + 1e-9
        if abs(printed.aggregates[name] - figures[measure]) > off:
            others.append((name, printed.aggregates[name], figures[measure]))
    if not others:
        return []
    first, theirs, ours = others[0]
    more = f", and {len(others) - 1:,} more" if len(others) > 1 else ""
    missing = queries - len(printed.qids)
    why = (
        f"{missing:,} of the {queries:,} judged queries have no values and count as unanswered"
        if missing
        else "are these the values of one run?"
    )
    return [
        f"{path}: the file's figures of all queries are not stored, since its values give others "
        f"({first} {theirs:g}, here {ours:.4f}{more}): {why}"
    ]


def _named(names: Sequence[str]) -> str:
    first = ", ".join(names[:MOST_NAMED])
    return first if len(names) <= MOST_NAMED else f"{first} and {len(names) - MOST_NAMED:,} more"

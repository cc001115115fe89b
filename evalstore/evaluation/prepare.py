"""Reading and evaluating the run files of an ingest; this module uses no store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name, listed
from evalstore.errors import DataError, MeasureError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.run_rows import (
    evaluation_rows,
    evaluation_rows_of,
    hit_docnos,
    ranking_rows,
)
from evalstore.formats import Qrels, ties
from evalstore.formats.lists import listed_hash, run_hash, values_hash
from evalstore.formats.reading import ids
from evalstore.formats.reading.file_stamps import Watched, watched
from evalstore.formats.reading.lines import run_name, tag_of_file
from evalstore.formats.reading.source import path_text
from evalstore.formats.registry import is_by_text
from evalstore.formats.run import NotInParts, Run, RunParts
from evalstore.formats.sources import RunSource, use_source
from evalstore.formats.trec.columns import counted
from evalstore.formats.trec.values import PrintedValues
from evalstore.measures import Measure, aggregate, evaluate, parse, parse_all
from evalstore.measures.join import check_judged_documents, check_shared_queries, match
from evalstore.measures.judged import Judged
from evalstore.store.columns import EvaluationRows, RankingRows
from evalstore.store.packing import unpack


@dataclass(frozen=True)
class Prepared:
    """A run read and evaluated, ready to be written.

    Attributes:
        content: the run's rankings; None if it was given as values.
        queries: the number of queries that the run answers.
        left_out: the number of removed documents, whose id was that of their query.
        format: the file's format; empty without a file.
        facts, times, engine, experiment: the values that the file gives; times are milliseconds by
            query.
        file: the stamps by which the file is recognised later; None if that is impossible.
    """

    name: str
    tag: str
    content_hash: str
    content: RankingRows | None
    queries: int
    evaluation: EvaluationRows
    warnings: tuple[str, ...]
    left_out: int = 0
    format: str = ""
    facts: GivenFacts = field(default_factory=GivenFacts)
    times: Mapping[str, float] = field(default_factory=dict)
    engine: str | None = None
    experiment: str | None = None
    file: Watched | None = None


def prepare(source: RunSource, qrels: Qrels, request: IngestOptions) -> Prepared:
    """Read and evaluate one run, or take the values that a file holds; uses no store.

    DataError: a name or a fact is impossible, or the values don't belong to the qrels.
    """
    for kind in ("engine", "experiment"):
        name = getattr(source, kind)
        if name is not None:
            check_name(kind, name)
    facts = _checked_facts(source.path, source.facts)
    if source.error is not None:
        raise source.error
    # A part of a file can't be recognised later, and the file would be hashed for each part.
    is_file = source.content is None and not (source.part or source.sent_as)
    with watched(source.path) if is_file else nullcontext() as file:
        prepared = use_source(source, request.options, partial(_prepared, source, qrels, request))
    return replace(
        prepared,
        warnings=(*source.warnings, *prepared.warnings),
        facts=facts.or_else(prepared.facts),
        engine=source.engine or prepared.engine,
        experiment=source.experiment or prepared.experiment,
        file=None if is_by_text(prepared.format) else file,
    )


def _prepared(
    source: RunSource,
    qrels: Qrels,
    request: IngestOptions,
    content: Run | RunParts | PrintedValues,
) -> Prepared:
    """Evaluate the content of a source; the options, its folder or its file give its name."""
    if source.sent_as and content.tag == tag_of_file(source.path):  # a format without run tags
        content = replace(content, tag=tag_of_file(source.sent_as))
    own_name = None if isinstance(content, PrintedValues) else content.names.get("run")
    of_file = "_".join((run_name(source.sent_as or source.path), *source.part))
    name = check_name("run", request.name or source.name or own_name or of_file)
    if isinstance(content, PrintedValues):
        return prepare_values(content, name, qrels, request)
    if isinstance(content, RunParts):
        return _prepare_parts(content, name, qrels, request)
    return prepare_run(content, name, qrels, request, in_place=source.content is None)


def prepare_run(
    run: Run, name: str, qrels: Qrels, request: IngestOptions, *, in_place: bool = False
) -> Prepared:
    """Evaluate one run; uses no store. `in_place` is used as in `ties.settled`."""
    for kind, other in run.names.items():
        check_name(kind, other)
    facts = _checked_facts(run.path, run.facts)
    documents = len(run.scores)
    if request.ignore_identical_ids:
        run = without_identical_ids(run)
    shared = check_shared_queries(run, qrels, allow_disjoint=request.allow_disjoint)
    settled = ties.settled(run, in_place=in_place)
    judged = match(settled, qrels, compat=request.compat)
    shared += check_judged_documents(settled, qrels, judged, allow_disjoint=request.allow_disjoint)
    return Prepared(
        name=name,
        tag=settled.tag,
        evaluation=evaluation_rows(settled, judged, request.measures),
        content=ranking_rows(settled, request.keep_top),
        queries=len(settled.qids),
        content_hash=run_hash(settled),
        warnings=(*run.warnings, *shared, *_other_collection(run, request)),
        left_out=documents - len(run.scores),
        format=run.format,
        facts=facts,
        times=run.times,
        engine=run.names.get("engine"),
        experiment=run.names.get("experiment"),
    )


def _other_collection(run: Run, request: IngestOptions) -> list[str]:
    """A warning if a run's file names a different collection from the one it is stored in."""
    name = run.names.get("collection", request.collection)
    if name == request.collection:
        return []
    return [f"{run.path}: names collection {name!r}, and is stored in {request.collection!r}"]


def _checked_facts(path: str, facts: Mapping[str, Any]) -> GivenFacts:
    """The facts from a run's file; an error names the file."""
    try:
        return GivenFacts(**facts)
    except DataError as error:
        raise DataError(f"{path_text(path)}: {error}") from None


# Values printed by trec_eval, checked against the judgments and prepared for writing

HALF_A_DIGIT = 0.5e-4
"""The largest difference between a printed value and the exact one."""

NUM_Q = "num_q"


def prepare_values(
    printed: PrintedValues, name: str, qrels: Qrels, request: IngestOptions
) -> Prepared:
    """Check the values of a run under a qrels; uses no store.

    A query of the qrels without values counts as unanswered, with the values of an empty ranking.
    The aggregates over all queries are computed from these values, not taken from the file.
    """
    path = path_text(printed.path)
    unanswered = _without_documents(printed.path)
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
    """The number of queries that the run answers; trec_eval 10 also prints values of others."""
    name = measures.get(parse("NumRet"))
    if name is None:
        return len(printed.qids)
    return sum(retrieved > 0 for retrieved in printed.values[name].values())


def _known(path: str, printed: PrintedValues) -> dict[Measure, str]:
    """The measures whose values can be stored, with the first name of each in the file.

    DataError: there is no such measure, or two names of one measure have different values.
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
        raise DataError(f"{path}: {listed(list(printed.values))} can't be stored: not known here")
    return measures


def _measure(name: str) -> Measure | None:
    """The measure with this name; None if it can't be stored.

    The name must be of one measure, which needs only run and qrels and has values that give its
    figure.
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
    """Refuse values that were computed with other judgments, if this can be detected."""
    known = set(judged.qids)
    strangers = [qid for qid in printed.qids if qid not in known]
    question = "were the values computed under other judgments?"
    if strangers:
        count = "1 query" if len(strangers) == 1 else f"{len(strangers):,} queries"
        raise DataError(
            f"{path}: values of {count} that the qrels does not judge "
            f"({listed(strangers)}): {question}"
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
    """A sentence about measures in the file that are not stored."""
    unknown = [name for name in printed.values if _measure(name) not in measures]
    of_all = [n for n in printed.aggregates if n not in printed.values and n != NUM_Q]
    parts = []
    if unknown:
        parts.append(f"{listed(unknown)} (not known here, or of more than a run and a qrels)")
    if of_all:
        parts.append(f"{listed(of_all)} (without values of queries)")
    return [f"{path}: not stored: {'; '.join(parts)}"] if parts else []


def _on_figures(
    path: str,
    printed: PrintedValues,
    measures: Mapping[Measure, str],
    figures: Mapping[Measure, float],
    queries: int,
) -> list[str]:
    """A sentence if the file's aggregates over all queries don't match its values."""
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


# Evaluate a run that is too large for memory, one part at a time

I64 = npt.NDArray[np.int64]


def _prepare_parts(run: RunParts, name: str, qrels: Qrels, request: IngestOptions) -> Prepared:
    """Do `prepare_run` for a large run, whose documents are never all in memory at once.

    NotInParts: the run must be read as a whole.
    """
    if request.ignore_identical_ids:  # the warning gives their number in the whole run
        raise NotInParts
    facts = _checked_facts(run.path, run.facts)
    parts = []
    for part in run.parts:
        settled = ties.settled(part, in_place=True)
        parts.append(_Part.of(settled, qrels, request))
        del part, settled  # frees the part before the next one is read
    ranking = _ranking([part.ranking for part in parts])
    outline = _outline(run, ranking.qids)
    judged, places = _joined(
        [part.judged for part in parts], match(_outline(run, ()), qrels, compat=request.compat)
    )
    shared = check_shared_queries(outline, qrels, allow_disjoint=request.allow_disjoint)
    whole = replace(outline, docnos=ranking.top_docno)  # for an example in the message
    shared += check_judged_documents(whole, qrels, judged, allow_disjoint=request.allow_disjoint)
    hits = _ordered_hits(parts, places)
    sizes = {
        qid: size
        for part in parts
        for qid, size in zip(part.ranking.qids, part.docno_sizes, strict=True)
    }
    del parts
    content_hash = listed_hash(
        run.tag,
        ranking.qids,
        [sizes[qid] for qid in ranking.qids],
        lambda query: unpack(ranking.packed[query]),
    )
    return Prepared(
        name=name,
        tag=run.tag,
        evaluation=evaluation_rows_of(judged, hits, request.measures),
        content=ranking,
        queries=len(outline.qids),
        content_hash=content_hash,
        warnings=(*shared, *_other_collection(outline, request)),
        format=run.format,
        facts=facts,
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The values of a part of a run.

    Attributes:
        docno_sizes: the length in bytes of each docno in order of rank, for each query of the part.
        judged: the part joined with the qrels, only for the part's queries.
        hits: the docnos of the relevant documents that the part retrieved.
    """

    ranking: RankingRows
    docno_sizes: list[npt.NDArray[np.uint16]]
    judged: Judged
    hits: pa.Array

    @staticmethod
    def of(run: Run, qrels: Qrels, request: IngestOptions) -> _Part:
        """Evaluate a part whose ties are resolved."""
        judged = match(run, qrels, compat=request.compat, common=True)
        sizes = ids.lengths(run.docnos).astype(np.uint16)  # at most `columns.MAX_ID`
        lists = zip(run.starts.tolist(), run.lengths.tolist(), strict=True)
        return _Part(
            ranking=ranking_rows(run, request.keep_top),
            docno_sizes=[sizes[start : start + length] for start, length in lists],
            judged=judged,
            hits=hit_docnos(run, judged),
        )


def _joined(parts: Sequence[Judged], unanswered: Judged) -> tuple[Judged, I64]:
    """The join of a whole run, made from the joins of its parts and of an empty run.

    Also returns the position (int64) of each judged document in the concatenated joins of the
    parts.
    """
    number = {qid: i for i, qid in enumerate(unanswered.qids)}
    retrieved, answered = unanswered.retrieved.copy(), unanswered.answered.copy()
    queries = [np.array([number[qid] for qid in part.qids], np.int64) for part in parts]
    for part, query in zip(parts, queries, strict=True):
        retrieved[query], answered[query] = part.retrieved, part.answered
    pairs = list(zip(parts, queries, strict=True))
    query = np.concatenate([query[part.query] for part, query in pairs])
    order = np.argsort(query, kind="stable")
    judged = replace(
        unanswered,
        query=query[order],
        rank=np.concatenate([part.rank for part in parts])[order],
        grade=np.concatenate([part.grade for part in parts])[order],
        score=np.concatenate([part.score for part in parts])[order],
        retrieved=retrieved,
        answered=answered,
    )
    return judged, order


def _ranking(parts: Sequence[RankingRows]) -> RankingRows:
    """The rows of all parts, with the queries in byte order."""
    qids = [qid for part in parts for qid in part.qids]
    packed = [ranking for part in parts for ranking in part.packed]
    before = np.cumsum([0, *(len(part.qids) for part in parts)])[:-1]
    order = np.array(sorted(range(len(qids)), key=qids.__getitem__), np.int64)
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    every_query = [part.top_query + first for part, first in zip(parts, before, strict=True)]
    query = position[np.concatenate(every_query)]
    rows = np.argsort(query, kind="stable")
    return RankingRows(
        qids=[qids[number] for number in order.tolist()],
        lengths=np.concatenate([part.lengths for part in parts])[order],
        packed=[packed[number] for number in order.tolist()],
        top_query=query[rows],
        top_rank=np.concatenate([part.top_rank for part in parts])[rows],
        top_docno=ids.take(ids.concatenated([part.top_docno for part in parts]), rows),
        top_score=np.concatenate([part.top_score for part in parts])[rows],
    )


def _ordered_hits(parts: Sequence[_Part], places: I64) -> pa.Array:
    """The docnos of all hits, in the order of `places`."""
    relevant = np.concatenate([part.judged.grade for part in parts]) >= 1
    number = np.cumsum(relevant) - 1
    chosen = number[places[relevant[places]]]
    return ids.take(ids.concatenated([part.hits for part in parts]), chosen)


def _outline(run: RunParts, qids: Sequence[str]) -> Run:
    """A run with these queries but without documents."""
    outline = _without_documents(run.path, qids)
    return replace(outline, tag=run.tag, format=run.format, facts=run.facts, names=run.names)


def _without_documents(path: str, qids: Sequence[str] = ()) -> Run:
    none = np.zeros(len(qids), np.int64)
    return Run(
        path=path,
        tag="",
        qids=tuple(qids),
        starts=none,
        lengths=none,
        docnos=ids.column([]),
        scores=np.zeros(0),
    )


# Retrieved documents whose id is the query's. In collections whose queries are documents (ArguAna
# and Quora in BEIR), they are not counted: a query would find its own document first.


def without_identical_ids(run: Run) -> Run:
    """The run without documents whose id is that of their query; lower ranks move up.

    A query that retrieved nothing else is unanswered. A warning gives the number of documents left
    out; if there are none, the same run is returned. DataError: all documents would be left out.
    """
    qids = ids.column([qid.encode() for qid in run.qids])
    by_start = np.argsort(run.starts, kind="stable")
    codes = np.repeat(by_start, run.lengths[by_start])
    alike = np.flatnonzero(ids.hash_ids(run.docnos) == ids.hash_ids(qids)[codes])
    same = [row for row in alike.tolist() if run.docnos[row].as_py() == qids[codes[row]].as_py()]
    if not same:
        return run
    if len(same) == len(run.scores):
        raise DataError(f"{path_text(run.path)}: every document has the id of its query")
    remain = np.ones(len(run.scores), bool)
    remain[same] = False
    before = np.concatenate([[0], np.cumsum(remain)])
    starts, ends = before[run.starts], before[run.starts + run.lengths]
    answered = ends > starts
    rows = np.flatnonzero(remain)
    what = f"{counted(len(same), 'retrieved document')} whose id is the query's"
    warning = f"{path_text(run.path)}: {what} {'is' if len(same) == 1 else 'are'} left out"
    return replace(
        run,
        qids=tuple(q for q, there in zip(run.qids, answered.tolist(), strict=True) if there),
        starts=starts[answered],
        lengths=(ends - starts)[answered],
        docnos=ids.take(run.docnos, rows),
        scores=run.scores[rows],
        warnings=(*run.warnings, warning),
        read_keys=None if run.read_keys is None else run.read_keys[rows],
    )

"""The request of an ingest, and reading and evaluating its run files; no store is used."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.errors import DataError
from evalstore.evaluation.evaluate_parts import evaluate_parts
from evalstore.evaluation.identical_ids import without_identical_ids
from evalstore.evaluation.run_rows import evaluation_rows, ranking_rows
from evalstore.formats import Qrels, ReadOptions, Run, ties
from evalstore.formats.content_hash import run_hash
from evalstore.formats.file_names import run_name
from evalstore.formats.file_stamps import Watched, watched
from evalstore.formats.registry import is_by_text
from evalstore.formats.run_parts import NotInParts, RunParts
from evalstore.formats.run_sources import RunSource, use_source
from evalstore.formats.source import path_text
from evalstore.formats.trec.values import PrintedValues
from evalstore.measures import Measure
from evalstore.measures.judged import CompatMode
from evalstore.measures.matching import check_shared_queries, match
from evalstore.store.packing import PackedBeside
from evalstore.store.run_rows import EvaluationRows, RankingRows

if TYPE_CHECKING:
    from evalstore.catalog.collection_facts import RunFacts

KEEP_TOP = 100


@dataclass(frozen=True)
class Request:
    """What to do with the runs of one `ingest`.

    Attributes:
        collection: the test collection's name; made if there is none.
        engine: the engine of all runs; where None, what each file or its folder names, or else its
            run tag.
        engine_after_run: whether, where neither `engine` nor the file says otherwise, each run's
            name names its engine, as where all files carry the default tag of one program.
        experiment: the experiment that the runs belong to, if any; where None, what each file or
            its folder names.
        name: the name of the run if there is only one; where None, what its folder or its file
            names, or else the file's name without a known suffix.
        replace: whether a run of the same name and other content is replaced.
        keep_top: how many documents of each ranking are kept as rows for SQL.
        compat: which trec_eval the values agree with.
        measures: those that are stored of each run; where None, those of the collection, which
            `ingest.stored_measures.with_measures` fills in. Of a file of values all are stored.
        options: encoding and limits of the files.
        allow_disjoint: whether a run may share no query with the qrels.
        ignore_identical_ids: leave out retrieved documents whose id is the query's. The run that is
            stored is the one without them.
        facts: of all the runs, also of those that are stored already.
        origin: facts of the runs that are new, where `facts` does not give them.
        run_facts: response times and costs of the run if there is only one.

    Raises:
        DataError: a name that can't be shown.
    """

    collection: str
    engine: str | None = None
    engine_after_run: bool = False
    experiment: str | None = None
    name: str | None = None
    replace: bool = False
    keep_top: int = KEEP_TOP
    compat: CompatMode = "exact"
    measures: tuple[Measure, ...] | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    allow_disjoint: bool = False
    ignore_identical_ids: bool = False
    facts: GivenFacts = field(default_factory=GivenFacts)
    origin: GivenFacts = field(default_factory=GivenFacts)
    run_facts: RunFacts | None = None

    def __post_init__(self) -> None:
        """Check every name that is given."""
        for kind in ("collection", "engine", "experiment", "name"):
            name = getattr(self, kind)
            if name is not None:
                check_name("run" if kind == "name" else kind, name)

    def of_reading(self) -> Request:
        """What `prepare` uses of it: two requests that agree there give the same of a file."""
        return Request(
            self.collection,
            name=self.name,
            keep_top=self.keep_top,
            compat=self.compat,
            measures=self.measures,
            options=self.options,
            allow_disjoint=self.allow_disjoint,
            ignore_identical_ids=self.ignore_identical_ids,
        )


@dataclass(frozen=True)
class Prepared:
    """A run read and evaluated, ready to be written.

    `content` is its rankings, None where it came as values; it answers so many `queries`.
    `left_out` documents had the id of their query; what else is here is without them. `format` is
    that of the file, empty where there was none. `facts` and `times` (milliseconds by query id) are
    those that the file tells; so are `engine` and `experiment`, None where it tells none. By `file`
    the file is recognised later; None where that can't be.
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

    def stop(self) -> None:
        """Stop packing rankings beside: the run is written, or will not be."""
        if self.content is not None and isinstance(self.content.packed, PackedBeside):
            self.content.packed.stop()


def prepare(source: RunSource, qrels: Qrels, request: Request) -> Prepared:
    """Read and evaluate one run, or take the values that a file holds; uses no store.

    Raises:
        FileError: the file breaks a rule.
        DataError: a name or a fact that can't be, or values that are not of the qrels.
        Disjoint: it shares no query with the qrels, and that is not allowed.
    """
    for kind in ("engine", "experiment"):
        name = getattr(source, kind)
        if name is not None:
            check_name(kind, name)
    facts = _checked_facts(source.path, source.facts)
    if source.error is not None:
        raise source.error
    before = None if source.ahead is None else source.ahead.before
    # A part of a file is not recognised later, and the file would be hashed for each part.
    watching = nullcontext() if source.part else watched(source.path, before)
    with watching as file:

        def prepared_of(content: Run | RunParts | PrintedValues) -> Prepared:
            name = request.name or source.name or own_name(content) or run_name(source.path)
            return prepare_content(content, name, qrels, request, in_place=True)

        prepared = use_source(source, request.options, prepared_of)
    return replace(
        prepared,
        warnings=(*source.warnings, *prepared.warnings),
        facts=facts.or_else(prepared.facts),
        engine=source.engine or prepared.engine,
        experiment=source.experiment or prepared.experiment,
        file=None if is_by_text(prepared.format) else file,
    )


def own_name(content: Run | RunParts | PrintedValues) -> str | None:
    """The name that a run's file gives it; None where it gives none."""
    return None if isinstance(content, PrintedValues) else content.names.get("run")


def prepare_content(
    content: Run | RunParts | PrintedValues,
    name: str,
    qrels: Qrels,
    request: Request,
    *,
    in_place: bool = False,
) -> Prepared:
    """Evaluate what a file holds, or take the values; uses no store.

    `in_place` as in `ties.settled`.

    Raises:
        DataError, Disjoint: as for `prepare`.
        NotInParts: as `RunParts` says.
    """
    from evalstore.evaluation.prepare_values import prepare_values  # noqa: PLC0415  (it imports this)

    if isinstance(content, PrintedValues):
        return prepare_values(content, name, qrels, request)
    if isinstance(content, RunParts):
        return _prepare_parts(content, name, qrels, request)
    return prepare_run(content, name, qrels, request, in_place=in_place)


def prepare_run(
    run: Run, name: str, qrels: Qrels, request: Request, *, in_place: bool = False
) -> Prepared:
    """Evaluate one run; uses no store.

    `in_place` as in `ties.settled`.

    Raises:
        DataError: a name that can't be shown.
        Disjoint: it shares no query with the qrels, and that is not allowed.
    """
    check_name("run", name)
    for kind, other in run.names.items():
        check_name(kind, other)
    facts = _checked_facts(run.path, run.facts)
    documents = len(run.scores)
    if request.ignore_identical_ids:
        run = without_identical_ids(run)
    shared = check_shared_queries(run, qrels, allow_disjoint=request.allow_disjoint)
    settled = ties.settled(run, in_place=in_place)
    beside = request.options.threads > 1
    # A thread each: the store waits for the hash, and packing goes on while it writes.
    hashing, packing = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    try:
        hashed = hashing.submit(run_hash, settled) if beside else None
        judged = match(settled, qrels, compat=request.compat)
        return Prepared(
            name=name,
            tag=settled.tag,
            evaluation=evaluation_rows(settled, judged, request.measures),
            content=ranking_rows(settled, request.keep_top, packing if beside else None),
            queries=len(settled.qids),
            content_hash=run_hash(settled) if hashed is None else hashed.result(),
            warnings=(*run.warnings, *shared, *_other_collection(run, request)),
            left_out=documents - len(run.scores),
            format=run.format,
            facts=facts,
            times=run.times,
            engine=run.names.get("engine"),
            experiment=run.names.get("experiment"),
        )
    finally:
        hashing.shutdown(wait=False)
        packing.shutdown(wait=False)


def _prepare_parts(run: RunParts, name: str, qrels: Qrels, request: Request) -> Prepared:
    """As `prepare_run`, of a large run: its documents are never all in memory."""
    if request.ignore_identical_ids:  # a warning tells how many there are in the whole run
        raise NotInParts
    check_name("run", name)
    facts = _checked_facts(run.path, run.facts)
    evaluated = evaluate_parts(
        run,
        qrels,
        compat=request.compat,
        keep_top=request.keep_top,
        measures=request.measures,
        beside=request.options.threads > 1,
    )
    outline = evaluated.outline
    shared = check_shared_queries(outline, qrels, allow_disjoint=request.allow_disjoint)
    return Prepared(
        name=name,
        tag=run.tag,
        content_hash=evaluated.content_hash,
        content=evaluated.ranking,
        queries=len(outline.qids),
        evaluation=evaluated.evaluation,
        warnings=(*shared, *_other_collection(outline, request)),
        format=run.format,
        facts=facts,
    )


def _other_collection(run: Run, request: Request) -> list[str]:
    """A warning where a run's file names another collection than the one it is stored in."""
    name = run.names.get("collection", request.collection)
    if name == request.collection:
        return []
    return [f"{run.path}: names collection {name!r}, and is stored in {request.collection!r}"]


def _checked_facts(path: str, facts: Mapping[str, Any]) -> GivenFacts:
    """The facts that a run's file tells.

    Raises:
        DataError: a fact that can't be, with the file.
    """
    try:
        return GivenFacts(**facts)
    except DataError as error:
        raise DataError(f"{path_text(path)}: {error}") from None

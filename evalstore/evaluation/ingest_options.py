"""Options of an ingest, and their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.errors import MeasureError
from evalstore.formats import ReadOptions
from evalstore.formats.facts.parameters import NAMES as FACTS
from evalstore.formats.reading.lines import run_name
from evalstore.formats.sources import RunSource
from evalstore.measures import NEEDS, Measure, named_measures
from evalstore.measures.judged import CompatMode

if TYPE_CHECKING:
    from evalstore.catalog.collection_facts import RunCosts

KEEP_TOP = 100

PLAIN = (
    *("name", "engine", "experiment", "replace", "allow_disjoint", "ignore_identical_ids"),
    *("keep_top", "compat"),
)
"""Options that are the same in JSON."""


@dataclass(frozen=True)
class IngestOptions:
    """Options of one `ingest`, the same on the command line, in Python and at a server.

    Attributes:
        collection: its name; made if there is none.
        engine: of all runs; else (None) that of each file or its folder, or else its run tag.
        engine_after_run: whether the engine is else named after the run, as when all files carry
            the default tag of one program.
        experiment: of all runs; else that of each file or its folder, if any.
        name: of the run if there is only one; else that of its folder or file, or the file's name
            without a known suffix.
        replace: whether a run of the same name and other content is replaced.
        keep_top: the number of documents of each ranking that are kept as rows for SQL.
        measures: those stored of each run; else those of the collection, which
            `ingest.store_run.with_measures` fills in. Of a file of values all are stored.
        allow_disjoint: whether a run may share no query with the qrels.
        ignore_identical_ids: leave out retrieved documents whose id is the query's. The run is
            stored without them.
        facts: of all the runs, also of those that are stored already.
        origin: facts of the runs that are new, unless `facts` gives them.
        run_facts: response times and costs of the run if there is only one.
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
    run_facts: RunCosts | None = None

    def __post_init__(self) -> None:
        """Check every name that is given."""
        for kind in ("collection", "engine", "experiment", "name"):
            name = getattr(self, kind)
            if name is not None:
                check_name("run" if kind == "name" else kind, name)

    def for_run(self, source: RunSource) -> IngestOptions:
        """The options for one run, with the names and facts of its folder if none are given."""
        name, engine = self.name or source.name, self.engine or source.engine
        if engine is None and self.engine_after_run:
            engine = name or run_name(source.path)
        return replace(
            self,
            name=name,
            engine=engine,
            experiment=self.experiment or source.experiment,
            facts=self.facts.or_else(GivenFacts(**source.facts)),
        )

    def to_json(self) -> dict[str, Any]:
        """The options for a server: without the collection, how files are read, and `run_facts`."""
        values: dict[str, Any] = {name: getattr(self, name) for name in PLAIN}
        values["measures"] = None if self.measures is None else list(map(str, self.measures))
        values["format"] = list(self.options.formats) or None
        values["origin"] = self.origin.to_json() or None
        values |= self.facts.to_json()
        return {name: v for name, v in values.items() if v is not None and v is not False}

    @classmethod
    def from_json(cls, collection: str, values: Mapping[str, Any]) -> IngestOptions:
        """The options that `to_json` gave; names that are no options are left alone."""
        names = values.get("measures")
        return cls(
            collection,
            **{name: values[name] for name in PLAIN if name in values},
            measures=None if names is None else storable(named_measures(names).values()),
            facts=GivenFacts.from_json({name: values[name] for name in FACTS if name in values}),
            origin=GivenFacts.from_json(values.get("origin", {})),
        )


STANDARD = "standard"
"""The set of measures that is stored unless others are chosen."""


def storable(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures, each once; MeasureError if one uses more than a run and a qrels.

    Stored values would be out of date when another fact that they need or use (response times,
    judgments by subtopic, ...) is given or changed.
    """
    each = tuple(dict.fromkeys(measures))
    for measure in each:
        needs = sorted(measure.descriptor.facts)
        if needs:
            raise MeasureError(
                f"an ingest can't store {measure}, which uses {NEEDS[needs[0]]}",
                problem="measure of facts",
            )
    return each

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
"""Options that have the same form in JSON."""


@dataclass(frozen=True)
class IngestOptions:
    """Options of one `ingest`, the same on the command line, in Python and at a server.

    Attributes:
        collection: the collection's name; it is created if missing.
        engine: the engine of all runs; if None, the engine named in each file or its folder, or
            else the file's run tag.
        engine_after_run: whether a missing engine is named after the run instead of the tag, for
            files that all have the default tag of one program.
        experiment: the experiment of all runs; if None, the one named in each file or its folder,
            if any.
        name: the name of the run if there is only one; if None, the name in its folder or file, or
            the file's name without a known suffix.
        replace: whether a run with the same name but different content is replaced.
        keep_top: the number of documents of each ranking that are stored as rows for SQL.
        measures: the measures stored for each run; by default those of the collection, which
            `ingest.store_run.with_measures` fills in. For a file of values all are stored.
        allow_disjoint: whether to accept a run that shares no query with the qrels.
        ignore_identical_ids: leave out retrieved documents whose id is the query's. The run is
            stored without them.
        facts: facts of all the runs, including those already stored.
        origin: facts of new runs, for those not given in `facts`.
        run_facts: response times and costs of the run, if there is only one.
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
        """Check every given name."""
        for kind in ("collection", "engine", "experiment", "name"):
            name = getattr(self, kind)
            if name is not None:
                check_name("run" if kind == "name" else kind, name)

    def for_run(self, source: RunSource) -> IngestOptions:
        """The options for one run; its folder gives names and facts that are missing."""
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
        """The options for a server, except the collection, how files are read, and `run_facts`."""
        values: dict[str, Any] = {name: getattr(self, name) for name in PLAIN}
        values["measures"] = None if self.measures is None else list(map(str, self.measures))
        values["format"] = list(self.options.formats) or None
        values["map"] = list(self.options.maps) or None
        values["origin"] = self.origin.to_json() or None
        values |= self.facts.to_json()
        return {name: v for name, v in values.items() if v is not None and v is not False}

    @classmethod
    def from_json(cls, collection: str, values: Mapping[str, Any]) -> IngestOptions:
        """The options from `to_json`'s result; names that aren't options are ignored."""
        names = values.get("measures")
        return cls(
            collection,
            **{name: values[name] for name in PLAIN if name in values},
            measures=None if names is None else storable(named_measures(names).values()),
            facts=GivenFacts.from_json({name: values[name] for name in FACTS if name in values}),
            origin=GivenFacts.from_json(values.get("origin", {})),
        )


STANDARD = "standard"
"""The set of measures that is stored by default."""


def storable(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures without duplicates; MeasureError if one uses more than a run and a qrels.

    Stored values would become outdated when another fact that they depend on (response times,
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

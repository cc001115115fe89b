"""What the operations take and answer that store a file which was sent."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field

from evalstore.catalog.given_facts import LARGEST
from evalstore.evaluation.prepare import KEEP_TOP
from evalstore.ingest.documents import MAX_DOCUMENT
from evalstore.measures.judged import CompatMode
from evalstore.server.api.facts_of_run import FactsOfRun, Switch, Text, Whole
from evalstore.server.api.operation import Content, Parameters
from evalstore.server.api.parameters import Name
from evalstore.server.jobs.sent_files import LONGEST_FILE_NAME, MOST_KEPT

MOST_MEASURES = 1_000
"""Measures that a request may name for a run."""


class SentBlob(Parameters):
    """A file that was sent, and its name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    blob: Annotated[
        str,
        Field(
            pattern="^(sha256:)?[0-9a-f]{64}$", description="The file: `sha256:` and its SHA-256."
        ),
        AfterValidator(lambda blob: blob.removeprefix("sha256:")),
    ]
    file: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_FILE_NAME,
            description="The name of the file, for messages and for what has no other name. It is "
            "never a path on the server.",
        ),
    ]


class FileToStore(SentBlob):
    """A file to store. What is null is as if it were left out."""

    format: Annotated[
        list[Name] | None,
        Field(description="The formats that it may be in, of `evalstore formats`."),
    ] = None

    def payload(self) -> dict[str, Any]:
        """What a job is told: what was given, and the hash alone."""
        return self.model_dump(exclude_none=True)


class RunToStore(FileToStore, FactsOfRun):
    """A run, with what `evalstore ingest` takes for one."""

    name: Annotated[Text, Field(description="The run's name; that of the file if left out.")] = None
    qrels: Annotated[
        Name | None,
        Field(
            description="The judgments that it is evaluated with; else the default.", strict=True
        ),
    ] = None
    engine: Annotated[Text, Field(description="The engine; the run tag if left out.")] = None
    experiment: Annotated[Text, Field(description="The group that the run belongs to.")] = None
    replace: Annotated[
        Switch, Field(description="Whether it replaces a run of its name and other content.")
    ] = None
    allow_disjoint: Annotated[
        Switch, Field(description="Whether it may share no query with the judgments.")
    ] = None
    ignore_identical_ids: Annotated[
        Switch, Field(description="Whether documents with the id of their query are left out.")
    ] = None
    keep_top: Annotated[
        Whole,
        Field(ge=0, le=MOST_KEPT, description=f"Documents kept as rows; {KEEP_TOP} if left out."),
    ] = None
    measures: Annotated[
        list[Name] | None,
        Field(
            min_length=1,
            max_length=MOST_MEASURES,
            description="What is stored of the run: names, and sets like `summary`; the "
            "collection's measures if left out, or else the set `standard`.",
        ),
    ] = None
    compat: Annotated[
        CompatMode | None, Field(description="As `--compat` of `evalstore ingest`.")
    ] = None
    times: Annotated[
        SentBlob | None,
        Field(description="A file of response times: query id and milliseconds, a line each."),
    ] = None
    part: Annotated[
        list[Name] | None,
        Field(description="Of a file of several runs, the names of the one that is meant."),
    ] = None
    origin: Annotated[
        dict[str, Any] | None,
        Field(description="Facts, by their names, that count only where the run is new."),
    ] = None


class FactsToStore(Parameters):
    """What some measures need of a collection, and queries; each replaces what is stored of it."""

    queries: Annotated[
        SentBlob | None,
        Field(
            description="A file of queries: judgments may name queries by the texts in it. "
            "Texts and attributes that are stored are replaced; those of other queries stay."
        ),
    ] = None
    subtopics: Annotated[
        SentBlob | None,
        Field(description="A file of judgments by subtopic: query id, subtopic, docno, grade."),
    ] = None
    judgment_groups: Annotated[
        SentBlob | None,
        Field(description="A file of judgments by several judges: query id, group, docno, grade."),
    ] = None
    preferences: Annotated[
        SentBlob | None,
        Field(
            description="A file of preferences between documents: query id, group, subgroup, "
            "docno, level."
        ),
    ] = None
    known: Annotated[
        SentBlob | None,
        Field(description="A file of documents that users knew before: query id and docno."),
    ] = None
    collection_size: Annotated[
        Whole, Field(ge=1, le=LARGEST, description="How many documents the collection has.")
    ] = None

    def payload(self) -> dict[str, Any]:
        """What a job is told: what was given, and the hash of each file alone."""
        return self.model_dump(exclude_none=True)


class QrelsToStore(FileToStore, FactsToStore):
    """Judgments, and what is stored with them or not at all."""

    default: Annotated[
        Switch, Field(description="Whether figures are shown under these judgments from now on.")
    ] = None
    allow_disjoint: Annotated[
        Switch, Field(description="Whether they may share no query with those that are there.")
    ] = None


class QueriesToStore(FileToStore):
    """Queries with their texts and attributes."""


class DocumentsToStore(FileToStore):
    """Titles and texts of documents."""

    every: Annotated[
        Switch,
        Field(
            description="Whether the texts of all are stored, and not only of those that are "
            "judged or that a run keeps as rows."
        ),
    ] = None
    max_bytes: Annotated[
        Whole,
        Field(
            ge=1,
            le=MAX_DOCUMENT * 1024,
            description=f"Longer documents are cut there; {MAX_DOCUMENT:,} if left out.",
        ),
    ] = None


class Named(Content):
    """A run or qrels."""

    id: int | None
    name: str
    collection: str


class Stored(Content):
    """What was stored."""

    status: Annotated[
        str, Field(description="`stored`, `already stored`, `replaced` or `updated`.")
    ]
    warnings: list[str]
    job: Annotated[int, Field(description="The id of the job that did it.")]
    format: Annotated[str | None, Field(description="What the file was read as.")] = None


class StoredRun(Stored):
    """A run that was stored."""

    run: Named
    qrels: Annotated[str, Field(description="The judgments that it was evaluated with.")]
    values_only: Annotated[bool, Field(description="Whether it has values and no rankings.")]


class StoredQrels(Stored):
    """Judgments that were stored."""

    qrels: Named
    judgments: int
    queries: int


class StoredQueries(Stored):
    """Queries that were stored."""

    collection: str
    queries: int


class StoredFacts(Stored):
    """Facts of a collection that were stored."""

    collection: str
    deleted: Annotated[
        int, Field(description="So many means were deleted that were computed with earlier facts.")
    ]


class StoredDocuments(Stored):
    """Documents whose texts were stored."""

    collection: str
    documents: Annotated[int, Field(description="In the file.")]
    stored: Annotated[int, Field(description="Of so many the text was stored.")]
    cut: Annotated[int, Field(description="Of so many it was cut.")]

"""A store behind a server: the operations of every store, declared here."""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from evalstore.catalog.annotate import ChangedRun, RunChange
from evalstore.catalog.names import Condition
from evalstore.catalog.queries import StoredQuery
from evalstore.client.any_store import DefaultQrels
from evalstore.client.connection import (
    LARGEST_PAGE,
    SQL_ROWS,
    SQL_SECONDS,
    Server,
    in_path,
    measures_of,
)
from evalstore.client.judging import RemoteJudging
from evalstore.comparison.choosing.holdout import none_stored, stored_held_out
from evalstore.comparison.collection_values import CollectionRun, CollectionValues, MeasureValues
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.gate.check import Checked, headline
from evalstore.comparison.loading import LoadedRuns, Medians, Rankings, RunsToCompare, in_order
from evalstore.comparison.significance import Test
from evalstore.errors import DataError, NotFound, StoreError
from evalstore.formats import Qrels, Run
from evalstore.formats.facts.parameters import TIMES, json_of_facts, time_from_json
from evalstore.formats.lists import List, Lists
from evalstore.formats.queries import Queries
from evalstore.formats.reading import ids
from evalstore.leaderboard.ranks import LeaderboardRanks, MeasureRanks, RankedRun, RankSettings
from evalstore.leaderboard.table import Details, TextStyle, WrittenTable
from evalstore.measures import Measure, parse
from evalstore.sql.ask import Answer, Limits
from evalstore.sql.typed_values import untyped
from evalstore.store.queries.collections import StoredCollection
from evalstore.store.queries.events import Event
from evalstore.store.queries.facts import RunFacts
from evalstore.store.queries.qrels import QrelsSummary
from evalstore.store.queries.runs import StoredExperiment, StoredRun
from evalstore.store.queries.tracking import Comment, StoredBaseline
from evalstore.tracking.history import EngineHistory, HistoryRun

if TYPE_CHECKING:
    from evalstore.evaluation.explain import Explained
    from evalstore.leaderboard.agreement import Agreement
    from evalstore.leaderboard.power import CollectionPower, PowerSettings
    from evalstore.leaderboard.run_list import Choice, ListedRun
    from evalstore.tracking.experiments import ExperimentRuns


class RemoteStore(RemoteJudging):
    """A store behind a server; its refusals raise the same errors as a local store.

    Each method is an operation of every store, which `client.any_store.LocalStore` also has.
    """

    def collections(self) -> list[StoredCollection]:
        """The collections in natural order; their ids are not known."""
        rows = self.server.pages("/collections", "collections")
        return [from_json(StoredCollection, row, id=0, removed_at=None) for row in rows]

    def list_qrels(self, collection: str | None = None) -> list[QrelsSummary]:
        """The judgments of all collections, or of one; their ids are not known."""
        rows = self.server.pages("/qrels", "qrels", collection=collection)
        return [from_json(QrelsSummary, row, id=0, removed_at=None) for row in rows]

    def list_runs(
        self, measures: Sequence[Measure], choice: Choice, sort: str | None = None
    ) -> list[ListedRun]:
        """The chosen runs with the aggregate of each measure."""
        from evalstore.leaderboard.run_list import ListedRun  # noqa: PLC0415  (it imports pandas)

        names = list(dict.fromkeys(map(str, measures)))
        # The server includes the whole last second, so one second is subtracted.
        last = None if choice.until is None else choice.until - timedelta(seconds=1)
        chosen = {
            **vars(choice),
            "where": list(map(str, choice.where)),
            "since": None if choice.since is None else choice.since.isoformat(),
            "until": None if last is None else last.isoformat(),
            "columns": list(choice.columns),
            "limit": min(choice.limit or LARGEST_PAGE, LARGEST_PAGE),
        }
        rows = self.server.pages("/runs", "runs", measure=names, sort=sort, **chosen)
        listed = (from_json(ListedRun, row) for row in islice(rows, choice.limit))
        return [
            replace(run, values={name: run.values[name] for name in names if name in run.values})
            for run in listed
        ]

    def run_facts(self, run: str, collection: str | None = None) -> RunFacts:
        """The facts of a run."""
        content = self.server.get(f"/runs/{in_path(run)}", collection=collection)
        # Missing parameters are {} in the JSON, None in a store.
        parameters = content["parameters"] or None
        return from_json(RunFacts, content, name=content["run"], parameters=parameters)

    def ancestors(self, run: RunFacts) -> list[int]:
        """The ids of all ancestors of a run, its parent first."""
        path = f"/collections/{in_path(run.collection)}/runs/{run.id}/ancestors"
        ids: list[int] = self.server.get(path)["ancestors"]
        return ids

    def events(
        self, collection: str | None = None, subject: str | None = None, last: int | None = None
    ) -> list[Event]:
        """The events, oldest first; only the newest `last` events, or all if None."""
        rows = self.server.pages("/events", "events", collection=collection, subject=subject)
        return list(deque((from_json(Event, row) for row in rows), last))

    def removed_runs(self, collection: str | None = None) -> list[StoredRun]:
        """The runs marked as removed, in natural order of collection and name."""
        rows = self.server.pages("/removed-runs", "runs", collection=collection)
        return [from_json(StoredRun, row, name=row["run"]) for row in rows]

    def leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        *,
        baseline: str | None = None,
        no_baseline: bool = False,
    ) -> LeaderboardRanks:
        """The runs of a collection, ranked; the ids of runs and judgments are not known."""
        content = self.server.get(
            f"/collections/{in_path(collection)}/leaderboard",
            **_ranked(measures, qrels, settings),
            baseline=baseline,
            no_baseline=no_baseline,
        )
        return read_leaderboard(content, settings)

    def baseline(self, collection: str) -> str | None:
        """The name of a collection's baseline, which its other runs are compared with."""
        content = self.server.get(f"/collections/{in_path(collection)}/baseline")
        name: str | None = content["run"]
        return name

    def engine_slots(self, collection: str) -> dict[str, int]:
        """The number of each engine's colour and mark in a collection, by engine name."""
        content = self.server.get(f"/collections/{in_path(collection)}/engines")
        return {row["engine"]: row["slot"] for row in content["engines"]}

    def medians(self, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
        """For each query of a stored run, the median over the runs of its collection."""
        content = self.server.get(
            f"/collections/{in_path(run.collection)}/runs/{in_path(run.name)}/medians",
            measure=measures_of(measures),
            qrels=run.qrels,
        )
        return medians_of_run(content, run.qids, measures)

    def baselines(self) -> list[StoredBaseline]:
        """The baselines of all collections, in natural order of their names."""
        rows = self.server.pages("/baselines", "baselines")
        return [StoredBaseline(**row) for row in rows]

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs to compare, with the named baseline, or else the collection's baseline."""
        content = self.server.post(
            "/runs-to-compare", runs=list(runs), baseline=baseline, collection=collection
        )
        return from_json(RunsToCompare, content)

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """Runs with their values under the same judgments."""
        content = self.server.post(
            "/values",
            runs=list(runs),
            measures=measures_of(measures),
            collection=collection,
            qrels=qrels,
        )
        qids = tuple(content["qids"])
        found = tuple(run_values(run, qids, measures) for run in content["runs"])

        def load(depth: int | None) -> Rankings:
            read = (
                run_in_order(self.server, of, run, depth)
                for run, of in zip(runs, found, strict=True)
            )
            return Rankings(tuple(read), self.load_qrels(found[0].collection, found[0].qrels))

        return LoadedRuns(
            found,
            Queries(content["texts"], content["attributes"]),
            content["obstacle"],
            notes=tuple(content["notes"]),
            rankings=load if found else None,
        )

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of a collection; DataError if it has none, as none can be sent."""
        found = stored_held_out(collection, self.list_queries(collection), share)
        if found is None:
            raise DataError(none_stored(collection, "they can't be stored through a server"))
        return found

    def history(
        self,
        engine: str,
        measure: tuple[str, Measure],
        collection: str | None = None,
        qrels: str | None = None,
        *,
        last: int | None = None,
        test: Test = "t",
        alpha: float = 0.05,
    ) -> EngineHistory:
        """The runs of an engine over time."""
        content = self.server.get(
            "/history",
            engine=engine,
            measure=measure[0],
            collection=collection,
            qrels=qrels,
            last=last,
            test=test,
            alpha=alpha,
        )
        runs = tuple(from_json(HistoryRun, run) for run in content["runs"])
        return from_json(EngineHistory, content, runs=runs)

    def ask(self, statement: str, limits: Limits) -> Answer:
        """The answer to one SELECT: at most 100,000 rows, 16 MiB and a minute."""
        rows = SQL_ROWS if limits.rows is None else min(limits.rows, SQL_ROWS)
        content = self.server.post(
            "/sql", sql=statement, limit=rows, seconds=min(limits.seconds, SQL_SECONDS), typed=True
        )
        values = [tuple(map(untyped, row)) for row in content["rows"]]
        # A program can't raise a limit of the server.
        is_own = content["problem"] == "too many rows" and rows == limits.rows
        problem = content["problem"] if is_own else None
        return Answer(tuple(content["names"]), values, content["cut"], problem)

    @contextmanager
    def run_lists(self, run: str, collection: str | None = None) -> Iterator[Lists]:
        """A run, read one ranking at a time."""
        facts = self.run_facts(run, collection)
        lists = rankings(self.server, facts.collection, str(facts.id))
        yield Lists(lists, facts.tag, facts.parameters or {}, facts.header or {})

    def load_qrels(self, collection: str, name: str | None = None) -> Qrels:
        """A collection's judgments by name, or its default ones; their path is the name."""
        path = f"/collections/{in_path(collection)}/judgments"
        if name is None:
            name = str(self.server.get(path, limit=1)["qrels"])
        rows = list(self.server.pages(path, "judgments", qrels=name))
        grades = {
            row["qid"]: {judged["docno"]: judged["grade"] for judged in row["documents"]}
            for row in rows
        }
        words = [judged.get("stratum") for row in rows for judged in row["documents"]]
        strata = None if None in words else ids.column([word.encode() for word in words])
        origins = {stored.name: stored.origin for stored in self.list_qrels(collection)}
        qrels = Qrels.from_dict(grades, name=name)
        return replace(qrels, origin=origins.get(name), strata=strata)

    def write_leaderboard(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: RankSettings,
        details: Details,
        style: TextStyle,
    ) -> WrittenTable:
        """The leaderboard of a collection as text."""
        content = self.server.get(
            f"/collections/{in_path(collection)}/leaderboard/text",
            **_ranked(measures, qrels, settings),
            **vars(details),
            **style._asdict(),
        )
        return WrittenTable(content["text"], tuple(content["notes"]))

    def measure_agreement(
        self, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
    ) -> Agreement:
        """Agreement of measures on the order of the runs of a collection."""
        from evalstore.leaderboard.agreement import agreement_of_values  # noqa: PLC0415  (as above)

        return agreement_of_values(
            load_collection_values(self.server, collection, measures, qrels, aggregates_only=True)
        )

    def run_agreement(
        self, collection: str, runs: Sequence[str] = (), *, p: float, k: int, depth: int
    ) -> Agreement:
        """Agreement of some runs, or of all runs of a collection, on the order of documents."""
        from evalstore.leaderboard.agreement import agreement_of_tops, with_lists  # noqa: PLC0415  (few commands need it)
        from evalstore.leaderboard.run_list import Choice  # noqa: PLC0415  (it imports pandas)

        def load(name: str) -> dict[str, list[str]]:
            lists = rankings(self.server, collection, name, depth=depth)
            return {qid: docnos for qid, docnos, _ in lists}

        left_out: list[str] = []
        if runs:
            self.baseline(collection)  # raises if there is no such collection
            names = [self.run_facts(run, collection).name for run in runs]
        else:
            listed = self.list_runs([], Choice(collection=collection))
            names, left_out = with_lists({run.run: run.values_only for run in listed})
        return agreement_of_tops(
            collection, list(dict.fromkeys(names)), load, left_out, p=p, k=k, depth=depth
        )

    def power(
        self,
        collection: str,
        measures: Mapping[str, Measure],
        qrels: str | None,
        settings: PowerSettings,
    ) -> CollectionPower:
        """Discriminative power of measures on a collection, and the queries that they need."""
        from evalstore.leaderboard.power import power_of_values  # noqa: PLC0415  (as above)

        loaded = load_collection_values(self.server, collection, measures, qrels)
        return power_of_values(loaded, settings)

    def experiments(self) -> list[StoredExperiment]:
        """The experiments, in natural order of their names."""
        rows = self.server.pages("/experiments", "experiments")
        return [from_json(StoredExperiment, row) for row in rows]

    def experiment_runs(self, name: str, measures: Sequence[Measure]) -> ExperimentRuns:
        """An experiment and the figures of its runs."""
        from evalstore.leaderboard.run_list import Choice  # noqa: PLC0415  (as above)
        from evalstore.tracking.experiments import ExperimentRuns, named_experiment  # noqa: PLC0415  (it imports pandas)

        stored = named_experiment(self.experiments(), name)
        runs = self.list_runs(measures, Choice(experiment=name)) if stored.runs else []
        return ExperimentRuns(stored, tuple(runs))

    def list_queries(
        self, collection: str, conditions: Sequence[Condition] = ()
    ) -> list[StoredQuery]:
        """The queries of a collection for which all conditions hold."""
        path = f"/collections/{in_path(collection)}/queries"
        rows = self.server.pages(path, "queries", where=list(map(str, conditions)))
        return [from_json(StoredQuery, row) for row in rows]

    def explain(
        self,
        run: str,
        qid: str,
        depth: int = 20,
        *,
        collection: str | None = None,
        qrels: str | None = None,
        rel: float = 1,
        dcg: str = "log2",
        measure: Measure | None = None,
    ) -> Explained:
        """The computation of the values of a query of a stored run, rank by rank."""
        from evalstore.evaluation.explain import explain_query, not_evaluated  # noqa: PLC0415  (few commands need it)

        facts = self.run_facts(run, collection)
        judgments = self.load_qrels(facts.collection, qrels)
        loaded = self.load_runs([facts.name], {}, collection=facts.collection, qrels=judgments.path)
        if loaded.obstacle is not None:
            raise not_evaluated(facts.name, judgments.path)
        ranking = run_with_query(self.server, facts.collection, facts.name, qid)
        compat: Any = loaded.runs[0].compat  # a text that `evaluate` gave
        explained = explain_query(
            ranking, judgments, qid, depth, rel=rel, dcg=dcg, compat=compat, measure=measure
        )
        return replace(explained, text=loaded.texts.get(qid, ""), notes=loaded.notes)

    def load_run(self, facts: RunFacts) -> Run:
        """A whole run."""
        with self.run_lists(str(facts.id), facts.collection) as lists:
            return _run_of(lists.lists, facts.name, facts.tag)

    def change_run(self, run: str, change: RunChange, collection: str | None = None) -> ChangedRun:
        """Change a run: its names, tags and facts; all changes are made, or none."""
        given = {**vars(change), "facts": json_of_facts(change.facts.given())}
        path = f"/runs/{in_path(run)}"
        content = self._change("PATCH", path, collection=collection, **given)
        return ChangedRun(
            content["collection"],
            content["before"],
            content["run"],
            {fact: _pair(fact, *pair) for fact, pair in content["changes"].items()},
            tuple(content["tags"]),
        )

    def run_comments(self, run: str, collection: str | None = None) -> list[Comment]:
        """All comments on a run, the oldest first."""
        path = f"/runs/{in_path(run)}/comments"
        rows = self.server.pages(path, "comments", collection=collection)
        return [from_json(Comment, row) for row in rows]

    def comment_on_run(self, run: str, text: str, collection: str | None = None) -> Comment:
        """Comment on a run, in Markdown."""
        path = f"/runs/{in_path(run)}/comments"
        return from_json(Comment, self._change("POST", path, text=text, collection=collection))

    def remove_runs(self, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
        """Mark runs as removed, all of them or none."""
        content = self._change("POST", "/removed-runs", runs=list(names), collection=collection)
        return list(map(_named_run, content["runs"]))

    def restore_runs(self, names: Sequence[str], collection: str | None = None) -> list[StoredRun]:
        """Bring back removed runs, all of them or none."""
        content = self._change("POST", "/restored-runs", runs=list(names), collection=collection)
        return list(map(_named_run, content["runs"]))

    def set_baseline(self, run: str, collection: str | None = None) -> StoredRun:
        """Make a run the baseline of its collection."""
        return _named_run(self._change("POST", "/baselines", run=run, collection=collection))

    def unset_baseline(self, collection: str) -> StoredRun:
        """Leave a collection without a baseline; return the run that was the baseline."""
        return _named_run(self._change("DELETE", f"/collections/{in_path(collection)}/baseline"))

    def set_default_qrels(self, name: str, collection: str | None = None) -> DefaultQrels:
        """Make a qrels the default, under which the figures of its collection are shown."""
        path = f"/qrels/{in_path(name)}"
        return DefaultQrels(**self._change("PATCH", path, is_default=True, collection=collection))

    def _change(self, method: str, path: str, **content: Any) -> Any:
        """The answer to a change; None and empty values are left out."""
        given = {name: value for name, value in content.items() if value not in (None, [], (), {})}
        return self.server.change(method, path, **given)


def _ranked(
    measures: Mapping[str, Measure], qrels: str | None, settings: RankSettings
) -> dict[str, Any]:
    """The request parameters of a leaderboard."""
    tests = {name: getattr(settings, name) for name in ("test", "correction", "alpha")}
    return {"measure": list(measures), "qrels": qrels, **tests}


def _named_run(content: Mapping[str, Any]) -> StoredRun:
    """A run of which only names are known."""
    return StoredRun(0, content["run"], "", content["collection"])


def _pair(fact: str, before: Any, now: Any) -> tuple[Any, Any]:
    """The old and new value of a fact, in the form that a store has them."""
    if fact not in TIMES:
        return before, now
    times = [None if time is None else time_from_json(fact, time) for time in (before, now)]
    return times[0], times[1]


# The JSON of the API as the objects that use cases return

T = TypeVar("T")


def from_json(kind: type[T], content: Mapping[str, Any], **others: Any) -> T:
    """An object of a data class from JSON with the same names.

    Texts become times, and lists tuples, by the types of the fields; `null` becomes NaN in a field
    for a number that can't be missing. The JSON may have further names; `others` are further fields
    or replace values. StoreError if the JSON does not fit the class.
    """
    hints = get_type_hints(kind)
    values = dict(others)
    try:
        for field in fields(kind):  # type: ignore[arg-type]  # a data class: mypy has no type for it
            if field.name not in others and field.name in content:
                values[field.name] = _read(hints[field.name], content[field.name])
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise StoreError(f"the server answers something else than expected: {error}") from None


def _read(hint: Any, value: Any) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if value is None:
        return float("nan") if float in kinds and types.NoneType not in kinds else None
    if datetime in kinds:
        return datetime.fromisoformat(value)
    if any(get_origin(kind) is tuple for kind in kinds):
        return tuple(value)
    return value


def medians_of_run(
    content: Mapping[str, Any], qids: Sequence[str], measures: Mapping[str, Measure]
) -> Medians:
    """The medians of some queries, by the display names of measures."""
    rows = {qid: row for row, qid in enumerate(content["qids"])}
    chosen = [rows[qid] for qid in qids]
    columns = {name: np.array(column, np.float64) for name, column in content["medians"].items()}
    values = {name: columns[str(measure)][chosen] for name, measure in measures.items()}
    return Medians(content["runs"], values)


def run_values(
    content: Mapping[str, Any], qids: tuple[str, ...], measures: Mapping[str, Measure]
) -> RunValues:
    """A run with its values, by the display names of measures."""
    columns = {name: np.array(column, np.float64) for name, column in content["values"].items()}
    return from_json(
        RunValues,
        content,
        qids=qids,
        answered=np.array(content["answered"], bool),
        values={name: columns[str(measure)] for name, measure in measures.items()},
        weights={
            name: np.array(content["weights"][str(measure)], np.float64)
            for name, measure in measures.items()
            if str(measure) in content["weights"]
        },
    )


# The JSON of a leaderboard as the object that the use case returns


def read_leaderboard(content: Mapping[str, Any], settings: RankSettings) -> LeaderboardRanks:
    """The leaderboards of a collection; ids of runs and judgments are 0, as they are not known."""
    collection, baseline = content["collection"], content["baseline"]
    measures = (
        from_json(
            MeasureRanks,
            of,
            canonical=str(parse(of["measure"])),
            runs=tuple(from_json(RankedRun, run, run_id=0) for run in of["runs"]),
        )
        for of in content["measures"]
    )
    return from_json(
        LeaderboardRanks,
        content,
        qrels_id=0,
        measures=tuple(measures),
        settings=settings,
        baseline=None if baseline is None else StoredRun(0, baseline["run"], "", collection),
    )


# The values of all runs of a collection on a server


def load_collection_values(
    server: Server,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    *,
    aggregates_only: bool = False,
) -> CollectionValues:
    """The values of all runs of a collection; ids are 0, as they are not known.

    A server does not say which notes concern other runs, so all notes count for these runs.
    """
    content = server.get(
        f"/collections/{in_path(collection)}/values",
        measure=list(measures),
        qrels=qrels,
        aggregates_only=aggregates_only,
    )
    return from_json(
        CollectionValues,
        content,
        qrels_id=0,
        runs=tuple(map(_run, content["runs"])),
        measures={
            of["measure"]: _values(of, measures[of["measure"]]) for of in content["measures"]
        },
        notes_on_others=(),
        notes_on_these=tuple(content["notes"]),
        not_evaluated=(),
    )


def _values(content: Mapping[str, Any], measure: Measure) -> MeasureValues:
    runs = content["runs"]
    queries = len(runs[0]["values"]) if runs else 0
    by_run = np.array([run["values"] for run in runs], np.float64).reshape(len(runs), queries)
    return from_json(
        MeasureValues,
        content,
        measure=measure,
        runs=tuple(map(_run, runs)),
        values=np.ascontiguousarray(by_run.T),
        aggregates=np.array([run["value"] for run in runs], np.float64),
    )


def _run(content: Mapping[str, Any]) -> CollectionRun:
    return from_json(CollectionRun, content, id=0, evaluation_id=0, name=content["run"])


# Record the result of a gate on a server, for its log and for webhooks

LONGEST_TEXT = 1_000
MOST_RULES = 100

MAY_ONLY_READ = (401, 403)
PATIENCE = 10.0


def record_gate(server: Server, run: str, collection: str | None, checked: Checked) -> None:
    """Record the result of a gate, for the name or id of a stored run, or the path of a file.

    Nothing is recorded if there is no token or it may only read, or for files that are evaluated
    under judgments of a file.
    """
    of_runs = [compared.collection for compared in checked.compared.runs]
    if of_runs and not any(of_runs):
        return
    collection = next(filter(None, reversed(of_runs)), collection)
    try:
        facts = RemoteStore(server).run_facts(run, collection)
    except NotFound:
        name, is_stored = Path(run).name, False
    else:
        name, is_stored, collection = facts.name, True, facts.collection
    if collection is None:
        return
    rules = [
        {"rule": result.rule.text[:LONGEST_TEXT], "fails": result.fails}
        for result in checked.results
    ]
    server.ask(
        "POST",
        f"/collections/{in_path(collection)}/gates",
        patience=PATIENCE,
        accept=MAY_ONLY_READ,
        json={
            "run": name,
            "is_stored": is_stored,
            "outcome": checked.outcome,
            "baseline": checked.compared.runs[0].name if of_runs else None,
            "summary": headline(checked)[:LONGEST_TEXT],
            "rules": rules[:MOST_RULES],
        },
    )


# Rankings of a run on a server

RANKINGS_OF_PAGE = 100


def rankings(
    server: Server, collection: str, run: str, *, depth: int | None = None
) -> Iterator[List]:
    """The rankings of a run, by its name or id; only the first `depth` documents of each."""
    path = _path(collection, run)
    pages = server.pages(path, "rankings", limit=RANKINGS_OF_PAGE, depth=depth)
    return map(_list, pages)


def run_with_query(server: Server, collection: str, run: str, qid: str) -> Run:
    """A run with the ranking of one query, or of another one if missing: a `Run` needs one."""
    path = _path(collection, run)
    try:
        rankings = server.get(path, query=qid)["rankings"]
    except NotFound:
        rankings = server.get(path, limit=1)["rankings"]
    return _run_of(map(_list, rankings), run)


def _path(collection: str, run: str) -> str:
    return f"/collections/{in_path(collection)}/runs/{in_path(run)}/rankings"


def _list(ranking: Mapping[str, Any]) -> List:
    documents = ranking["documents"]
    docnos = [document["docno"] for document in documents]
    return ranking["qid"], docnos, [document["score"] for document in documents]


def run_in_order(server: Server, values: RunValues, run: str, depth: int | None) -> Run | None:
    """A run (name or id) down to a rank or deeper, ties in order; None if it came as values."""
    if values.values_only:
        return None
    whole = values.compat == "trec_eval-9"  # whose rules can make other ties than are stored
    lists = rankings(server, values.collection, run, depth=None if whole else depth)
    return in_order(_run_of(lists, values.name), values.compat)


def _run_of(lists: Iterable[List], name: str, tag: str = "run") -> Run:
    scores = {qid: dict(zip(docnos, of, strict=True)) for qid, docnos, of in lists}
    return Run.from_dict(scores, name=name, tag=tag)

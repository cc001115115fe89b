"""Versions of qrels: `evalstore qrels show` and `edit`, and `qrels draft` to judge documents."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    collection_option,
    format_option,
    one_measure_option,
    only_collection,
    opened_store,
    reading_from,
    reading_options,
    store_or_server_option,
)
from evalstore.cli.output import print_notes, print_rows, printable, table, warn, write_json
from evalstore.cli.structure import Command, noun, together
from evalstore.errors import DataError, NotFound, did_you_mean

if TYPE_CHECKING:
    from evalstore.catalog.unexpected import Unexpected
    from evalstore.client.any_store import AnyStore
    from evalstore.comparison.loading import LoadedRuns
    from evalstore.formats import ReadOptions
    from evalstore.judging.drafts import PoolDocument
    from evalstore.store.queries.qrels import QrelsSummary

RULES = ("majority", "mean", "minimum", "adjudicated")
own_collection_option = collection_option("The collection.  [default: the only one]")
draft_collection_option = collection_option("The collection, where several have such a draft.")
qrels_argument = click.argument("qrels", metavar="QRELS", shell_complete=complete.qrels_names)
draft_argument = click.argument("name", metavar="DRAFT")
reason_option = click.option(
    "--reason", metavar="TEXT", required=True, help="Why, for those who see its figures."
)
version_options = together(
    reason_option,
    click.option(
        "--default-qrels",
        "default",
        is_flag=True,
        help="Show figures under the new version from now on.",
    ),
)
rule_option = click.option(
    "--rule",
    type=click.Choice(RULES),
    help="How grades of several assessors become one: that of most (of several, the lowest); their "
    "mean; the lowest; or that of an adjudicator where they differ.  [default: majority, or that "
    "of the draft]",
)


@click.command(cls=Command)
@qrels_argument
@collection_option("The collection, where several have such a qrels.")
@format_option("table", "json")
@store_or_server_option
def show(db: str, qrels: str, collection: str | None, shape: str) -> None:
    """Show the facts of a qrels: its versions, who made it and why, and its origins.

    Origins are where judgments come from: files, people or models, with their numbers.
    """
    from evalstore.catalog.qrels import facts_of
    from evalstore.client.two_qrels import collection_of_all

    with opened_store(db) as store:
        own = store.list_qrels(collection_of_all(store, (qrels,), collection))
    found = next((one for one in own if one.name == qrels), None)
    if found is None:
        hint = did_you_mean(qrels, [one.name for one in own])
        raise NotFound(f"there is no qrels {qrels!r} in collection {collection!r}{hint}")
    ancestors = list(_ancestors(found, own))
    children = [one.name for one in own if one.parent == qrels]
    facts = {**facts_of(found), "ancestors": ancestors, "versions": children}
    if shape == "json":
        write_json(facts)
        return
    facts["unjudged_in_the_pool"] = found.origins.get("pool")
    facts["origins"] = {kind: count for kind, count in found.origins.items() if kind != "pool"}
    for name in ("origin", "origins"):
        facts[name] = ", ".join(f"{key}={value}" for key, value in (facts[name] or {}).items())
    for name in ("ancestors", "versions"):
        facts[name] = ", ".join(facts[name])
    _print_facts(facts)


def _ancestors(qrels: QrelsSummary, own: Sequence[QrelsSummary]) -> Iterator[str]:
    parent_of = {one.name: one.parent for one in own}
    name = qrels.parent
    while name is not None:  # a qrels is older than those made of it: there is no circle
        yield name
        name = parent_of.get(name)


def _print_facts(facts: Mapping[str, Any]) -> None:
    rows = [
        (name.replace("_", " "), "yes" if value is True else "no" if value is False else value)
        for name, value in facts.items()
        if value not in (None, "")
    ]
    table(["fact", "value"], rows, left=2)


@click.command(cls=Command)
@qrels_argument
@click.argument("qid", metavar="QID")
@click.argument("docno", metavar="DOCNO")
@click.argument("grade", metavar="[GRADE]", type=float, required=False)
@click.option("--unjudge", is_flag=True, help="Take the judgment back, instead of a GRADE.")
@click.option("--name", metavar="NAME", help="Of the version.  [default: QRELS-2, QRELS-3, ...]")
@version_options
@own_collection_option
@format_option("table", "json")
@store_or_server_option
def edit(
    db: str,
    qrels: str,
    qid: str,
    docno: str,
    grade: float | None,
    unjudge: bool,
    name: str | None,
    reason: str,
    default: bool,
    collection: str | None,
    shape: str,
) -> None:
    """Correct one judgment: a new version of a qrels, under which the stored runs are evaluated.

    QRELS and the values under it stay as they are.
    """
    if (grade is None) is not unjudge:
        raise click.UsageError("give a GRADE, or --unjudge")
    with opened_store(db) as store:
        own = only_collection(store, collection)
        made = store.edit_judgment(
            own, qrels, qid, docno, grade, reason=reason, name=name, default=default
        )
        if grade is not None:
            found = store.unexpected_judgments(own, [(qid, docno, grade)], qrels)
            warn(*(one.sentence for one in found))
    _print_version(made, shape)


def _print_version(made: Mapping[str, Any], shape: str) -> None:
    """Print a new version, and what changes on the leaderboards of the stored runs."""
    from evalstore.catalog.qrels import unjudged_note

    failed = [run for run in made["runs"] if run["status"] == "failed"]
    if shape == "json":
        write_json(made)
    else:
        numbers = [f"{made['judged']:,} judged"]
        if made["judged_by_fewer"]:
            numbers.append(f"{made['judged_by_fewer']:,} of them by fewer than {made['overlap']:,}")
        numbers += [f"{made[kind]:,} {kind}" for kind in ("undecided", "unjudged") if made[kind]]
        of = f" of {made['parent']}" if made["parent"] else ""
        click.echo(printable(f"{made['collection']}  {made['name']}{of}: {', '.join(numbers)}"))
        if (unjudged := unjudged_note(made["origins"])) is not None:
            click.echo(unjudged)
        if made["changes"] is not None:
            _print_changes(made["changes"])
        if not made["is_default"]:
            click.echo("`evalstore qrels default` shows figures under it from now on")
    for run in failed:
        warn(f"{run['run']}: {run['reason']}")
    if failed:
        raise click.exceptions.Exit(1)


def _print_changes(changes: Mapping[str, Any]) -> None:
    counts = changes["judgments"]
    click.echo(
        f"judgments: {counts['added']:,} added, {counts['changed']:,} graded otherwise, "
        f"{counts['removed']:,} removed"
    )
    rows = [
        (
            *(measure["measure"], run["run"], run["before"], run["after"]),
            *(f"{run['after'] - run['before']:+.4f}", run["rank_before"], run["rank_after"]),
        )
        for measure in changes["measures"]
        for run in measure["runs"]
    ]
    if rows:
        table(
            ("measure", "run", "before", "after", "difference", "rank before", "after"),
            rows,
            left=2,
        )
    print_notes(*changes["notes"])


# `evalstore qrels draft`


@noun(
    "draft",
    {
        "list": "qrels draft",
        "delete": "qrels draft rm",
        "import": "qrels draft add",
        "edit": "qrels edit",
    },
)
@own_collection_option
@format_option("table", "csv", "json")
@store_or_server_option
def draft(db: str, collection: str | None, shape: str) -> None:
    """List the drafts: the documents that people judge, with their progress.

    A published draft is a qrels; it stays open for further judgments.
    """
    with opened_store(db) as store:
        listed = store.list_drafts(only_collection(store, collection))
    headers = ("draft", "from", "documents", "graded", "cannot tell", "later", "disagreements")
    rows = [
        (
            *(one.name, one.parent, one.documents, one.graded),
            *(one.cannot_tell, one.later, one.disagreements, one.published),
        )
        for one in listed
    ]
    print_rows(shape, [*headers, "published"], rows, left=2, nothing="no drafts yet")


@draft.command()
@click.argument("name", metavar="NAME")
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=complete.runs)
@click.option(
    "--from",
    "parent",
    metavar="QRELS",
    shell_complete=complete.qrels_names,
    help="The qrels that it continues.  [default: the collection's default]",
)
@click.option("--empty", is_flag=True, help="Continue no qrels.")
@click.option(
    "--documents",
    metavar="FILE",
    shell_complete=complete.files,
    help="Lines of a query and a document, or the CSV of a sample, as `evalstore pool` prints "
    "them. - is standard input.",
)
@click.option(
    "--depth", type=click.IntRange(1), metavar="K", help="With RUN: the first K documents of each."
)
@click.option(
    "--order",
    type=click.Choice(("depth", "rbp", "rrf", "settle")),
    default="depth",
    show_default=True,
    help="With --budget: which come first, as of `evalstore pool`.",
)
@one_measure_option("The measure of settle.")
@click.option(
    "--budget",
    type=click.IntRange(1),
    metavar="N",
    help="At most N documents, as of `evalstore pool`.",
)
@rule_option
@click.option(
    "--overlap",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many assessors judge each document.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of the order in which documents are shown.",
)
@collection_option("The collection.  [default: that of RUN..., or the only one]")
@store_or_server_option
def new(
    db: str,
    name: str,
    runs: tuple[str, ...],
    parent: str | None,
    empty: bool,
    documents: str | None,
    depth: int | None,
    order: Any,
    measure: str,
    budget: int | None,
    rule: Any,
    overlap: int,
    seed: int,
    collection: str | None,
) -> None:
    """Make a draft: the documents to judge.

    They are the unjudged documents that stored runs have in their first K, or those of a file; a
    draft without documents takes judgments with `evalstore qrels draft add`.
    """
    from evalstore.judging.drafts import pool_of_runs

    if empty and parent is not None:
        raise click.UsageError("--from and --empty exclude each other")
    if runs and documents is not None:
        raise click.UsageError("give RUN with --depth, or --documents")
    if bool(runs) is not (depth is not None):
        raise click.UsageError("RUN and --depth belong together")
    with opened_store(db) as store:
        own = _collection_of(store, runs, collection)
        if not empty and parent is None:
            defaults = [one.name for one in store.list_qrels(own) if one.is_default]
            parent = defaults[0] if defaults else None
        pool: Sequence[PoolDocument] = ()
        drawn = None
        if runs and depth is not None:
            load = partial(store.load_runs, runs, collection=own, qrels=parent)
            pool, drawn, _ = pool_of_runs(
                load, depth, order, measure=measure, budget=budget, anew=empty
            )
        elif documents is not None:
            pool, drawn = _read_pool(documents), documents
        made = store.new_draft(
            own,
            name,
            parent=parent,
            documents=pool,
            rule=rule or "majority",
            overlap=overlap,
            seed=seed,
            pool=drawn,
        )
    of = "" if made.parent is None else f" from {made.parent}"
    click.echo(printable(f"{own}  {made.name}{of}: {made.documents:,} documents to judge"))


def _collection_of(store: AnyStore, runs: Sequence[str], given: str | None) -> str:
    """The given collection, else that of the runs, else the only one of the store."""
    if given is not None or not runs:
        return only_collection(store, given)
    loaded: LoadedRuns = store.load_runs(runs, {})
    if loaded.obstacle is not None:
        raise DataError(loaded.obstacle)
    return loaded.runs[0].collection


def _read_pool(path: str) -> list[PoolDocument]:
    """The documents of a file: lines of 2 or 4 words, or CSV as `evalstore pool` prints it."""
    from evalstore.formats import ReadOptions
    from evalstore.formats.reading.lines import numbered_lines
    from evalstore.formats.reading.source import path_text
    from evalstore.judging.drafts import PoolDocument, in_order

    pool: list[PoolDocument] = []
    is_csv = False
    for line, text in numbered_lines(path, ReadOptions()):
        if text.startswith("qid,docno,") and not pool:
            is_csv = True
            continue
        where = f"{path_text(path)}:{line}"
        try:
            words = next(csv.reader([text], strict=True), []) if is_csv else text.split()
        except csv.Error as error:
            raise DataError(f"{where}: not CSV ({error})") from None
        if not words or words[0].startswith("#"):
            continue
        if len(words) not in ((4,) if is_csv else (2, 4)):
            columns = "4" if is_csv else "2 or 4"
            raise DataError(f"{where}: expected {columns} columns, found {len(words)}")
        stratum, chance = words[2:] or ("", "")
        try:
            probability = float(chance) if chance else None
        except ValueError:
            raise DataError(f"{where}: the probability {chance!r} is not a number") from None
        pool.append(PoolDocument(words[0], words[1], stratum or None, probability))
        try:
            in_order(pool[-1:], 0)
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
    if not pool:
        raise DataError(f"{path}: there is no document to judge")
    return pool


def _collection_of_draft(store: AnyStore, name: str, given: str | None) -> str:
    """The given collection, or the only one of the store, or the only one with such a draft."""
    collections = [] if given is not None else [one.name for one in store.collections()]
    if len(collections) < 2:
        return only_collection(store, given)
    drafts = {one: [draft.name for draft in store.list_drafts(one)] for one in collections}
    having = [one for one, names in drafts.items() if name in names]
    if len(having) == 1:
        return having[0]
    if not having:
        hint = did_you_mean(name, {draft for names in drafts.values() for draft in names})
        raise NotFound(f"no collection has a draft {name!r}{hint}")
    listed = ", ".join(map(repr, having))
    raise DataError(
        f"several collections have a draft {name!r}: choose with --collection: {listed}"
    )


@draft.command("show")
@draft_argument
@draft_collection_option
@format_option("table", "json")
@store_or_server_option
def show_draft(db: str, name: str, collection: str | None, shape: str) -> None:
    """Show the facts of a draft and its progress."""
    from evalstore.judging.drafts import no_draft

    with opened_store(db) as store:
        own = _collection_of_draft(store, name, collection)
        drafts = {one.name: one for one in store.list_drafts(own)}
    if name not in drafts:
        raise NotFound(no_draft(own, name, list(drafts)))
    found = drafts[name]
    facts = {**vars(found), "created_at": found.created_at.isoformat()}
    if shape == "json":
        write_json(facts)
    else:
        _print_facts(facts)


@draft.command()
@draft_argument
@click.argument("file", metavar="FILE", shell_complete=complete.files)
@click.option(
    "--assessor",
    metavar="NAME",
    required=True,
    help="Who judged. Through a server it is your account, unless you administer the collection.",
)
@click.option("--adjudicator", is_flag=True, help="They settle disagreements of others.")
@draft_collection_option
@reading_options
@store_or_server_option
def add(
    db: str,
    name: str,
    file: str,
    assessor: str,
    adjudicator: bool,
    collection: str | None,
    **files: Any,
) -> None:
    """Add the judgments of a file to a draft: those of one assessor.

    Documents that are not in the draft yet are added to it. A negative grade is no judgment. A file
    that is added again counts once.
    """
    from evalstore.formats import read_qrels
    from evalstore.judging.drafts import assessments_of

    options: ReadOptions = reading_from(files)
    with opened_store(db) as store:
        read = read_qrels(file, options)
        warn(*read.warnings)
        items = assessments_of(read, assessor, "adjudicator" if adjudicator else "person")
        own = _collection_of_draft(store, name, collection)
        keys = store.assess(own, name, assessor, items, new=True)
        judged = [(one.qid, one.docno, one.grade) for one in items if one.grade is not None]
        parents = {one.name: one.parent for one in store.list_drafts(own)}
        found = store.unexpected_judgments(own, judged, parents[name])
    warn(*(_in_file(one, file) for one in found))
    judgments = "judgment" if len(keys) == 1 else "judgments"
    click.echo(printable(f"{name}: {len(keys):,} {judgments} of {assessor}"))


def _in_file(unexpected: Unexpected, file: str) -> str:
    """The sentence on judgments of a file, with the first of them."""
    from evalstore.formats.reading.source import path_text, quoted

    sentence, judged = unexpected
    qid, docno, _ = judged[0]
    first = "" if len(judged) == 1 else "the first: "
    return f"{path_text(file)}: {sentence} ({first}query {quoted(qid)}, document {quoted(docno)})"


@draft.command()
@draft_argument
@click.argument("qrels", metavar="[QRELS]", required=False)
@version_options
@rule_option
@draft_collection_option
@format_option("table", "json")
@store_or_server_option
def publish(
    db: str,
    name: str,
    qrels: str | None,
    reason: str,
    default: bool,
    rule: Any,
    collection: str | None,
    shape: str,
) -> None:
    """Make a qrels of a draft, and evaluate the stored runs under it.

    It has the judgments of the qrels that the draft continues, and those of the draft in place of
    theirs. QRELS is its name; by default that of the former with a number, or of the draft. What
    assessors disagree on and nobody adjudicated is undecided, by the rule adjudicated.
    """
    with opened_store(db) as store:
        own = _collection_of_draft(store, name, collection)
        made = store.publish_draft(own, name, qrels, reason=reason, rule=rule, default=default)
    _print_version(made, shape)


@draft.command()
@draft_argument
@draft_collection_option
@store_or_server_option
def rm(db: str, name: str, collection: str | None) -> None:
    """Delete a draft with its judgments; qrels made of it stay."""
    with opened_store(db) as store:
        own = _collection_of_draft(store, name, collection)
        store.remove_draft(own, name)
    click.echo(printable(f"removed  {own}  {name}"))

"""`evalstore collections`, `queries` and `experiments`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    DEFAULT_MEASURES,
    collection_option,
    db_option,
    format_option,
    local_store,
    only_collection,
    opened_own_store,
    opened_store,
    own_store,
    reading_from,
    reading_options,
    shown_measures_option,
    store_or_server_option,
    warn_of_judgments,
    where_option,
)
from evalstore.cli.output import print_rows, printable, table, write_json
from evalstore.cli.structure import Function, noun, together

if TYPE_CHECKING:
    from evalstore.store import Store
    from evalstore.store.queries.collections import Access, StoredCollection
    from evalstore.tracking.experiments import ExperimentRuns


LONGEST = 60
"""Maximum characters for the measures of a collection in a table."""


@noun("collections", {"list": "collections", "delete": "collections rm"})
@click.option("--removed", is_flag=True, help="Those that are marked as removed.")
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def collections(ctx: click.Context, /, db: str, removed: bool, shape: str) -> None:
    """List the collections, with what belongs to each and who reads it on a server."""
    from evalstore.evaluation.ingest_options import STANDARD

    if removed:
        from evalstore.catalog.collections import collections as removed_collections

        with local_store(own_store(ctx, db, "--removed")) as store:
            stored: Sequence[StoredCollection] = removed_collections(store, removed=True)
    else:
        with opened_store(db) as store:
            stored = store.collections()
    headers = ["collection", "documents", "queries", "qrels", "default qrels", "runs"]
    headers += ["access", "measures"]
    rows = [
        (
            *(c.name, c.documents, c.queries, c.qrels, c.default_qrels, c.runs),
            *(c.access, _shown(c.measures or STANDARD, shape)),
        )
        for c in stored
    ]
    print_rows(
        shape,
        headers,
        rows,
        left=1,
        nothing="no collection is removed"
        if removed
        else "no collections yet (--removed lists those removed)",
    )


@collections.command("rename")
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("new", metavar="NEW_NAME")
@opened_own_store
def rename_collection(store: Store, name: str, new: str) -> None:
    """Give a collection another name."""
    from evalstore.catalog.collections import rename_collection

    rename_collection(store, name, new)
    click.echo(printable(f"{name} -> {new}"))


@collections.command()
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("who", metavar="ACCESS", type=click.Choice(("store", "private", "public")))
@opened_own_store
def access(store: Store, name: str, who: Access) -> None:
    """Say who reads a collection on the team's server.

    ACCESS is `store` (who has a role in the whole store or in the collection), `private` (who has
    a role in the collection itself, and administrators of the store) or `public` (everyone,
    without a login too). For example: `evalstore collections access core17 private`.
    """
    from evalstore.catalog.collections import set_collection_access

    set_collection_access(store, name, who)
    click.echo(printable(f"{name}: {who}"))


def _shown(measures: str, shape: str) -> str:
    """The measures of a collection; a table shows only the first of many."""
    is_long = shape == "table" and len(measures) > LONGEST
    return f"{measures[: LONGEST - 3]}..." if is_long else measures


@collections.command()
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("chosen", metavar="SET|LIST", shell_complete=complete.measure_lists)
@opened_own_store
def measures(store: Store, name: str, chosen: str) -> None:
    """Say which measures an ingest into a collection stores.

    SET|LIST is a set of measures (standard, summary, ...), or names with commas between them. What
    is stored already stays; other measures are computed where they are asked for. For example:
    `evalstore collections measures core17 'AP,nDCG@10,P@10'`.
    """
    from evalstore.ingest.store_run import set_collection_measures

    written = set_collection_measures(store, name, chosen)
    click.echo(printable(f"{name}: {written}"))


@collections.command("map")
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("mapping", metavar="[NAME]", required=False)
@click.argument("paths", metavar="[FIELD=PATH,...]", required=False)
@click.option("--withdraw", is_flag=True, help="Delete the mapping.")
@db_option
def map_(db: str, name: str, mapping: str | None, paths: str | None, withdraw: bool) -> None:
    """Save how files of another program are read, or list what is saved.

    `evalstore ingest --collection COLLECTION --map NAME` then reads such files. For example:
    `evalstore collections map cacm rag 'qid=query_id,docno=contexts[].doc_id'`.
    """
    from evalstore.catalog.collections import mappings_of, set_mapping

    if mapping is not None and (paths is None) != withdraw:
        raise click.UsageError("give NAME with FIELD=PATH,..., or with --withdraw")
    with local_store(db) as store:
        if mapping is not None:
            set_mapping(store, name, mapping, paths)
        saved = mappings_of(store, name)
    for name_, text in saved.items():
        click.echo(printable(f"{name_}  {text}"))
    if not saved:
        click.echo("no mapping is saved")


@collections.command("rm")
@click.argument("names", metavar="COLLECTION...", nargs=-1, required=True)
@opened_own_store
def rm_collection(store: Store, names: tuple[str, ...]) -> None:
    """Mark collections as removed, with all their runs and qrels.

    Nothing shows or counts them any more; `evalstore collections restore` brings them back,
    `evalstore collections purge` deletes them for good.
    """
    from evalstore.catalog.collections import remove_collections

    remove_collections(store, names)
    _print_collections("removed", names)


@collections.command("restore")
@click.argument("names", metavar="COLLECTION...", nargs=-1, required=True)
@opened_own_store
def restore_collection(store: Store, names: tuple[str, ...]) -> None:
    """Bring back removed collections: all their runs and qrels too."""
    from evalstore.catalog.collections import restore_collections

    restore_collections(store, names)
    _print_collections("restored", names)


@collections.command("purge")
@click.argument("names", metavar="[COLLECTION]...", nargs=-1)
@opened_own_store
def purge_collection(store: Store, names: tuple[str, ...]) -> None:
    """Delete removed collections for good: all, or those named.

    Their runs, qrels, query texts and documents go with them. Only collections that
    `evalstore collections rm` has marked are deleted.
    """
    from evalstore.catalog.collections import purge_collections

    purged = purge_collections(store, names)
    _print_collections("purged", purged)
    if not purged:
        click.echo("no collection is removed: nothing to purge")


def _print_collections(status: str, names: tuple[str, ...] | list[str]) -> None:
    for name in dict.fromkeys(names):
        click.echo(printable(f"{status:<15} {name}"))


# `evalstore queries`: the queries of a collection and their attributes

queries_collection_option = collection_option("The collection.  [default: the only one]")


@noun("queries", {"list": "queries", "edit": "queries tag"})
@queries_collection_option
@where_option("Only queries whose attribute is so: lang=de, length>=4; may be repeated.")
@format_option("table", "csv", "json")
@store_or_server_option
def queries(db: str, collection: str | None, where: tuple[Any, ...], shape: str) -> None:
    """List the queries of a collection with their texts and attributes.

    Attributes (language, category, anything) come from the further columns or keys of the queries
    file given to `evalstore ingest`, or from `evalstore queries tag`. `evalstore compare --where`
    and `--by` use them.
    """
    with opened_store(db) as store:
        stored = store.list_queries(only_collection(store, collection), where)
    if shape == "json":
        write_json(
            [{"qid": q.qid, "text": q.text, "attributes": dict(q.attributes)} for q in stored]
        )
        return
    names = sorted({name for q in stored for name in q.attributes})
    headers = ["qid", "text", *names]
    rows = [(q.qid, q.text, *(q.attributes.get(name) for name in names)) for q in stored]
    print_rows(shape, headers, rows, nothing="no queries")


@queries.command()
@queries_collection_option
@click.argument("words", metavar="[NAME=VALUE QID...]", nargs=-1)
@click.option(
    "--file",
    "path",
    metavar="FILE",
    shell_complete=complete.files,
    help="A file of tabs or commas whose first line names its columns: qid, then the attributes.",
)
@reading_options
@db_option
def tag(
    db: str, collection: str | None, words: tuple[str, ...], path: str | None, **files: Any
) -> None:
    """Set an attribute of queries, as in: evalstore queries tag lang=de 401 402.

    A value replaces that of the same name; --file sets the attributes of many queries, an empty
    cell sets none.
    """
    attributes = _from_words(words)
    if (path is None) == (not words):
        raise click.UsageError("give NAME=VALUE and the ids of queries, or --file FILE")
    from evalstore.catalog.queries import tag_queries
    from evalstore.client.any_store import LocalStore
    from evalstore.formats import read_attributes

    if path is not None:
        attributes = read_attributes(path, reading_from(files))
    with local_store(db) as store:
        named = only_collection(LocalStore(store), collection)
        changed = tag_queries(store, named, attributes)
    for name, number in changed.items():
        click.echo(printable(f"{name}: set for {_count(number)}"))
    if not changed:
        click.echo("nothing to change")


def _from_words(words: Sequence[str]) -> dict[str, dict[str, str]]:
    """The attributes in words like `NAME=VALUE QID...`."""
    if not words:
        return {}
    name, equals, value = words[0].partition("=")
    if not equals or not name.strip() or not value.strip():
        raise click.UsageError(printable(f"expected NAME=VALUE, like lang=de; got {words[0]!r}"))
    if len(words) == 1:
        raise click.UsageError(printable(f"name the queries to set {words[0]} for"))
    return {qid: {name.strip(): value} for qid in words[1:]}


@queries.command()
@queries_collection_option
@click.argument("name", metavar="NAME", shell_complete=complete.attribute_names)
@click.argument("qids", metavar="[QID]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="From all queries of the collection.")
@db_option
def untag(db: str, collection: str | None, name: str, qids: tuple[str, ...], every: bool) -> None:
    """Remove an attribute from queries: from those named, or with --all from all."""
    if every == bool(qids):
        raise click.UsageError("name the queries, or say --all")
    from evalstore.catalog.queries import untag_queries
    from evalstore.client.any_store import LocalStore

    with local_store(db) as store:
        named = only_collection(LocalStore(store), collection)
        removed = untag_queries(store, named, name, None if every else qids)
    click.echo(printable(f"{name}: removed from {_count(removed)}"))


def _count(number: int) -> str:
    return f"{number:,} {'query' if number == 1 else 'queries'}"


# `evalstore experiments`

name_argument = click.argument(
    "name", metavar="EXPERIMENT", shell_complete=complete.experiment_names
)


def _text_option(kind: str) -> Callable[[Function], Function]:
    return together(
        click.option(f"--{kind}", metavar="TEXT", help=f"The {kind}, in Markdown."),
        click.option(
            f"--{kind}-file",
            metavar="FILE",
            shell_complete=complete.files,
            help=f"The {kind} from a file; - is standard input.",
        ),
    )


text_options = together(_text_option("question"), _text_option("conclusion"))
"""Options for texts of an experiment: --question, --question-file, --conclusion, ..."""


@noun("experiments", {"list": "experiments", "add": "experiments new"})
@format_option("table", "csv", "json")
@store_or_server_option
def experiments(db: str, shape: str) -> None:
    """List the experiments, with the number of their runs.

    An experiment is a group of runs: a name, a question, and a conclusion in Markdown. `evalstore
    ingest --experiment NAME` and `evalstore runs edit RUN --experiment NAME` put runs into one,
    which is made if there is none of that name.
    """
    with opened_store(db) as store:
        stored = store.experiments()
    if shape != "table":
        headers = ["experiment", "created_at", "runs", "question", "conclusion"]
        rows = [
            (e.name, e.created_at.isoformat(), e.runs, e.question, e.conclusion) for e in stored
        ]
        print_rows(shape, headers, rows, nothing="")
        return
    if not stored:
        click.echo("no experiments yet: `evalstore ingest --experiment NAME` makes one")
        return
    table(
        ["experiment", "question", "concluded", "created", "runs"],
        [
            (
                *(each.name, _first_line(each.question), "yes" if each.conclusion else "no"),
                *(f"{each.created_at:%Y-%m-%d}", each.runs),
            )
            for each in stored
        ],
        left=4,
        drop=["created", "concluded", "question"],
    )


@experiments.command()
@name_argument
@shown_measures_option
@format_option("table", "json")
@store_or_server_option
def show(db: str, name: str, measures: tuple[str, ...], shape: str) -> None:
    """Show the question, the runs with their figures, and the conclusion."""
    from evalstore.measures import named_measures

    named = named_measures(measures or DEFAULT_MEASURES)
    columns = {header: str(measure) for header, measure in named.items()}
    with opened_store(db) as store:
        stored = store.experiment_runs(name, list(named.values()))
        warn_of_judgments(store, stored.runs)
    if shape == "json":
        write_json(_as_json(stored, columns))
        return
    click.echo(printable(f"experiment {stored.experiment.name}"))
    _text("question", stored.experiment.question)
    click.echo()
    if stored.runs:
        table(
            ["collection", "engine", "run", *columns],
            [
                (run.collection, run.engine, run.run, *map(run.values.get, columns.values()))
                for run in stored.runs
            ],
            left=3,
        )
    else:
        click.echo("no runs yet: `evalstore runs edit RUN --experiment NAME` puts one into it")
    _text("conclusion", stored.experiment.conclusion)


@experiments.command()
@click.argument("name", metavar="NAME")
@text_options
@opened_own_store
def new(store: Store, name: str, **texts: str | None) -> None:
    """Make an experiment without runs."""
    from evalstore.tracking.experiments import new_experiment

    question, conclusion = _given("question", texts), _given("conclusion", texts)
    new_experiment(store, name, question, conclusion)
    click.echo(printable(f"made {name}"))


@experiments.command()
@name_argument
@text_options
@opened_own_store
def edit(store: Store, name: str, **texts: str | None) -> None:
    """Change the question or the conclusion; an empty text removes it."""
    from evalstore.tracking.experiments import edit_experiment

    question, conclusion = _given("question", texts), _given("conclusion", texts)
    if question is None and conclusion is None:
        raise click.UsageError("say what to change: --question or --conclusion")
    changed = edit_experiment(store, name, question, conclusion)
    click.echo(printable(f"{name}: {', '.join(changed) or 'nothing'} changed"))


@experiments.command()
@name_argument
@click.argument("new", metavar="NEW_NAME")
@opened_own_store
def rename(store: Store, name: str, new: str) -> None:
    """Give an experiment another name."""
    from evalstore.tracking.experiments import rename_experiment

    rename_experiment(store, name, new)
    click.echo(printable(f"{name} -> {new}"))


@experiments.command()
@name_argument
@opened_own_store
def rm(store: Store, name: str) -> None:
    """Delete an experiment with its texts; its runs stay, without an experiment.

    The texts can still be read in the event (`evalstore db events --run EXPERIMENT`).
    """
    from evalstore.tracking.experiments import remove_experiment

    removed = remove_experiment(store, name)
    runs = "its run stays" if removed.runs == 1 else f"its {removed.runs:,} runs stay"
    click.echo(printable(f"deleted {name}; {runs}"))


def _given(kind: str, texts: dict[str, str | None]) -> str | None:
    """The text of an option or of a file; None if neither is given."""
    text, file = texts[kind], texts[f"{kind}_file"]
    if text is not None and file is not None:
        raise click.UsageError(f"--{kind} and --{kind}-file exclude each other")
    if file is None:
        return text
    from evalstore.cli.inputs import read_text

    return read_text(file)


def _as_json(stored: ExperimentRuns, columns: dict[str, str]) -> dict[str, object]:
    """An experiment with its runs for JSON."""
    names = ("id", "collection", "engine", "run", "qrels")
    return {
        "experiment": stored.experiment.name,
        "created_at": stored.experiment.created_at.isoformat(),
        "question": stored.experiment.question,
        "conclusion": stored.experiment.conclusion,
        "runs": [
            {
                **{name: getattr(run, name) for name in names},
                "values": {header: run.values.get(name) for header, name in columns.items()},
            }
            for run in stored.runs
        ],
    }


def _text(kind: str, text: str | None) -> None:
    """Print a text with a heading; each line of the text is printed as one line."""
    if text is None:
        return
    click.echo(f"\n{kind}:")
    for line in text.splitlines():
        click.echo(f"  {printable(line)}".rstrip())


def _first_line(text: str | None) -> str:
    return "" if text is None else text.splitlines()[0]

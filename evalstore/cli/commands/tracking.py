"""`evalstore history` and `experiments`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.compare import p_text
from evalstore.cli.options import (
    collection_option,
    db_option,
    format_option,
    history_test_options,
    measure_option,
    one_measure_option,
    opened_store,
    qrels_option,
    store_or_server_option,
)
from evalstore.cli.output import print_rows, printable, table, warn, write_csv, write_json
from evalstore.cli.structure import Function, command, noun, together

if TYPE_CHECKING:
    from evalstore.tracking.experiments import ExperimentRuns
    from evalstore.tracking.history import EngineHistory, HistoryRun


WIDEST_LINE = 60
"""Maximum number of values, the newest ones, in a line of bars."""


@command()
@click.argument("engine", metavar="ENGINE", shell_complete=complete.engines)
@one_measure_option("The measure to show, computed where it is not stored.")
@collection_option("The collection, where the engine has runs in several.")
@qrels_option
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N runs.")
@history_test_options
@format_option("table", "csv", "json")
@store_or_server_option
def history(
    db: str,
    engine: str,
    measure: str,
    collection: str | None,
    qrels: str | None,
    last: int | None,
    test: Any,
    alpha: float,
    shape: str,
) -> None:
    """Show the runs of an engine in time, and whether each differs from earlier ones.

    The time (UTC) is when the engine started where that is recorded, else when the run was stored.
    Each run is tested against the one in the line above, and against the reference: the last run
    before that was shown to differ, else the first. This finds a slow drift. p is of --test over
    all queries of the qrels.

    Marks (better, worse) hold: later runs and --last change none, since the level of a test
    depends on the tests before it alone. At most 5 % of them (--alpha) are expected to be false,
    however often you look.
    """
    from evalstore.measures import named_measures
    from evalstore.tracking.history import COLUMNS

    measures = named_measures(measure)
    if len(measures) != 1:
        raise click.UsageError(f"{printable(measure)} is {len(measures)} measures: name one")
    (one,) = measures.items()
    with opened_store(db) as store:
        timeline = store.history(engine, one, collection, qrels, last=last, test=test, alpha=alpha)
    if shape == "json":
        write_json(timeline.to_dict())
    elif shape == "csv":
        for note in timeline.notes:
            warn(note)
        write_csv(COLUMNS, (tuple(run.row().values()) for run in timeline.runs))
    else:
        _table(timeline)


def _table(timeline: EngineHistory) -> None:
    from evalstore.tracking.history import sentence, sparkline

    queries = "1 query" if timeline.queries == 1 else f"{timeline.queries:,} queries"
    where = f"collection {timeline.collection}, judgments {timeline.qrels}, {queries}"
    click.echo(printable(f"{timeline.engine}: {where}"))
    for note in timeline.notes:
        click.echo(printable(f"note: {note}"))
    if not timeline.runs:
        return
    level = f"{100 * (1 - timeline.alpha):g} % interval"
    headers = ["date", "run", timeline.measure, "difference", level, "p", "change"]
    with_reference = any(run.reference_change is not None for run in timeline.runs)
    rows = [_row(run, with_reference=with_reference) for run in timeline.runs]
    if with_reference:
        headers += ["reference", "less it", "its p", "its change"]
    click.echo()
    table(headers, rows, left=2, drop=("its p", "p", level, "date"))
    values = [run.value for run in timeline.runs]
    bars = sparkline(values[-WIDEST_LINE:])
    newest = f" (the newest {WIDEST_LINE} runs)" if len(values) > WIDEST_LINE else ""
    ends = f"{min(values):.4f} to {max(values):.4f}"
    click.echo()
    if _can_print(bars):
        click.echo(printable(f"{timeline.measure}  {bars}  {ends}{newest}"))
    if text := sentence(timeline):
        click.echo(text)


def _row(run: HistoryRun, *, with_reference: bool) -> tuple[object, ...]:
    low, high = run.low, run.high
    step = (
        *(f"{run.at:%Y-%m-%d %H:%M}", run.run, run.value, _signed(run.difference)),
        "" if low is None or high is None else f"{low:+.4f} to {high:+.4f}",
        *("" if run.p is None else p_text(run.p), run.change),
    )
    if not with_reference:
        return step
    p = "" if run.reference_p is None else p_text(run.reference_p)
    to_reference = _signed(run.reference_difference)
    return (*step, run.reference if p else "", to_reference, p, run.reference_change)


def _signed(difference: float | None) -> str:
    return "" if difference is None else f"{difference:+.4f}"


def _can_print(text: str) -> bool:
    """Whether standard output can show these characters; in some encodings there are no bars."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


# `evalstore experiments`

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")


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
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated.  "
    f"[default: {', '.join(DEFAULT_MEASURES)}]"
)
@format_option("table", "json")
@store_or_server_option
def show(db: str, name: str, measures: tuple[str, ...], shape: str) -> None:
    """Show the question, the runs with their figures, and the conclusion."""
    from evalstore.measures import named_measures

    named = named_measures(measures or DEFAULT_MEASURES)
    columns = {header: str(measure) for header, measure in named.items()}
    with opened_store(db) as store:
        stored = store.experiment_runs(name, list(named.values()))
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
@db_option
def new(db: str, name: str, **texts: str | None) -> None:
    """Make an experiment without runs."""
    from evalstore.store import Store
    from evalstore.tracking.experiments import new_experiment

    question, conclusion = _given("question", texts), _given("conclusion", texts)
    with Store.open(db, create=False) as store:
        new_experiment(store, name, question, conclusion)
    click.echo(printable(f"made {name}"))


@experiments.command()
@name_argument
@text_options
@db_option
def edit(db: str, name: str, **texts: str | None) -> None:
    """Change the question or the conclusion; an empty text removes it."""
    from evalstore.store import Store
    from evalstore.tracking.experiments import edit_experiment

    question, conclusion = _given("question", texts), _given("conclusion", texts)
    if question is None and conclusion is None:
        raise click.UsageError("say what to change: --question or --conclusion")
    with Store.open(db, create=False) as store:
        changed = edit_experiment(store, name, question, conclusion)
    click.echo(printable(f"{name}: {', '.join(changed) or 'nothing'} changed"))


@experiments.command()
@name_argument
@click.argument("new", metavar="NEW_NAME")
@db_option
def rename(db: str, name: str, new: str) -> None:
    """Give an experiment another name."""
    from evalstore.store import Store
    from evalstore.tracking.experiments import rename_experiment

    with Store.open(db, create=False) as store:
        rename_experiment(store, name, new)
    click.echo(printable(f"{name} -> {new}"))


@experiments.command()
@name_argument
@db_option
def rm(db: str, name: str) -> None:
    """Delete an experiment with its texts; its runs stay, without an experiment.

    The texts can still be read in the event (`evalstore db events --run EXPERIMENT`).
    """
    from evalstore.store import Store
    from evalstore.tracking.experiments import remove_experiment

    with Store.open(db, create=False) as store:
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

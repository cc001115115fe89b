"""`evalstore experiment`: groups of runs with a question and a conclusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    Command,
    db_option,
    format_option,
    measure_option,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, write_csv, write_json
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.tracking.experiments import ExperimentRuns

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")


@click.group()
def experiment() -> None:
    """Group runs: a name, a question, and a conclusion in Markdown.

    `evalstore ingest --experiment NAME` and `evalstore edit RUN --experiment NAME` put runs into an
    experiment, which is made if there is none of that name.
    """


name_argument = click.argument(
    "name", metavar="EXPERIMENT", shell_complete=complete.experiment_names
)


def text_options(command: Command) -> Command:
    """The texts of an experiment: --question, --question-file, --conclusion, --conclusion-file."""
    for kind in ("conclusion", "question"):
        command = click.option(
            f"--{kind}-file",
            metavar="FILE",
            shell_complete=complete.files,
            help=f"The {kind} from a file; - is standard input.",
        )(command)
        command = click.option(f"--{kind}", metavar="TEXT", help=f"The {kind}, in Markdown.")(
            command
        )
    return command


@experiment.command("list")
@format_option("table", "csv", "json")
@store_or_server_option
def list_command(db: str, shape: str) -> None:
    """List the experiments, with the number of their runs."""
    with reading(db) as reader:
        stored = reader.experiments()
    if shape != "table":
        headers = ["experiment", "created_at", "runs", "question", "conclusion"]
        rows: list[tuple[Any, ...]] = [
            (e.name, e.created_at.isoformat(), e.runs, e.question, e.conclusion) for e in stored
        ]
        if shape == "csv":
            write_csv(headers, rows)
        else:
            write_json([dict(zip(headers, row, strict=True)) for row in rows])
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


@experiment.command()
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
    with reading(db) as reader:
        stored = reader.experiment_runs(name, list(named.values()))
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
        click.echo("no runs yet: `evalstore edit RUN --experiment NAME` puts one into it")
    _text("conclusion", stored.experiment.conclusion)


@experiment.command()
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


@experiment.command()
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


@experiment.command()
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


@experiment.command()
@name_argument
@db_option
def rm(db: str, name: str) -> None:
    """Delete an experiment with its texts; its runs stay, without an experiment.

    The texts can still be read in the event (`evalstore events --run EXPERIMENT`).
    """
    from evalstore.store import Store
    from evalstore.tracking.experiments import remove_experiment

    with Store.open(db, create=False) as store:
        removed = remove_experiment(store, name)
    runs = "its run stays" if removed.runs == 1 else f"its {removed.runs:,} runs stay"
    click.echo(printable(f"deleted {name}; {runs}"))


def _given(kind: str, texts: dict[str, str | None]) -> str | None:
    """The text of an option or of a file; None where neither is given."""
    text, file = texts[kind], texts[f"{kind}_file"]
    if text is not None and file is not None:
        raise click.UsageError(f"--{kind} and --{kind}-file exclude each other")
    if file is None:
        return text
    from evalstore.cli.text_file import read_text

    return read_text(file)


def _as_json(stored: ExperimentRuns, columns: dict[str, str]) -> dict[str, object]:
    """An experiment with its runs as JSON has them."""
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
    """Print a text with a heading; each of its lines is one line, whatever it holds."""
    if text is None:
        return
    click.echo(f"\n{kind}:")
    for line in text.splitlines():
        click.echo(f"  {printable(line)}".rstrip())


def _first_line(text: str | None) -> str:
    return "" if text is None else text.splitlines()[0]

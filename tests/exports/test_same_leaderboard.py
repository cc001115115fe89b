"""The figures of a leaderboard are the same in every format: each is read back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from parsed_exports import (
    Rows,
    parsed_csv,
    parsed_latex,
    parsed_markdown,
    parsed_terminal,
    parsed_trec,
    parsed_tsv,
)
from samples import write, write_qrels, write_run

import evalstore as ev
from evalstore.api.store import Store
from evalstore.cli import cli
from evalstore.errors import DataError, NotFound
from evalstore.leaderboard.table import LETTERS

pytestmark = pytest.mark.slow  # every format is written

QIDS = [f"q{number:02}" for number in range(24)]
QRELS = {qid: {f"{qid}-{document}": 1 for document in range(3)} for qid in QIDS}
MEASURES = ("AP", "ResponseTime", "NumRet", "P@3")


def ranking(qid: str, first: int, length: int = 12) -> list[str]:
    """Relevant documents from rank `first` on, among others."""
    documents = [f"{qid}-other-{number}" for number in range(length)]
    for number in range(3):
        documents.insert(first - 1 + 2 * number, f"{qid}-{number}")
    return documents


RUNS = {
    "best": {qid: ranking(qid, 1 + number % 2) for number, qid in enumerate(QIDS)},
    "same": {qid: ranking(qid, 1 + number % 2, 9) for number, qid in enumerate(QIDS)},
    "middle": {qid: ranking(qid, 2 + number % 3) for number, qid in enumerate(QIDS)},
    "worst": {qid: ranking(qid, 8 + number % 3) for number, qid in enumerate(QIDS[:20])},
}
"""Two runs of the same figures, one that does not answer four queries; all with other times."""


TIMES = {
    name: {qid: 100 - 10 * number + place / 3 for place, qid in enumerate(rankings)}
    for number, (name, rankings) in enumerate(RUNS.items())
}


def evalstore(*arguments: str) -> str:
    """What a command prints on standard output."""
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def location(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store of the runs with their times; names and engines are the same."""
    folder = tmp_path_factory.mktemp("leaderboard")
    path = str(folder / "evalstore.db")
    qrels = write_qrels(folder, QRELS)
    for name, rankings in RUNS.items():
        run = write_run(folder, rankings, f"{name}.run", name)
        times = "".join(f"{qid}\t{time!r}\n" for qid, time in TIMES[name].items())
        file = write(folder / f"{name}.times", times)
        options = ("--db", path, "--collection", "c", "--qrels", qrels, "--times", file)
        evalstore("ingest", *options, run)
    return path


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    with ev.open(location) as opened:
        yield opened


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, float]]:
    """The figures of every run, from its rankings, without a store."""
    figures = {}
    for name, rankings in RUNS.items():
        run = {
            qid: {docno: -float(rank) for rank, docno in enumerate(docnos)}
            for qid, docnos in rankings.items()
        }
        extras = ev.Extras(times=TIMES[name])
        evaluation = ev.evaluate(QRELS, {name: run}, MEASURES, extras=extras)
        figures[name] = evaluation.aggregates.loc[name].to_dict()
    return figures


def of_json(text: str) -> Rows:
    rows: dict[str, dict[str, str]] = {}
    for measure in json.loads(text)["measures"]:
        for run in measure["runs"]:
            row = rows.setdefault(run["run"], {"run": run["run"]})
            row[measure["measure"]] = str(run["value"])
    return list(rows.values())


def of_trec(text: str) -> Rows:
    rows: dict[str, dict[str, str]] = {}
    for (run, measure, qid), value in parsed_trec(text).items():
        assert qid == "all"
        rows.setdefault(run, {"run": run})[measure] = value
    return list(rows.values())


READERS: dict[str, Callable[[str], Rows]] = {
    "csv": parsed_csv,
    "tsv": parsed_tsv,
    "json": of_json,
    "markdown": parsed_markdown,
    "latex": parsed_latex,
    "trec": of_trec,
    "table": lambda text: parsed_terminal(text, "rank "),
}
"""Every format, and how it is read back; `table` is what `evalstore leaderboard` prints."""

EVERY_DIGIT = ("csv", "tsv", "json")


def named(measures: tuple[str, ...]) -> list[str]:
    return [argument for measure in measures for argument in ("-m", measure)]


def text_of(shape: str, location: str) -> str:
    if shape == "table":
        return evalstore("--db", location, "leaderboard", "c", *named(MEASURES))
    return evalstore(
        "--db", location, "export", "leaderboard", "c", *named(MEASURES), "--format", shape
    )


@pytest.mark.parametrize("shape", READERS)
def test_every_format_has_the_figures_of_the_runs(
    shape: str, location: str, expected: dict[str, dict[str, float]]
) -> None:
    rows = READERS[shape](text_of(shape, location))
    assert [row["run"] for row in rows] == ["best", "same", "middle", "worst"]
    for row in rows:
        for measure in MEASURES:
            value = expected[row["run"]][measure]
            if shape in EVERY_DIGIT:
                assert float(row[measure]) == value
            else:
                assert float(row[measure]) == float(f"{value:.4f}")


@pytest.mark.parametrize("shape", [shape for shape in READERS if shape != "table"])
def test_python_gives_the_text_of_the_command(shape: str, location: str, store: Store) -> None:
    text = store.export_leaderboard("c", shape, measures=MEASURES)  # type: ignore[arg-type]
    assert text == text_of(shape, location)


def test_json_is_that_of_the_leaderboard(location: str) -> None:
    arguments = ("--db", location, "leaderboard", "c", *named(MEASURES), "--format", "json")
    assert text_of("json", location) == evalstore(*arguments)


def test_counts_have_no_decimals(location: str) -> None:
    for shape in ("csv", "markdown", "latex", "trec"):
        assert READERS[shape](text_of(shape, location))[0]["NumRet"] == "360"


def test_trec_text_has_the_values_of_every_query_where_that_is_asked_for(store: Store) -> None:
    text = store.export_leaderboard("c", "trec", measures="P@3", per_query=True)
    values = parsed_trec(text)
    assert len(values) == len(RUNS) * (len(QIDS) + 1)
    assert values["best", "P@3", "q00"] == "0.6667"  # relevant at the ranks 1, 3, 5
    assert values["best", "P@3", "q01"] == "0.3333"  # at 2, 4, 6
    assert values["worst", "P@3", "q23"] == "0.0000"  # not answered


def markdown_rows(text: str) -> list[list[str]]:
    """The cells of a Markdown table as they are written."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_best_are_bold_ties_and_lowest_included(store: Store) -> None:
    measures = ["AP", "ResponseTime", "NumRet"]
    rows = markdown_rows(store.export_leaderboard("c", "markdown", measures=measures, digits=1))
    bold = [[cell.startswith("**") for cell in row[2:]] for row in rows]
    assert bold == [
        [True, False, False],
        [True, False, False],
        [False, False, False],
        [False, True, False],  # the quickest; no number of documents is the best
    ]


def test_superscripts_name_the_runs_that_a_run_beats(store: Store) -> None:
    text = store.export_leaderboard("c", "markdown", measures=["AP", "NumRet"])
    rows = markdown_rows(text)
    assert [row[:2] for row in rows] == [
        ["best", "a"],
        ["same", "b"],
        ["middle", "c"],
        ["worst", "d"],
    ]
    marks = [
        [cell.partition("<sup>")[2].removesuffix("</sup>") for cell in row[2:]] for row in rows
    ]
    assert marks == [["cd", ""], ["cd", ""], ["d", ""], ["", ""]]
    assert (
        r"Superscripts: the letters of the runs that the run beats (p \< 0.05, the paired t test "
        "with Holm's correction for all 6 pairs on AP)"
    ) in text


def test_superscripts_agree_with_rank_groups(store: Store) -> None:
    """A run beats those below it with which it shares no letter of the groups."""
    ranks = store.leaderboard_ranks("c", measures="P@3").set_index("run")["rank_group"]
    rows = markdown_rows(store.export_leaderboard("c", "markdown", measures="P@3"))
    run_of = {row[1]: row[0] for row in rows}
    for number, row in enumerate(rows):
        beaten = {run_of[letter] for letter in row[2].partition("<sup>")[2].partition("<")[0]}
        below = [other[0] for other in rows[number + 1 :]]
        assert beaten == {run for run in below if not set(ranks[run]) & set(ranks[row[0]])}


def test_with_a_baseline_daggers_tell_better_and_worse(store: Store) -> None:
    text = store.export_leaderboard("c", "markdown", measures=["AP", "NumRet"], baseline="middle")
    assert [row[1].partition("<sup>")[2] for row in markdown_rows(text)] == [
        "†</sup>",
        "†</sup>",
        "",
        "‡</sup>",
    ]
    assert "† and ‡: better and worse than middle by the paired t test" in text
    assert "Holm over 3 comparisons" in text  # NumRet has no better and no worse


def test_the_p_of_the_baseline_are_those_of_compare(store: Store) -> None:
    """A query that `worst` does not answer counts as an empty ranking in both."""
    measures = ("AP", "P@3")
    rows = parsed_csv(store.export_leaderboard("c", "csv", measures=measures, baseline="best"))
    document = json.loads(store.export_leaderboard("c", "json", measures=measures, baseline="best"))
    runs = ["best", "same", "middle", "worst"]
    compared = store.compare(runs, measures, baseline="best").pairs
    for pair in compared.itertuples():
        [row] = [row for row in rows if row["run"] == pair.b]
        assert float(row[f"{pair.measure} p_corrected"]) == pytest.approx(pair.p_corrected_t)
        assert row[f"{pair.measure} verdict"] == pair.verdict
        assert document["baseline"]["p_corrected"][pair.measure][pair.b] == pytest.approx(
            pair.p_corrected_t
        )
    assert [row["AP p_corrected"] for row in rows if row["run"] == "best"] == [""]


def test_a_baseline_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(NotFound, match="there is no run 'bets' in collection 'c'; did you mean"):
        store.export_leaderboard("c", "csv", baseline="bets")


def test_tukey_takes_no_baseline(store: Store) -> None:
    with pytest.raises(DataError, match="'tukey' is of all pairs of runs"):
        store.export_leaderboard("c", "csv", baseline="best", test="tukey")
    text = store.export_leaderboard("c", "markdown", measures="AP", test="tukey")
    assert "the randomised Tukey HSD test of all 6 pairs on AP" in text


def test_groups_intervals_and_judged_shares_are_columns(store: Store) -> None:
    asked = {"measures": "AP", "groups": True, "intervals": True, "judged": True}
    [best, *_] = parsed_csv(store.export_leaderboard("c", "csv", **asked))  # type: ignore[arg-type]
    ranks = store.leaderboard_ranks("c", measures="AP").set_index("run").loc["best"]
    assert list(best) == [
        *("rank", "rank_low", "rank_high", "engine", "run"),
        *("AP", "AP rank_group", "judged_top_10"),
    ]
    assert int(best["rank"]) == ranks["rank"] == 1
    assert (int(best["rank_low"]), int(best["rank_high"])) == (
        ranks["rank_low"],
        ranks["rank_high"],
    )
    assert best["AP rank_group"] == ranks["rank_group"]
    assert float(best["judged_top_10"]) == 0.3  # three of ten
    for shape, read in (("markdown", parsed_markdown), ("latex", parsed_latex)):
        text = store.export_leaderboard("c", shape, **asked)  # type: ignore[arg-type]
        [row, *_] = read(text)
        assert row["95 % interval"] == f"{best['rank_low']} to {best['rank_high']}"
        assert (row["AP group"], row["judged in the top 10"]) == (best["AP rank_group"], "30 %")
        assert "sup" not in text.replace("superscripts", "")
        assert "runs that share a letter are not separated by the paired t test" in text


def test_without_letters_for_all_runs_there_are_no_superscripts(tmp_path: Path) -> None:
    qrels = {qid: {f"{qid}-0": 1} for qid in QIDS[:3]}
    runs = {
        f"run{number:02}": {qid: {f"{qid}-{number}": 1.0, f"{qid}-0": 0.5} for qid in QIDS[:3]}
        for number in range(len(LETTERS) + 1)
    }
    with ev.open(tmp_path / "many.db") as store:
        store.ingest(collection="c", qrels=qrels, runs=runs)
        text = store.export_leaderboard("c", "markdown", measures="AP")
    assert "<sup>" not in text
    assert "There are no superscripts, since there are more than 26 runs" in text

"""What people wait for, asked of the store that scale.py makes."""

from __future__ import annotations

from collections.abc import Callable

from evalstore.comparison.loading import load_stored_runs
from evalstore.leaderboard.positions import Sorting, find_leaderboard, leaderboard_rows, place_runs
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.measures import named_measures, parse
from evalstore.sql.ask import ask
from evalstore.store import Store
from evalstore.tracking.history import engine_history

SHOWN = ("AP", "nDCG@10", "P@10", "Rprec", "RR", "R@100")  # what the dashboard shows
PAGE = 50  # runs that the leaderboard of the dashboard shows at once

LEADERBOARD_SQL = """SELECT engine, run, value FROM leaderboard
WHERE collection = 'scale' AND qrels = 'scale.qrels' AND measure = 'nDCG@10' ORDER BY value DESC"""
TWO_RUNS_SQL = """SELECT a.qid, a.value - b.value AS difference
FROM query_values AS a
JOIN query_values AS b ON b.collection = a.collection AND b.qrels = a.qrels
    AND b.measure = a.measure AND b.qid = a.qid
WHERE a.collection = 'scale' AND a.qrels = 'scale.qrels' AND a.measure = 'nDCG@10'
  AND a.run = 'run00003' AND b.run = 'run00007'"""
OVER_TIME_SQL = """SELECT r.ingested_at, l.value FROM leaderboard AS l
JOIN runs_overview AS r ON r.collection = l.collection AND r.run = l.run
WHERE l.collection = 'scale' AND l.engine = 'engine07' AND l.measure = 'AP' ORDER BY 1"""


def read_board(store: Store, find: str = "") -> object:
    """What the leaderboard of the dashboard shows first, or of the runs that are searched for."""
    board, lead = find_leaderboard(store, "scale"), parse("nDCG@10")
    placed = place_runs(store, board, Sorting(lead, descending=True), find)[:PAGE]
    measures = list(named_measures(SHOWN).values())
    return leaderboard_rows(store, board, lead, measures, [run.id for run in placed])


def questions(store: Store) -> dict[str, Callable[[], object]]:
    """What people wait for."""
    measures = named_measures("nDCG@10")
    return {
        "leaderboard of the dashboard": lambda: read_board(store),
        "run list with search": lambda: read_board(store, "engine07 run001"),
        "history of an engine": lambda: engine_history(
            store, "engine07", ("nDCG@10", parse("nDCG@10")), "scale"
        ),
        "`evalstore runs --find`, 50 runs": lambda: list_runs(
            store,
            list(named_measures(SHOWN[:4]).values()),
            Choice(collection="scale", find="run001", limit=PAGE),
        ),
        "leaderboard, all runs": lambda: list_runs(
            store, list(named_measures(SHOWN).values()), Choice(collection="scale")
        ),
        "two runs, loaded to compare": lambda: load_stored_runs(store, ("3", "7"), measures),
        "SQL: leaderboard of a measure": lambda: ask(store, LEADERBOARD_SQL),
        "SQL: two runs, per query": lambda: ask(store, TWO_RUNS_SQL),
        "SQL: an engine over time": lambda: ask(store, OVER_TIME_SQL),
    }

"""The pages, one module each."""

from dashboard.pages import compare, history, home, leaderboard, measures, queries, run

PAGES = (
    home.PAGE,
    leaderboard.PAGE,
    compare.PAGE,
    queries.PAGE,
    run.PAGE,
    history.PAGE,
    measures.PAGE,
)

"""The pages, one module each."""

from dashboard.pages import (
    compare,
    history,
    home,
    leaderboard,
    measures,
    queries,
    query,
    run,
    sql,
)

PAGES = (
    home.PAGE,
    leaderboard.PAGE,
    compare.PAGE,
    queries.PAGE,
    query.PAGE,
    run.PAGE,
    history.PAGE,
    sql.PAGE,
    measures.PAGE,
)

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
    upload,
)

PAGES = (
    home.PAGE,
    leaderboard.PAGE,
    compare.PAGE,
    queries.PAGE,
    query.PAGE,
    run.PAGE,
    history.PAGE,
    upload.PAGE,
    sql.PAGE,
    measures.PAGE,
)

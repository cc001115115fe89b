"""The pages, each in a folder or a file."""

from dashboard.pages import measures, upload
from dashboard.pages.compare import page as compare
from dashboard.pages.history import page as history
from dashboard.pages.home import page as home
from dashboard.pages.judge import page as judge
from dashboard.pages.judgments import page as judgments
from dashboard.pages.leaderboard import page as leaderboard
from dashboard.pages.queries import page as queries
from dashboard.pages.query import page as query
from dashboard.pages.run import page as run
from dashboard.pages.sql import page as sql

PAGES = (
    home.PAGE,
    leaderboard.PAGE,
    compare.PAGE,
    queries.PAGE,
    judgments.PAGE,
    judge.PAGE,
    query.PAGE,
    run.PAGE,
    history.PAGE,
    upload.PAGE,
    sql.PAGE,
    measures.PAGE,
)

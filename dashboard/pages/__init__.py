"""The pages, one module each."""

from dashboard.pages import compare, history, home, leaderboard, measures, sql

PAGES = (home.PAGE, leaderboard.PAGE, compare.PAGE, history.PAGE, measures.PAGE, sql.PAGE)

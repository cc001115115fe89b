"""The pages, one module each."""

from dashboard.pages import compare, history, home, leaderboard, measures

PAGES = (home.PAGE, leaderboard.PAGE, compare.PAGE, history.PAGE, measures.PAGE)

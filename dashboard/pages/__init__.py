"""The pages, one module each."""

from dashboard.pages import compare, history, home, measures, sql

PAGES = (home.PAGE, compare.PAGE, history.PAGE, measures.PAGE, sql.PAGE)

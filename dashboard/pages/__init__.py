"""The pages, one module each."""

from dashboard.pages import compare, history, home, measures, queries, run

PAGES = (home.PAGE, compare.PAGE, queries.PAGE, history.PAGE, run.PAGE, measures.PAGE)

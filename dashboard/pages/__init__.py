"""The pages, one module each."""

from dashboard.pages import compare, history, home, measures, query

PAGES = (home.PAGE, compare.PAGE, query.PAGE, history.PAGE, measures.PAGE)

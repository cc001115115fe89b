"""The pages, one module each."""

from dashboard.pages import compare, history, home, measures, run

PAGES = (home.PAGE, compare.PAGE, history.PAGE, run.PAGE, measures.PAGE)

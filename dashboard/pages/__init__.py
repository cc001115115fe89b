"""The pages, one module each."""

from dashboard.pages import compare, history, home, measures

PAGES = (home.PAGE, compare.PAGE, history.PAGE, measures.PAGE)

"""The pages, one module each."""

from dashboard.pages import compare, home, measures

PAGES = (home.PAGE, compare.PAGE, measures.PAGE)

"""The pages, one module each."""

from dashboard.pages import compare, home

PAGES = (home.PAGE, compare.PAGE)

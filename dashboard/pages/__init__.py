"""The pages, one module each."""

from dashboard.pages import home

PAGES = (home.PAGE,)

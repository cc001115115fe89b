"""The ids of the components that callbacks use."""

from __future__ import annotations

# The shell: on every page.
URL = "url"
RENDERED = "rendered"  # the path and query string of the page on screen
PAGE = "page"
TITLE = "title"
SCHEME = "scheme"  # "light" or "dark", as computed in the browser
SCHEME_TOGGLE = "scheme-toggle"
NAVIGATION = "navigation"
MENU = "menu"
MENU_BURGER = "menu-burger"
APP_SHELL = "app-shell"
CONTEXT = "context"

# Runs
RUNS_CONTEXT = "runs-context"
RUNS_COLLECTION = "runs-collection"
RUNS_QRELS = "runs-qrels"
RUNS_MEASURES = "runs-measures"
RUNS_FILTER = "runs-filter"
RUNS_GRID = "runs-grid"
RUNS_ACTION = "runs-action"
RUNS_CSV = "runs-csv"
RUNS_PROBLEM = "runs-problem"

# Compare
COMPARE_CONTEXT = "compare-context"
COMPARE_QRELS = "compare-qrels"
COMPARE_MEASURE = "compare-measure"
COMPARE_A = "compare-a"
COMPARE_B = "compare-b"
COMPARE_SWAP = "compare-swap"
COMPARE_SUMMARY = "compare-summary"
CURVES_QUERY = "curves-query"
CURVES_CAPTION = "curves-caption"
CURVES = "curves"
DIFFERENCES = "differences"
DIFFERENCES_ORDER = "differences-order"
DIFFERENCES_OUTCOME = "differences-outcome"
DIFFERENCES_TITLE = "differences-title"
QUERIES_GRID = "queries-grid"
QUERIES_FILTER = "queries-filter"
QUERIES_CSV = "queries-csv"
QUERIES_CAPTION = "queries-caption"

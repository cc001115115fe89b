"""The pages of the demo store, by name: what is tested of every page, and what has screenshots."""

from __future__ import annotations

DEMO_PAGES = {
    "home": "/",
    "leaderboard": "/c/python-docs?runs=bm25,ql-stem",
    "agreement": "/c/python-docs?view=agreement",
    "cost": "/c/python-docs?view=cost",
    "sweep": "/c/python-docs?view=sweep",
    "compare": "/c/python-docs/compare?runs=bm25,ql-stem,bm25-name&m=AP",
    "queries": "/c/python-docs/queries?m=AP",
    "judgments": "/c/python-docs/judgments?m=AP&cell=3,none",
    "judge": "/c/python-docs/judge?runs=bm25,ql-stem",
    "query": "/c/python-docs/query/q15?runs=bm25,ql-stem&m=AP",
    "run": "/c/python-docs/run/ql-stem",
    "history": "/c/python-docs/history?m=AP",
    "sql": "/sql?s=SELECT%20*%20FROM%20leaderboard",
    "measures": "/measures",
    "measure": "/measures/nDCG@10",
    "problem": "/c/python-docs/compare?runs=bm25,no-such-run",
}

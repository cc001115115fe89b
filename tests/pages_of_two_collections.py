"""Addresses and files of the dashboard over the store of two collections.

Some ask for the private collection; nobody who may not read it is to find a marker of it in any.
"""

from __future__ import annotations

from two_collections import OPEN

from dashboard.pages import PAGES

PAIR = "runs=bm25,plain&base=bm25"
ADDRESSES = (
    "/",
    f"/c/{OPEN}",
    f"/c/{OPEN}?m=AP,P@17&base=bm25",
    f"/c/{OPEN}/compare?{PAIR}&open=scatter,pairs,slices&query=q1",
    f"/c/{OPEN}/compare",
    f"/c/{OPEN}/queries",
    f"/c/{OPEN}/judgments?cell=1,none",
    f"/c/{OPEN}/query/q1?runs=bm25,plain",
    f"/c/{OPEN}/run/bm25",
    f"/c/{OPEN}/run/plain-derived?base=bm25",
    f"/c/{OPEN}/upload",
    f"/c/{OPEN}/history",
    f"/c/{OPEN}/history?engine=plain-engine",
    "/measures",
    "/measures/AP",
    "/sql",
    "/sql?s=SELECT+*+FROM+runs_overview",
    "/sql?s=SELECT+*+FROM+collection&chart=bars",
    "/sql?s=SELECT+*+FROM+main.collection",
    "/v/aaaa",
    "/nowhere",
    # Names that are close to those of the private collection: hints must not tell them.
    "/c/zanziba",
    f"/c/{OPEN}/compare?runs=bm25,zanziba",
    f"/c/{OPEN}/run/zanziba",
    f"/c/{OPEN}/run/zanziba-derived",
    f"/c/{OPEN}?m=AP&find=zanziba",
    f"/c/{OPEN}?qrels=zanziba.qrels",
    f"/c/{OPEN}/history?engine=zanziba-engine",
    f"/c/{OPEN}/judgments?other=zanziba",
    f"/c/{OPEN}/query/zanziba",
)
FILES = [
    f"/export{path}/{name}{query}"
    for kind, path, query in (
        ("leaderboard", f"/c/{OPEN}", ""),
        ("compare", f"/c/{OPEN}/compare", f"?{PAIR}"),
        ("queries", f"/c/{OPEN}/queries", ""),
        ("judgments", f"/c/{OPEN}/judgments", ""),
        ("query", f"/c/{OPEN}/query/q1", "?runs=bm25,plain"),
        ("run", f"/c/{OPEN}/run/bm25", ""),
        ("history", f"/c/{OPEN}/history", ""),
        ("home", "", ""),
        ("measures", "/measures/AP", ""),
        ("sql", "/sql", "?s=SELECT+*+FROM+run"),
    )
    for page in PAGES
    if page.kind == kind
    for name in page.files
]

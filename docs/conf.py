"""The documentation as a site, by Sphinx: `make site` writes build/site.

The root of the sources is the checkout, so that the links of the pages to files beside docs/
hold as they do in the checkout. README.md is the first page; the others are listed here by kind.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

NAVIGATION = {
    "Tutorial": ["docs/tutorial", "docs/demo", "docs/example/README"],
    "How-to: your job": [
        "docs/search-engineer",
        "docs/team-lead",
        "docs/paper",
        "docs/course",
        "docs/recommenders",
        "docs/rag",
    ],
    "How-to: tasks": [
        "docs/comparing",
        "docs/checking",
        "docs/judging",
        "docs/corrected-judgments",
        "docs/sweep",
        "docs/migration",
        "docs/history",
        "docs/tracking",
        "docs/dashboard",
        "docs/reporting",
        "docs/exporting",
        "docs/sql",
        "evalstore/sql/cookbook",
    ],
    "How-to: operation": [
        "docs/operations",
        "docs/serving",
        "docs/client",
        "docs/dask",
        "docs/completion",
        "CONTRIBUTING",
    ],
    "Reference": [
        "docs/commands",
        "docs/measures",
        "docs/formats",
        "docs/files",
        "docs/json",
        "docs/messages",
        "docs/parquet",
        "docs/schema",
        "docs/python",
        "docs/api",
        "CHANGELOG",
    ],
    "Explanation": [
        "docs/values",
        "docs/verdicts",
        "docs/architecture",
        "SECURITY",
        "benchmarks/RESULTS",
        "evalstore/demo/JUDGING",
    ],
}
"""The pages, without `.md`, in the four kinds of Diátaxis, of which how-to has three parts."""

SUMMARY = "A store and dashboard for the evaluation of search engines: which is better, on which \
queries, and whether the difference is statistically significant."

project = "evalstore"
html_title = "evalstore"
root_doc = "README"
include_patterns = [
    "README.md",
    "docs/*.md",
    *(f"{p}.md" for ps in NAVIGATION.values() for p in ps),
]
extensions = ["myst_parser"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # Pygments does not know Mermaid: shown as text
html_theme = "furo"
html_theme_options: dict[str, list[str]] = {"top_of_page_buttons": []}
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False  # the pages in Markdown are beside those in HTML
html_show_copyright = False
html_show_sphinx = False


LINK = re.compile(r"\]\(([\w./-]+)\)")


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Append the navigation to the first page, where GitHub does not show it."""
    if page == root_doc:
        for kind, pages in NAVIGATION.items():
            listed = "\n".join(f"/{name}" for name in pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {kind}\n{listed}\n```\n"


def link_folders(app: Sphinx, page: str, source: list[str]) -> None:
    """Turn links to a folder, which GitHub shows, into links to its README."""
    place = Path(app.srcdir, page).parent

    def full(link: re.Match[str]) -> str:
        readme = f"{link[1]}/README.md"
        return f"]({readme})" if (place / readme).is_file() else link[0]

    source[0] = LINK.sub(full, source[0])


def link_to_markdown(
    app: Sphinx, page: str, template: str, context: dict[str, str], doctree: object
) -> None:
    """Name the page in Markdown to programs that read the page in HTML."""
    if page in app.env.found_docs:
        address = f"{Path(page).name}.md"
        context["metatags"] += f'<link rel="alternate" type="text/markdown" href="{address}">'


def write_texts(app: Sphinx, problem: Exception | None) -> None:
    """Write the pages in Markdown, llms.txt, and index.html, which is the first page."""
    if problem or app.builder.name != "html":
        return
    site = Path(app.outdir)
    for page in app.env.found_docs:
        shutil.copyfile(app.env.doc2path(page), site / f"{page}.md")
    shutil.copyfile(site / f"{root_doc}.html", site / "index.html")
    lines = [f"# {project}", "", f"> {SUMMARY}", "", f"- [{project}]({root_doc}.md)"]
    for kind, pages in NAVIGATION.items():
        lines += ["", f"## {kind}", ""]
        lines += [f"- [{app.env.titles[page].astext()}]({page}.md)" for page in pages]
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Connect the functions above."""
    app.connect("source-read", add_navigation)
    app.connect("source-read", link_folders)
    app.connect("html-page-context", link_to_markdown)
    app.connect("build-finished", write_texts)

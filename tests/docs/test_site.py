"""The site of `make site` is complete, and asks no other machine for anything."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urldefrag

import pytest

pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
from sphinx.search.en import SearchEnglish

pytestmark = [pytest.mark.slow, pytest.mark.nightly]  # builds the whole site

ROOT = Path(__file__).parents[2]
ASKS = {"src", "srcset", "poster", "data"}
"""Attributes whose addresses a browser asks for, beside `href` of `<link>`."""
IN_SCRIPTS = {"www.w3.org", "snowballstem.org", "developer.mozilla.org"}
"""Hosts of names of formats, and of comments, in Sphinx's scripts."""


class Page(HTMLParser):
    """The addresses and the anchors of a page in HTML."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.asked: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Collect the addresses and the anchors of an element."""
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.asked |= {given[name] for name in ASKS if name in given and tag != "meta"}
        if "href" in given:
            (self.asked if tag == "link" else self.links).add(given["href"])


class Site(NamedTuple):
    """The folder of the site and its pages by file."""

    folder: Path
    pages: dict[Path, Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    states = tmp_path_factory.mktemp("states")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    command += ["-d", str(states), "-c", "docs", ".", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Site(folder, {file: Page(file) for file in folder.rglob("*.html")})


def index_of(site: Site) -> dict[str, Any]:
    """The index that the search box reads."""
    script = (site.folder / "searchindex.js").read_text(encoding="utf-8")
    index: dict[str, Any] = json.loads(script.removeprefix("Search.setIndex(").removesuffix(")"))
    return index


def sources() -> set[str]:
    """The documents that are pages of the site, as paths in the checkout without `.md`."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    return {file.relative_to(ROOT).with_suffix("").as_posix() for file in files}


def test_every_link_leads_to_a_file_and_an_anchor_of_the_site(site: Site) -> None:
    broken = []
    for file, page in site.pages.items():
        for link in page.links | page.asked:
            if re.match(r"[a-z]+:", link):
                continue
            path, anchor = urldefrag(link)
            target = (file.parent / unquote(path.partition("?")[0])).resolve() if path else file
            known = site.pages[target].anchors if target in site.pages else set()
            if not target.is_file() or (anchor and unquote(anchor) not in known):
                broken.append(f"{file.relative_to(site.folder)}: {link}")
    assert broken == []


def test_nothing_is_asked_of_another_machine(site: Site) -> None:
    asked = {address for page in site.pages.values() for address in page.asked}
    styles = [file.read_text(encoding="utf-8") for file in site.folder.rglob("*.css")]
    styles += [file.read_text(encoding="utf-8") for file in site.pages]
    for style in styles:
        asked |= set(re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s]+)", style))
    assert {a for a in asked if re.match(r"(https?:)?//", a)} == set()
    scripts = [file.read_text(encoding="utf-8") for file in site.folder.glob("_static/**/*.js")]
    hosts = {host for script in scripts for host in re.findall(r"https?://([\w.-]+)", script)}
    assert hosts <= IN_SCRIPTS


def test_every_document_is_in_the_navigation(site: Site) -> None:
    links = site.pages[site.folder / "search.html"].links  # a page without links of its own
    assert {f"{page}.html" for page in sources()} <= links


def test_the_search_finds_every_document_by_its_title(site: Site) -> None:
    index = index_of(site)
    titles = dict(zip(index["docnames"], index["titles"], strict=True))
    assert sources() <= titles.keys()
    for page in sources():
        heading = (ROOT / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0]
        assert titles[page] == heading.removeprefix("# ")


def test_programs_find_every_document_in_markdown(site: Site) -> None:
    listed = re.findall(r"\]\((\S+)\)$", (site.folder / "llms.txt").read_text("utf-8"), re.M)
    assert sources() <= {page.removesuffix(".md") for page in listed}
    for page in listed:
        assert (site.folder / page).read_bytes() == (ROOT / page).read_bytes()


QUESTIONS = {
    # What a stranger who knows trec_eval asks: (what is typed into the search box, the page).
    "How do I do what I do with trec_eval?": ("trec_eval options", "docs/migration"),
    "Why do figures differ from trec_eval's?": ("differ from trec_eval", "docs/values"),
    "How are equal scores ordered?": ("ties", "docs/values"),
    "What counts if a query has no answer?": ("query without an answer", "docs/values"),
    "What is ndcg_cut_10 called here?": ("ndcg_cut_10", "docs/measures"),
    "How is RBP defined?": ("rank-biased precision", "docs/measures"),
    "Is a difference significant?": ("significant difference", "docs/verdicts"),
    "Which test do I take?": ("which test", "docs/verdicts"),
    "How many queries do I need?": ("power", "docs/comparing"),
    "What can unjudged documents change?": ("unjudged documents", "docs/comparing"),
    "Which judgments changed, and what follows?": (
        "corrected judgments",
        "docs/corrected-judgments",
    ),
    "How do I correct one judgment?": ("correct a grade", "docs/judging"),
    "How do several people judge?": ("several assessors", "docs/judging"),
    "How do I get a table for LaTeX?": ("latex", "docs/exporting"),
    "How do I draw recall-precision curves?": ("recall-precision curve", "docs/reporting"),
    "How do I stop a build if a run is worse?": ("continuous integration", "docs/checking"),
    "Which parameters were best?": ("sweep parameters", "docs/sweep"),
    "May my files be packed, or JSON?": ("gzip", "docs/formats"),
    "How do I take back a wrong run?": ("remove wrong run", "docs/operations"),
    "How do I log runs from my code?": ("log from code", "docs/tracking"),
    "Which views can I ask in SQL?": ("views", "docs/schema"),
    "How does a team use one store?": ("server for a team", "docs/serving"),
    "What do I do after an error message?": ("messages", "docs/messages"),
}


def found(index: dict[str, Any], query: str) -> list[str]:
    """The pages that the search box lists for a query, the first one first.

    As in Sphinx's searchtools.js: pages with all words, 15 points if one of them is in a heading,
    else 5; headings with the whole text, by its share of theirs. Equal points are by title.
    """
    language = SearchEnglish({})
    lower = query.lower()
    words = [
        language.stem(word) for word in re.findall(r"\w+", lower) if language.word_filter(word)
    ]
    points: list[dict[int, int]] = []
    for word in words:
        of_word: dict[int, int] = {}
        for kind, score in (("terms", 5), ("titleterms", 15)):
            pages = index[kind].get(word, [])
            of_word |= dict.fromkeys([pages] if isinstance(pages, int) else pages, score)
        points.append(of_word)
    everywhere = set.intersection(*map(set, points))
    results = [(max(each[page] for each in points), page) for page in everywhere]
    for title, places in index["alltitles"].items():
        if lower in title.lower() and 2 * len(lower) >= len(title):
            share = round(15 * len(lower) / len(title))
            results += [(share + (index["titles"][page] == title), page) for page, _ in places]
    results.sort(key=lambda result: (-result[0], index["titles"][result[1]].lower()))
    return list(dict.fromkeys(index["docnames"][page] for _, page in results))


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_search_box_answers_a_question_among_its_first_five_pages(
    site: Site, question: str
) -> None:
    typed, page = QUESTIONS[question]
    assert page in found(index_of(site), typed)[:5]

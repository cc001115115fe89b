"""A public URL with a path: everything is below it, behind proxies that take it off and others."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from api_client import Tokens
from browserless import Browserless, find
from flask.testing import FlaskClient
from pages_of_two_collections import ADDRESSES, FILES, PAIR
from team_server import ADMINISTRATOR, COOKIE, PASSWORD, Served
from two_collections import OPEN

from dashboard import address, vendored
from dashboard.address import Address
from evalstore.errors import DataError
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_public_url, set_up
from evalstore.store import Store

pytestmark = pytest.mark.slow  # every page and file below a path

HOST = "https://eval.example"
PREFIX = "/team/evalstore"
OWN = re.compile(rf"{PREFIX}(/|\?|$)")
IN_HTML = re.compile(r'(?:href|src|action|data-plotly|content)="(/[^"]*)"')
NAME = FILES[0].rpartition("/")[2]
PASSED_ON = pytest.mark.parametrize("sent", [PREFIX, ""], ids=["passed on", "taken off"])
"""What the proxy in front does with the prefix."""


@pytest.fixture(scope="module")
def served(
    api_files: tuple[Path, Tokens], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server below a path, over two collections."""
    file = tmp_path_factory.mktemp("prefix") / "store.db"
    shutil.copy(api_files[0] / "store.db", file)
    with Store.open(f"sqlite:///{file}") as store:
        set_public_url(store, HOST + PREFIX)
        yield Served(store)


@pytest.fixture
def browser(served: Served) -> FlaskClient:
    """A browser that is logged in; it sends its cookie to every path, as behind a proxy."""
    client = served.new_browser()
    form = {"name": ADMINISTRATOR, "password": PASSWORD}
    assert client.post(f"{PREFIX}/login", data=form).status_code == 303
    cookie = client.get_cookie(COOKIE, domain="eval.example", path=PREFIX)
    assert cookie is not None
    client.set_cookie(COOKIE, cookie.value, domain="eval.example")
    return client


class BelowPrefix(Browserless):
    """Callbacks of pages whose addresses have the prefix, as in the bar of a browser."""

    def page(self, address: str, scheme: str = "light") -> dict[str, Any]:
        """What is answered for an address, with the prefix or without."""
        path = address if OWN.match(address) else f"{PREFIX}{address}"
        return super().page(path, scheme)


def local_texts(thing: Any) -> Iterator[str]:
    """Every text in an answer that is a path from the root of the host."""
    if isinstance(thing, dict):
        thing = list(thing.values())
    if isinstance(thing, list):
        for part in thing:
            yield from local_texts(part)
    elif isinstance(thing, str) and re.match(r"/[a-z]", thing):
        yield thing


def outside(texts: list[str]) -> list[str]:
    assert texts, "there are links at all"
    return [text for text in texts if not OWN.match(text)]


@pytest.mark.parametrize("page", ADDRESSES)
def test_every_link_of_a_page_is_below_the_prefix(browser: FlaskClient, page: str) -> None:
    app = BelowPrefix(browser)
    answer = app.page(page)
    while "redirect" in answer:
        assert outside([answer["redirect"]["data"]]) == []
        answer = app.page(answer["redirect"]["data"])
    assert outside(list(local_texts(answer))) == []


def test_what_every_page_loads_is_below_the_prefix_and_is_there(browser: FlaskClient) -> None:
    index = browser.get(f"{PREFIX}/").text
    files = IN_HTML.findall(index)
    assert f"{PREFIX}{vendored.PLOTLY.path()}" in files
    assert outside(files) == []
    assert f'"requests_pathname_prefix":"{PREFIX}/"' in index.replace(r"\u002f", "/")
    for file in files:
        with browser.get(file, headers={"Accept-Encoding": "gzip"}) as answer:
            assert answer.status_code == 200, file
    layout = browser.get(f"{PREFIX}/_dash-layout").get_json()
    assert outside(list(local_texts(layout))) == []


@pytest.mark.parametrize("page", ["login", "account", "api"])
def test_the_other_pages_have_no_link_that_leaves_the_prefix(
    browser: FlaskClient, page: str
) -> None:
    assert outside(IN_HTML.findall(browser.get(f"{PREFIX}/{page}").text)) == []


DRAWN = (".svg", ".png", ".pdf")


@pytest.mark.parametrize("file", [file for file in FILES if not any(end in file for end in DRAWN)])
def test_every_file_is_below_the_prefix(browser: FlaskClient, file: str) -> None:
    """Those with figures are found by the same rule, and take long to draw."""
    with browser.get(f"{PREFIX}{file}") as answer:
        assert answer.status_code == 200


def test_scripts_and_styles_name_no_path_of_the_host() -> None:
    """What they need of the server they take from links, or put behind the prefix."""
    folder = Path(address.__file__).parent / "assets"
    for file in [*folder.rglob("*.js"), *folder.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        assert re.findall(r"""url\(["']?/[^"')]*|["'`]/(?:c|export|assets|api)\b""", text) == [], (
            file.name
        )


@PASSED_ON
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/healthz", 200),
        ("/api/v1/health", 200),
        ("/login", 200),
        (f"/c/{OPEN}", 200),
        (FILES[0], 200),
        ("/c/no-such", 200),
        ("/no/such/page", 404),
        ("/_dash-layout", 200),
        (f"/api/v1/collections/{OPEN}/leaderboard", 200),
        ("/api/v1/collections/no%2Fsuch/leaderboard", 404),
    ],
)
def test_a_proxy_may_take_the_prefix_off_or_pass_it_on(
    browser: FlaskClient, sent: str, path: str, status: int
) -> None:
    browser.environ_base["RAW_URI"] = f"{sent}{path}"
    with browser.get(f"{sent}{path}", headers={"Accept": "text/html, */*"}) as answer:
        assert answer.status_code == status


def test_the_first_page_is_at_the_prefix_without_a_slash_too(browser: FlaskClient) -> None:
    assert browser.get(PREFIX).status_code == 200
    answer = BelowPrefix(browser).call(
        "page.children", url__pathname=PREFIX, url__search="", scheme="light", rendered=None
    )
    assert "collections" in answer["title"]["data"].lower()


@pytest.mark.parametrize("path", ["/team", "/team/evalstorex/c/x", "/team/evalstore2"])
def test_a_path_beside_the_prefix_is_no_page(browser: FlaskClient, path: str) -> None:
    assert browser.get(path).status_code == 404


@PASSED_ON
def test_who_is_not_logged_in_is_led_to_the_login_and_back(served: Served, sent: str) -> None:
    client = served.new_browser()
    page = f"{sent}/c/{OPEN}/compare?{PAIR}"
    for name in ("REQUEST_URI", "RAW_URI"):
        client.environ_base[name] = page
        led = client.get(page, headers={"Accept": "text/html"})
        assert led.status_code == 303
        assert led.headers["Location"].startswith(f"{PREFIX}/login?next=/c/{OPEN}/compare%3Fruns")
        del client.environ_base[name]
    form = {"name": ADMINISTRATOR, "password": PASSWORD, "next": f"/c/{OPEN}/compare?{PAIR}"}
    back = client.post(f"{PREFIX}/login", data=form)
    assert back.headers["Location"] == f"{PREFIX}/c/{OPEN}/compare?{PAIR}"
    assert f"Path={PREFIX}" in back.headers["Set-Cookie"]
    assert client.post(f"{PREFIX}/logout").headers["Location"] == f"{PREFIX}/login"
    assert client.get_cookie(COOKIE, domain="eval.example", path=PREFIX) is None


@pytest.mark.parametrize(
    "header", ["X-Forwarded-Prefix", "X-Script-Name", "Script-Name", "X-Forwarded-Host"]
)
def test_no_header_changes_the_prefix(browser: FlaskClient, header: str) -> None:
    index = browser.get(f"{PREFIX}/", headers={header: "/evil"}).text
    assert "evil" not in index
    assert outside(IN_HTML.findall(index)) == []


def test_a_link_that_is_copied_and_saved_is_stored_without_the_prefix(
    served: Served, browser: FlaskClient
) -> None:
    many = ",".join(f"anserini.bm25.k1_{number}" for number in range(250))
    app = BelowPrefix(browser)
    link = app.call(
        "link.data",
        copy_link=1,
        url__pathname=f"{PREFIX}/c/{OPEN}",
        url__search=f"?find={many}",
    )["link"]["data"]
    assert re.fullmatch(rf"{PREFIX}/v/\w+", link["href"])
    assert app.page(link["href"])["redirect"]["data"].startswith(f"{PREFIX}/c/{OPEN}?find=")
    moved = browser.get(f"{PREFIX}/export{link['href'].removeprefix(PREFIX)}/{NAME}")
    assert moved.status_code == 302
    assert moved.headers["Location"].startswith(f"{PREFIX}/export/c/{OPEN}/{NAME}?find=")
    set_public_url(served.store, f"{HOST}/x")
    try:
        later = Served(served.store).new_browser()
    finally:
        set_public_url(served.store, HOST + PREFIX)
    later.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {create_token(served.store, 't', 'reader')}"
    answer = Browserless(later).page("/x" + link["href"].removeprefix(PREFIX))
    assert answer["redirect"]["data"].startswith(f"/x/c/{OPEN}?find=")


def test_the_brand_leads_to_the_first_page_of_the_server(browser: FlaskClient) -> None:
    layout = browser.get(f"{PREFIX}/_dash-layout").get_json()
    texts = list(local_texts(layout))
    assert f"{PREFIX}/" in texts
    assert find(layout, "url") is not None


def test_the_description_of_the_api_names_the_public_url(browser: FlaskClient) -> None:
    document = browser.get(f"{PREFIX}/api/v1/openapi.json").get_json()
    assert document["servers"] == [{"url": HOST + PREFIX}]


def test_links_outside_of_a_request_have_no_prefix() -> None:
    assert Address("measures").href == "/measures"


OF_PAGES = ("c", "v", "sql", "measures", "compare")  # one rule with a path stands for all of them
OF_ROUTES = ("api", "assets", "login", "_dash-layout", "healthz", "judge", "typed-measure")


@pytest.mark.parametrize("first", [*OF_PAGES, *OF_ROUTES])
def test_a_prefix_that_begins_like_a_path_of_the_server_is_refused(
    set_server: Callable[[str], object], first: str
) -> None:
    with pytest.raises(DataError, match=f"may not begin with /{first}, where the server"):
        set_server(f"{HOST}/{first}/x")


@pytest.fixture
def set_server(tmp_path: Path) -> Iterator[Callable[[str], object]]:
    with Store.open(f"sqlite:///{tmp_path / 'new.db'}") as store:
        yield lambda url: set_up(store, url, ADMINISTRATOR, PASSWORD)

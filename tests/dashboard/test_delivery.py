"""What travels: small, compressed, and not twice."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files

import pytest
from browserless import Browserless
from plotly.offline import get_plotlyjs_version

from dashboard import vendored
from dashboard.figures.interactive import recall_precision
from dashboard.report.page import render

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
FOR_EVER = "max-age=31536000, immutable"


def loaded(app: Browserless) -> list[str]:
    """The files that the index loads."""
    html = app.client.get("/").text
    return re.findall(r"<(?:script|link)[^>]*(?:src|href)=\"([^\"]*)\"", html)


def test_plotlyjs_has_the_version_that_the_python_package_is_made_for() -> None:
    head = vendored.PLOTLY.source()[:200]
    version = re.search(r"plotly\.js \(basic - minified\) v([\d.]+)", head)
    assert version is not None
    assert version[1] == get_plotlyjs_version(), "renew it as dashboard/vendor/README.md says"


@pytest.mark.parametrize("script", vendored.SCRIPTS, ids=lambda script: script.name)
def test_a_script_of_others_stands_beside_its_licence(script: vendored.Script) -> None:
    licence = files("dashboard").joinpath("vendor", f"{script.name}.LICENSE").read_text("utf-8")
    assert licence.lstrip().startswith("MIT License")


@pytest.mark.parametrize(
    ("script", "most"), [(vendored.PLOTLY, 400_000), (vendored.CODEMIRROR, 130_000)]
)
def test_a_script_of_others_is_small_and_kept_for_ever(
    app: Browserless, script: vendored.Script, most: int
) -> None:
    answer = app.client.get(script.path(), headers=GZIP)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.data) < most
    assert answer.headers["Cache-Control"] == FOR_EVER
    assert gzip.decompress(answer.data).decode() == script.source()


@pytest.mark.parametrize("script", vendored.SCRIPTS, ids=lambda script: script.name)
def test_who_takes_no_gzip_gets_the_same_script_as_it_is(
    app: Browserless, script: vendored.Script
) -> None:
    answer = app.client.get(script.path())
    assert "Content-Encoding" not in answer.headers
    assert answer.text == script.source()


def test_the_index_names_the_address_of_plotlyjs_and_loads_no_script_of_others(
    app: Browserless,
) -> None:
    head = app.client.get("/").text.partition("</head>")[0]
    assert f'data-plotly="{vendored.PLOTLY.path()}"' in head
    assert not [address for address in loaded(app) if address.startswith("/vendor/")]


def test_every_file_of_the_first_page_is_compressed_and_kept_for_ever(app: Browserless) -> None:
    of_page = [address for address in loaded(app) if address.endswith(".js") or "?m=" in address]
    assert len(of_page) > 10
    for address in of_page:
        with app.client.get(address, headers=GZIP) as answer:
            assert answer.headers["Cache-Control"] == FOR_EVER, address
            packed = answer.headers.get("Content-Encoding") == "gzip"
            sent = answer.data
        with app.client.get(address) as answer:
            assert packed == (len(answer.data) >= 1024), address
            assert (gzip.decompress(sent) if packed else sent) == answer.data, address


def test_the_files_of_a_first_page_that_draws_are_under_1_8_mb_together(app: Browserless) -> None:
    later = [
        vendored.PLOTLY.path(),
        "/_dash-component-suites/dash_ag_grid/async-community.js",
        "/_dash-component-suites/dash/dcc/async-graph.js",
    ]
    total = 0
    for address in ["/", *loaded(app), *later, "/_dash-layout", "/_dash-dependencies"]:
        with app.client.get(address, headers=GZIP) as answer:
            assert answer.status_code == 200, address
            total += len(answer.data)
    assert total < 1_800_000


def test_a_file_without_a_version_in_its_address_is_asked_for_and_not_sent_again(
    app: Browserless,
) -> None:
    for address in ("/_dash-component-suites/dash/dcc/async-graph.js", "/assets/favicon.svg"):
        with app.client.get(address, headers=GZIP) as first:
            assert first.headers["Cache-Control"] == "no-cache", address
            tag = first.headers["ETag"]
        with app.client.get(address, headers={**GZIP, "If-None-Match": tag}) as second:
            assert second.status_code == 304, address
            assert second.data == b""
        with app.client.get(address, headers={**GZIP, "If-None-Match": '"other"'}) as third:
            assert third.status_code == 200, address


@pytest.mark.parametrize("path", ["dash_ag_grid/nothing.js", "dash/../../app.py", "os/path.py"])
def test_a_file_of_components_that_is_not_there_is_404(app: Browserless, path: str) -> None:
    answer = app.client.get(f"/_dash-component-suites/{path}")
    assert (answer.status_code, answer.mimetype) == (404, "text/plain")


def test_pages_and_their_data_are_compressed_and_never_kept(app: Browserless) -> None:
    for address in ("/", "/_dash-layout"):
        answer = app.client.get(address, headers=GZIP)
        assert answer.headers["Content-Encoding"] == "gzip", address
        assert answer.headers["Cache-Control"] == "no-cache"
        assert gzip.decompress(answer.data)
        assert "Accept-Encoding" in answer.headers["Vary"]


def test_what_a_callback_answers_is_compressed(app: Browserless) -> None:
    answer = app.client.post("/_dash-update-component", json=_request(app), headers=GZIP)
    assert answer.headers["Content-Encoding"] == "gzip"
    whole = gzip.decompress(answer.data)
    assert b'"response"' in whole
    assert len(answer.data) < len(whole) / 2


def _request(app: Browserless) -> dict[str, object]:
    """What a browser posts for the home page."""
    (shell,) = [
        callback
        for callback in app.client.get("/_dash-dependencies").get_json()
        if "page.children" in callback["output"]
    ]
    values = {"url.pathname": "/", "url.search": "", "scheme.data": "light"}
    ids = [part.rsplit(".", 1) for part in shell["output"].strip(".").split("...")]

    def asked(kind: str) -> list[dict[str, object]]:
        return [{**d, "value": values.get(f"{d['id']}.{d['property']}")} for d in shell[kind]]

    return {
        "output": shell["output"],
        "outputs": [{"id": name, "property": key} for name, key in ids],
        "inputs": asked("inputs"),
        "state": asked("state"),
        "changedPropIds": ["url.pathname"],
    }


@pytest.mark.parametrize("encodings", ["gzip;q=0", "identity", "br"])
def test_nothing_is_compressed_for_who_does_not_take_it(app: Browserless, encodings: str) -> None:
    answer = app.client.get("/_dash-layout", headers={"Accept-Encoding": encodings})
    assert "Content-Encoding" not in answer.headers
    assert answer.get_json()


def test_changing_an_address_keeps_no_more_files_in_memory(app: Browserless) -> None:
    """The same content under many addresses is compressed once: no request can fill the memory."""
    with app.client.get("/assets/evalstore.js?m=1", headers=GZIP) as first:
        one = first.data
    with app.client.get("/assets/evalstore.js?m=2&x=3", headers=GZIP) as second:
        assert second.data == one


def test_a_report_with_figures_is_a_quarter_of_what_the_full_plotlyjs_made_it() -> None:
    import pandas as pd

    curve = pd.DataFrame({"run_id": [1], "recall": [0.0], "precision": [1.0]})
    figure = recall_precision(curve, {1: "bm25"})
    assert len(render("figure", "a report", {"figure": figure}, caption="text")) < 700_000

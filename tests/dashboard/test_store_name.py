"""What the pages tell everyone of the store: its name, and no host, user or folder."""

from __future__ import annotations

from pathlib import Path

import pytest
import sample_stores
from browserless import Browserless, as_json
from postgres import Server
from sqlalchemy import make_url

from dashboard.app import create_app
from evalstore.store import Store

ADDRESSES = ("/", "/compare", "/compare?runs=1,2", "/compare?runs=1,999", "/?collection=no", "/no")


def everything_sent(store: Store) -> str:
    """All that a browser gets for every page."""
    app = Browserless(create_app(store).server.test_client())
    pages = [as_json(app.page(address)) for address in ADDRESSES]
    paths = ("/", "/_dash-layout", "/_dash-dependencies", "/export/runs.csv", "/export/no.csv")
    return "\n".join([*pages, *(app.client.get(path).text for path in paths)])


def test_a_file_is_named_without_its_folder_and_suffix(tmp_path: Path) -> None:
    with sample_stores.main(tmp_path) as store:
        assert store.name == "main"
        sent = everything_sent(store)
    assert '"children":"main"' in sent
    assert str(tmp_path) not in sent
    assert "main.db" not in sent


@pytest.mark.postgres
def test_a_postgresql_is_named_without_host_and_user(postgres: Server, tmp_path: Path) -> None:
    url = make_url(postgres.new_store())
    with Store.open(url.render_as_string(hide_password=False)) as store:
        assert store.name == url.database
        sent = everything_sent(store)
        sample_stores.add_main(store, tmp_path)
        sent += everything_sent(store)
    assert f'"children":"{url.database}"' in sent
    for secret in (url.username, url.host, url.query.get("host"), "postgresql"):
        assert not secret or f"{secret}@" not in sent
        assert not secret or f"//{secret}" not in sent
    assert str(url.query.get("host", "no folder")) not in sent
    postgres.drop(url.render_as_string(hide_password=False))


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("evalstore.db", "evalstore"),
        ("runs.db", "evalstore --db sqlite:///runs.db"),
        ("my runs.db", "evalstore --db 'sqlite:///my runs.db'"),
    ],
)
def test_commands_are_advised_with_the_store_that_they_are_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open(f"sqlite:///{name}") as store:
        app = Browserless(create_app(store).server.test_client())
        page = as_json(app.page("/"))
    assert f'"{program} demo"' in page
    assert f'"{program} ingest --collection NAME --qrels QRELS RUN..."' in page


@pytest.mark.postgres
def test_commands_for_a_server_name_no_address(postgres: Server) -> None:
    url = postgres.new_store()
    with Store.open(url) as store:
        app = Browserless(create_app(store).server.test_client())
        page = as_json(app.page("/"))
    assert '"evalstore --db URL demo"' in page
    postgres.drop(url)

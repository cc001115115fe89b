"""What is no address of a store is refused in one line, and never with the password in it."""

from __future__ import annotations

import pytest

from evalstore.errors import StoreError
from evalstore.store import Store, database, location

SECRET = "hunter2"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "evalstore.db",
        "/some/evalstore.db",
        "sqlite:/evalstore.db",
        "nonsense://",
        "http://example.org/",
        "sqlite+nonsense:///x.db",
        "mysql://localhost/x",
        "oracle://localhost/x",
        "postgresql://host:port/name",
        "postgresql://[::1/name",
    ],
)
def test_what_is_no_url_of_ours_is_refused_in_one_line_that_says_what_is(url: str) -> None:
    with pytest.raises(StoreError, match=r"(?i)sqlite") as caught:
        Store.open(url)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql+psycopg://me:{SECRET}@127.0.0.1:1/name",
        f"postgresql://me:{SECRET}@127.0.0.1:1/name",
        f"postgresql+psycopg://127.0.0.1:1/name?user=me&password={SECRET}",
        f"postgresql://me:{SECRET}@host:port/name",
        f"postgresql://me:{SECRET}/x@host/name",
        f"postgresql://me:a@{SECRET}@host:port/name",
        f"postgresql://{SECRET}@[::1/name",
        f"mysql://me:{SECRET}@host/name",
        f"nonsense://me:{SECRET}@host/name",
        f"nonsense://host/name?password={SECRET}",
        f"me:{SECRET}@host/name",
        f"sqlite+nonsense://me:{SECRET}@host/x",
    ],
)
def test_an_error_never_shows_the_password(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    assert SECRET not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql+psycopg://me:{SECRET}@host/name",
        f"postgresql+psycopg://host/name?user=me&password={SECRET}",
        f"postgresql+psycopg://host/name?sslpassword={SECRET}",
    ],
)
def test_the_url_shown_has_no_password(url: str) -> None:
    shown = location.shown_url(database.make_engine(url))
    assert SECRET not in shown
    assert "host/name" in shown

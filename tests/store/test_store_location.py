"""A text that is no address of a store is refused in one line, which shows no password."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalstore.errors import StoreError
from evalstore.store import Store, database

SECRET = "hunter2"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sqlite:/evalstore.db",
        "sqlite:evalstore.db",
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
    text = database.shown_url(database.make_engine(url))
    assert SECRET not in text
    assert "host/name" in text


@pytest.mark.parametrize(
    "path", ["x.db", "./x.db", "a b.db", "what?.db", "a#b.db", "100%41.db", "x", "sub/x.db"]
)
def test_what_is_no_url_is_the_path_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Store.open(path).close()
    assert [str(p) for p in Path().rglob("*") if p.is_file()] == [path.removeprefix("./")]
    Store.open(path, create=False).close()


def test_a_path_may_begin_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    Store.open("~/x.db").close()
    assert (tmp_path / "x.db").exists()


@pytest.mark.parametrize("url", ["sqlite://evalstore.db", "sqlite+pysqlite://evalstore.db"])
def test_two_slashes_are_told_what_is_meant(url: str) -> None:
    with pytest.raises(StoreError, match="write sqlite:///evalstore.db for a file"):
        Store.open(url)


# --- a store that is not there -------------------------------------------------------------------


def test_opening_what_is_not_there_names_the_store_that_is_like_it(tmp_path: Path) -> None:
    Store.open(str(tmp_path / "evalstore.db")).close()
    Store.open(str(tmp_path / "other.db")).close()
    with pytest.raises(StoreError) as caught:
        Store.open(str(tmp_path / "evalstor.db"), create=False)
    assert f"did you mean '{tmp_path / 'evalstore.db'}'?" in str(caught.value)
    assert not (tmp_path / "evalstor.db").exists()


def test_opening_what_is_like_nothing_names_the_stores_in_that_folder(tmp_path: Path) -> None:
    Store.open(str(tmp_path / "evalstore.db")).close()
    (tmp_path / "text.db").write_text("no database")
    (tmp_path / "empty.db").touch()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(StoreError, match=r"in that folder are 'evalstore\.db'$"):
        Store.open(str(tmp_path / "zzz"), create=False)
    assert {path: path.read_bytes() for path in before} == before


def test_where_there_is_no_store_at_all_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"there is no store at \S+$") as caught:
        Store.open(str(tmp_path / "x.db"), create=False)
    assert caught.value.problem == "no store"

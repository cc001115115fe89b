"""Shell completion of files, measures and names in the store; after errors it offers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

import click
from click.shell_completion import CompletionItem

from evalstore.client.any_store import LocalStore, use_case

if TYPE_CHECKING:
    from evalstore.store import Store

DEFAULT_DB = "evalstore.db"

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a path."""
    return [CompletionItem(incomplete, type="file")]


def measures(_ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
    """The measures and sets of measures."""
    from evalstore.measures import registry
    from evalstore.measures.notation import SETS

    return _offered([*registry(), *SETS], begin)


def measure_lists(ctx: click.Context, param: click.Parameter, begin: str) -> list[CompletionItem]:
    """The measures and sets of measures, after the names and commas typed so far."""
    from evalstore.measures.notation import outside_parentheses

    last = outside_parentheses(begin)[-1]
    before = begin[: len(begin) - len(last)]
    return [CompletionItem(before + item.value) for item in measures(ctx, param, last)]


def names_of_formats() -> list[str]:
    """The formats of runs, judgments and folders of runs."""
    from evalstore.formats.registry import folder_formats, formats

    named = [form.name for form in formats() if form.content in ("run", "values", "qrels")]
    return [*named, *(form.name for form in folder_formats())]


def formats(_ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
    """Those that are read."""
    return _offered(names_of_formats(), begin)


def written_formats(content: Literal["run", "qrels"]) -> Completer:
    """Offer the formats in which runs, or judgments, are written."""

    def complete(_ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
        from evalstore.formats.any_format import written_formats as formats_of

        return _offered(formats_of(content), begin)

    return complete


def _from_store(names: Callable[[Store], Iterable[str]]) -> Completer:
    """Offer names from the store in the command line; none if it can't be read."""

    def complete(ctx: click.Context, _param: click.Parameter, begin: str) -> list[CompletionItem]:
        from evalstore.errors import EvalstoreError
        from evalstore.store import Store

        db = ctx.params.get("db") or ctx.find_root().params.get("db") or DEFAULT_DB
        try:
            with Store.open(db, create=False) as store:
                return _offered(names(store), begin)
        except (EvalstoreError, OSError):
            return []

    return complete


def _runs(store: Store, *, removed: bool = False) -> Iterable[str]:
    from evalstore.store.queries.runs import list_runs

    with store.read() as connection:
        return [run.name for run in list_runs(connection, removed=removed)]


def _engines(store: Store) -> Iterable[str]:
    from evalstore.store.queries.tracking import list_active_engines

    with store.read() as connection:
        return list_active_engines(connection)


def _conditions(store: Store) -> Iterable[str]:
    from evalstore.store.queries.queries import list_attribute_values

    with store.read() as connection:
        return [f"{name}={value}" for name, value in list_attribute_values(connection)]


def _run_conditions(store: Store) -> Iterable[str]:
    from evalstore.leaderboard.run_list import as_text, values_by_name
    from evalstore.store.queries.facts import list_values

    with store.read() as connection:
        recorded = list_values(connection)
    return [
        f"{name}={as_text(value)}"
        for facts in recorded.values()
        for name, values in values_by_name(facts).items()
        for value in values
    ]


def _accounts(store: Store) -> Iterable[str]:
    from evalstore.server.people.accounts import list_all

    return [account.name for account in list_all(store)[0]]


def _tokens(store: Store) -> Iterable[str]:
    from evalstore.server.people.tokens import list_tokens

    return [token.name for token in list_tokens(store) if token.revoked_at is None]


def _invitations(store: Store) -> Iterable[str]:
    from evalstore.server.people.invitations import list_invitations

    return [str(each.id) for each in list_invitations(store) if each.used_at is None]


runs = _from_store(_runs)
removed_runs = _from_store(lambda store: _runs(store, removed=True))
collection_names = _from_store(lambda store: [one.name for one in LocalStore(store).collections()])
qrels_names = _from_store(lambda store: [one.name for one in LocalStore(store).list_qrels()])
engines = _from_store(_engines)
experiment_names = _from_store(lambda store: [one.name for one in LocalStore(store).experiments()])
attribute_names = _from_store(
    lambda store: [*(condition.partition("=")[0] for condition in _conditions(store)), "length"]
)
conditions = _from_store(_conditions)
run_conditions = _from_store(_run_conditions)
accounts = _from_store(_accounts)
tokens = _from_store(_tokens)
invitations = _from_store(_invitations)
providers = _from_store(lambda store: [*use_case("server.oidc.providers.load_providers")(store)])


def runs_or_files(ctx: click.Context, param: click.Parameter, begin: str) -> list[CompletionItem]:
    """Stored runs, or files if no stored run begins with the typed word."""
    return runs(ctx, param, begin) or files(ctx, param, begin)


def qrels_or_files(ctx: click.Context, param: click.Parameter, begin: str) -> list[CompletionItem]:
    """Stored qrels, or files if no stored qrels begin with the typed word."""
    return qrels_names(ctx, param, begin) or files(ctx, param, begin)


def _offered(names: Iterable[str], begin: str) -> list[CompletionItem]:
    """The names that begin with `begin`, ignoring case; unprintable names are left out."""
    start = begin.casefold()
    return [
        CompletionItem(name)
        for name in dict.fromkeys(names)
        if name.isprintable() and name.casefold().startswith(start)
    ]

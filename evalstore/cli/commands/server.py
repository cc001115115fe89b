"""Commands of the team's server and of the dashboard: logins, webhooks, settings, serving, demo."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.leaderboard import leaderboard
from evalstore.cli.complete import DEFAULT_DB
from evalstore.cli.options import (
    collection_option,
    db_option,
    format_option,
    local_store,
    opened_server_store,
    server_store,
)
from evalstore.cli.output import print_rows, printable, warn, write_json
from evalstore.cli.structure import Group, command, noun
from evalstore.errors import extra_of

if TYPE_CHECKING:
    from evalstore.server.oidc.providers import Provider
    from evalstore.server.people.accounts import NewAccount
    from evalstore.server.webhooks import Kind
    from evalstore.store import Store

Rows = list[tuple[Any, ...]]
"""The rows of a table, one value for each column."""


def prints_rows(
    headers: Sequence[str], nothing: str
) -> Callable[[Callable[..., Rows]], Callable[..., None]]:
    """Print the rows that a command returns from the server's store, in the format of --format."""

    def add(function: Callable[..., Rows]) -> Callable[..., None]:
        @wraps(function)
        def printed(store: Store, shape: str, **options: Any) -> None:
            print_rows(shape, headers, function(store, **options), nothing=nothing)

        return format_option("table", "csv", "json")(opened_server_store(printed))

    return add


# `evalstore server providers`: providers where people log in, besides the server itself


@noun("providers", {"list": "server providers"})
@prints_rows(
    (
        *("name", "issuer", "client id", "secret file", "scopes", "groups claim", "roles"),
        "default role",
    ),
    "no providers: people log in with a name and a password",
)
def providers(store: Store) -> Rows:
    """List the providers of logins (OpenID Connect), with the roles of their groups."""
    from evalstore.server.oidc.providers import load_providers
    from evalstore.store.queries.collections import names_of_collections

    with store.read() as connection:
        collections = names_of_collections(connection)
    rows = []
    for each in load_providers(store).values():
        roles = ", ".join(_mappings(each, collections))
        client = (each.client_id, each.secret_file, each.scopes, each.groups_claim)
        rows.append((each.name, each.issuer, *client, roles, each.default_role))
    return rows


@providers.command("add")
@click.argument("name", metavar="NAME")
@click.option(
    "--issuer",
    required=True,
    metavar="URL",
    help="The provider's address, exactly as it names itself.",
)
@click.option("--client-id", required=True, metavar="ID", help="What this server is called there.")
@click.option(
    "--client-secret-file",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="The file with the secret of this client. The store has its path only, so `evalstore "
    "server start` must be able to read it.",
)
@click.option(
    "--groups-claim",
    default="groups",
    show_default=True,
    metavar="CLAIM",
    help="The claim of the ID token, or of UserInfo, that lists groups.",
)
@click.option(
    "--scopes",
    default="openid profile",
    show_default=True,
    metavar="SCOPES",
    help="What a login asks for, separated by spaces.",
)
@click.option(
    "--group",
    "mappings",
    multiple=True,
    metavar="GROUP=ROLE[:COLLECTION]",
    help="Who is in this group has this role, in a collection or in the whole store. Can be given "
    "several times.",
)
@click.option(
    "--default-role",
    type=click.Choice(("reader", "judge", "contributor", "administrator")),
    help="The role in the whole store of who is in none of these groups; else they are not let in.",
)
@db_option
def add_provider(
    db: str,
    name: str,
    issuer: str,
    client_id: str,
    client_secret_file: str,
    mappings: tuple[str, ...],
    **options: Any,
) -> None:
    """Let people log in at a provider: at once, without a restart.

    Register the address that is printed at the provider, as the one to come back to. For example:
    `evalstore server providers add okta --issuer https://login.example.org --client-id evalstore
    --client-secret-file secret --group ir-team=contributor --group ir-leads=administrator`.
    """
    from evalstore.errors import DataError
    from evalstore.server.oidc.providers import add_provider, parse_mapping
    from evalstore.server.oidc.routes import callback_url
    from evalstore.server.setup import settings

    try:
        mapped = [parse_mapping(text) for text in mappings]
    except DataError as error:
        raise click.BadParameter(printable(str(error)), param_hint="--group") from None
    with server_store(db) as store:
        new = add_provider(
            store, name, issuer, client_id, client_secret_file, mapped=mapped, **options
        )
        url = callback_url(settings(store).public_url, new)
    _warn_of(new)
    click.echo(printable(f"people come back from {name} to {url}"))


@providers.command("rm")
@click.argument("name", metavar="NAME", shell_complete=complete.providers)
@opened_server_store
def rm_provider(store: Store, name: str) -> None:
    """Remove a provider: sessions end, roles from its groups go.

    The accounts stay, and are the same ones if a provider of that issuer is added again.
    """
    from evalstore.server.oidc.providers import remove_provider

    remove_provider(store, name)
    click.echo(printable(f"removed {name}"))


def _mappings(provider: Provider, collections: Mapping[int, str]) -> list[str]:
    """The roles of groups, as users type them; a purged collection has no name."""
    mappings = []
    for each in provider.group_roles:
        id_ = each.collection_id
        of = "" if id_ is None else f":{collections.get(id_, '(purged)')}"
        mappings.append(f"{each.group}={each.role}{of}")
    return mappings


def _warn_of(provider: Provider) -> None:
    """Warn of a provider that lets nobody in, and of a secret that everybody can read."""
    from pathlib import Path

    if not provider.group_roles and provider.default_role is None:
        warn("nobody is let in: no group has a role, and there is no --default-role")
    if Path(provider.secret_file).stat().st_mode & 0o004:
        warn(f"everyone on this machine can read {provider.secret_file}")


# `evalstore server webhooks`: addresses that get messages about new runs and failed gates


@noun("webhooks", {"list": "server webhooks"})
@prints_rows(
    ("id", "url", "collection", "tells of", "created", "last told", "result"),
    "no webhooks: `evalstore server webhooks add URL` adds one",
)
def webhooks(store: Store) -> Rows:
    """List the webhooks, with the result of the last message; never their secrets.

    A webhook is an address of another program that gets messages about new runs, and about gates
    that failed, in JSON. Their header Evalstore-Signature is t=SECONDS,v1=HEX: the HMAC-SHA256 of
    SECONDS, a full stop and the body; its key is the secret.
    """
    from evalstore.server.webhooks import list_webhooks

    rows = []
    for hook in list_webhooks(store):
        times = (_time(hook.created_at), _time(hook.last_at))
        rows.append((hook.id, hook.url, hook.collection, hook.tells_of, *times, hook.last_result))
    return rows


@webhooks.command("add")
@click.argument("url", metavar="URL")
@collection_option("Tell of this collection only.  [default: all that are not private]")
@click.option(
    "--on",
    "kinds",
    type=click.Choice(["run", "gate"]),
    multiple=True,
    help="What to tell of: new runs, or gates that did not pass.  [default: both]",
)
@opened_server_store
def add_webhook(store: Store, url: str, collection: str | None, kinds: tuple[Kind, ...]) -> None:
    """Add a webhook, and print the secret of its signatures alone on standard output.

    The secret is not shown again. The URL is https, to an address of the internet; `evalstore
    server webhooks allow` allows others.
    """
    from evalstore.server.webhooks import KINDS, add_webhook

    new = add_webhook(store, url, collection, kinds or KINDS)
    click.echo(new.secret)
    click.echo(f"webhook {new.id}: its secret is not shown again", err=True)


@webhooks.command("rm")
@click.argument("webhook_id", metavar="ID", type=click.IntRange(1, 2**31 - 1))
@opened_server_store
def rm_webhook(store: Store, webhook_id: int) -> None:
    """Remove a webhook: it is told nothing any more."""
    from evalstore.server.webhooks import remove_webhook

    remove_webhook(store, webhook_id)
    click.echo(f"removed webhook {webhook_id}")


@webhooks.command()
@click.argument("webhook_id", metavar="ID", type=click.IntRange(1, 2**31 - 1))
@opened_server_store
def test(store: Store, webhook_id: int) -> None:
    """Send a message of the event `test` at once, and print the answer."""
    from evalstore.server.webhooks import try_webhook

    status = try_webhook(store, webhook_id)
    click.echo(f"webhook {webhook_id} answered {status}")


@webhooks.command()
@click.argument("name", metavar="[CIDR|HOST]", required=False)
@click.option("--withdraw", is_flag=True, help="Take it back.")
@db_option
def allow(db: str, name: str | None, withdraw: bool) -> None:
    """Allow webhooks to a network like 10.1.0.0/16, or to a host of it; list them without a name.

    A host that is allowed may have private addresses, and be told by http. To this machine, and to
    link-local addresses, where clouds keep credentials, only an allowed network leads.
    """
    from evalstore.server.webhooks import allow as allow_name
    from evalstore.server.webhooks import allowed_names, forbid

    if name is None and withdraw:
        raise click.UsageError("--withdraw needs the network or the host")
    with server_store(db) as store:
        if name is None:
            for allowed in allowed_names(store):
                click.echo(printable(allowed))
        elif withdraw:
            written = forbid(store, name)
            click.echo(printable(f"{written} is not allowed any more"))
        else:
            click.echo(printable(f"{allow_name(store, name)} is allowed"))


def _time(time: datetime | None) -> str | None:
    return None if time is None else f"{time:%Y-%m-%d %H:%M}"


LONGEST_LINE = 10_000

password_option = click.option(
    "--password-file",
    type=click.Path(dir_okay=False, exists=True, allow_dash=True),
    metavar="FILE",
    help="A file whose first line is the password, - for standard input; else one is made and "
    "printed once.",
)


@click.group(cls=Group, earlier={"serve": "server start", "provider": "server providers"})
def server() -> None:
    """Set up, start and use the team's server: a dashboard and a store behind a login.

    `init` makes a store the store of a server, `start` starts it. With `login`, everyone who has a
    token uses it from another machine: evalstore --db URL COMMAND.
    """


server.add_command(providers)


@server.command()
@click.option(
    "--public-url",
    required=True,
    metavar="URL",
    help="The address at which people reach it, like https://eval.example.org.",
)
@click.option("--admin", required=True, metavar="NAME", help="The first administrator.")
@password_option
@db_option
def init(db: str, public_url: str, admin: str, password_file: str | None) -> None:
    """Make a store the store of a server: its secret, its address, its first administrator.

    A store that does not exist is made. `evalstore server start` starts it then.
    """
    from evalstore.server.setup import set_up
    from evalstore.store import Store

    password = read_password(password_file)
    with Store.open(db) as store:
        new = set_up(store, public_url, admin, password)
    _warn_if_readable(public_url)
    tell_password(new)


@server.command("url")
@click.argument("public_url", metavar="URL")
@opened_server_store
def url_command(store: Store, public_url: str) -> None:
    """Change the public URL of the server: from its next start on."""
    from evalstore.server.setup import set_public_url

    url = set_public_url(store, public_url)
    _warn_if_readable(public_url)
    click.echo(printable(f"the server is at {url} when it starts again"))


@server.command("limits")
@click.argument("changes", metavar="[NAME=VALUE]...", nargs=-1)
@format_option("table", "csv", "json")
@db_option
def limits_command(db: str, changes: tuple[str, ...], shape: str) -> None:
    """List what may be sent to the server, or change it: upload_bytes=500000000.

    Changes count when the server, and its workers, start again. upload_bytes, unpacked_bytes,
    ratio (unpacked to sent) and lines limit one file; quota_bytes all files that wait for one
    collection; uploads and waiting_jobs how many there are at once. spool is the folder of sent
    files: unused ones stay there for keep_hours, and free_bytes of its disk stay free.
    """
    from dataclasses import asdict

    from evalstore.server.jobs.uploads import change_limits, spool_folder

    named = {}
    for change in changes:
        name, equals, value = change.partition("=")
        if not equals:
            raise click.UsageError(printable(f"{change!r} is not written like NAME=VALUE"))
        named[name] = value
    with server_store(db) as store:
        changed = change_limits(store, named)
        limits = {**asdict(changed), "spool": str(spool_folder(store, changed))}
    if shape == "json":
        write_json(limits)
    else:
        rows = [(name, str(value)) for name, value in limits.items()]
        print_rows(shape, ("limit", "value"), rows, nothing="", left=1)


server.add_command(webhooks)


port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=8050, show_default=True, help="The port."
)
host_option = click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)


@server.command()
@host_option
@port_option
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Take where a request comes from out of the last entry of X-Forwarded-For: only behind a "
    "proxy that adds it.",
)
@db_option
def start(db: str, host: str, port: int, behind_proxy: bool) -> None:
    """Serve a team: the dashboard behind a login.

    `evalstore server init` comes first. It writes one line of JSON for each request to standard
    error, and finishes requests when it is told to end (SIGTERM, Ctrl-C). HTTPS is left to a proxy
    before it, like nginx or Caddy, with --behind-proxy.
    """
    compute_in_one_thread()

    from evalstore.server.app import serve as serve_store

    with server_store(db) as store:
        serve_store(
            store,
            host,
            port,
            behind_proxy=behind_proxy,
            on_ready=lambda address: click.echo(f"server at {address} (Ctrl-C stops it)"),
        )


def _warn_if_readable(public_url: str) -> None:
    """Warn if the address is not https: everyone on the network path can read passwords."""
    from evalstore.server.setup import parse_public_url

    url = parse_public_url(public_url)
    if not url.is_secure and not url.is_loopback:
        warn("passwords and tokens travel unencrypted to this address: take https, by a proxy")


def read_password(path: str | None) -> str | None:
    """The password in the first line of a file; None without a file."""
    if path is None:
        return None
    with click.open_file(path, "rb") as file:
        line: bytes = file.readline(LONGEST_LINE)
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise click.BadParameter("the password is no UTF-8", param_hint="--password-file") from None


def tell_password(new: NewAccount) -> None:
    """Print a password that was generated; it is shown only once."""
    if new.generated is not None:
        click.echo(printable(f"password of {new.name}: {new.generated}"))
        click.echo("It is not shown again: change it on the page of the account.", err=True)


# `evalstore server worker`


@server.command()
@opened_server_store
def worker(store: Store) -> None:
    """Store the runs that are sent to the team's server.

    `evalstore server start` starts one worker by itself; this adds another, also on another
    machine, if both machines share the folder of `evalstore server limits spool=FOLDER`; a folder
    that is not the server's is refused. It runs until SIGTERM or Ctrl-C, and finishes the job that
    it has begun. A job whose worker died is begun again by another one after a minute, and what it
    stores is there once.
    """
    from evalstore.server.jobs.uploads import check_spool
    from evalstore.server.jobs.worker import Ending, Worker

    ending = Ending()
    ready = Worker.of(store)
    check_spool(store, ready.spool)
    click.echo("waiting for jobs (Ctrl-C stops it)")
    ending.listen()
    ready.run(ending)


# `evalstore dashboard`: the store in a browser

no_login_option = click.option(
    "--no-login",
    is_flag=True,
    help="Let everyone read the store who reaches --host, when that is not this machine alone.",
)


@command()
@host_option
@port_option
@no_login_option
@db_option
def dashboard(db: str, host: str, port: int, no_login: bool) -> None:
    """Start the web dashboard.

    It shows one store in a browser: leaderboards, comparisons, ranked lists, history, SQL. What is
    chosen on a page stands in its address, so a link shows the same view to another person.

    Ctrl-C stops it; what is being answered is finished first. It has no login, so only this machine
    reaches it: `evalstore server start` is for a team.
    """
    check_host(host, no_login)
    compute_in_one_thread()

    with local_store(db) as store:
        serve_store(store, host, port, no_login)


def compute_in_one_thread() -> None:
    """Let NumPy use one thread for a multiplication; call this before NumPy is imported.

    The dashboard answers many requests at once, in its own processes and threads. If each product
    used all processors they would wait for each other, ten times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def check_host(host: str, no_login: bool) -> None:
    """Raise a usage error if others could read the store and the user did not ask for that."""
    from dashboard.serving.access import LoginMissing, check_login

    try:
        check_login(host, open_to_all=no_login)
    except LoginMissing as error:
        raise click.UsageError(
            f"{error}: `evalstore server start` has one; add --no-login if they may, or leave out "
            "--host"
        ) from error


def serve_store(store: Store, host: str, port: int, no_login: bool) -> None:
    """Serve the dashboard over a store until interrupted."""
    from dashboard.app import serve
    from evalstore.client.connection import is_loopback

    if not is_loopback(host):
        warn(f"everyone who reaches {host} can read this store: the dashboard has no login")
    serve(
        store,
        host=host,
        port=port,
        open_to_all=no_login,
        on_ready=lambda address: click.echo(f"dashboard at {address} (Ctrl-C stops it)"),
    )


# `evalstore demo`: the bundled experiment

COMMANDS_TO_TRY = (
    "history ql-stem -m AP --collection python-docs",
    "runs diff ql-stem-2026-07 ql-stem-2026-09",
    "runs show ql-stem-2026-09",
    "leaderboard python-docs -m ResponseTime -m IndexSize",
    "compare bm25 ql-stem -m AP --by area",
    "reevaluate --collection python-docs --qrels qrels --before qrels-draft -m AP",
    "experiments show demo",
)


@command()
@host_option
@port_option
@no_login_option
@click.option("--no-serve", is_flag=True, help="Build the store and stop.")
@db_option
@click.pass_context
def demo(
    ctx: click.Context, /, db: str, host: str, port: int, no_login: bool, no_serve: bool
) -> None:
    """Build the demo store and show it.

    The documents are the docstrings and topics of the running Python, the queries are questions
    people ask of them, and the engines are small but different. Rankings, judgments, response
    times and sizes are real; the dates, commits and parents of the runs are made up, so that
    there is a history to show. Building it again changes nothing.

    Without the extra `dashboard` it prints the leaderboard.
    """
    has_pages = True
    if not no_serve:
        compute_in_one_thread()
        try:
            check_host(host, no_login)
            import_module("dashboard.app")  # a part of the extra may be there
        except ImportError as error:
            if extra_of(error) is None:
                raise
            has_pages = False

    from evalstore.demo.store import COLLECTION, KNOWN_ITEMS, build_store
    from evalstore.store import Store

    with Store.open(db) as store:
        built = build_store(store, warn=warn)
        click.echo(
            f"collection {COLLECTION!r} in {store.url_shown}: {built.documents:,} documents, "
            f"{built.queries} queries, {built.runs} runs ({built.new} new)"
        )
        click.echo(f"collection {KNOWN_ITEMS!r}: queries that are first paragraphs of documents")
        program = printable(_program(store, db))
        if not has_pages:
            click.echo()
            ctx.invoke(leaderboard, db=db, names=(COLLECTION,))
            click.echo()
        click.echo("The dates, commits and parents of runs are made up; all else is real. Try:")
        for command in COMMANDS_TO_TRY:
            click.echo(f"  {program} {command}")
        if not has_pages:
            extra = "'evalstore[dashboard]'"
            click.echo(f"Its pages: uvx --from {extra} {program} demo (or pip install {extra})")
        elif not no_serve:
            serve_store(store, host, port, no_login)


def _program(store: Store, db: str) -> str:
    """The beginning of a command on the store, without a URL, which may have a password."""
    if db == DEFAULT_DB:
        return "evalstore"
    return "evalstore --db URL" if store.file is None else f"evalstore --db {shlex.quote(db)}"

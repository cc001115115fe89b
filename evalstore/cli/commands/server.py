"""`evalstore server` and `evalstore serve`: the team's server, with a login."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli.commands.dashboard import compute_in_one_thread
from evalstore.cli.commands.provider import provider
from evalstore.cli.commands.webhook import webhook
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from evalstore.server.people.accounts import NewAccount

LONGEST_LINE = 10_000

password_option = click.option(
    "--password-file",
    type=click.Path(dir_okay=False, exists=True, allow_dash=True),
    metavar="FILE",
    help="A file whose first line is the password, - for standard input; else one is made and "
    "printed once.",
)


@click.group()
def server() -> None:
    """Set up the team's server."""


server.add_command(provider)


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

    A store that does not exist is made. `evalstore serve` starts the server then.
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
@db_option
def url_command(db: str, public_url: str) -> None:
    """Change the address at which people reach the server; it counts when it starts again."""
    from evalstore.server.setup import set_public_url

    with server_store(db) as store:
        url = set_public_url(store, public_url)
    _warn_if_readable(public_url)
    click.echo(printable(f"the server is at {url} when it starts again"))


@server.command("limits")
@click.argument("changes", metavar="[NAME=VALUE]...", nargs=-1)
@format_option("table", "csv", "json")
@db_option
def limits_command(db: str, changes: tuple[str, ...], shape: str) -> None:
    """List what may be sent to the server, or change it: upload_bytes=500000000.

    Changes count when the server, and its workers, start again. docs/serving.md explains each.
    """
    from dataclasses import asdict

    from evalstore.server.jobs.limits import change_limits, spool_folder

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
    elif shape == "csv":
        write_csv(("limit", "value"), list(limits.items()))
    else:
        table(("limit", "value"), [(name, str(value)) for name, value in limits.items()], left=1)


server.add_command(webhook)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8050, show_default=True, help="The port."
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Take where a request comes from out of the last entry of X-Forwarded-For: only behind a "
    "proxy that adds it.",
)
@db_option
def serve(db: str, host: str, port: int, behind_proxy: bool) -> None:
    """Serve a team: the dashboard behind a login.

    `evalstore server init` comes first. It writes one line of JSON for each request to standard
    error, and finishes requests when it is told to end (SIGTERM, Ctrl-C). docs/serving.md has it
    behind nginx or Caddy, and as a service of systemd.
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
    """Say that everyone on the way can read passwords, where the address is not https."""
    from evalstore.server.public_url import parse_public_url

    url = parse_public_url(public_url)
    if not url.is_secure and not url.is_loopback:
        warn("passwords and tokens travel unencrypted to this address: take https, by a proxy")


def read_password(path: str | None) -> str | None:
    """The password in the first line of a file; None where no file is given."""
    if path is None:
        return None
    with click.open_file(path, "rb") as file:
        line: bytes = file.readline(LONGEST_LINE)
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise click.BadParameter("the password is no UTF-8", param_hint="--password-file") from None


def tell_password(new: NewAccount) -> None:
    """Print a password that was made here: it is told this once."""
    if new.generated is not None:
        click.echo(printable(f"password of {new.name}: {new.generated}"))
        click.echo("It is not shown again: change it on the page of the account.", err=True)

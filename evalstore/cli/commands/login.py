"""`evalstore login`, `evalstore logout`: the token for a team's server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from evalstore.cli.complete import files
from evalstore.cli.output import printable, warn
from evalstore.cli.stores import TOKEN, kept_tokens, may_send_plainly
from evalstore.errors import DataError, StoreError


class AddressType(click.ParamType[Any]):
    """The URL of a server."""

    name = "url"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The address."""
        from evalstore.client.address import parse_address

        try:
            return parse_address(value) if isinstance(value, str) else value
        except StoreError as error:
            self.fail(printable(str(error)), param, ctx)


@click.command()
@click.argument("address", metavar="URL", type=AddressType())
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    shell_complete=files,
    help="Read the token from the first line of a file.  [default: from the terminal, or standard "
    "input]",
)
def login(address: Any, token_file: Path | None) -> None:
    """Keep a token for a team's server, so that commands with --db URL use it.

    An administrator of the server makes it with `evalstore token create`. It is tried before it is
    kept, in a file of your settings that only you can read. One token is kept for each server;
    EVALSTORE_TOKEN counts before it.
    """
    from contextlib import closing

    from evalstore.client.connection import Server

    token = _token(token_file)
    with closing(Server(address, token, plain_http=may_send_plainly())) as server:
        try:
            server.get("/collections", limit=1)
        except StoreError as error:
            if error.problem != "token refused":
                raise
            makes = "an administrator makes one with `evalstore token create NAME --role ROLE`"
            raise StoreError(f"{error}; {makes}") from None
    kept_tokens().keep(address, token)
    click.echo(f"token for {address} kept in {printable(str(kept_tokens().path))}")
    if os.environ.get(TOKEN, "").strip():
        warn(f"{TOKEN} is set, and counts before the token that is kept")


@click.command()
@click.argument("address", metavar="URL", type=AddressType())
def logout(address: Any) -> None:
    """Forget the token for a team's server; it stays valid until it is revoked there."""
    if not kept_tokens().forget(address):
        raise DataError(f"no token for {address} is kept")
    click.echo(f"token for {address} forgotten")


def _token(file: Path | None) -> str:
    """The token: of the file, typed without echo, or of standard input; never of the command."""
    if file is not None:
        try:
            with file.open(encoding="utf-8") as stream:
                text = stream.readline()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "no text in UTF-8"
            raise DataError(f"{file}: {reason.lower()}") from None
    elif sys.stdin.isatty():
        text = click.prompt("Token", hide_input=True, default="", show_default=False, err=True)
    else:
        text = sys.stdin.readline()
    if not text.strip():
        raise DataError("no token was given: type it, or send it to standard input")
    return str(text.strip())

"""A server without a network, for tests."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from evalstore.server.app import create_server
from evalstore.store import Store

URL = "https://eval.example"
ADMINISTRATOR = "ann"
PASSWORD = "correct horse battery"
COOKIE = "evalstore_session"


class Browser(FlaskClient):
    """A browser or a program at the public URL."""

    def open(self, *args: Any, **options: Any) -> TestResponse:
        """Ask the server at its public URL, where no other is given."""
        if "base_url" not in options and args and isinstance(args[0], str):
            options["base_url"] = URL
        return super().open(*args, **options)


@dataclass
class Served:
    """A server without a network: its store, and requests as a browser or a program sends them."""

    store: Store
    log: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        self.app = create_server(self.store, log=self.log)
        self.browser = self.new_browser()

    def new_browser(self) -> FlaskClient:
        """A browser without cookies, at the public URL."""
        client = Browser(self.app, self.app.response_class, use_cookies=True)
        client.environ_base["HTTP_ORIGIN"] = URL
        return client

    def log_in(
        self,
        name: str = ADMINISTRATOR,
        password: str = PASSWORD,
        *,
        browser: FlaskClient | None = None,
        address: str = "192.0.2.1",
        **form: str,
    ) -> TestResponse:
        """Send the form of the login."""
        return (browser or self.browser).post(
            "/login",
            base_url=URL,
            data={"name": name, "password": password, **form},
            environ_base={"REMOTE_ADDR": address},
        )

    def get(self, path: str, browser: FlaskClient | None = None, **headers: str) -> TestResponse:
        """Go to an address, as a person does."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Accept": "text/html", **named}
        return (browser or self.browser).get(path, base_url=URL, headers=sent)

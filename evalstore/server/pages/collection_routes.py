"""The page where one collection is administered, and the changes that its forms ask for.

It has what belongs to the collection and nothing of other collections, accounts or the server. To
who does not administer the collection there is nothing at these addresses, whether or not there is
such a collection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from flask import Flask, Response, abort, g, request

from dashboard.address import Address
from evalstore.catalog.collections import set_collection_access
from evalstore.server import routes
from evalstore.server.gate import person_of_request
from evalstore.server.pages.forms import (
    LARGEST_FORM,
    Form,
    Secret,
    answer_to_change,
    page_of_events,
)
from evalstore.server.pages.rendering import page_answer, render
from evalstore.server.people.invitations import link, status_of
from evalstore.server.people.one_collection import OneCollection
from evalstore.server.people.tokens import parse_lifetime
from evalstore.server.problems import nothing_here
from evalstore.server.public_url import PublicUrl
from evalstore.store import Store
from evalstore.store.queries.collections import active_collection

Change = Callable[[OneCollection, Form], Secret | None]


@dataclass(frozen=True)
class CollectionRoutes:
    """The views.

    Attributes:
        store: the whole store.
        public_url: the address of the server.
    """

    store: Store
    public_url: PublicUrl

    def register(self, server: Flask) -> None:
        """Add the views at the addresses that the table of routes has."""
        server.add_url_rule(routes.COLLECTION, "admin_collection", self.shown, methods=["GET"])
        for path, (section, change) in self._changes().items():
            server.add_url_rule(path, path, self._view(section, change), methods=["POST"])

    def shown(self, collection_id: int) -> Response:
        """The page."""
        return page_answer(self._text(self._administered(collection_id)))

    def _changes(self) -> dict[str, tuple[str, Change]]:
        """Each change by its path, with the section of the page where it shows."""
        return {
            routes.COLLECTION_SET_ACCESS: (
                "readers",
                lambda of, sent: set_collection_access(self.store, of.name, sent.access()),
            ),
            routes.COLLECTION_GRANT: ("roles", _grant),
            routes.COLLECTION_WITHDRAW_ROLE: (
                "roles",
                lambda of, sent: of.withdraw(sent.text("name")),
            ),
            routes.COLLECTION_INVITE: ("invitations", self._invite),
            routes.COLLECTION_UNINVITE: (
                "invitations",
                lambda of, sent: of.withdraw_invitation(sent.number("invitation")),
            ),
            routes.COLLECTION_CREATE_TOKEN: ("tokens", _create_token),
            routes.COLLECTION_REVOKE_TOKEN: (
                "tokens",
                lambda of, sent: of.revoke_token(sent.text("name")),
            ),
        }

    def _view(self, section: str, change: Change) -> Callable[[int], Response]:
        def view(collection_id: int) -> Response:
            request.max_content_length = LARGEST_FORM
            of = self._administered(collection_id)
            sent = Form(request.form)

            def back() -> str:
                person = person_of_request()
                if sent.text("name") == person.name and not person.may("administer"):
                    # He or she may administer the collection no more.
                    return f"{self.public_url.prefix}{routes.ACCOUNT}"
                return f"{self.public_url.prefix}{routes.collection_path(of.id)}#{section}"

            return answer_to_change(lambda: change(of, sent), partial(self._text, of), back)

        return view

    def _administered(self, collection_id: int) -> OneCollection:
        """The collection of an id; to who does not administer it there is nothing here."""
        person = person_of_request()
        if collection_id in g.readable and person.may("manage", collection_id):
            with self.store.read() as connection:
                collection = active_collection(connection, collection_id)
            if collection is not None:
                return OneCollection(self.store, collection_id, collection.name, person.account_id)
        abort(nothing_here())

    def _text(self, of: OneCollection, warning: str = "", secret: Secret | None = None) -> str:
        """The page of the collection as it is now, unless it is gone."""
        now, before = datetime.now(UTC), Form(request.args).number("before")
        with self.store.read() as connection:
            collection = active_collection(connection, of.id)
            events = page_of_events(connection, before, collection_id=of.id)
        if collection is None:
            abort(nothing_here())
        return render(
            "collection.html",
            self.public_url.prefix,
            collection=collection,
            leaderboard=Address("leaderboard", collection.name).path,
            path=partial(routes.collection_path, of.id),
            roles=of.roles(),
            invitations=[e for e in of.invitations() if status_of(e, now) in ("open", "void")],
            tokens=[(token, (token.collection or "",)) for token in of.tokens()],
            of_store=person_of_request().may("administer"),
            warning=warning,
            secret=secret,
            now=now,
            **events,
        )

    def _invite(self, of: OneCollection, sent: Form) -> Secret:
        secret = of.invite(sent.role(), parse_lifetime(sent.text("expires")))
        return Secret("Send this link, which works once:", link(self.public_url, secret))


def _grant(of: OneCollection, sent: Form) -> None:
    of.grant(sent.text("name").strip(), sent.role(), datetime.now(UTC))


def _create_token(of: OneCollection, sent: Form) -> Secret:
    name, lifetime = sent.text("name").strip(), sent.lifetime()
    token = of.create_token(name, sent.role(), lifetime, datetime.now(UTC))
    return Secret(f"The token {name}:", token)

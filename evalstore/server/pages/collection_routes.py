"""The page where one collection is administered, and the changes that its forms ask for.

To who does not administer the collection there is nothing at these addresses, whether or not there
is such a collection. Changes are answered as those of `admin_routes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import get_args

from flask import Flask, Response, g, request

from evalstore.catalog.collections import set_collection_access
from evalstore.errors import EvalstoreError, StoreError
from evalstore.server import routes
from evalstore.server.gate import person_of_request
from evalstore.server.pages import forms
from evalstore.server.pages.admin_pages import secret_note
from evalstore.server.pages.administration import EVENTS_OF_PAGE
from evalstore.server.pages.answers import page_answer, refusal, sentence
from evalstore.server.pages.collection_pages import CollectionShown, collection_page
from evalstore.server.people.invitations import link, status_of
from evalstore.server.people.one_collection import OneCollection
from evalstore.server.people.tokens import parse_lifetime
from evalstore.server.problems import nothing_here
from evalstore.server.public_url import PublicUrl
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import Access, active_collection

Change = Callable[[OneCollection, forms.Form], str]
"""Makes a change; returns HTML to show, or nothing."""


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
        of = self._administered(collection_id)
        text = None if of is None else self._text(of)
        return nothing_here() if text is None else page_answer(text)

    def _changes(self) -> dict[str, tuple[str, Change]]:
        """Each change by its path, with the section of the page where it shows."""
        return {
            routes.COLLECTION_SET_ACCESS: ("readers", self._set_access),
            routes.COLLECTION_GRANT: ("roles", self._grant),
            routes.COLLECTION_WITHDRAW_ROLE: ("roles", self._withdraw_role),
            routes.COLLECTION_INVITE: ("invitations", self._invite),
            routes.COLLECTION_UNINVITE: ("invitations", self._uninvite),
            routes.COLLECTION_CREATE_TOKEN: ("tokens", self._create_token),
            routes.COLLECTION_REVOKE_TOKEN: ("tokens", self._revoke_token),
        }

    def _view(self, section: str, change: Change) -> Callable[[int], Response]:
        def view(collection_id: int) -> Response:
            request.max_content_length = forms.LARGEST_FORM
            of = self._administered(collection_id)
            if of is None:
                return nothing_here()
            sent = forms.texts(request.form)
            try:
                note = change(of, sent)
            except StoreError:
                raise
            except EvalstoreError as error:
                text = self._text(of, warning=sentence(error))
                return nothing_here() if text is None else refusal(text, error)
            if note:
                text = self._text(of, note=note)
                return nothing_here() if text is None else page_answer(text)
            back = f"{routes.collection_path(of.id)}#{section}"
            person = person_of_request()
            if sent.get("name") == person.name and not person.may("administer"):
                back = routes.ACCOUNT  # he or she may administer the collection no more
            headers = {"Location": f"{self.public_url.prefix}{back}", "Cache-Control": "no-store"}
            return Response(status=303, headers=headers)

        return view

    def _administered(self, collection_id: int) -> OneCollection | None:
        """The collection of an id, for who administers it; None if it is not there for them."""
        person = person_of_request()
        if collection_id not in g.readable or not person.may("manage", collection_id):
            return None
        with self.store.read() as connection:
            collection = active_collection(connection, collection_id)
        if collection is None:
            return None
        return OneCollection(self.store, collection_id, collection.name, person.account_id)

    def _text(self, of: OneCollection, *, warning: str = "", note: str = "") -> str | None:
        """The page as the collection is now; None where it is gone."""
        now, before = datetime.now(UTC), forms.number(request.args.get("before", ""))
        with self.store.read() as connection:
            collection = active_collection(connection, of.id)
            listed = events.events_before(
                connection, before, EVENTS_OF_PAGE + 1, collection_id=of.id
            )
        if collection is None:
            return None
        shown = CollectionShown(
            of.id,
            collection.name,
            collection.access,
            of.roles(),
            [each for each in of.invitations() if status_of(each, now) in ("open", "void")],
            of.tokens(),
            listed[:EVENTS_OF_PAGE],
            len(listed) > EVENTS_OF_PAGE,
            before,
            now,
            of_store=person_of_request().may("administer"),
        )
        return collection_page(self.public_url.prefix, shown, warning=warning, note=note)

    def _set_access(self, of: OneCollection, form: forms.Form) -> str:
        access: Access = forms.one_of(form, "access", get_args(Access))
        set_collection_access(self.store, of.name, access)
        return ""

    def _grant(self, of: OneCollection, form: forms.Form) -> str:
        of.grant(form.get("name", "").strip(), forms.role(form), datetime.now(UTC))
        return ""

    def _withdraw_role(self, of: OneCollection, form: forms.Form) -> str:
        of.withdraw(form.get("name", ""))
        return ""

    def _invite(self, of: OneCollection, form: forms.Form) -> str:
        secret = of.invite(forms.role(form), parse_lifetime(form.get("expires", "")))
        return secret_note("Send this link, which works once:", link(self.public_url, secret))

    def _uninvite(self, of: OneCollection, form: forms.Form) -> str:
        of.withdraw_invitation(forms.number(form.get("invitation", "")))
        return ""

    def _create_token(self, of: OneCollection, form: forms.Form) -> str:
        name, expires = form.get("name", "").strip(), form.get("expires", "")
        lifetime = parse_lifetime(expires) if expires else None
        token = of.create_token(name, forms.role(form), lifetime, datetime.now(UTC))
        return secret_note(f"The token {name}:", token)

    def _revoke_token(self, of: OneCollection, form: forms.Form) -> str:
        of.revoke_token(form.get("name", ""))
        return ""

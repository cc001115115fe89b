"""The short addresses of long ones: /v/h7k2."""

from __future__ import annotations

from dashboard.page import View
from dashboard.problems import PageProblem
from dashboard.store_problems import read
from evalstore.usecases.saved_views import saved_view


def view_address(view: View) -> str:
    """The address that is saved under the name of a view's address.

    Raises:
        PageProblem: there is none.
    """
    address = read(view.store, lambda: saved_view(view.store, view.address.name or ""))
    if address.startswith("/v/"):
        raise PageProblem("There is no such page", "This saved view names another saved view.")
    return address

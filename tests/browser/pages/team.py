"""Pages of the team's server beside the dashboard: login, invitation, administration."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


class Login:
    """The form to log in."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def log_in(self, name: str, password: str) -> None:
        """Type a name and a password, and send them with Enter."""
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.keyboard.press("Enter")


class Account:
    """What the header and the page of one's own account have."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def to_administration(self) -> Administration:
        """Go from the dashboard to the page of one's account, and on."""
        self.page.get_by_title("Your account").click()
        self.page.get_by_role("link", name="Administration").click()
        return Administration(self.page)

    def log_out(self) -> None:
        """Log out in the header of the dashboard."""
        self.page.get_by_role("button", name="Log out").click()


class Administration:
    """The page of the administrators."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def section(self, name: str) -> Locator:
        """A part of the page."""
        return self.page.get_by_role("region", name=name)

    def invite(self, role: str, collection: str) -> str:
        """Make an invitation; returns its link."""
        form = self.section("Invitations")
        form.get_by_label("Role").select_option(role)
        form.get_by_label("Where").select_option(collection)
        form.get_by_role("button", name="Make a link").click()
        return self.page.get_by_role("status").locator("code").inner_text()


class Invitation:
    """The page of an invitation's link."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def accept(self, name: str, password: str) -> None:
        """Choose a name and a password."""
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Make the account").click()

"""The page to add files to a collection."""

from __future__ import annotations

from playwright.sync_api import Locator

from pages.shell import Shell

DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name));
  return transfer;
}"""


class Upload(Shell):
    """The area to drop files on, and the list of those that were."""

    def choose(self, *files: tuple[str, bytes]) -> None:
        """Choose files with the button."""
        payload = [
            {"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files
        ]
        self.page.locator("#upload-input").set_input_files(payload)  # type: ignore[arg-type]

    def drop(self, *files: tuple[str, str]) -> None:
        """Drop files on the area, as a person does."""
        transfer = self.page.evaluate_handle(DROP, list(files))
        for kind in ("dragover", "drop"):
            self.page.dispatch_event(".upload-area", kind, {"dataTransfer": transfer})

    def kind(self, name: str) -> None:
        """Say what the files are."""
        self.page.get_by_role("radiogroup").get_by_text(name, exact=True).click()

    def row(self, name: str) -> Locator:
        """What the page says of a file."""
        return self.page.locator(".upload-file").filter(
            has=self.page.locator("bdi").get_by_text(name, exact=True)
        )

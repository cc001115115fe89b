"""What axe-core finds on a page, and where Tab leads."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from pages.shell import Shell
from playwright.sync_api import Page

BAD = ("serious", "critical")
OF_COLOURS = ("color-contrast", "link-in-text-block")
FOCUSED = """(passed) => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  // The browser may give the focus back at once, to the first stop.
  if (passed === 0) window.firstStop = element;
  else if (element === window.firstStop) return null;
  // A hidden input is seen as its label.
  const box = [element, element.nextElementSibling, element.parentElement]
    .map((one) => one?.getBoundingClientRect())
    .find((one) => one && one.width > 0 && one.height > 0);
  const onScreen = box && box.right > 0 && box.left < innerWidth && box.bottom > 0
    && box.top < innerHeight && getComputedStyle(element).visibility === "visible";
  const name = element.getAttribute("aria-label") || element.textContent.trim() || element.id;
  return {
    name: `${element.tagName} ${name.slice(0, 60)}`,
    onScreen: Boolean(onScreen),
    grid: [...document.querySelectorAll(".ag-root-wrapper")].findIndex((g) => g.contains(element)),
  };
}"""
MOST_STOPS = 60
"""Of a page: who uses the keyboard passes them one by one. `data-roving` groups links."""
MOST_LOOKS = 100
"""At a place to which the browser may still be scrolling: for some seconds."""


def issues(page: Page, of_colours: bool = False) -> list[str]:
    """The serious and critical issues of a page, a line each; or those of its colours alone.

    Nothing but colours differs between the schemes: one of them is enough for the other rules.
    """
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
        # axe takes what the browser has not drawn yet, far below the window, for hidden.
        page.add_style_tag(content="* { content-visibility: visible !important }")
    asked: dict[str, object] = {"resultTypes": ["violations"]}
    if of_colours:
        asked["runOnly"] = OF_COLOURS
    result = page.evaluate("(asked) => axe.run(asked)", asked)
    return [
        f"{violation['impact']} {violation['id']} {node['target']}: {node['html'][:200]}"
        for violation in result["violations"]
        if violation["impact"] in BAD
        for node in violation["nodes"]
    ]


def tab_stops(page: Page) -> list[dict[str, object]]:
    """Where Tab leads from the start of the page to its end."""
    Shell(page).to_start()
    stops: list[dict[str, object]] = []
    for passed in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED, passed)
        if stop is None:
            return stops
        for _ in range(MOST_LOOKS):
            if stop["onScreen"]:
                break
            page.wait_for_timeout(50)
            stop = page.evaluate(FOCUSED, passed)
        stops.append(stop)
    raise AssertionError(f"Tab does not leave the page after {MOST_STOPS} stops: {stops[-5:]}")

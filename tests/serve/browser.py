"""The page in the system's Chromium: what tests read off it and do to it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.needed import find_program, missing
from tests.serve.running import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright

ARTIFACTS = Path(os.environ.get("FLEETLINT_ARTIFACTS", Path(__file__).parents[2] / "build/screenshots"))
"""Where pictures of the page are kept."""
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = (1280, 800)
PHONE = (390, 844)
WATCH = """
addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective, event.blockedURI));
"""


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium."""
    executable = find_program("chromium", "chromium-browser", "google-chrome")
    return playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)


def node_module(name: str) -> Path:
    """The folder of an npm package of the tests, which `make node` installs."""
    folder = Path(__file__).parents[1] / "node/node_modules" / name
    if not folder.is_dir():
        missing(f"{name}, which `make node` installs,")
    return folder


class Shown:
    """One page that shows the graph of a server. `complaints` are errors of scripts and breaches of the policy."""

    def __init__(self, browser: Browser, size: tuple[int, int] = DESKTOP, **options: Any) -> None:
        viewport = {"width": size[0], "height": size[1]}
        options = {"reduced_motion": "reduce"} | options
        self.context: BrowserContext = browser.new_context(viewport=viewport, accept_downloads=True, **options)  # type: ignore[arg-type]
        self.context.add_init_script(WATCH)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(f"{message.text} {message.location}")
                if message.type in ("error", "warning")
                else None
            ),
        )

    def open(self, url: str, view: str = "") -> Shown:
        """Shows this view, with the graph drawn."""
        self.page.goto(f"{url}#{view}" if view else url)
        self.page.locator("#panel h2").wait_for()
        self.page.locator("#tab-findings", has_text="(").wait_for()
        return self

    def cy(self, expression: str, argument: Any = None) -> Any:
        """The value of an expression over the Cytoscape instance `cy` (and `x`, the argument)."""
        return self.page.evaluate(
            f"(x) => {{ const cy = document.querySelector('#graph')._cyreg.cy; return {expression}; }}", argument
        )

    def boxes(self) -> dict[str, str]:
        """Label by id."""
        return dict(self.cy("cy.nodes().map((node) => [node.id(), node.data('label')])"))

    def arrows(self) -> set[tuple[str, str, str]]:
        """Kind, source and target, paths of roles without their mark."""
        found = self.cy(
            "cy.edges().map((edge) => [edge.hasClass('feed') ? 'feed' : 'trigger', edge.source().id(), edge.target().id()])"
        )
        return {(kind, source.removeprefix("role:"), target.removeprefix("role:")) for kind, source, target in found}

    def classes(self, element: str) -> set[str]:
        return set(self.cy("cy.getElementById(x).classes()", element))

    def having(self, css: str) -> set[str]:
        """The ids of what has this class."""
        return set(
            self.cy("cy.elements().filter((element) => element.hasClass(x)).map((element) => element.id())", css)
        )

    def style(self, element: str, name: str) -> str:
        return str(self.cy("cy.getElementById(x[0]).style(x[1])", [element, name]))

    def click(self, element: str, times: int = 1) -> None:
        """Clicks a box in its middle, or an arrow halfway."""
        place = self.cy(
            """(() => { const e = cy.getElementById(x); const p = e.isNode() ? e.position() : e.midpoint();
            return {x: p.x * cy.zoom() + cy.pan().x, y: p.y * cy.zoom() + cy.pan().y}; })()""",
            element,
        )
        frame = self.page.locator("#graph").bounding_box()
        assert frame is not None
        self.page.mouse.click(frame["x"] + place["x"], frame["y"] + place["y"], click_count=times, delay=20)

    def window(self) -> dict[str, Any]:
        return dict(self.cy("({zoom: cy.zoom(), pan: {...cy.pan()}})"))

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def find(self, selector: str, **options: Any) -> Locator:
        return self.page.locator(selector, **options)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def fragment(self) -> str:
        return str(self.page.evaluate("decodeURIComponent(location.hash.replaceAll('+', ' '))"))

    def picture(self, name: str) -> None:
        """Keeps a picture for people to look at."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTIFACTS / f"{name}.png")

    def wait(self, expression: str, argument: Any = None) -> None:
        """Until an expression over `cy` is true. (Playwright's own waiting compiles text, which the policy forbids.)"""
        until(lambda: self.cy(expression, argument))

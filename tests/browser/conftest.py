"""Fixtures: one browser, and the pages that it opens."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from . import pages

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHOSEN = "INCAST_BROWSER"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

NEXT_FRAMES = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)


@pytest.fixture(scope="package")
def browser():
    """The Chromium of this machine. It ends with the last test of this package, since the event
    loop of its driver would disturb other tests.
    """
    found = [found for name in NAMES if (found := shutil.which(name))]
    program = os.environ.get(CHOSEN) or next(iter(found), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on PATH, {CHOSEN} names none")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=program)
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def file_of(tmp_path_factory):
    """Gives the file of a page by its kind, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")
    makers = {make.__name__: make for make in pages.KINDS}
    return cache(lambda kind: makers[kind](folder))


@dataclass
class Opened:
    """A page in the browser, its console messages, and its requests."""

    page: Page
    file: Path
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.file.as_uri())

    def figure(self, title):
        """The figure of the chart with this title."""
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.locator("figure").filter(has=heading)

    def resize(self, width):
        """Sets the width of the screen, and waits until the charts have followed."""
        self.page.set_viewport_size({"width": width, "height": 1000})
        self.page.evaluate(NEXT_FRAMES)

    def colour(self, scheme):
        """Makes the screen "dark" or "light", and waits until the charts are painted anew: a page
        learns of the change in its next frame.
        """
        self.page.emulate_media(color_scheme=scheme)
        self.page.evaluate(NEXT_FRAMES)

    def save(self, title, kind):
        """The name and the text of the file that a button of a chart saves."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=f"Save “{title}” as {kind}", exact=True).click()
        saved = download.value
        return saved.suggested_filename, Path(saved.path()).read_text(encoding="utf-8")


@pytest.fixture
def opened(browser, file_of):
    """Opens a fresh page by its kind."""
    contexts = []

    def open_page(kind):
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 1000}))
        contexts[-1].set_default_timeout(10_000)
        return Opened(contexts[-1].new_page(), file_of(kind))

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="package")
def shared(browser, file_of):
    """Gives a page by its kind, opened once, for tests that only look at it."""
    context = browser.new_context()
    yield cache(lambda kind: Opened(context.new_page(), file_of(kind)))
    context.close()

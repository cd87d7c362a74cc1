"""One browser, and the pages that it opens."""

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
    """Chromium of this machine; it ends with the last test of this package, since the event loop of
    its driver would be in the way of others.
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
    """The file of a page by its kind, made when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")
    makers = {make.__name__: make for make in pages.KINDS}
    return cache(lambda kind: makers[kind](folder))


@dataclass
class Opened:
    """A page in the browser, and what it said and asked for."""

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
        """The place of a chart."""
        heading = self.page.get_by_role("heading", name=title, exact=True)
        return self.page.locator("figure").filter(has=heading)

    def resize(self, width):
        """Gives the screen a width, and waits until charts are as wide as their places."""
        self.page.set_viewport_size({"width": width, "height": 1000})
        self.page.evaluate(NEXT_FRAMES)

    def colour(self, scheme):
        """Makes the screen "dark" or "light", and waits until charts are painted so: a page hears
        of it with its next frame.
        """
        self.page.emulate_media(color_scheme=scheme)
        self.page.evaluate(NEXT_FRAMES)

    def save(self, title, kind):
        """The name and the text of the file that a button gives."""
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=f"Save “{title}” as {kind}", exact=True).click()
        saved = download.value
        return saved.suggested_filename, Path(saved.path()).read_text(encoding="utf-8")


@pytest.fixture
def opened(browser, file_of):
    """Opens a page by its kind, fresh."""
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
    """A page by its kind, opened once, for tests that look and do not touch."""
    context = browser.new_context()
    yield cache(lambda kind: Opened(context.new_page(), file_of(kind)))
    context.close()

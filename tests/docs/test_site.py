"""The documentation site is built without a warning, has every public name and command, and needs no network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import oracular
from oracular.cli.main import cli

from chromium import missing, running_browser
from documents import ROOT

LOADING = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
SILENT_LINKS = ("canonical", "prev", "next")


class Page(HTMLParser):
    """What a page of the site loads, links to, and can be linked at."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors = {"", "__tabbed_1"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors.add(given.get("id") or "")
        for name, value in given.items():
            if (tag, name) in LOADING and given.get("rel") not in SILENT_LINKS:
                self.loads.append(value or "")
        if tag == "a" and "href" in given:
            self.links.append(given["href"] or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """Give the pages of the site, built from the checkout with warnings as errors (with --quiet they would not be)."""
    folder = tmp_path_factory.mktemp("site").resolve()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert (built.returncode, "WARNING" in built.stderr) == (0, False), built.stderr
    return {path: Page(path) for path in folder.rglob("*.html")}


def named(site: dict[Path, Page], name: str) -> Page:
    return next(page for path, page in site.items() if path.name == name)


def test_every_link_of_the_site_leads_somewhere(site):
    assert len(site) > 20 and not any(path.name == "404.html" for path in site), (
        "its links would begin at a server's top"
    )
    for path, page in site.items():
        for link in (*page.links, *page.loads):
            target, anchor = urldefrag(link)
            if target.startswith("https://") and link in page.links:
                continue
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.exists(), (path.name, link)
            if anchor and file in site:
                assert unquote(anchor) in site[file].anchors, (path.name, link)


def test_the_site_loads_nothing_from_elsewhere(site):
    for path, page in site.items():
        assert not [load for load in page.loads if re.match(r"(https?:)?//", load)], path.name
        assert "@import" not in path.read_text(encoding="utf-8")
    styles = [style for path in site for style in path.parent.rglob("*.css")]
    assert not any(re.search(r"url\([\"']?(https?:)?//", style.read_text(encoding="utf-8")) for style in set(styles))


@pytest.mark.slow
@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_the_search_works_on_pages_that_are_opened_as_files(site):
    home = next(path for path in site if path.name == "index.html")
    with running_browser() as browser:
        page, asked = browser.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(home.as_uri())
        page.click("input.md-search__input")
        page.type("input.md-search__input", "certify", delay=50)
        page.wait_for_selector(".md-search-result__item a[href*='verify.html']")
    assert all(url.startswith(("file:", "about:", "data:", "blob:")) for url in asked), asked


CUT_OFF = """() => [...document.querySelectorAll("pre > code")]
    .filter(code => code.scrollWidth > code.clientWidth + 1 && getComputedStyle(code).overflowX !== "visible")
    .map(code => code.innerText.split("\\n").sort((one, other) => other.length - one.length)[0])"""
"""The longest line of each block of code that is wider than its room."""

UNREACHED = """() => [...document.querySelectorAll("pre > code")]
    .filter(code => code.scrollWidth > code.clientWidth + 1 && getComputedStyle(code).overflowX !== "auto")
    .map(code => code.innerText)"""
"""The blocks of code that are wider than their room and do not scroll."""


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_code_fits_its_block_on_a_screen_and_scrolls_in_it_on_a_phone(site):
    with running_browser() as browser:
        screen, phone = (browser.new_page(viewport={"width": width, "height": 844}) for width in (1280, 390))
        for path in sorted(site):
            screen.goto(path.as_uri())
            assert screen.evaluate(CUT_OFF) == [], path.name
            phone.goto(path.as_uri())
            assert phone.evaluate(UNREACHED) == [], path.name
            assert phone.evaluate("document.documentElement.scrollWidth") <= 390, path.name


def test_the_api_has_every_public_name(site):
    anchors = named(site, "api.html").anchors
    names = set(oracular.__all__) - {"__version__"}
    assert not [name for name in names if not any(anchor.endswith(f".{name}") for anchor in anchors)]
    assert f"oracular.{'game'}" in anchors


def test_the_page_of_commands_has_all_of_them(site):
    assert {f"oracular-{name}" for name in cli.commands} <= named(site, "commands.html").anchors


def test_the_tutorial_shows_the_pictures_of_its_notebook(site):
    assert len([load for load in named(site, "tutorial.html").loads if load.startswith("tutorial-")]) >= 2

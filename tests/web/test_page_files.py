"""The page's files keep the rules of the project, whether or not there is a browser to try them in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import oracular.web

PAGE = Path(oracular.web.__file__).parent / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))
FORBIDDEN = (
    "innerHTML outerHTML insertAdjacentHTML document.write eval( Function( srcdoc .cssText http:// https://"
).split()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_module_is_small_and_puts_no_text_in_as_markup(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 300
    assert [line for line in text.splitlines() if len(line) > 120] == []
    assert text.startswith("//"), "the first line says what the module is for"
    allowed = text.replace("http://www.w3.org/2000/svg", "")
    assert [word for word in FORBIDDEN if word in allowed] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_module_imports_what_is_there(path):
    for names, source in re.findall(r'import \{([^}]*)\} from "\./([a-z]+\.js)"', path.read_text(encoding="utf-8")):
        there = (PAGE / source).read_text(encoding="utf-8")
        for name in (part.split(" as ")[0].strip() for part in names.split(",")):
            assert re.search(rf"export (async )?(function|const|class) {name}\b", there), f"{name} of {source}"


def test_the_page_has_no_script_or_style_of_its_own():
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)", text) is None
    for address in re.findall(r'(?:href|src)="(/page/[^"]+)"', text):
        assert (PAGE / address.removeprefix("/page/")).is_file(), address


def test_every_module_is_asked_for_at_once():
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'(?:rel="modulepreload" href|<script[^>]* src)="/page/([^"]+)"', text))
    assert asked == {path.name for path in SCRIPTS}, "or a slow line waits for one module after the other"

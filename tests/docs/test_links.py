"""Links lead somewhere: from page to page on disk, to headings, and in the site that is built from the pages."""

from __future__ import annotations

import re

import pytest

from documents import PAGES, ROOT, Document, document

every_page = pytest.mark.parametrize("page", [pytest.param(page, id=page.name) for page in PAGES])


@every_page
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Document):
    for link in page.links:
        if re.match(r"[a-z]+:", link):
            assert link.startswith("https://"), link
            continue
        target, _, heading = link.partition("#")
        file = (page.path.parent / target).resolve() if target else page.path
        assert file.exists() and file.is_relative_to(ROOT), (page.name, link)
        if heading:
            assert heading in document(file).headings, (page.name, link)


@every_page
def test_no_two_headings_of_a_page_have_the_same_name(page: Document):
    if page.name != "CHANGELOG.md":
        assert len(set(page.headings)) == len(page.headings)


PATH = re.compile(r"`((?:[\w.]+/)+(?:[\w.-]+\.\w+)?|[\w-]+\.py)`")
"""A folder or file in backquotes: `runs/` or `solvers/exact/`, `paper.py` or `tests/web/test_proxy.py`."""
FOLDERS = (ROOT, ROOT / "src" / "oracular", ROOT / "docs")
"""What a path may be relative to; pages name parts of the package without its own folder."""


@every_page
def test_every_path_that_a_page_names_exists(page: Document):
    if page.name == "CHANGELOG.md":
        return  # it names what has been removed
    named = [path for path in PATH.findall(page.prose) if not re.match(r"(runs/.|dist/|site/)", path)]
    assert [path for path in named if not any((folder / path).exists() for folder in FOLDERS)] == []


def test_every_page_is_reached_from_the_readme():
    pages = {page.path.resolve(): page for page in PAGES}
    seen, waiting = set(), [(ROOT / "README.md").resolve()]
    while waiting:
        path = waiting.pop()
        if path in pages and path not in seen:
            seen.add(path)
            waiting += [(path.parent / link.partition("#")[0]).resolve() for link in pages[path].links]
    assert not {page.name for path, page in pages.items() if path not in seen}

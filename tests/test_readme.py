"""The README is short and up to date, and so are pages and files that are written from figures."""

from __future__ import annotations

import json
import tomllib

import pytest

import oracular
from oracular.strategies.shipped import SHIPPED_GAMES

from conftest import module_at
from documents import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_about_a_hundred_lines():
    assert 80 <= len(README.splitlines()) <= 135


def test_the_table_of_strategies_is_that_of_the_shipped_ones():
    module = module_at(ROOT / "tools" / "readme_table.py")
    assert module.BEGIN + module.table() + module.END in README


def test_the_page_on_scaling_was_written_from_its_figures():
    module = module_at(ROOT / "benchmarks" / "scaling_page.py")
    figures = json.loads((ROOT / "docs" / "scaling.json").read_text(encoding="utf-8"))
    assert module.page(figures) == (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def test_the_page_of_results_was_written_by_its_command():
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for name in SHIPPED_GAMES:
        shipped = oracular.load(name)
        assert f"{float(shipped.lower):.4f}" in page and f"{float(shipped.guarantee):.4f}" in page


def test_the_citation_names_this_version_and_what_the_format_demands():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert {"message", "title", "authors"} <= citation.keys()
    assert citation["version"] == project["version"] == oracular.__version__
    assert citation["license"] == project["license"]
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    (paper,) = citation["references"]
    assert paper["type"] == "conference-paper" and paper["title"] in README.replace("{J}", "J")
    assert str(paper["year"]) in README and paper["authors"][0]["family-names"] in README

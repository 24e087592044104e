"""The README is short and up to date, and so are pages and files that are written from figures."""

from __future__ import annotations

import json
import re
import tomllib
from fractions import Fraction

import pytest

import oracular as package
from oracular.strategies.shipped import FAMILIAR_GAMES, SHIPPED_GAMES

from conftest import module_at
from documents import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_is_about_a_hundred_lines():
    assert 80 <= len(README.splitlines()) <= 130


def test_the_table_of_strategies_is_that_of_the_shipped_ones():
    """If not, `make results` writes it again."""
    module = module_at(ROOT / "tools" / "results.py")
    assert module.with_table(README, "strategies", module.strategies_table()) == README


def test_the_page_on_scaling_was_written_from_its_figures():
    module = module_at(ROOT / "benchmarks" / "scaling_page.py")
    figures = json.loads((ROOT / "docs" / "scaling.json").read_text(encoding="utf-8"))
    assert module.page(figures) == (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


BOUND = re.compile(r"\**([\d.]+)\**(?: \((\w+) hider\))?")
"""A bound in a table of the documentation, with the hider that a lower one comes from."""


def _bounds_in(text: str, lower: int, upper: int) -> dict[str, tuple[str, str, str]]:
    """Return the lower bound, its hider and the upper bound of each game in a table, by their columns."""
    bounds = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in SHIPPED_GAMES + FAMILIAR_GAMES:
            below, above = (BOUND.fullmatch(cells[column]) for column in (lower, upper))
            assert below is not None and above is not None, line
            bounds[cells[0]] = (below[1], below[2], above[1])
    return bounds


def test_readme_results_and_show_agree_on_every_bound(oracular):
    """If not, `make results` writes README and page again."""
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    section = page.split("## Bounds on the value of each game\n")[1].split("The `familiar` games")[0]
    shown = {}
    for name in SHIPPED_GAMES + FAMILIAR_GAMES:
        strategies = package.load(name)
        assert strategies.lower == max(bound.value for bound in strategies.lower_bounds)
        said = json.loads(oracular("show", name, "--json").out)["shipped"]
        assert Fraction(said["lower_exact"]) == strategies.lower
        assert Fraction(said["guarantee_exact"]) == strategies.guarantee
        shown[name] = (f"{said['lower']:.4f}", said["lower_hider"], f"{said['guarantee']:.4f}")
    in_readme = module_at(ROOT / "tools" / "results.py").shown_games()
    assert _bounds_in(README, 3, 2) == {name: shown[name] for name in in_readme}
    assert _bounds_in(section, 2, 3) == shown


def test_the_citation_names_this_version_and_what_the_format_demands():
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert {"message", "title", "authors"} <= citation.keys()
    assert citation["version"] == project["version"] == package.__version__
    assert citation["license"] == project["license"]
    assert all("name" in author or "family-names" in author for author in citation["authors"])
    (paper,) = citation["references"]
    assert paper["type"] == "conference-paper" and paper["title"] in README
    assert str(paper["year"]) in README and paper["authors"][0]["family-names"] in README

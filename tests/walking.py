"""Going from page to page in a real browser as links do, without loading everything anew."""

from __future__ import annotations

from typing import Any


def walk_to(page: Any, path: str, there: str) -> None:
    """Go to a page of the site that is open already (to the same one anew), and wait until something is there."""
    page.wait_for_selector("main > *")
    page.evaluate(
        """path => {
            document.querySelector("main > *").dataset.left = "";
            const by = location.pathname + location.search === path ? ["/nowhere", path] : [path];
            for (const next of by) {
                history.pushState(null, "", next);
                dispatchEvent(new PopStateEvent("popstate"));
            }
        }""",
        path,
    )
    page.wait_for_selector(f"main:not(:has(> [data-left])) {there}")

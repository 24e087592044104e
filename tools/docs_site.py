"""What `mkdocs build` needs besides mkdocs.yml: pages that are made from other files, so that nothing is written twice.

- The first page is the README; CHANGELOG.md, CONTRIBUTING.md and SECURITY.md are pages too. They lie above `docs`, so
  their links are changed to fit.
- The tutorial is a notebook, shown with its recorded outputs.
- The page of commands gets the help of every command, as the command line prints it.
- The theme's page for addresses that lead nowhere is left out: its links begin at the top of a server, and the site is
  to be read from any folder.
"""

from __future__ import annotations

import base64
import inspect
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from oracular.cli.main import cli

ROOT = Path(__file__).parent.parent
ABOVE = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
ABOVE |= {"SECURITY.md": "vulnerabilities.md"}  # SECURITY.html and security.html are one file on some machines
"""The pages that lie above `docs`, and their names in the site."""
KEPT = ("LICENSE", "CITATION.cff")
"""Other files that those pages link to: the site has copies."""
NOWHERE = "404.html"
COMMANDS_MARK = "<!-- commands -->"
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)\s]*)?\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the site, with those that lie above `docs`, and the notebook as a page."""
    for name, uri in ABOVE.items():
        files.append(File.generated(config, uri, content=linked((ROOT / name).read_text(encoding="utf-8"), "")))
    for name in KEPT:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            files.remove(file)
            notebook = json.loads(Path(str(file.abs_src_path)).read_text(encoding="utf-8"))
            uri = page_uri(file.src_uri)
            for picture, content in pictures(notebook, uri):
                files.append(File.generated(config, picture, content=content))
            files.append(File.generated(config, uri, content=linked(notebook_page(notebook, uri), "docs")))
    return files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Return the settings with notebooks named as the pages that they become, and without the page that is left out."""
    config.nav = json.loads(json.dumps(config.nav).replace(".ipynb", ".md"))
    config.theme.static_templates.discard(NOWHERE)
    return config


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text of a page with its links as the site needs them, and the help of commands where it belongs."""
    if page.file.src_uri == "commands.md":
        markdown = markdown.replace(COMMANDS_MARK, "\n".join(command_help()))
    return markdown if page.file.generated_by else linked(markdown, "docs")


def page_uri(uri: str) -> str:
    """Return the name that a notebook has as a page of the site."""
    return uri.removesuffix(".ipynb") + ".md"


def linked(markdown: str, folder: str) -> str:
    """Return a text with its links to files of the checkout as links of the site.

    Args:
        markdown: the text.
        folder: where its file lies in the checkout: `docs`, or nothing for the top.
    """

    def changed(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        if target in ABOVE:
            target = ABOVE[target]
        elif target.startswith("docs/"):
            target = target.removeprefix("docs/")
            target = page_uri(target) if target.endswith(".ipynb") else target
        elif target not in KEPT:
            return match[0]
        return f"{match[1]}{target}{match[3]}"

    return LINK.sub(changed, markdown)


def command_help() -> Iterator[str]:
    """Yield the lines of a section for each command: how it is called, what it does, its options, an example."""
    for name, command in cli.commands.items():
        context = click.Context(command, info_name=f"oracular {name}", help_option_names=["-h", "--help"])
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        yield from (f"## oracular {name}", "", "```text", usage, "```", "")
        yield from (_plain(command.help or "").split("\n"))
        yield from ("", "| option | meaning |", "| --- | --- |")
        options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        records = (option.get_help_record(context) for option in options)
        yield from (f"| `{option}` | {_plain(meaning)} |" for option, meaning in filter(None, records))
        yield from ("", _plain(command.epilog or ""), "")


def _plain(text: str) -> str:
    """Return a text of the command line as Markdown that reads the same."""
    return re.sub(r"([\\`*_<>|\[\]#])", r"\\\1", inspect.cleandoc(text))


def pictures(notebook: dict[str, Any], uri: str) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures among a notebook's outputs, each with its file name in the site."""
    for number, output in enumerate(_outputs(notebook)):
        if "image/png" in output.get("data", {}):
            yield _picture_name(uri, number), base64.b64decode("".join(output["data"]["image/png"]))


def notebook_page(notebook: dict[str, Any], uri: str) -> str:
    """Return a notebook as Markdown: its texts, its code, and the outputs that are recorded in it."""
    parts, number = [], 0
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                parts.append(f"![What the cell above draws]({_picture_name(uri, number)})")
            else:
                text = "".join(output.get("text") or data.get("text/plain") or "")
                parts.append(f"```text\n{text.rstrip()}\n```")
            number += 1
    return "\n\n".join(parts) + "\n"


def _outputs(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in notebook["cells"]:
        yield from cell.get("outputs", [])


def _picture_name(uri: str, number: int) -> str:
    return f"{uri.removesuffix('.md')}-{number}.png"

"""Change the package in small ways, one at a time, and see which test notices: a change that none notices shows a gap.

`python tools/mutate.py --seed 1 --count 30` draws changes from all statements of `src/oracular`, each equally likely: a
comparison is negated, a statement dropped, a number changed, or two arguments exchanged. Docstrings, messages and
annotations are left alone. Each change is made in a copy of the checkout; the tests of its folder run first, then the
whole quick suite. The table names the test that failed first, or says that the change survived.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = Path("src/oracular")
NEGATED = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
TESTS = {
    "kernels": "kernels responses objectives solvers guessing search",
    "planner": "guessing objectives solvers",
    "strategies": "strategies responses guessing",
    "costs.py": "search objectives",
    "search": "search responses objectives runs",
    "solvers": "solvers objectives",
    "checker.py": "proofs",
    "paper.py": "test_paper.py",
    "evaluation.py": "strategies objectives solvers",
    "": "test_paper.py test_settings.py test_layout.py objectives solvers strategies",
}
"""The tests of a folder of the package, or of a module beside them, if they are not in the folder of the same name."""

SECONDS = 1500
"""A change after which a stage of the tests takes longer than this counts as noticed: something does not end."""


@dataclass(frozen=True)
class Change:
    """A change of one place in one file.

    Attributes:
        begin: where the old text begins in the file, in bytes.
    """

    path: Path
    line: int
    begin: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(PACKAGE)}:{self.line}  {_short(self.old)}  ->  {_short(self.new)}"


def _short(text: str) -> str:
    """Return a text on one line, cut to 60 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def changes_of(path: Path) -> Iterator[Change]:
    """Yield all changes of a file."""
    data = (ROOT / path).read_bytes()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def text(node: ast.AST) -> tuple[int, str]:
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        return begin, data[begin:end].decode()

    for node in _code_of(ast.parse(data)):
        begin, old = text(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            (left_begin, left), (right_begin, right) = text(node.left), text(node.comparators[0])
            operator = data[left_begin + len(left.encode()) : right_begin].decode()
            sign = f" {NEGATED[type(node.ops[0])]} "
            if "\n" not in operator and "(" not in operator and ")" not in operator:
                yield Change(path, node.lineno, begin, old, f"{left}{sign}{right}")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            new = str(not node.value) if isinstance(node.value, bool) else f"({old} + 1)"
            yield Change(path, node.lineno, begin, old, new)
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            (first_begin, first), (second_begin, second) = map(text, node.args[:2])
            starred = any(isinstance(argument, ast.Starred) for argument in node.args[:2])
            if not starred and ast.dump(node.args[0]) != ast.dump(node.args[1]):
                between = data[first_begin + len(first.encode()) : second_begin].decode()
                yield Change(path, node.lineno, first_begin, first + between + second, second + between + first)
        elif _is_dropped(node):
            yield Change(path, node.lineno, begin, old, "pass")


def _is_dropped(node: ast.AST) -> bool:
    """Return whether a statement is one that is dropped: it does something besides giving a value to a new name."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call)
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break) or (
        isinstance(node, ast.If) and not node.orelse
    )


def _code_of(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module that a test should notice."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list", "type_params", "format_spec"}:
                continue
            if name == "exc" or (name == "msg" and isinstance(node, ast.Assert)):
                continue  # messages
            waiting += [part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST)]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting = [part for part in waiting if part not in node.body and part is not node.test]
        elif isinstance(node, ast.JoinedStr | ast.ImportFrom | ast.Import):
            waiting = [part for part in waiting if part not in getattr(node, "values", [])]
        elif hasattr(node, "lineno"):
            yield node


def drawn(seed: int, without: list[str]) -> list[Change]:
    """Return all changes in the order in which they are drawn, those of some folders left out."""
    files = sorted(path.relative_to(ROOT) for path in (ROOT / PACKAGE).rglob("*.py"))
    files = [path for path in files if path.relative_to(PACKAGE).parts[0] not in without]
    changes = [change for path in files for change in changes_of(path)]
    random.Random(seed).shuffle(changes)
    return changes


class Copy:
    """A copy of the checkout in which changes are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists():
            return
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, tracked.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)

    def caught(self, change: Change, folder_only: bool) -> str | None:
        """Return the first test that fails after a change, or None; all tests run unless only those of its folder."""
        path = self.folder / change.path
        whole, times = path.read_bytes(), path.stat()
        end = change.begin + len(change.old.encode())
        assert whole[change.begin : end].decode() == change.old, f"the copy at '{self.folder}' is of another version"
        try:
            path.write_bytes(whole[: change.begin] + change.new.encode() + whole[end:])
            for tests in (self._tests_of(change.path), () if folder_only else ("tests",)):
                failed = self._failed(tests) if tests else None
                if failed:
                    return failed
        finally:
            path.write_bytes(whole)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # or compiled code would be compiled again
        return None

    def _tests_of(self, path: Path) -> tuple[str, ...]:
        """Return the tests of the folder that a file is in."""
        parts = path.relative_to(PACKAGE).parts
        folder = parts[0] if len(parts) > 1 or parts[0] in TESTS else ""
        return tuple(f"tests/{name}" for name in TESTS.get(folder, folder).split())

    def _failed(self, tests: tuple[str, ...]) -> str | None:
        """Return the first test that fails, or None."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *tests]
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{' '.join(tests)} takes more than {SECONDS} s"
        if done.returncode == 0:
            return None
        named = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, flags=re.MULTILINE)
        return named[1] if named else f"pytest ended with {done.returncode}"


def main() -> None:
    """Try changes and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30, help="how many changes to try")
    parser.add_argument("--first", type=int, default=1, help="the number of the first one, to share them out")
    parser.add_argument("--skip", type=int, nargs="*", default=[], help="numbers of changes that change nothing")
    parser.add_argument("--without", nargs="*", default=[], help="folders of the package to leave out")
    parser.add_argument("--copy", type=Path, required=True, help="where the copy is, or is made")
    parser.add_argument("--folder-only", action="store_true", help="do not go on with the whole suite")
    parser.add_argument("--list", action="store_true", help="only print the changes")
    arguments = parser.parse_args()
    changes = enumerate(drawn(arguments.seed, arguments.without), start=1)
    numbered = [pair for pair in changes if pair[0] not in arguments.skip]
    copy = None if arguments.list else Copy(arguments.copy.resolve())
    survived = 0
    for number, change in [pair for pair in numbered if pair[0] >= arguments.first][: arguments.count]:
        noticed = "" if copy is None else (copy.caught(change, arguments.folder_only) or "SURVIVED")
        survived += noticed == "SURVIVED"
        print(f"{number:3}  {change}  {noticed}".rstrip(), flush=True)
    if copy is not None:
        print(f"{survived} of {arguments.count} survived")


if __name__ == "__main__":
    main()

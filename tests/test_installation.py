"""What is built can be installed anywhere, and works with the lowest versions that it says it works with."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import oracular

from documents import INSTALLING, PAGES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("cluster", "plot", "web")
LOWEST_PYTHON = (3, 11)
BIN = "Scripts" if os.name == "nt" else "bin"


def lowest_versions() -> list[str]:
    """Every requirement of the package and its extras, at the lowest version that it allows."""
    optional = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(line for extra in EXTRAS for line in optional[extra])]
    return [line.replace(">=", "==", 1) for line in wanted]


class Installed:
    """The package in an environment of its own, with a home of its own, away from the checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "empty"
        self.folder.mkdir()
        (folder / "home").mkdir(mode=0o700)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.bin = folder / "venv" / BIN
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_", "XDG_"))}
        self.environment = kept | {"HOME": str(folder / "home"), "MPLBACKEND": "agg"}

    def install(self, *what: str | Path) -> None:
        command = [self.bin / "python", "-m", "pip", "install", "--quiet", *what]
        subprocess.run(command, check=True, cwd=self.folder, env=self.environment)

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        program = [self.bin / command[0], *command[1:]]
        return subprocess.Popen(program, cwd=self.folder, env=self.environment, text=True, **pipes)

    def run(self, *command: str | Path, typed: str = "") -> str:
        """Run a command that ends well, with what a person types into it, and return what it prints."""
        process = self.start(*command)
        out, err = process.communicate(typed)
        assert process.returncode == 0, err
        return out

    def refuses(self, *arguments: str) -> str:
        """Run the command line with bad input, and return the one sentence that it says."""
        process = self.start("oracular", *arguments)
        out, err = process.communicate()
        assert (process.returncode, out) == (2, "")
        assert re.fullmatch(r"error: [^\n]+\n", err), err
        return err

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve at a free port and give the address."""
        server = self.start("oracular", "serve", "--port", "0", "--json")
        assert server.stdout is not None
        try:
            lines = iter(server.stdout.readline, "")
            yield next(re.findall(r"http://[^\"\s]+", line)[0] for line in lines if "http://" in line)
        finally:
            server.send_signal(signal.SIGINT)
            _, err = server.communicate()
        assert (server.returncode, err) == (0, "")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_every_requirement_has_a_lowest_version():
    assert all(re.match(r"[a-z_-]+==\d+(\.\d+)+(\s*;.*)?$", line) for line in lowest_versions())


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info[:2] != LOWEST_PYTHON, reason="the lowest versions are those for the lowest Python")
def test_the_lowest_versions_that_are_allowed_work(tmp_path, wheel):
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, LOWEST_PYTHON))}"
    there = Installed(tmp_path)
    constraints = tmp_path / "lowest.txt"
    constraints.write_text("\n".join(lowest_versions()), encoding="utf-8")
    there.install("--constraint", constraints, f"{wheel}[{','.join(EXTRAS)}]")

    assert "'nonsense'" in there.refuses("solve", "nonsense")
    assert "--iterations" in there.refuses("solve", "jotto-2", "--iterations", "many")
    assert "'frobnicate'" in there.refuses("frobnicate")
    assert "see 'oracular solve --help'" in there.refuses("solve", "jotto-2", "--no-such-option")
    alone = there.start("oracular")
    out, err = alone.communicate()
    assert (alone.returncode, out) == (2, "") and err.startswith("Usage: oracular")

    there.run("oracular", "solve", "jotto-2", "--iterations", "20", "--out", "runs/first")
    there.run("oracular", "plot", "runs/first", "--out", "first.png")
    assert (there.folder / "first.png").read_bytes().startswith(b"\x89PNG")
    with there.served() as address:
        with urllib.request.urlopen(address) as reply:
            assert b"<title>oracular</title>" in reply.read()
        body = json.dumps({"game": "jotto-2", "mode": "guess"}).encode()
        asked = urllib.request.Request(f"{address}api/matches", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked) as reply:
            assert reply.status == 201 and json.load(reply)["game"] == "jotto-2"
    shared = there.run(
        "oracular", "solve", "jotto-2", "--iterations", "2", "--cluster", "local", "--workers", "1", "--out", "runs/far"
    )
    assert "jotto-2" in shared
    exact = there.run("oracular", "solve", "mastermind-2x3", "--solver", "exact", "--out", "runs/exact")
    assert "mastermind-2x3" in exact


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment_away_from_the_checkout(tmp_path, wheel):
    there = Installed(tmp_path)
    there.install(wheel)
    place = there.run("python", "-c", "import oracular; print(oracular.__file__)").strip()
    assert Path(place).is_relative_to(tmp_path)
    with_strategies = [
        path.stem
        for path in (ROOT / "src" / "oracular" / "strategies" / "data").glob("*.strategy")
        if path.stem.count("-") == 1
    ]
    assert with_strategies
    for name in with_strategies:
        shown = json.loads(there.run("oracular", "show", name, "--json"))
        assert shown["shipped"]["lower"] <= shown["shipped"]["guarantee"]
    there.run("oracular", "solve", "jotto-2", "--iterations", "5", "--out", "runs/first")
    assert (there.folder / "runs" / "first" / "manifest.json").is_file()
    assert "1 row; agrees 1." in there.run("oracular", "published", "number-2")
    played = there.run("oracular", "play", "jotto-5", "--mode", "guess", "--seed", "7", typed="giant\nhint\ngive up\n")
    assert "giant" in played
    for arguments in (("serve",), ("plot", "runs/first", "--out", "first.png")):
        told = there.refuses(*arguments).rpartition(": ")[2]
        subprocess.run(told, shell=True, check=True, cwd=there.folder, env=there.environment, stdout=subprocess.DEVNULL)
    there.run("oracular", "plot", "runs/first", "--out", "first.png")
    assert (there.folder / "first.png").read_bytes().startswith(b"\x89PNG")
    with there.served() as address, urllib.request.urlopen(address) as reply:
        assert b"<title>oracular</title>" in reply.read()


def install_lines() -> list[str]:
    """Return the lines of the README by which one installs, for Linux and macOS."""
    readme = next(page for page in PAGES if page.name == "README.md")
    return [command.line for command in readme.commands if command.line.startswith(INSTALLING)]


def test_the_lines_for_windows_install_the_same():
    (windows,) = next(page for page in PAGES if page.name == "README.md").blocks("powershell")
    assert [line for line in windows.splitlines() if line.startswith("pip")] == install_lines()[2:3]
    assert windows.splitlines()[0].removeprefix("py") == install_lines()[0].removeprefix("python3")


@pytest.mark.slow
def test_the_install_lines_of_the_readme_work_in_a_fresh_copy_of_the_checkout(tmp_path):
    """And so does `make table`, which finds the environment that they have set up."""
    copy = tmp_path / "checkout"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, tracked.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    lines = install_lines()
    assert lines[-1] == "pip install dist/*.whl"
    (tmp_path / "home").mkdir(mode=0o700)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA_", "XDG_"))}
    environment = kept | {"HOME": str(tmp_path / "home")}
    script = "\n".join(["set -e", *lines, "oracular games > games.txt", "make help", "make table > table.txt"])
    subprocess.run(["bash", "-c", script], check=True, cwd=copy, env=environment)
    assert "jotto-5" in (copy / "games.txt").read_text(encoding="utf-8")
    assert "Table 1" in (copy / "table.txt").read_text(encoding="utf-8")


def test_the_version_is_that_of_the_project():
    assert oracular.__version__ == PROJECT["version"]

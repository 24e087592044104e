"""How to install what is missing, as a command that works here.

`pip install "oracular[web]"` works wherever oracular is installed already, from a checkout as well as from a wheel: pip
sees that the package is there and adds what the extra needs. It need not be on any registry.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def install_command(requirement: str) -> str:
    """Return the command that installs a requirement into the environment that runs this program.

    That is `pip install` where the shell's pip belongs to this environment. Otherwise its Python is named in full, as
    for somebody who calls `.venv/bin/oracular` without activating the environment. Double quotes suit every shell.

    Args:
        requirement: what is missing, such as `oracular[web]`.
    """
    python, pip = Path(sys.executable), shutil.which("pip")
    if pip is not None and Path(pip).absolute().parent == python.absolute().parent:
        return f'pip install "{requirement}"'
    path = f'"{python}"' if " " in str(python) else str(python)
    return f'{path} -m pip install "{requirement}"'

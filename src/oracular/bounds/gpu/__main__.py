"""`python -m oracular.bounds.gpu JOB RESULT`: work on a job (`job.py`) with the GPU of this machine.

It needs NumPy and CuPy and nothing else, so it runs where Numba and what the command line needs are not installed; the
sources need only be on Python's path. The result is written at the end, as a whole.
"""

from __future__ import annotations

import sys
from pathlib import Path

from oracular.bounds.batches import BatchSearch
from oracular.bounds.gpu.evaluator import DeviceEvaluator
from oracular.bounds.gpu.job import read_job, write_result
from oracular.errors import OracularError, RunError
from oracular.system.files import quoted

USAGE = "usage: python -m oracular.bounds.gpu JOB RESULT"


def main(arguments: list[str]) -> int:
    """Work on a job, and return the exit code: 0, or 2 after one sentence that says what is wrong."""
    if arguments in (["-h"], ["--help"]):
        print(f"{__doc__}\n{USAGE}")
        return 0
    if len(arguments) != 2 or arguments[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    job_path, result_path = map(Path, arguments)
    try:
        job = read_job(job_path)
        if result_path.exists() and result_path.samefile(job_path):
            raise RunError("the result would take the place of the job: give it a name of its own")
        if not result_path.parent.is_dir():  # which would be found out too late
            raise RunError(f"there is no folder {quoted(result_path.parent)} for the result: make it first")
        write_result(result_path, BatchSearch(job.board, DeviceEvaluator(job.board)).answers(job.units))
    except OracularError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

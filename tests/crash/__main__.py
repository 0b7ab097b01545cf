"""A server that dies again and again, and loses nothing: `python -m tests.crash --tasks 200 --kills 50 --seed 7`.

A server with tasks in one SQLite file is killed with SIGKILL at random moments. Each task asks three questions, with a
step between each; a client in a process of its own waits for all of them, and a person in a third one answers, some
questions twice, some wrongly first, some while no server runs. Whatever breaks a rule of `faults` is a fault, and the
exit code is 1.

With `--fleet` it is two servers and three workers, on a PostgreSQL and a Redis of their own: see `fleet`.
"""

import argparse
import logging
import secrets
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio

from tests.crash import conductor, fleet
from tests.crash.evidence import Evidence, Plan
from tests.crash.faults import faults
from tests.crash.report import report

Run = Callable[[Plan, Path], Awaitable[Evidence]]


async def main(plan: Plan, limit: float, run: Run) -> int:
    folder = Path(tempfile.mkdtemp(prefix="elicitkit-crash-"))
    try:
        with anyio.fail_after(limit):
            evidence = await run(plan, folder)
    except BaseException:
        print(f"seed {plan.seed} did not come to an end; what is left of it is in {folder}", file=sys.stderr)
        raise
    print(report(evidence), end="")
    if any(faults(evidence)):
        print(f"what is left of it is in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", default=None, help="what all random choices come from; a new one unless given")
    parser.add_argument("--fleet", action="store_true", help="two servers and three workers")
    parser.add_argument("--limit", type=float, default=600, help="the longest it may take, in seconds")
    given = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())  # The database goes, and comes back.
    plan = Plan(given.tasks, given.kills, given.seed or secrets.token_hex(4))
    sys.exit(anyio.run(main, plan, given.limit, fleet.run if given.fleet else conductor.run))

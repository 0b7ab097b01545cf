"""Runs one scenario of the official conformance suite, and reads what it found in its `checks.json`.

The suite's own verdict is too kind to be ours: a server passes with warnings, with checks that were skipped, and when
nothing was checked at all. All of these are faults here.
"""

import json
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / ".judge"
INSTALLED: Final = (FOLDER / "installed").is_file()
"""Whether `make conformance` has brought the suite; it makes that file last."""

_MODULES = FOLDER / "node_modules"
_SUITE = (str(_MODULES / "node/bin/node"), str(_MODULES / "@modelcontextprotocol/conformance/dist/index.js"))

_SCENARIO_SECONDS = 60
_HANGS_SECONDS = 30
"""How much longer the suite may take than the scenario."""

_WITHOUT_FAULT = frozenset({"SUCCESS", "INFO"})
_OF_EVERY_MESSAGE = "wire-schema"
"""How the ids of the checks begin that every scenario has, whatever it is about."""

_ALONE = ("unshare", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def server_scenarios() -> frozenset[str]:
    """The scenarios for servers that the suite has."""
    listed = _run(*_SUITE, "list", "--server").stdout.splitlines()
    return frozenset(line.split()[1] for line in listed if line.startswith("  - "))


def faults_of_server(url: str, scenario: str, revision: str | None, results: Path) -> list[str]:
    """What the suite finds wrong with a server.

    Args:
        url: Where it is.
        scenario: Which of the suite's.
        revision: What is to be spoken; `None` for the scenarios of extensions, which name none.
        results: An empty folder.
    """
    spoken = ["--spec-version", revision] if revision else []
    return _judge(results, "server", "--url", url, "--scenario", scenario, *spoken)


def faults_of_client(command: Sequence[str], scenario: str, results: Path, *, alone: Sequence[str]) -> list[str]:
    """What the suite finds wrong with a client, which is started with the address of the suite's server.

    Args:
        command: What starts it.
        scenario: Which of the suite's.
        results: An empty folder.
        alone: What `alone` gave: the suite's server listens on every interface there is.
    """
    return _judge(results, "client", "--command", shlex.join(command), "--scenario", scenario, alone=alone)


def alone() -> Sequence[str]:
    """What a command starts with so that it has no network but loopback; nothing where that is not permitted."""
    try:
        return _ALONE if _run(*_ALONE, "true").returncode == 0 else ()
    except OSError:
        return ()


def faults_in(checks: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong according to the checks of a scenario."""
    checks = list(checks)
    passed = [check["id"] for check in checks if check["status"] == "SUCCESS"]
    faults = [_told(check) for check in checks if check["status"] not in _WITHOUT_FAULT]
    if all(name.startswith(_OF_EVERY_MESSAGE) for name in passed):
        faults.append("nothing that the scenario is about was checked")
    return faults


def _told(check: Mapping[str, Any]) -> str:
    return f"{check['status']} {check['id']}: {check.get('errorMessage') or check.get('description')}"


def _judge(results: Path, *arguments: str, alone: Sequence[str] = ()) -> list[str]:
    limits = ["--timeout", str(_SCENARIO_SECONDS * 1000), "--output-dir", str(results)]
    ended = _run(*alone, *_SUITE, *arguments, *limits)
    print(ended.stdout, ended.stderr, sep="\n")  # pytest shows it with a test that failed
    faults = faults_in(check for file in results.rglob("checks.json") for check in json.loads(file.read_text()))
    return faults if ended.returncode == 0 else [*faults, f"the suite ended with {ended.returncode}"]


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_SCENARIO_SECONDS + _HANGS_SECONDS,
        check=False,
    )

"""In CI a skipped test is a failure, unless its reason starts with `elsewhere:`.

That is for what this Python or this system can never do: syntax of a newer Python, another operating system. CI runs on
those as well, or cannot. What CI could have and a developer's machine may not (a program, the specification's files) is
no such reason: it starts with `missing here:`, skips with a loud line on that machine, and is a failure in CI.

Load it from `tests/conftest.py` with `pytest_plugins = ["tests.skips"]`. Where `ELICITKIT_CI` is not set, it only
tells what is missing here.
"""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

ALLOWED = "elsewhere:"
MISSING = "missing here:"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # One of several workers: the process that they report to decides.
        return
    if exitstatus == pytest.ExitCode.OK and any(unexcused_skips(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not in_ci():
        return tell_what_is_missing(terminalreporter)
    skips = list(unexcused_skips(terminalreporter))
    if skips:
        terminalreporter.section("skipped, but CI has to run it", red=True)
        terminalreporter.line(f"Make it run, or let its reason start with '{ALLOWED}' if it never can here.")
    for skip in skips:
        terminalreporter.line(skip)
    return None


def tell_what_is_missing(reporter: pytest.TerminalReporter) -> None:
    missing = Counter(reason for _, reason in skipped(reporter) if reason.startswith(MISSING))
    for reason, count in missing.items():
        reporter.line(f"SKIPPED {count} tests, {reason}", yellow=True, bold=True)


def unexcused_skips(reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Whole modules that were skipped while they were collected are among them."""
    if in_ci():
        yield from (f"{name}: {reason}" for name, reason in skipped(reporter) if not reason.startswith(ALLOWED))


def skipped(reporter: pytest.TerminalReporter) -> Iterator[tuple[str, str]]:
    """What was skipped, and why."""
    for report in reporter.stats.get("skipped", []):
        _path, _line, why = report.longrepr
        yield report.nodeid, why.removeprefix("Skipped: ")


def in_ci() -> bool:
    return bool(os.environ.get("ELICITKIT_CI"))

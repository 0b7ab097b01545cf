"""In CI a skipped test is a failure, unless its reason starts with `elsewhere:`.

Load it from `tests/conftest.py` with `pytest_plugins = ["tests.skips"]`. It acts only where `ELICITKIT_CI` is set.
"""

import os
from collections.abc import Iterator

import pytest

ALLOWED = "elsewhere:"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.OK and any(unexcused_skips(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skips = list(unexcused_skips(terminalreporter))
    if skips:
        terminalreporter.section("skipped, but CI has to run it", red=True)
        terminalreporter.line(f"Make it run, or let its reason start with '{ALLOWED}' if it never can here.")
    for skip in skips:
        terminalreporter.line(skip)


def unexcused_skips(reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Whole modules that were skipped while they were collected are among them."""
    if not os.environ.get("ELICITKIT_CI"):
        return
    for report in reporter.stats.get("skipped", []):
        _path, _line, why = report.longrepr
        reason = why.removeprefix("Skipped: ")
        if not reason.startswith(ALLOWED):
            yield f"{report.nodeid}: {reason}"

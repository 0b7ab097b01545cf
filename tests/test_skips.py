"""What a skipped test means, here and in CI."""

import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parent.parent
MISSING, NEVER, BARE = "missing here: needs npx", "elsewhere: needs Windows", "flaky"


@pytest.fixture
def skipping(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    monkeypatch.delenv("ELICITKIT_CI", raising=False)
    return pytester


def run(pytester: pytest.Pytester, reason: str) -> pytest.RunResult:
    pytester.makepyfile(f"import pytest\n\ndef test_x():\n    pytest.skip({reason!r})\n\ndef test_y():\n    pass\n")
    return pytester.runpytest_inprocess("-p", "tests.skips", "-p", "no:cacheprovider")


@pytest.mark.parametrize("reason", [MISSING, BARE])
def test_in_ci_a_test_that_could_run_there_fails_the_run(
    reason: str, skipping: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELICITKIT_CI", "1")

    ended = run(skipping, reason)

    assert ended.ret == pytest.ExitCode.TESTS_FAILED
    ended.stdout.fnmatch_lines(["*skipped, but CI has to run it*", f"*test_x: {reason}"])


def test_in_ci_a_test_that_never_can_run_there_is_excused(
    skipping: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELICITKIT_CI", "1")

    assert run(skipping, NEVER).ret == pytest.ExitCode.OK


def test_on_a_developers_machine_what_is_missing_is_told_and_passes(skipping: pytest.Pytester) -> None:
    ended = run(skipping, MISSING)

    assert ended.ret == pytest.ExitCode.OK
    ended.stdout.fnmatch_lines([f"SKIPPED 1 tests, {MISSING}"])

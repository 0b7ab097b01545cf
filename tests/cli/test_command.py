"""The command itself: its help, its exit codes, and how it says what went wrong."""

import subprocess
import sys
from typing import Any

import pytest

from elicitkit.cli import COMMANDS, Exit, demo, main
from elicitkit.cli.exits import MEANINGS, Failure
from elicitkit.errors import MissingExtra, ScriptError

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_documents_every_exit_code(command: tuple[str, ...], capsys: Captured) -> None:
    assert main([*command, "--help"]) == Exit.FINE

    shown = capsys.readouterr().out
    assert set(MEANINGS) == set(Exit)
    for code, meaning in MEANINGS.items():
        assert f"  {int(code):<5}{meaning}\n" in shown


@pytest.mark.parametrize("command", ["demo", "call"])
def test_help_shows_an_answer_and_by_which_names_it_goes(command: str, capsys: Captured) -> None:
    main([command, "--help"])

    shown = " ".join(capsys.readouterr().out.split())
    assert '{"action": "accept", "content": {"fullName": "Ada"}}' in shown
    assert "a field that Python calls full_name is fullName there" in shown


def test_the_exit_codes_are_what_scripts_rely_on() -> None:
    assert {code.name: int(code) for code in Exit} == {
        "FINE": 0,
        "TOOL_FAILED": 1,
        "USAGE": 2,
        "UNREACHABLE": 3,
        "SCRIPT": 4,
        "MISSING_EXTRA": 5,
        "BUG": 70,
        "INTERRUPTED": 130,
    }


def test_the_version_is_told(capsys: Captured) -> None:
    assert main(["--version"]) == Exit.FINE
    assert capsys.readouterr().out.startswith("elicitkit 0")


def test_without_a_command_the_help_is_shown(capsys: Captured) -> None:
    assert main([]) == Exit.USAGE
    assert "commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["dmeo"], ["call"], ["call", "x"], ["demo", "--answer"], ["call", "x", "y", "--js"]]
)
def test_wrong_arguments_are_wrong_usage(arguments: list[str], capsys: Captured) -> None:
    assert main(arguments) == Exit.USAGE
    assert "usage: elicitkit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (Failure(Exit.UNREACHABLE, "gone"), Exit.UNREACHABLE, "gone"),
        (ScriptError("1 answer left"), Exit.SCRIPT, "1 answer left"),
        (MissingExtra("terminal", "The prompt"), Exit.MISSING_EXTRA, "pip install 'elicitkit[terminal]'"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "interrupted"),
        (KeyError("x"), Exit.BUG, "this is a fault of elicitkit itself, KeyError: 'x' (--debug shows where)"),
    ],
)
@pytest.mark.parametrize("arguments", [["demo"], ["demo", "--debug"], ["--debug", "demo"]])
def test_an_error_is_one_line_unless_debugging(
    error: BaseException,
    code: Exit,
    line: str,
    arguments: list[str],
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(_: object) -> Any:
        raise error

    monkeypatch.setattr(demo, "run", run)

    assert main(arguments) == code
    shown = capsys.readouterr().err
    assert shown.splitlines()[-1].startswith("elicitkit: ")
    assert line in shown.splitlines()[-1]
    assert ("Traceback" in shown) is ("--debug" in arguments and isinstance(error, Exception))


def test_what_a_server_said_stands_below_the_line_and_harmless(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, section 10: text from a server is hostile."""

    def run(_: object) -> Any:
        raise Failure(Exit.UNREACHABLE, "shop\x1b[31m died\nelicitkit: all is well", details="\x1b]0;title\x07one\ntwo")

    monkeypatch.setattr(demo, "run", run)
    main(["demo"])

    assert capsys.readouterr().err == "elicitkit: shop died elicitkit: all is well\n  | one\n  | two\n"


def test_help_loads_no_sdk() -> None:
    code = "import sys; from elicitkit.cli import main; main(['--help']); sys.exit('mcp' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0

"""`elicitkit check`: what is found, one line each, and the exit codes (issue 9, point 6)."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elicitkit.cli import Exit, main

Ended = tuple[int, str, str]
Check = Callable[..., Ended]

NAME = {"type": "string", "title": "Name"}
RIGHT = {"type": "object", "properties": {"name": NAME}}
WRONG = {"type": "object", "title": "T", "properties": {"name": NAME, "home": {"type": "object", "title": "Home"}}}


@pytest.fixture
def check(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Check:
    """Check a document in a file, or a text that is none."""

    def run(document: Any, *arguments: str) -> Ended:
        file = tmp_path / "schema.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        code = main(["check", str(file), *arguments])
        written = capfd.readouterr()
        return code, written.out, written.err

    return run


def test_what_is_right_is_fine(check: Check) -> None:
    assert check(RIGHT) == (Exit.FINE, "", "nothing found\n")


def test_what_is_found_is_a_line_each_and_a_fault_is_told_by_the_exit_code(check: Check) -> None:
    code, out, err = check(WRONG)

    assert code == Exit.FAULTS == 1
    fault, warning = out.splitlines()
    assert fault.startswith("fault   /properties/home: is an object, and forms are flat: ")
    assert fault.endswith(" [Requested Schema, 2025-11-25 and 2026-07-28; Supported Schema Types, 2025-06-18]")
    assert warning.startswith("warning /title: is not in the subset: ")
    assert err == "1 fault, 1 warning\n"


def test_warnings_alone_are_fine(check: Check) -> None:
    code, out, err = check({**RIGHT, "title": "T"})

    assert (code, err) == (Exit.FINE, "1 warning\n")
    assert out.startswith("warning /title: ")


def test_a_revision_may_be_named(check: Check) -> None:
    schema = {"type": "object", "properties": {"name": {**NAME, "default": "Ada"}}}

    assert check(schema)[0] == Exit.FINE
    assert check(schema, "--era", "2026-07-28") == (Exit.FINE, "", "nothing found\n")
    assert check(schema, "--era", "2025-06-18")[0] == Exit.FAULTS


def test_json_is_for_programs(check: Check) -> None:
    code, out, err = check(WRONG, "--json")

    assert (code, err) == (Exit.FAULTS, "")
    assert [(found["level"], found["pointer"]) for found in json.loads(out)] == [
        ("fault", "/properties/home"),
        ("warning", "/title"),
    ]
    assert json.loads(check(RIGHT, "--json")[1]) == []


def test_a_request_from_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {"message": "M", "schema": {}}}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(request).encode())))

    assert main(["check", "-"]) == Exit.FAULTS
    assert capfd.readouterr().out.startswith(
        "fault   /params: has no 'requestedSchema'; it has 'schema', which no host"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", " is not JSON: "),
        ("[1]", ": there is no question in it: "),
        ('{"action": "accept"}', ": there is no question in it: "),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), " is not JSON: "),
    ],
)
def test_what_cannot_be_read_has_an_exit_code_of_its_own(text: str, line: str, check: Check) -> None:
    code, out, err = check(text)

    assert (code, out) == (Exit.USAGE, "")
    assert line in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "nowhere.json"]) == Exit.USAGE
    assert capfd.readouterr().err == "elicitkit: nowhere.json cannot be read: No such file or directory\n"


def test_a_revision_that_cannot_ask_is_told(check: Check) -> None:
    code, _, err = check(RIGHT, "--era", "2025-03-26")

    assert code == Exit.USAGE
    assert "no revision '2025-03-26' can ask: there are 2025-06-18, 2025-11-25, 2026-07-28" in err


def test_hostile_names_are_harmless(check: Check) -> None:
    """Design, section 10: text from a server is hostile."""
    _, out, _ = check({"type": "object", "properties": {"a\x1b[2J\nfault": {"type": "\x1b[31m"}}})

    assert "\x1b" not in out
    assert all(line.startswith(("fault ", "warning ", "note ")) for line in out.splitlines())


def test_a_byte_order_mark_is_no_fault(check: Check) -> None:
    """Editors on Windows write one, and the configurations of hosts are read with it."""
    assert check("\ufeff" + json.dumps(RIGHT)) == (Exit.FINE, "", "nothing found\n")


def test_a_key_that_stands_twice_is_found(check: Check) -> None:
    """RFC 8259, section 4: what a reader makes of it is unpredictable."""
    code, out, _ = check('{"type":"object","properties":{"a":{"type":"string"},"a":{"type":"integer"}}}')

    assert code == Exit.FINE
    assert "warning (root): the key 'a' stands more than once in one object" in out


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_links_of_an_error_are_checked(check: Check, wrapped: bool) -> None:
    """2025-11-25, "Elicitation", URL elicitation required error."""
    link = {"mode": "url", "message": "Sign in", "url": "ftp://example.com", "elicitationId": "e1"}
    error = {"code": -32042, "message": "sign in first", "data": {"elicitations": [link]}}

    _, out, _ = check({"jsonrpc": "2.0", "id": 1, "error": error} if wrapped else error, "--era", "2025-11-25")

    assert f"{'/error' if wrapped else ''}/data/elicitations/0/url: " in out


@pytest.mark.parametrize(
    ("requests", "held"),
    [({}, "nothing"), ({"a": {"method": "sampling/createMessage", "params": {}}}, "only 'sampling/createMessage'")],
)
def test_a_round_without_a_question_says_what_it_holds(check: Check, requests: dict[str, Any], held: str) -> None:
    code, _, err = check({"inputRequests": requests})

    assert code == Exit.USAGE
    assert f"there is no question in it: its inputRequests hold {held}, and questions are 'elicitation/create'" in err

"""The command with servers in processes of their own, and itself in one."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest
from mcp import Client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from elicitkit.cli import Exit, calling
from tests.cli import probe_server
from tests.host import serving

Run = Callable[..., tuple[int, str, str]]
Write = Callable[..., str]

PROBE = shlex.join([sys.executable, probe_server.__file__])
ADA = '{"action": "accept", "content": {"name": "Ada"}}'

pytestmark = pytest.mark.slow


def test_a_command_line_is_started_and_asked(run: Run, answers: Write) -> None:
    code, out, err = run("call", PROBE, "greet", '{"greeting": "Ahoi"}', "--answers", answers(ADA))

    assert (code, out) == (Exit.FINE, "Ahoi, Ada!\n")
    assert err.splitlines() == [
        "Question 1, from probe (tool greet):",
        "  | Who is there?",
        "  - Name (string, required)",
        "  => accept, with name",
        "",
    ]


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_address_is_asked_over_http(
    mode: str, run: Run, answers: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["greet", "--answers", answers(ADA)]
    monkeypatch.setattr(calling, "Client", partial(Client, mode=mode))

    with anyio.fail_after(30):
        async with serving.served(probe_server.mcp.streamable_http_app()) as address:
            ended = await anyio.to_thread.run_sync(partial(run, "call", f"{address}/mcp", *arguments))

    assert ended[:2] == (Exit.FINE, "Hello, Ada!\n")


def test_a_name_is_started_as_the_file_says(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = {"GREETING": "${GREETING}!", "PYTHONPATH": "${PYTHONPATH}"}
    entry = {"command": sys.executable, "args": [probe_server.__file__], "cwd": str(tmp_path), "env": env}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"probe": entry}}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("GREETING", "Ahoi")

    ended = run("call", "probe", "surroundings", '{"name": "GREETING"}')

    assert ended == (Exit.FINE, f"Ahoi! in {tmp_path}\n", "")


def test_without_a_terminal_a_question_is_cancelled_and_it_is_said(run: Run) -> None:
    code, out, err = run("call", PROBE, "greet")

    assert (code, out) == (Exit.FINE, "Nobody was greeted: cancelled.\n")
    assert "no terminal to ask at; cancelled" in err


# --- servers that cannot be reached -----------------------------------------------------------------------------------


def test_a_server_that_dies_is_told_with_what_it_wrote(run: Run) -> None:
    code, out, err = run("call", PROBE, "die")

    assert (code, out) == (Exit.UNREACHABLE, "")
    assert err == f"elicitkit: {Path(sys.executable).name} ended the connection\n  | out of memory\n"


def test_a_tool_that_failed_without_saying_why_leads_to_what_the_server_wrote(run: Run) -> None:
    failed = "elicitkit: the tool 'forget' failed\n  | Error executing tool forget\n"
    hint = "what the server wrote to its standard error is shown with --debug\n"

    assert run("call", PROBE, "forget") == (Exit.TOOL_FAILED, "", failed + hint)

    code, _, err = run("--debug", "call", PROBE, "forget")
    assert code == Exit.TOOL_FAILED
    assert "what was forgotten" in err
    assert err.endswith(failed)


@pytest.mark.parametrize(
    ("closed", "code", "shown"),
    [
        (">&-", Exit.FINE, ""),
        ("2>&-", Exit.FINE, "Hello, Ada!\n"),
        ("<&- >&- 2>&-", Exit.FINE, ""),
    ],
)
def test_a_stream_that_was_closed_is_not_written_to(closed: str, code: Exit, shown: str, answers: Write) -> None:
    command = [sys.executable, "-m", "elicitkit", "call", PROBE, "greet", "--answers", answers(ADA)]

    ended = subprocess.run(f"{shlex.join(command)} {closed}", shell=True, capture_output=True, text=True, timeout=60)

    assert (ended.returncode, ended.stdout) == (code, shown)
    assert ended.stderr.count("Traceback") == 0


def test_a_program_that_is_not_there_is_told(run: Run) -> None:
    ended = run("call", "no-such-server --stdio", "greet")

    assert ended == (
        Exit.UNREACHABLE,
        "",
        "elicitkit: no-such-server cannot be started: there is no such program\n",
    )


def test_a_program_that_is_no_server_is_told_with_what_it_wrote(run: Run) -> None:
    code, _, err = run("call", shlex.join([sys.executable, "-c", "raise SystemExit('wrong program')"]), "greet")

    assert code == Exit.UNREACHABLE
    assert err.endswith(" ended the connection\n  | wrong program\n")


def test_an_address_where_nobody_listens_is_told_without_its_secrets(run: Run) -> None:
    code, _, err = run("call", "http://ada:s3cret@127.0.0.1:9/mcp?key=s3cret", "greet")

    assert code == Exit.UNREACHABLE
    assert err == "elicitkit: http://127.0.0.1:9/mcp cannot be reached: All connection attempts failed\n"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "line"),
    [
        (200, "refused to start talking: Unexpected content type: text/plain; charset=utf-8 (error -32600)"),
        (401, "answered 401 Unauthorized: it wants credentials, which the 'headers' of a --config file can carry"),
        (404, "refused to start talking: Not Found (error -32601)"),
        (500, "refused to start talking: Server returned an error response (error -32603)"),
    ],
)
async def test_an_address_that_is_no_mcp_server_is_told(status: int, line: str, run: Run) -> None:
    async def page(_: object) -> PlainTextResponse:
        return PlainTextResponse("a web page", status)

    with anyio.fail_after(30):
        async with serving.served(Starlette(routes=[Route("/mcp", page, methods=["GET", "POST"])])) as address:
            code, _, err = await anyio.to_thread.run_sync(partial(run, "call", f"{address}/mcp", "greet"))

    assert code == Exit.UNREACHABLE
    assert err == f"elicitkit: {address}/mcp {line}\n"


def test_a_server_that_says_nothing_is_given_up(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "START_SECONDS", 0.2)
    monkeypatch.setattr(calling, "SILENT_SECONDS", 0.0)

    code, _, err = run("call", shlex.join([sys.executable, "-c", "import sys; sys.stdin.read()"]), "greet")

    python = Path(sys.executable).name
    assert code == Exit.UNREACHABLE
    assert err == (f"waiting for {python} …\nelicitkit: {python} cannot be reached: it said nothing for 0.2 seconds\n")


# --- the base install, and interrupting -------------------------------------------------------------------------------

WITHOUT_EXTRAS = """
import sys
sys.modules.update(dict.fromkeys(("questionary", "prompt_toolkit", "rich")))
from elicitkit.cli import main, people
people.has_terminal = lambda: True
sys.exit(main(sys.argv[1:]))
"""


def test_answers_from_a_file_need_no_extra(elicitkit: Run, answers: Write) -> None:
    ended = elicitkit("call", PROBE, "greet", "--answers", answers(ADA), python=("-c", WITHOUT_EXTRAS))

    assert ended[:2] == (Exit.FINE, "Hello, Ada!\n")


def test_a_person_needs_the_extra_and_is_told_how_to_get_it(elicitkit: Run) -> None:
    code, out, err = elicitkit("call", PROBE, "greet", python=("-c", WITHOUT_EXTRAS))

    assert (code, out) == (Exit.MISSING_EXTRA, "")
    assert err.splitlines()[-1].startswith("elicitkit: The terminal prompt needs an extra that is not installed: pip ")
    assert "Traceback" not in err


def heed_interrupts() -> None:
    """Be interruptible though the tests run where interrupts are ignored, as in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="elsewhere: signals and named pipes are those of POSIX")
def test_interrupting_ends_the_server_too(tmp_path: Path) -> None:
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    arguments = ["call", PROBE, "wait", json.dumps({"fifo": str(fifo)})]
    command = [sys.executable, "-m", "elicitkit", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=heed_interrupts
    ) as running:
        server = int(fifo.read_text())
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)

    assert running.returncode == Exit.INTERRUPTED
    assert err.endswith("elicitkit: interrupted\n")
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)

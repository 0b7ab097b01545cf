"""The command, run here or in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client._memory import InMemoryTransport
from mcp.server.mcpserver import MCPServer

from elicitkit.cli import calling, main
from elicitkit.render.terminal import device

Ended = tuple[int, str, str]
"""How a run ended: its exit code, and what it wrote to standard output and standard error."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run the command in this process; the servers it starts have their own, and may be slow to start."""
    monkeypatch.setattr(calling, "SILENT_SECONDS", 60.0)
    monkeypatch.setattr(device, "TERMINAL", "/no/terminal")  # or it would ask whoever runs the tests

    def run_here(*arguments: str) -> Ended:
        code = main(arguments)
        written = capfd.readouterr()
        return code, written.out, written.err

    return run_here


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Ended]) -> Callable[..., Ended]:
    """Run `elicitkit call` in this process, on a server in memory: `called(mcp, "tool", "{}", legacy=True)`."""

    def call(mcp: MCPServer[Any], *arguments: str, legacy: bool = False) -> Ended:
        monkeypatch.setattr(calling, "transport", lambda *_, **__: InMemoryTransport(mcp))
        monkeypatch.setattr(calling, "Client", partial(Client, mode="legacy" if legacy else "auto"))
        return run("call", "http://in.memory/mcp", *arguments)

    return call


@pytest.fixture
def elicitkit() -> Callable[..., Ended]:
    """Run the command in a process of its own, without a terminal."""

    def start(*arguments: str, python: tuple[str, ...] = ("-m", "elicitkit")) -> Ended:
        ended = subprocess.run(
            [sys.executable, *python, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
            start_new_session=True,  # without the terminal of whoever runs the tests
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
        )
        return ended.returncode, ended.stdout, ended.stderr

    return start


@pytest.fixture
def answers(tmp_path: Path) -> Callable[..., str]:
    """Write scripted answers to a file, and give its path."""

    def write(*lines: str) -> str:
        path = tmp_path / "answers.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        return str(path)

    return write

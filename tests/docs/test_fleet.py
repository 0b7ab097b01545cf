"""The compose file is for reference: it parses, and what it starts is there."""

import argparse
import os
import runpy
import shlex
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette

from elicitkit import DocketEngine
from elicitkit.cli import COMMANDS
from elicitkit.cli.loading import server_at
from elicitkit.tasks.working import tasks_of

EXAMPLES = Path(__file__).parents[2] / "examples"
COMPOSE = yaml.safe_load((EXAMPLES / "compose.yaml").read_text(encoding="utf-8"))


def commands(service: str) -> list[list[str]]:
    """What a service runs, one command after the other."""
    words = shlex.split(COMPOSE["services"][service]["command"])
    if words[:2] == ["sh", "-c"]:
        return [shlex.split(one.strip().removeprefix("exec ")) for one in words[2].split("&&")]
    return [words]


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """The module of the example, as a process of the fleet loads it."""
    settings = COMPOSE["services"]["server"]["environment"]
    assert set(settings) == {"STATE_KEY", "ELICITKIT_STORE", "ELICITKIT_DOCKET"}
    monkeypatch.setenv("STATE_KEY", "x" * 32)
    monkeypatch.setenv("ELICITKIT_STORE", str(tmp_path / "tasks.db"))
    monkeypatch.setenv("ELICITKIT_DOCKET", settings["ELICITKIT_DOCKET"])
    return runpy.run_path(str(EXAMPLES / "fleet.py"))


def test_the_compose_file_starts_servers_workers_and_what_they_share() -> None:
    replicas = {name: one.get("deploy", {}).get("replicas", 1) for name, one in COMPOSE["services"].items()}

    assert replicas == {"server": 2, "worker": 3, "proxy": 1, "postgres": 1, "redis": 1}
    for service in COMPOSE["services"].values():
        assert set(service.get("depends_on", ())) <= set(COMPOSE["services"])
    assert COMPOSE["services"]["worker"]["environment"] == COMPOSE["services"]["server"]["environment"]


def test_its_servers_serve_an_app_that_is_there(example: dict[str, Any]) -> None:
    _, serve = commands("server")

    assert serve[:2] == ["uvicorn", "fleet:app"]
    assert shutil.which("uvicorn")
    assert isinstance(example["app"], Starlette)


def test_its_workers_are_started_by_a_command_that_is_there(
    example: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:

    _, (program, name, *arguments) = commands("worker")
    assert program == "elicitkit"
    parser = argparse.ArgumentParser()
    COMMANDS[name].add_arguments(parser)
    given = parser.parse_args(arguments)
    monkeypatch.syspath_prepend(EXAMPLES)

    server = server_at(given.server)
    assert isinstance(server, MCPServer)
    tasks = tasks_of(server)
    assert tasks
    assert isinstance(tasks.engine, DocketEngine)
    assert (tasks.engine.runs_here, tasks.engine.name) == (False, "travel")
    assert given.docket == os.environ["ELICITKIT_DOCKET"]


@pytest.mark.parametrize("service", ["server", "worker"])
def test_what_they_install_are_extras_that_are_there(service: str) -> None:

    install, _ = commands(service)
    wanted = install[-1].removeprefix("elicitkit[").removesuffix("]").split(",")
    project = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text(encoding="utf-8"))

    assert set(wanted) <= set(project["project"]["optional-dependencies"])

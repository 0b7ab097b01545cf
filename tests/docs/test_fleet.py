"""The compose file is for reference: it parses, and what it starts is there."""

import argparse
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
import uvicorn
import yaml
from mcp.server.mcpserver import MCPServer
from redis import Redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry
from starlette.applications import Starlette

from elicitkit import DocketEngine
from elicitkit.cli import COMMANDS
from elicitkit.cli.ending import MARGIN
from elicitkit.cli.servers import server_at
from elicitkit.tasks.runner import GRACE
from elicitkit.tasks.working import tasks_of
from tests.services.ports import free_port
from tests.services.redis_server import needs_redis

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


KEYS = {  # Of the Compose Specification: those that are used, so that a slip of the pen is none of them.
    *("image", "working_dir", "volumes", "environment", "depends_on", "restart", "stop_grace_period", "command"),
    *("deploy", "ports", "healthcheck"),
}


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_has_nothing_that_compose_does_not_know(name: str) -> None:
    service = COMPOSE["services"][name]

    assert set(COMPOSE) - {"x-elicitkit"} == {"services", "volumes"}
    assert set(service) <= KEYS
    assert re.fullmatch(r"[a-z]+:[a-z0-9.-]+", service["image"])
    assert service.get("restart", "no") in {"no", "always", "on-failure", "unless-stopped"}
    assert set(service.get("deploy", ())) <= {"replicas"}
    assert set(service.get("healthcheck", ())) <= {"test", "interval", "retries"}
    for volume in service.get("volumes", ()):
        source, target, *mode = volume.split(":")
        assert source in {".", *COMPOSE["volumes"]}
        assert target.startswith("/")
        assert mode in ([], ["ro"])
    for port in service.get("ports", ()):
        assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port)


def test_whoever_is_waited_for_healthy_has_a_health_to_look_at() -> None:
    for service in COMPOSE["services"].values():
        conditions = service.get("depends_on", {})
        for name, condition in conditions.items() if isinstance(conditions, dict) else ():
            assert condition["condition"] in {"service_healthy", "service_started"}
            if condition["condition"] == "service_healthy":
                assert "healthcheck" in COMPOSE["services"][name]


def test_every_variable_is_given_or_refused_to_be_missing() -> None:
    """A variable without a value would be an empty secret. One that is refused anywhere starts nothing at all."""
    text = (EXAMPLES / "compose.yaml").read_text(encoding="utf-8")
    used = set(re.findall(r"\$\{(\w+)[}:]", text))
    refused = set(re.findall(r"\$\{(\w+):\?[^}]+\}", text))
    told = set(re.findall(r"^#\s+(\w+)=\$|\s(\w+)=\$\(", text, re.MULTILINE))

    assert used == refused == {"STATE_KEY", "POSTGRES_PASSWORD"} == {one for pair in told for one in pair if one}


def test_who_is_to_end_has_time_to() -> None:
    """Docker kills after `stop_grace_period`: by then what runs is given back."""
    for name in ("server", "worker"):
        seconds = int(COMPOSE["services"][name]["stop_grace_period"].removesuffix("s"))
        assert seconds >= GRACE + MARGIN


def test_its_servers_serve_an_app_that_is_there(example: dict[str, Any]) -> None:
    _, (program, *arguments) = commands("server")
    assert program == "uvicorn"
    given = uvicorn.main.make_context(program, arguments).params

    assert (given["app"], given["host"], given["port"]) == ("fleet:app", "0.0.0.0", 8000)  # In a container.
    assert isinstance(example["app"], Starlette)
    assert COMPOSE["services"]["proxy"]["command"].endswith(f"--to server:{given['port']}")
    assert COMPOSE["services"]["proxy"]["ports"][0].endswith(":8080")
    assert "--from :8080" in COMPOSE["services"]["proxy"]["command"]


@needs_redis
def test_its_redis_is_started_by_a_command_that_is_there() -> None:
    ((program, *arguments),) = commands("redis")
    port = free_port()
    with subprocess.Popen([program, *arguments, "--port", str(port), "--bind", "127.0.0.1"], stdout=PIPE) as server:
        try:
            with Redis(port=port, retry=Retry(ConstantBackoff(0.05), 100)) as redis:
                assert redis.config_get("save") == {"save": ""}
                assert redis.config_get("appendonly") == {"appendonly": "no"}
        finally:
            server.kill()


@pytest.mark.skipif(shutil.which("pg_isready") is None, reason="missing here: pg_isready, which comes with PostgreSQL")
def test_its_database_is_looked_at_by_a_command_that_is_there() -> None:
    """0 is for one that answers, 2 for none; 3 for arguments that are wrong."""
    look = shlex.split(COMPOSE["services"]["postgres"]["healthcheck"]["test"])

    assert subprocess.run([*look, "-h", "127.0.0.1", "-p", "1"], check=False, capture_output=True).returncode == 2
    assert look[look.index("-U") + 1] == COMPOSE["services"]["postgres"]["environment"]["POSTGRES_USER"]


@pytest.mark.parametrize("service", ["server", "worker"])
def test_what_they_install_is_installed_by_a_command_that_is_there(service: str) -> None:
    install, _ = commands(service)
    command = [sys.executable, "-m", *install[:-1], "--dry-run", "--no-index", "--no-deps", "pip"]

    assert install[:2] == ["pip", "install"]
    assert subprocess.run(command, check=False, capture_output=True, timeout=60).returncode == 0


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

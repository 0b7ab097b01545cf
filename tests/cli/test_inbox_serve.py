"""`elicitkit inbox serve`: pages for people and an API for programs, on the store of a host in another process."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx2
import pytest

from elicitkit import Inbox, SqliteInboxStore
from elicitkit.cli import Exit
from tests.host.hosting import ROOT, process
from tests.host.inbox.questions import first_open, sizes

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

TOKEN = "a-token-that-nobody-can-guess"
LIMIT = 120


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def serving(*arguments: str, token: str = TOKEN, **streams: int) -> AsyncIterator[tuple[Process, str]]:
    """The command in a process of its own, and the address it serves at."""
    command = [sys.executable, "-m", "elicitkit", "inbox", "serve", *arguments, "--port", "0"]
    environment = {**os.environ, "ELICITKIT_INBOX_TOKEN": token}
    started = await asyncio.create_subprocess_exec(*command, stdout=PIPE, cwd=ROOT, env=environment, **streams)
    try:
        assert started.stdout is not None
        with anyio.fail_after(LIMIT):
            link = (await started.stdout.readline()).decode().strip()
            assert link.endswith(f"/?token={token}")
            yield started, link.partition("/?")[0]
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


def client_of(address: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=f"{address}/api", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=LIMIT)


async def test_a_tool_goes_on_with_an_answer_given_over_http(tmp_path: Path) -> None:
    """Issue 9, point 4: a host, and whoever answers over the small JSON API, each in a process of its own."""
    path = str(tmp_path / "inbox.db")
    async with serving(path) as (_, address), client_of(address) as client:
        host = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.host.inbox.host", "call", path, json.dumps(process()), "greet"),
            cwd=ROOT,
            stdout=PIPE,
        )
        async with Inbox(SqliteInboxStore(path, busy_timeout=30)) as inbox:
            await first_open(inbox)
        (question,) = (await client.get("/questions")).json()["questions"]
        answered = await client.post(f"/questions/{question['id']}/answer", json={"content": {"name": "Ada"}})

        assert answered.status_code == 200
        assert (question["from"], question["prompt"]) == (
            {"host": "agent", "server": "a", "tool": "greet"},
            "Who is there?",
        )
        assert (await host.communicate())[0].decode().strip() == "Hello, Ada!"


async def test_a_question_of_another_process_ends_a_long_poll(tmp_path: Path) -> None:
    async with (
        Inbox(SqliteInboxStore(tmp_path / "inbox.db", busy_timeout=30)) as inbox,
        serving(str(tmp_path / "inbox.db")) as (_, address),
        client_of(address) as client,
    ):
        entry = await inbox.ask(sizes())
        polling = asyncio.create_task(client.get(f"/questions/{entry.id}", params={"wait": 60}))

        await inbox.decline(entry.id, by="ada")

        assert (await polling).json()["closedBy"] == "ada"


async def test_pages_need_the_link_and_the_name_of_this_machine(tmp_path: Path) -> None:
    async with serving(str(tmp_path / "inbox.db")) as (_, address), httpx2.AsyncClient(timeout=LIMIT) as browser:
        assert (await browser.get(address)).status_code in (401, 403)
        assert (await browser.get(address, headers={"Host": "evil.example"})).status_code == 421
        welcome = await browser.get(f"{address}/?token={TOKEN}", follow_redirects=True)

    assert welcome.status_code == 200
    assert TOKEN not in welcome.text


async def test_it_ends_when_it_is_interrupted(tmp_path: Path) -> None:
    async with serving(str(tmp_path / "inbox.db")) as (started, _):
        started.send_signal(signal.SIGINT)
        assert await started.wait() == Exit.INTERRUPTED


@pytest.mark.parametrize(
    ("arguments", "told"), [(["--port", "70000"], "from 0 to 65535"), (["--host", "256.0.0.1"], "cannot be served")]
)
def test_where_it_cannot_be_served_it_says_so(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, arguments: list[str], told: str
) -> None:
    code, out, err = run("inbox", "serve", str(tmp_path / "inbox.db"), *arguments)

    assert (code, out) == (Exit.USAGE, "")
    assert told in err


def test_a_token_that_somebody_guesses_is_refused(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELICITKIT_INBOX_TOKEN", "short")

    code, out, err = run("inbox", "serve", str(tmp_path / "inbox.db"), "--port", "0")

    assert (code, out) == (Exit.USAGE, "")
    assert "16 characters" in err


async def test_who_serves_beyond_this_machine_is_told_what_that_takes(tmp_path: Path) -> None:
    """Design, section 10: loopback unless told otherwise."""
    async with serving(str(tmp_path / "inbox.db"), "--host", "0.0.0.0", stderr=PIPE) as (server, _):
        assert server.stderr is not None
        told = (await server.stderr.readline()).decode()
        link = (await server.stderr.readline()).decode()

    assert "without encryption" in told
    assert "--allow-host" in told
    assert "as long as its token is the same" in link

"""Several processes on one file: hosts that wait, die and come back; people who answer elsewhere; the first wins."""

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from elicitkit import Inbox, SqliteInboxStore
from elicitkit.testing import Clock
from tests.host.hosting import ROOT, process
from tests.host.inbox.questions import first_open, open_count, sizes

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

LIMIT = 120


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inbox.db"


@pytest.fixture
async def inbox(path: Path) -> AsyncIterator[Inbox]:
    """The inbox of whoever answers."""
    with anyio.fail_after(LIMIT):
        async with Inbox(SqliteInboxStore(path, busy_timeout=30)) as made:
            yield made


@asynccontextmanager
async def running(what: str, path: Path, *arguments: str) -> AsyncIterator[Process]:
    """A process that does *what* on a file; see `host`. It is killed at the end of the block."""
    command = [sys.executable, "-m", "tests.host.inbox.host", what, str(path), *arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=PIPE, stdout=PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def printed(process: Process) -> str:
    """All that it prints, to its end."""
    assert process.stdout is not None
    return (await process.stdout.read()).decode().strip()


async def elicitkit(*arguments: str) -> int:
    """Run the command in a process of its own, and give its exit code."""
    command = [sys.executable, "-m", "elicitkit", *arguments]
    started = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    await started.communicate()
    assert started.returncode is not None
    return started.returncode


# --- a host and somebody else -----------------------------------------------------------------------------------------


async def test_an_answer_of_another_process_reaches_the_host(inbox: Inbox, path: Path) -> None:
    async with running("wait", path, "r1") as host:
        entry = await first_open(inbox)
        assert (entry.host, entry.request) == ("agent", sizes("r1"))

        await inbox.accept(entry.id, {"size": "M"}, by="ada")

        assert json.loads(await printed(host)) == {"id": "r1", "ok": True, "data": {"size": "M"}}


async def test_a_host_that_was_killed_finds_the_answer_given_meanwhile(inbox: Inbox, path: Path) -> None:
    async with running("wait", path, "r1") as host:
        entry = await first_open(inbox)
        host.kill()
        await host.wait()
    assert (await inbox.get(entry.id)).is_open, "the question outlives its host"
    await inbox.accept(entry.id, {"size": "L"}, by="ada")

    async with running("wait", path, "r1") as host:
        assert json.loads(await printed(host))["data"] == {"size": "L"}

    assert (await inbox.get(entry.id)).is_collected
    assert await open_count(inbox) == 0


async def test_a_host_that_was_killed_and_comes_back_asks_nothing_twice(inbox: Inbox, path: Path) -> None:
    async with running("wait", path, "r1") as host:
        entry = await first_open(inbox)
        host.kill()
        await host.wait()
    changed = asyncio.Event()
    inbox.subscribe(lambda _: changed.set())

    async with running("wait", path, "r1") as host:
        await changed.wait()
        assert [one.id for one in (await inbox.open()).entries] == [entry.id]
        await inbox.accept(entry.id, {"size": "L"})
        assert json.loads(await printed(host))["data"] == {"size": "L"}


async def test_what_was_collected_is_not_given_to_the_next_who_asks(inbox: Inbox, path: Path) -> None:
    """An approval is for one run: the next asks anew, by the same id as well."""
    for size in ("S", "M"):
        async with running("wait", path, "r1") as host:
            await inbox.accept((await first_open(inbox)).id, {"size": size})
            assert json.loads(await printed(host))["data"] == {"size": size}


async def test_a_host_that_is_interrupted_withdraws_its_question(inbox: Inbox, path: Path) -> None:
    async with running("wait", path, "r1") as host:
        entry = await first_open(inbox)

        host.send_signal(signal.SIGINT)
        await host.wait()

    assert (await inbox.get(entry.id)).state == "withdrawn"


async def test_the_questions_of_a_dead_host_are_marked_and_then_withdrawn(path: Path) -> None:
    clock = Clock()
    async with running("wait", path, "r1") as host, Inbox(SqliteInboxStore(path, busy_timeout=30)) as inbox:
        with anyio.fail_after(LIMIT):
            entry = await first_open(inbox)
            host.kill()
            await host.wait()
    assert entry.waited_until is not None
    clock.now = entry.waited_until.timestamp()

    async with SqliteInboxStore(path, clock=clock) as store:
        assert entry.is_open
        assert not entry.is_waited_for(entry.waited_until)
        clock.advance(600)
        await store.sweep()
        assert (await store.get(entry.id)).entry.reason == "abandoned"


async def test_the_first_answer_wins_among_processes(inbox: Inbox, path: Path) -> None:
    ids = [(await inbox.ask(sizes(f"r{number}"))).id for number in range(50)]
    async with (
        running("answer", path, "ada", ",".join(ids)) as ada,
        running("answer", path, "bob", ",".join(ids)) as bob,
    ):
        for one in (ada, bob):
            assert one.stdout is not None
            assert await one.stdout.readline() == b"ready\n"
        for one in (ada, bob):
            one.stdin.write(b"go\n")  # type: ignore[union-attr]  # it has one
        won = {"ada": (await printed(ada)).split(), "bob": (await printed(bob)).split()}

    assert sorted([*won["ada"], *won["bob"]]) == sorted(ids)
    for name, theirs in won.items():
        for id in theirs:
            entry, answer = await inbox.get(id), await inbox.answer_to(id)
            assert (entry.closed_by, answer) == (name, entry.request.accept({"size": name}))


# --- end to end: a host, a server of its own, and the command ---------------------------------------------------------


async def test_a_tool_goes_on_with_an_answer_given_by_the_command(inbox: Inbox, path: Path) -> None:
    """Issue 9, point 4: `inbox.wait_for` for a host, answered by `elicitkit inbox answer`."""
    async with running("call", path, json.dumps(process()), "greet") as host:
        entry = await first_open(inbox)
        assert (entry.origin.server, entry.origin.tool, entry.request.prompt) == ("a", "greet", "Who is there?")

        assert await elicitkit("inbox", "answer", str(path), entry.id, "--accept", '{"name": "A"}') == 2
        assert await elicitkit("inbox", "answer", str(path), entry.id, "--accept", '{"name": "Ada"}') == 0
        assert await elicitkit("inbox", "answer", str(path), entry.id, "--decline") == 6

        assert await printed(host) == "Hello, Ada!"


async def test_a_call_that_was_put_aside_goes_on_in_another_process(inbox: Inbox, path: Path, tmp_path: Path) -> None:
    """Design, section 9: `suspend=True`; each question goes into the inbox, and each process ends."""
    server = json.dumps(process(KEYS="k" * 32, EFFECTS=str(tmp_path / "effects")))
    async with running("suspend", path, server, "order") as host:
        first = await printed(host)
    await inbox.accept(first, {"size": "M"}, by="ada")
    async with running("resume", path, server) as host:
        second = await printed(host)
    assert (await inbox.get(second)).request.prompt == "Who wants the M?"
    await inbox.accept(second, {"name": "Ada"})

    async with running("resume", path, server) as host, running("resume", path, server) as twin:
        ended = sorted([await printed(host), await printed(twin)])

    assert ended == ["", "M for Ada"], "one of them took it"
    assert await inbox.ready() == []

"""`elicitkit worker`: a process that runs the tasks of a server, and serves nobody (issue 8, 3)."""

import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from elicitkit import DocketEngine, SqliteTaskStore, Tasks
from elicitkit.cli import worker
from tests.cli.conftest import Ended
from tests.cli.fleet_shop import block, order, stay, stay_in_a_thread
from tests.roads.apart import ROOT, environment
from tests.services.redis_server import RedisServer, needs_redis, redis_server
from tests.tasks.desk import Desk, desk, server

SHOP = "tests.cli.fleet_shop"
NOWHERE = "redis://me:secret@127.0.0.1:1/0"


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Callable[..., Ended]) -> Callable[..., str]:
    """Run a worker that cannot start, and give the one line that it says, and its exit code."""
    monkeypatch.setattr(worker, "_log_to_standard_error", lambda **_: None)
    monkeypatch.chdir(tmp_path)

    def refuse(*arguments: str, code: int = 2) -> str:
        ended, out, err = run("worker", *arguments)
        assert (ended, out, err.count("\n")) == (code, "", 1)
        return err

    return refuse


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("shop", "a server is named as module:name, as in shop:mcp or shop.py:mcp, not 'shop'"),
        ("shop.py:mcp", "there is no file shop.py"),
        ("no_such_shop:mcp", "there is no module no_such_shop"),
        ("tests.no_such_shop:mcp", "there is no module tests.no_such_shop"),
        (f"{SHOP}:mcpp", f"{SHOP} has no 'mcpp'; it has 'mcp', 'plain'"),
        (f"{SHOP}:number", "is no MCPServer of the SDK, which alone has tasks, but int"),
        (f"{SHOP}:fast", "is no MCPServer of the SDK, which alone has tasks, but a FastMCP of fastmcp"),
        (f"{SHOP}:plain", "The server 'plain' has no tasks"),
        (f"{SHOP}:without_lifespan", "Tasks need their lifespan"),
        (f"{SHOP}:in_memory", "a store in memory is that of one process: give --store one that all have"),
        (f"{SHOP}:broken", "the server cannot be started: KeyError: 'SETTING' (--debug"),
        (f"{SHOP}:picky", "tasks were chosen for tools that the server does not have: nothing"),
    ],
)
def test_what_is_no_server_with_tasks_is_said_in_one_line(refused: Callable[..., str], place: str, told: str) -> None:
    assert told in refused(place, "--docket", NOWHERE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import no_such_thing", "cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("raise KeyError('SHOP')", "cannot be imported: KeyError: 'SHOP'"),
        ("def", "cannot be imported: SyntaxError"),
    ],
)
def test_a_module_that_fails_is_told_from_one_that_is_not_there(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    (tmp_path / "failing_shop.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    assert told in refused("failing_shop:mcp", "--docket", NOWHERE)


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ([], 2, "where is Redis? Say it with --docket, or give the server's Tasks a DocketEngine"),
        (["--docket", "localhost"], 2, "the address of Redis begins with redis://"),
        (["--docket", NOWHERE, "--concurrency", "0"], 2, "--concurrency is a whole number from 1 on, not 0"),
        (["--docket", NOWHERE, "--concurrency", "-3"], 2, "--concurrency is a whole number from 1 on, not -3"),
        (["--docket", NOWHERE, "--store", "redis://there"], 2, "there are no stores of tasks at redis: addresses"),
        (["--docket", NOWHERE, "--store", "missing/folder/tasks.db"], 3, "There is no file of tasks at"),
        (["--docket", NOWHERE, "--store", "nope.db"], 3, "There is no file of tasks at"),
        (["--docket", NOWHERE, "--store", "postgres@localhost"], 2, "begins with postgresql://"),
        (["--docket", NOWHERE], 3, "There is no file of tasks at"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_taken_or_made(
    refused: Callable[..., str], tmp_path: Path, options: list[str], code: int, told: str
) -> None:
    """A worker that made the store it was to find would wait for ever."""
    assert told in refused(f"{SHOP}:mcp", *options, code=code)
    assert list(tmp_path.iterdir()) == []


# --- in a process of its own ------------------------------------------------------------------------------------------


@asynccontextmanager
async def started(
    folder: Path, *options: str, **variables: str
) -> AsyncIterator[tuple[Process, BufferedByteReceiveStream]]:
    """A worker that has said that it takes tasks, with what it says from then on."""
    command = [sys.executable, "-m", "elicitkit", "worker", f"{SHOP}:mcp", *options]
    variables = {**environment(), "SHOP_TASKS": str(folder / "tasks.db"), **variables}
    process = await anyio.open_process(command, cwd=ROOT, env=variables)
    try:
        assert process.stderr
        said = BufferedByteReceiveStream(process.stderr)
        with anyio.fail_after(30):
            first = (await said.receive_until(b"\n", 1_000)).decode()
        assert "a worker of 'shop' takes tasks from redis://127.0.0.1" in first
        assert first.rpartition("; they are kept in ")[2].strip().endswith("tasks.db")
        yield process, said
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.kill()
            await process.aclose()


@asynccontextmanager
async def shop(folder: Path, redis: RedisServer) -> AsyncIterator[Desk]:
    """A client of a server that leaves its tools to workers."""
    engine = DocketEngine(redis.url, runs_here=False, look=30)
    tasks = Tasks(SqliteTaskStore(folder / "tasks.db"), engine=engine, lease=30)
    mcp = server(tasks)
    mcp.tool()(tasks.task()(order))
    for tool in (stay, stay_in_a_thread, block):
        mcp.tool()(tasks.task()(tool))
    async with desk(mcp, tasks, seconds=60) as at:
        yield at


@needs_redis
@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
async def test_a_worker_that_is_to_end_gives_back_what_it_has(tmp_path: Path, ending: signal.Signals) -> None:
    async with redis_server(tmp_path) as redis, shop(tmp_path, redis) as at:
        async with started(tmp_path, "--docket", redis.url, "--concurrency", "2") as (first, said):
            task_id = await at.start("order")
            key = await at.key(task_id)
            first.send_signal(ending)
            with anyio.fail_after(10):
                assert await first.wait() == 0
            assert b"the worker gives back what runs" in await said.receive_until(b"\n", 1_000)
        async with started(tmp_path, "--docket", redis.url) as (second, _):
            assert await at.key(task_id) == key
            await at.answer(task_id, size="M")

            assert await at.said(task_id) == f"{second.pid} M"


@needs_redis
@pytest.mark.slow
@pytest.mark.anyio
async def test_a_second_signal_ends_a_worker_whose_tool_does_not(tmp_path: Path) -> None:
    async with (
        redis_server(tmp_path) as redis,
        shop(tmp_path, redis) as at,
        started(tmp_path, "--docket", redis.url) as (worker, said),
    ):
        task_id = await at.start("stay")
        await at.when(task_id, lambda record: record.status_message == "staying")
        worker.send_signal(signal.SIGTERM)
        with anyio.fail_after(10):
            assert b"the worker gives back what runs" in await said.receive_until(b"\n", 1_000)
        worker.send_signal(signal.SIGINT)
        with anyio.fail_after(5):
            assert await worker.wait() == -signal.SIGINT


@needs_redis
@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "left"),
    [("stay", "the tool of the task {}, which others have"), ("stay_in_a_thread", "a thread that a tool began")],
)
async def test_one_signal_ends_a_worker_whose_tool_does_not_and_others_have_its_task(
    tmp_path: Path, tool: str, left: str
) -> None:
    """Issue 8: a shutdown has an end, and says what it left behind."""
    async with (
        redis_server(tmp_path) as redis,
        shop(tmp_path, redis) as at,
        started(tmp_path, "--docket", redis.url, "--grace", "0.6") as (worker, said),
    ):
        task_id = await at.start(tool)
        await at.when(task_id, lambda record: record.status_message == "staying")
        worker.send_signal(signal.SIGTERM)
        with anyio.fail_after(12):
            assert await worker.wait() == 0
            lines = b""
            with suppress(anyio.EndOfStream):
                while True:
                    lines += await said.receive()

        assert f"the worker has ended, but for {left.format(task_id[:8])}" in lines.decode()
        async with started(tmp_path, "--docket", redis.url):
            await at.when(task_id, lambda record: record.fence > 1 and record.worker is not None)


@needs_redis
@pytest.mark.slow
@pytest.mark.anyio
async def test_one_signal_ends_a_worker_whose_event_loop_is_blocked(tmp_path: Path) -> None:
    """Nothing can be given back then; the claim runs out."""
    async with (
        redis_server(tmp_path) as redis,
        shop(tmp_path, redis) as at,
        started(tmp_path, "--docket", redis.url, "--grace", "0.1", SHOP_MARGIN="0.5") as (worker, said),
    ):
        task_id = await at.start("block")
        await at.when(task_id, lambda record: record.status_message == "blocking")
        worker.send_signal(signal.SIGTERM)
        with anyio.fail_after(12):
            assert await worker.wait() == 1
            assert b"could not end in good order" in await said.receive_until(b"\n", 2_000)


@pytest.mark.parametrize("grace", ["0", "-1", "inf", "nan"])
def test_a_grace_that_is_none_is_wrong_usage(refused: Callable[..., str], grace: str) -> None:
    assert "--grace is a positive number of seconds" in refused(
        f"{SHOP}:mcp", "--docket", "memory://", "--grace", grace
    )


@needs_redis
@pytest.mark.slow
@pytest.mark.anyio
async def test_the_store_on_the_command_line_stands_in_for_the_servers(tmp_path: Path) -> None:
    async with redis_server(tmp_path) as redis, shop(tmp_path, redis) as at:
        store = f"sqlite:///{tmp_path / 'tasks.db'}"
        (tmp_path / "elsewhere").mkdir()
        async with started(tmp_path / "elsewhere", "--docket", redis.url, "--store", store) as (worker, _):
            task_id = await at.start("order")
            await at.answer(task_id, size="M")

            assert await at.said(task_id) == f"{worker.pid} M"

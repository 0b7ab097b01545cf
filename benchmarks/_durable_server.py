"""The processes of benchmarks/durable.py.

`serve FILE` is a server with tasks in a file, over HTTP, whose principals are named by a header; it prints its address
when it is ready. `answer FILE` settles the question that each line of its input names, `TASK KEY`, and prints when it
began to. Both end with their input. Moments are `time.monotonic()`, which all processes of one machine share.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import time
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, FormElicitation, SqliteTaskStore, Tasks, elicit
from elicitkit.tasks.answers import judge

PRINCIPAL = "x-principal"
ANSWER = {"action": "accept", "content": {"fullName": "Ada Lovelace"}}
FORM = FormElicitation.create("Where should we send it?").string("full_name").required().email("email").build()


def principal(ctx: Any) -> str | None:
    return None if ctx.request is None else str(ctx.request.headers[PRINCIPAL])


def made(store: SqliteTaskStore) -> MCPServer[Any]:
    """A server with a tool that asks, and gives when it went on; and one that tells how often the first has run."""
    tasks, runs = Tasks(store, principal=principal), 0
    kept: Any = {"extensions": [tasks], "lifespan": tasks.lifespan()}
    mcp: MCPServer[Any] = MCPServer("durable", middleware=[Elicitation()], **kept)

    @mcp.tool(structured_output=False)
    @tasks.task()
    async def ask(cart: str, ctx: Context) -> str:
        nonlocal runs
        runs += 1
        outcome = await elicit(ctx, FORM)
        return str(time.monotonic() if outcome else outcome.reason)

    @mcp.tool(structured_output=False)
    async def counted() -> str:
        return json.dumps({"runs": runs, "live": tasks._runner.live})

    return mcp


async def serve(path: str) -> None:
    app = made(SqliteTaskStore(path)).streamable_http_app(json_response=True)
    with socket.socket() as listener:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)  # Else each answer waits for 40 ms.
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110  # it tells nobody
            await asyncio.sleep(0.001)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving


async def answer(path: str) -> None:
    async with SqliteTaskStore(path) as store:
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            task_id, key = line.split()
            asked = (await store.history(task_id)).latest(key)
            assert asked is not None
            began = time.monotonic()
            await store.settle(task_id, [judge(asked, ANSWER)])
            print(began, flush=True)


if __name__ == "__main__":
    logging.disable(logging.INFO)
    asyncio.run({"serve": serve, "answer": answer}[sys.argv[1]](sys.argv[2]))

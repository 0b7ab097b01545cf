"""The other side of `test_fastmcp_tasks.py`: run by a Python that has `fastmcp[tasks]`, and knows nothing of elicitkit.

`drive` calls tools of a server with FastMCP's client: a job comes on standard input, and what each call came to goes to
standard output, both JSON. `serve` is a server on FastMCP's tasks; it prints its address, and serves until it is ended.
"""

import asyncio
import functools
import json
import socket
import sys
from datetime import timedelta
from typing import Any

import mcp_types
import uvicorn
from fastmcp import Client, Context, FastMCP
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from fastmcp.utilities.tasks import TaskConfig
from fastmcp_tasks import TasksExtension, call_tool_task, client_models
from mcp.shared.exceptions import MCPError

# --- drive ------------------------------------------------------------------------------------------------------------


class Person:
    """Gives answers in their order: an action, or the content of what is accepted."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked: list[str] = []

    async def __call__(self, message: str, response_type: Any, params: Any, context: Any) -> ElicitResult:
        self.asked.append(message)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return ElicitResult(action=answer)
        return ElicitResult(action="accept", content=answer)


async def drive(job: dict[str, Any]) -> list[dict[str, Any]]:
    if job.get("names_the_task"):
        for request in (client_models.GetTaskRequest, client_models.UpdateTaskRequest, client_models.CancelTaskRequest):
            request.name_param = "taskId"
    person = Person()
    where = job["url"] if "url" in job else StdioTransport(job["command"][0], job["command"][1:], env=job["env"])
    found = []
    async with Client(where, elicitation_handler=person) as client:
        for call in job["calls"]:
            person.answers, person.asked = call.get("answers", []), []
            outcome = await (cancelled if call.get("cancels") else called)(client, call["tool"])
            found.append({**outcome, "asked": person.asked, "unused": person.answers})
    return found


async def called(client: Client, tool: str) -> dict[str, Any]:
    try:
        result = await client.call_tool(tool, raise_on_error=False)
    except MCPError as error:
        return {"code": error.error.code, "text": error.error.message}
    return {"is_error": result.is_error, "text": result.content[0].text, "structured": result.structured_content}


async def cancelled(client: Client, tool: str) -> dict[str, Any]:
    """Call a tool as a task, cancel that when it asks, and tell its status before and after."""
    task = await call_tool_task(client, tool)
    before = await task.wait(state="input_required", timeout=10)
    await task.cancel()
    after = await task.wait(timeout=10)
    return {"statuses": [before.status, after.status], "task_id": task.task_id}


# --- serve ------------------------------------------------------------------------------------------------------------


def asking(key: str) -> mcp_types.InputRequiredResult:
    schema = {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
    params = mcp_types.ElicitRequestFormParams(message=f"{key}?", requested_schema=schema)
    return mcp_types.InputRequiredResult(input_requests={key: mcp_types.ElicitRequest(params=params)})


async def order(ctx: Context) -> str | mcp_types.InputRequiredResult:
    """Two forms, one after the other, as FastMCP's tasks ask: the tool returns the question, and is run again."""
    answers = ctx.input_responses or {}
    if "colour" in answers:
        size, colour = json.loads(ctx.request_state or "null"), answers["colour"]
        return f"{size} {colour.content['colour'] if colour.action == 'accept' else colour.action}"
    if "size" not in answers:
        return asking("size")
    if answers["size"].action != "accept":
        return answers["size"].action
    return asking("colour").model_copy(update={"request_state": json.dumps(answers["size"].content["size"])})


async def parcel(ctx: Context) -> str | mcp_types.InputRequiredResult:
    """Two forms at once."""
    answers = ctx.input_responses or {}
    if not answers:
        requests = {**asking("street").input_requests, **asking("city").input_requests}
        return mcp_types.InputRequiredResult(input_requests=requests)
    return f"{answers['street'].content['street']}, {answers['city'].content['city']}"


async def compute() -> str:
    """Works until it is let go."""
    await released().wait()
    released().clear()
    return "computed"


async def release() -> None:
    released().set()


@functools.cache
def released() -> asyncio.Event:
    return asyncio.Event()


async def elicits(ctx: Context) -> str:
    result = await ctx.elicit("size?", str)
    return result.action


async def refuses() -> str:
    raise ToolError("closed today")


async def fails() -> str:
    raise MCPError(code=-32099, message="no such shop", data={"until": "Monday"})


async def serve() -> None:
    mcp = FastMCP("theirs")
    mcp.add_extension(TasksExtension(url="memory://", minimum_check_interval=timedelta(milliseconds=10)))
    task = TaskConfig(mode="required", poll_interval=timedelta(milliseconds=50))
    for tool in (order, parcel, compute, elicits, refuses, fails):
        mcp.tool(task=task)(tool)
    mcp.tool(release)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # From here on who connects waits, and is not refused.
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        await uvicorn.Server(uvicorn.Config(mcp.http_app(), log_level="error")).serve([listener])


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve())
    else:
        json.dump(asyncio.run(drive(json.load(sys.stdin))), sys.stdout)

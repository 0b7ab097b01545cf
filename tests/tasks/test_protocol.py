"""What travels, and every error code of the Tasks extension, in memory; over HTTP see `test_over_http.py`."""

import json
from datetime import datetime
from functools import cache
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_REQUIRED_CLIENT_CAPABILITY, Request, RequestParams

from elicitkit import MemoryTaskStore, Tasks, elicit
from elicitkit.tasks.messages import CancelTask, GetTask, TaskParams, UpdateParams, UpdateTask
from tests import eras
from tests.specification import FOLDER
from tests.tasks.desk import Raw, accept, desk, form, server

pytestmark = pytest.mark.anyio

SCHEMA = FOLDER / "ext-tasks.schema.json"
UNKNOWN = "0" * 32
needs_schema = pytest.mark.skipif(
    not SCHEMA.is_file(), reason="missing here: needs the schema of the Tasks extension in ../shared/spec"
)


@cache
def validator(definition: str) -> Any:
    document = json.loads(SCHEMA.read_text())
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": document["$defs"]}, offline=True)


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1_785_240_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tasks(clock: Clock) -> Tasks:
    return Tasks(MemoryTaskStore(clock=clock), ttl=60, poll_interval=2)


@pytest.fixture
def mcp(tasks: Tasks) -> MCPServer[Any]:
    mcp = server(tasks)
    for tool in (order, fail, refuse, walk):
        mcp.tool()(tasks.task()(tool))
    return mcp


async def order(ctx: Context) -> str:
    outcome = await elicit(ctx, form())
    return outcome.content["size"] if outcome else "nothing"


async def fail(ctx: Context) -> str:
    await elicit(ctx, form())
    raise ToolError("sold out")


async def refuse(ctx: Context) -> str:
    raise MCPError(code=-32099, message="closed today", data={"until": "Monday"})


async def walk(ctx: Context) -> str:
    await ctx.report_progress(1, 2, "half way")
    await elicit(ctx, form())
    await ctx.report_progress(2, 2)
    return "there"


# --- results ----------------------------------------------------------------------------------------------------------


@needs_schema
async def test_every_reply_is_what_the_schema_of_the_extension_allows(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with desk(mcp, tasks) as at:
        for tool in ("order", "fail", "refuse", "walk"):
            created = await at.send(tool)
            assert validator("CreateTaskResult").is_valid(created), created
            task_id = created["taskId"]
            if tool != "refuse":
                assert validator("GetTaskResult").is_valid(
                    asked := await at.when(task_id, lambda one: one.inputs != {})
                )
                assert validator("InputRequiredTask").is_valid(asked)
                assert validator("UpdateTaskResult").is_valid(await at.update(task_id, **answers_to(asked)))
            assert validator("CancelTaskResult").is_valid(await at.cancel(task_id))
            assert validator("GetTaskResult").is_valid(await at.ended(task_id))


def answers_to(task: dict[str, Any]) -> dict[str, Any]:
    return {key: accept(size="XL") for key in task["inputRequests"]}


async def test_a_task_can_be_read_as_soon_as_its_id_is_known(mcp: MCPServer[Any], tasks: Tasks) -> None:
    """Tasks extension, "Task Creation": durable before the result is sent."""
    async with desk(mcp, tasks) as at:
        created = await at.send("order")

        assert created["status"] == "working"
        assert not created.keys() & {"result", "error", "inputRequests", "requestState"}
        assert (await at.get(created["taskId"]))["createdAt"] == created["createdAt"]


async def test_a_tool_that_fails_after_an_answer_has_completed(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with desk(mcp, tasks) as at:
        task_id = await at.start("fail")
        await at.answer(task_id, size="XL")

        assert await at.said(task_id) == "error: Error executing tool fail: sold out"


async def test_an_error_of_the_protocol_is_a_failed_task(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with desk(mcp, tasks) as at:
        ended = await at.ended(await at.start("refuse"))

    assert ended["status"] == "failed"
    assert ended["error"] == {"code": -32099, "message": "closed today", "data": {"until": "Monday"}}
    assert ended["statusMessage"] == "closed today"


async def test_a_result_is_what_a_plain_call_would_have_given(mcp: MCPServer[Any], tasks: Tasks) -> None:
    mcp.tool(name="plain")(figures)
    mcp.tool()(tasks.task()(figures))

    async with desk(mcp, tasks) as at:
        plain = await at.send("plain")
        parked = (await at.ended(await at.start("figures")))["result"]

    assert {key: plain[key] for key in plain if key != "_meta"} == {"resultType": "complete", **parked}


async def figures() -> dict[str, Any]:
    return {"one": 1, "two": [2.5, None, "ä"]}


async def test_progress_is_the_status_message(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with desk(mcp, tasks) as at:
        task_id = await at.start("walk")
        assert (await at.when(task_id, lambda one: one.inputs != {}))["statusMessage"] == "half way"
        await at.answer(task_id, size="XL")

        assert (await at.ended(task_id))["statusMessage"] == "2 of 2"


async def test_the_poll_interval_is_told(mcp: MCPServer[Any], tasks: Tasks) -> None:
    async with desk(mcp, tasks) as at:
        assert (await at.send("order"))["pollIntervalMs"] == 2000


async def test_a_task_is_there_for_all_of_the_ttl_that_it_stated(
    mcp: MCPServer[Any], tasks: Tasks, clock: Clock
) -> None:
    async with desk(mcp, tasks) as at:
        task_id = await at.start("order")
        await at.answer(task_id, size="XL")
        ended = await at.ended(task_id)
        created = datetime.fromisoformat(ended["createdAt"]).timestamp()
        clock.now = created + ended["ttlMs"] / 1000 - 0.001
        assert await at.said(task_id) == "XL"
        clock.now = created + ended["ttlMs"] / 1000 + 0.001

        with pytest.raises(MCPError) as caught:
            await at.get(task_id)
    assert caught.value.error.code == INVALID_PARAMS


async def test_the_ttl_grows_while_a_person_is_expected(mcp: MCPServer[Any], tasks: Tasks, clock: Clock) -> None:
    async with desk(mcp, tasks) as at:
        created = await at.send("order")
        asked = await at.when(created["taskId"], lambda one: one.inputs != {})

    assert created["ttlMs"] == 60_000
    assert asked["ttlMs"] == 60_000 + round(tasks.store.max_wait * 1000)


# --- errors -----------------------------------------------------------------------------------------------------------


async def test_unknown_and_expired_ids_are_the_same_bytes_on_every_method(
    mcp: MCPServer[Any], tasks: Tasks, clock: Clock
) -> None:
    """Tasks extension, "Security": nobody learns which ids exist."""
    async with desk(mcp, tasks) as at:
        expired = await at.start("refuse")
        await at.ended(expired)
        clock.now += 3600
        errors = {
            json.dumps((await error_of(at.client, request(task_id))).model_dump())
            for task_id in (expired, UNKNOWN, "", "'; drop table tasks", "ä" * 5000)
            for request in REQUESTS
        }

    assert [json.loads(one)["code"] for one in errors] == [INVALID_PARAMS]


@pytest.mark.parametrize("task_id", ["known", UNKNOWN])
async def test_without_the_extension_declared_no_request_looks_at_the_id(
    mcp: MCPServer[Any], tasks: Tasks, task_id: str
) -> None:
    async with desk(mcp, tasks) as at, eras.connected(mcp, "2026-07-28") as stranger:
        known = await at.start("order")
        errors = [await error_of(stranger, request(known if task_id == "known" else task_id)) for request in REQUESTS]

    assert {error.code for error in errors} == {MISSING_REQUIRED_CLIENT_CAPABILITY}
    assert all("extensions" in error.data["requiredCapabilities"] for error in errors)


@pytest.mark.parametrize("params", [{}, {"taskId": 7}, {"taskId": UNKNOWN, "inputResponses": 7}], ids=str)
@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_without_the_extension_declared_that_is_said_first_whatever_else_is_wrong(
    mcp: MCPServer[Any], tasks: Tasks, method: str, params: dict[str, Any]
) -> None:
    """Tasks extension, "Negotiation": -32021 before anything else is looked at."""

    class Malformed(Request[dict[str, Any], str]):
        pass

    async with desk(mcp, tasks) as at, eras.connected(mcp, "2026-07-28") as stranger:
        undeclared = await error_of(stranger, Malformed(method=method, params=params))
        declared = await error_of(at.client, Malformed(method=method, params=params))

    assert undeclared.code == MISSING_REQUIRED_CLIENT_CAPABILITY == -32021
    assert declared.code == INVALID_PARAMS


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
async def test_methods_of_the_older_tasks_do_not_exist(mcp: MCPServer[Any], tasks: Tasks, method: str) -> None:
    class Older(Request[RequestParams, str]):
        pass

    async with desk(mcp, tasks) as at:
        error = await error_of(at.client, Older(method=method, params=RequestParams()))

    assert error.code == METHOD_NOT_FOUND == -32601


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_in_the_handshake_eras_there_are_no_requests_about_tasks(
    mcp: MCPServer[Any], tasks: Tasks, revision: str
) -> None:
    async with eras.connected(mcp, revision) as client:
        errors = [await error_of(client, request(UNKNOWN)) for request in REQUESTS]

    assert {error.code for error in errors} == {METHOD_NOT_FOUND}


@pytest.mark.parametrize("given", [{}, {"inputResponses": None}, {"inputResponses": 7}, {"inputResponses": [1]}])
async def test_an_update_without_a_map_of_answers_is_refused(mcp: MCPServer[Any], tasks: Tasks, given: Any) -> None:
    class Update(Request[dict[str, Any], str]):
        pass

    async with desk(mcp, tasks) as at:
        params = {"taskId": await at.start("order"), **given}
        error = await error_of(at.client, Update(method="tasks/update", params=params))

    assert error.code == INVALID_PARAMS


def get_of(task_id: str) -> Any:
    return GetTask(params=TaskParams(task_id=task_id))


def update_of(task_id: str) -> Any:
    return UpdateTask(params=UpdateParams(task_id=task_id, input_responses={"key": accept()}))


def cancel_of(task_id: str) -> Any:
    return CancelTask(params=TaskParams(task_id=task_id))


REQUESTS = (get_of, update_of, cancel_of)


async def error_of(client: Any, request: Any) -> Any:
    with pytest.raises(MCPError) as caught:
        await client.session.send_request(request, Raw)
    return caught.value.error

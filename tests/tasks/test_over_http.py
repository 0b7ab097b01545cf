"""Tasks over real HTTP: headers, principals, and what is kept of them (Tasks extension, "Security")."""

import json
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio import fail_after
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.request_state import authenticated_principal
from mcp_types import HEADER_MISMATCH, INVALID_PARAMS, ElicitResult

from elicitkit import Elicitation, MemoryTaskStore, SqliteTaskStore, Tasks, TasksClient, elicit, step
from elicitkit.tasks.messages import CancelTask, GetTask, TaskParams, UpdateParams, UpdateTask
from elicitkit.tasks.store import TaskStore
from tests.host.serving import served
from tests.tasks.desk import Desk, KnowsTasks, form, nobody, quick, server
from tests.tasks.test_protocol import REQUESTS, error_of

pytestmark = pytest.mark.anyio


class Tokens:
    """Knows two people by their tokens."""

    async def verify_token(self, token: str) -> AccessToken | None:
        if token not in ("secret-of-ann", "secret-of-bob"):
            return None
        name = token.removeprefix("secret-of-")
        claims = {"iss": "https://login.example", "private": "claim"}
        return AccessToken(token=token, client_id="app", scopes=["shop"], subject=name, claims=claims)


AUTH: Any = {
    "token_verifier": Tokens(),
    "auth": AuthSettings.model_validate(
        {"issuer_url": "https://login.example", "resource_server_url": None, "required_scopes": ["shop"]}
    ),
}


async def order(ctx: Context) -> str:
    outcome = await elicit(ctx, form())
    token = get_access_token()
    who = f"{token.subject} {token.scopes} {token.token!r}" if token else "nobody"
    return (
        f"{outcome.content['size'] if outcome else 'nothing'} for {who}, {authenticated_principal(ctx.request_context)}"
    )


def shop(tasks: Tasks, **more: Any) -> MCPServer[Any]:
    mcp = server(tasks, **more)
    mcp.tool()(tasks.task()(order))
    return mcp


@asynccontextmanager
async def people(
    mcp: MCPServer[Any], store: TaskStore, *headers: dict[str, str], hook: Any = None
) -> AsyncIterator[Any]:
    """One desk for each of the headers, at one server over HTTP."""
    hooks = {"request": [hook]} if hook else {}
    async with AsyncExitStack() as stack:
        stack.enter_context(fail_after(15))
        address = await stack.enter_async_context(served(mcp.streamable_http_app()))
        desks = []
        for each in headers:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=each, event_hooks=hooks))
            way: Any = streamable_http_client(f"{address}/mcp", http_client=http)
            options: Any = {"extensions": [KnowsTasks()], "elicitation_callback": nobody}
            desks.append(Desk(await stack.enter_async_context(Client(way, **options)), store))
        yield desks


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer secret-of-{name}"}


async def test_a_call_over_http_gives_the_finished_result() -> None:
    tasks = Tasks(MemoryTaskStore(), poll_interval=0.05)

    async def answer(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"size": "XL"})

    with fail_after(15):
        options: Any = {"extensions": [TasksClient()], "elicitation_callback": answer}
        app = shop(tasks).streamable_http_app()
        async with served(app) as address, Client(f"{address}/mcp", **options) as client:
            result = await client.call_tool("order")

    assert result.structured_content == {"result": "XL for nobody, None"}


# --- Mcp-Name ---------------------------------------------------------------------------------------------------------


class Tamper:
    """A hook that changes the header of requests about tasks."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.seen: list[tuple[str, str]] = []

    async def __call__(self, request: Any) -> None:
        if request.headers.get("mcp-method", "").startswith("tasks/"):
            self.seen.append((request.headers["mcp-method"], request.headers.get("mcp-name", "")))
            if self.name is not None:
                del request.headers["mcp-name"]
                if self.name:
                    request.headers["mcp-name"] = self.name


async def test_the_client_names_the_task_in_the_header() -> None:
    tasks, tamper = Tasks(MemoryTaskStore()), Tamper()
    async with people(shop(tasks), tasks.store, {}, hook=tamper) as (at,):
        task_id = await at.start("order")
        await at.answer(task_id, size="XL")
        await at.cancel(task_id)

    assert {name for _, name in tamper.seen} == {task_id}
    assert {method for method, _ in tamper.seen} == {"tasks/get", "tasks/update", "tasks/cancel"}


@pytest.mark.parametrize("name", ["", "0" * 32, "=?base64?!?="], ids=["missing", "another", "broken"])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("request_of", REQUESTS, ids=["get", "update", "cancel"])
async def test_a_wrong_or_missing_name_in_the_header_is_refused(request_of: Any, name: str, known: bool) -> None:
    tasks, tamper = Tasks(MemoryTaskStore()), Tamper()
    async with people(shop(tasks), tasks.store, {}, hook=tamper) as (at,):
        task_id = await at.start("order") if known else "f" * 32
        tamper.name = name
        error = await error_of(at.client, request_of(task_id))

    assert error.code == HEADER_MISMATCH == -32020


async def test_a_name_may_be_encoded_in_the_header() -> None:
    tasks, tamper = Tasks(MemoryTaskStore()), Tamper()
    async with people(shop(tasks), tasks.store, {}, hook=tamper) as (at,):
        error = await error_of(at.client, GetTask(params=TaskParams(task_id="ä")))

    assert error.code == INVALID_PARAMS
    assert tamper.seen[0][1].startswith("=?base64?")


# --- principals -------------------------------------------------------------------------------------------------------


async def test_a_foreign_task_is_one_that_does_not_exist_byte_for_byte() -> None:
    tasks = Tasks(MemoryTaskStore())
    async with people(shop(tasks, **AUTH), tasks.store, bearer("ann"), bearer("bob")) as (ann, bob):
        task_id = await ann.start("order")
        key = await ann.key(task_id)
        errors = {
            json.dumps((await error_of(bob.client, request)).model_dump())
            for one in (task_id, "f" * 32)
            for request in (
                GetTask(params=TaskParams(task_id=one)),
                UpdateTask(params=UpdateParams(task_id=one, input_responses={key: {"action": "decline"}})),
                CancelTask(params=TaskParams(task_id=one)),
            )
        }
        await ann.answer(task_id, size="XL")

        assert [json.loads(error)["code"] for error in errors] == [INVALID_PARAMS]
        assert (await ann.said(task_id)).startswith("XL for ann")


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_tool_that_is_run_again_runs_as_who_called_it_and_no_token_is_kept(
    tmp_path: Path, restarts: bool
) -> None:
    file = tmp_path / "tasks.db"
    tasks = quick(SqliteTaskStore(file))
    async with people(shop(tasks, **AUTH), tasks.store, bearer("ann")) as (ann,):
        task_id = await ann.start("order")
        await ann.key(task_id)
        if not restarts:
            await ann.answer(task_id, size="XL")
            said = await ann.said(task_id)
    if restarts:
        tasks = quick(SqliteTaskStore(file))
        async with people(shop(tasks, **AUTH), tasks.store, bearer("ann")) as (ann,):
            await ann.answer(task_id, size="XL")
            said = await ann.said(task_id)

    token = "''" if restarts else "'secret-of-ann'"
    assert said == f'XL for ann [\'shop\'] {token}, ["app","https://login.example","ann"]'
    if restarts:  # Else the tool's own result has it.
        kept = kept_in(tmp_path)
        assert b"https://login.example" in kept
        assert b"secret-of" not in kept
        assert b"private" not in kept


def kept_in(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.iterdir())


async def test_a_principal_of_the_authors_own_separates_tasks() -> None:
    tasks = Tasks(MemoryTaskStore(), principal=lambda ctx: ctx.request.headers.get("x-team") if ctx.request else None)
    async with people(shop(tasks), tasks.store, {"x-team": "red"}, {"x-team": "blue"}, {}) as (red, blue, none):
        task_id = await red.start("order")
        await red.answer(task_id, size="XL")
        codes = [(await error_of(at.client, REQUESTS[0](task_id))).code for at in (blue, none)]

        assert codes == [INVALID_PARAMS] * 2
        assert (await red.said(task_id)).startswith("XL")


async def test_a_server_without_authentication_says_once_whose_tasks_are(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks(MemoryTaskStore())
    with caplog.at_level(logging.WARNING, "elicitkit"):
        async with people(shop(tasks), tasks.store, {}) as (at,):
            await at.cancel(await at.start("order"))
            await at.cancel(await at.start("order"))

    assert caplog.text.count("a task belongs to whoever holds its id") == 1


# --- what is there in a replay ----------------------------------------------------------------------------------------


async def test_a_call_that_is_run_again_comes_without_its_request_and_with_what_was_kept_of_it(tmp_path: Path) -> None:
    """docs/tasks.md, "It is run again without its request"."""
    seen: list[Any] = []

    async def tenant(ctx: Any, call_next: Any) -> Any:
        if ctx.method == "tools/call":
            seen.append(None if ctx.request is None else ctx.request.headers.get("x-tenant"))
        return await call_next(ctx)

    async def bill(what: str, ctx: Context) -> str:
        kept = await step(ctx, "tenant", lambda: ctx.headers.get("x-tenant") if ctx.headers else None)
        outcome = await elicit(ctx, form())
        capabilities = ctx.session.client_capabilities
        can_ask = bool(capabilities and capabilities.elicitation)
        return f"{what} {kept} {ctx.headers is None} {ctx.request_context.request is None} {can_ask} {bool(outcome)}"

    def served_anew() -> tuple[MCPServer[Any], Tasks]:
        tasks = quick(SqliteTaskStore(tmp_path / "tasks.db"), lease=30.0)
        mcp: MCPServer[Any] = MCPServer(
            "desk", middleware=[Elicitation(), tenant], extensions=[tasks], lifespan=tasks.lifespan()
        )
        mcp.tool()(tasks.task()(bill))
        return mcp, tasks

    mcp, tasks = served_anew()
    async with people(mcp, tasks.store, {"x-tenant": "acme"}) as (at,):
        task_id = await at.start("bill", what="shoes")
        await at.key(task_id)
    mcp, tasks = served_anew()
    async with people(mcp, tasks.store, {"x-tenant": "another"}) as (at,):
        await at.answer(task_id, size="M")

        assert await at.said(task_id) == "shoes acme True True True True"
    assert seen == ["acme", None]

"""A server of tasks over HTTP that fails for a while, or for good: hosts lose nothing (design, sections 1, 8 and 9)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import CallToolResult, ElicitResult

from elicitkit import Answer, McpSource, Origin, PendingCall, Policy, Request, Rule, TaskOutOfReach, TasksClient
from elicitkit.host.servers import HttpServer, transport
from tests.host import serving
from tests.host.hosting import LIMIT, Person, text
from tests.host.test_tasks import Shop

pytestmark = pytest.mark.anyio

ANSWERS = {"Who is there?": {"name": "Ada"}, "Which size?": {"size": "M"}}


class Street:
    """A shop at an address of its own, in front of which requests may be refused, and which may be away."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.url = ""
        self.refused: list[str] = []
        self._refusals: dict[str, list[int]] = {}

    def refuse(self, method: str, *statuses: int) -> None:
        """Answer the next requests of this method with these statuses; 0 breaks the connection off."""
        self._refusals[method] = list(statuses)

    async def open(self) -> None:
        """Be there, always at the same address."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._serving = asyncio.create_task(self._serve(opened))
        await asyncio.wait([opened, self._serving], return_when=asyncio.FIRST_COMPLETED)

    async def close(self) -> None:
        """Go away, as in a deploy."""
        self._closing.set()
        await self._serving

    async def _serve(self, opened: asyncio.Future[None]) -> None:
        port = int(self.url.split(":")[2].split("/")[0]) if self.url else 0
        self._app = self.shop.serve().streamable_http_app(stateless_http=True)
        async with serving.served(self, port) as address:
            self.url = f"{address}/mcp"
            opened.set_result(None)
            await self._closing.wait()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        method = dict(scope.get("headers", ())).get(b"mcp-method", b"").decode()
        if not (statuses := self._refusals.get(method)):
            await self._app(scope, receive, send)
            return
        self.refused.append(method)
        status = statuses.pop(0)
        length = b"99" if status == 0 else b"2"
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": status or 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"no"})


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[Street]:
    street = Street(Shop(tmp_path))
    with anyio.fail_after(LIMIT):
        await street.open()
        yield street
        await street.close()


@asynccontextmanager
async def host(street: Street, **options: Any) -> AsyncIterator[McpSource]:
    async with McpSource.load({"servers": {"a": {"url": street.url}}}, **options) as source:
        yield source


async def stored(call: Any) -> PendingCall:
    """A call that waits, as it is after it was stored."""
    assert isinstance(call, PendingCall), text(call)
    return PendingCall.from_json(call.to_json())


# --- who waits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update"])
@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 0])
async def test_a_refusal_that_passes_costs_nothing(street: Street, method: str, status: int) -> None:
    person = Person(ANSWERS)
    street.refuse(method, status, status)

    async with host(street, wait_for=person) as source:
        assert text(await source.call("a_order")) == "Ada M"

    assert street.refused == [method] * 2
    assert [asked.prompt for asked in person.asked] == list(ANSWERS)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_that_lasts_is_a_result_with_the_id_and_the_task_goes_on(street: Street, status: int) -> None:
    kept: list[str] = []
    street.refuse("tasks/get", status)
    mine = TasksClient(created=lambda task: kept.append(task.id))

    async with host(street, wait_for=Person(ANSWERS), extensions=lambda _: [mine]) as source:
        result = await source.call("a_order")
        connected = source.statuses["a"].state

    assert isinstance(result, CallToolResult)
    assert text(result).startswith(f"error: a answered {status} ")
    assert text(result).endswith(f". Its task {kept[0]} was left as it is.")
    assert (result.meta or {})["io.modelcontextprotocol/related-task"] == {"taskId": kept[0]}
    assert connected == "connected"
    assert await finished(street, kept[0]) == "Ada M"


async def finished(street: Street, task_id: str) -> str:
    """What a task comes to that another client takes up."""

    async def answer(_: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content=ANSWERS[params.message])

    async with Client(f"{street.url}", extensions=[TasksClient()], elicitation_callback=answer) as client:
        return text(await TasksClient.attach(client.session, task_id).wait())


async def test_a_deploy_while_a_person_types_is_not_noticed(street: Street) -> None:
    """The question stays open, and its answer is sent when the server is back."""

    async def typing(request: Request) -> Answer:
        asked.append(request.prompt)
        if len(asked) == 1:
            await street.close()
            reopening.append(asyncio.create_task(reopened(street)))
        return request.accept(ANSWERS[request.prompt])

    asked: list[str] = []
    reopening: list[asyncio.Task[None]] = []
    async with host(street, wait_for=typing) as source:
        assert text(await source.call("a_order")) == "Ada M"

    assert asked == list(ANSWERS)
    assert street.shop.effects == ["reserved"]


async def reopened(street: Street) -> None:
    """Be back after several requests have failed."""
    await asyncio.sleep(0.3)
    await street.open()


async def test_what_other_calls_meet_in_an_outage_does_not_end_one_that_waits(street: Street) -> None:
    """They share a connection of the SDK's."""

    async def typing(request: Request) -> Answer:
        asked.append(request.prompt)
        if len(asked) == 1:
            await street.close()
            others.append(text(await source.call("a_many")))
            await source.refresh()
            await street.open()
        return request.accept(ANSWERS[request.prompt])

    asked: list[str] = []
    others: list[str] = []
    async with host(street, wait_for=typing) as source:
        assert text(await source.call("a_order")) == "Ada M"

    assert asked == list(ANSWERS)
    assert others == ["error: a cannot be reached (ConnectError)"]


async def test_an_outage_without_an_end_is_a_result_with_the_id(street: Street) -> None:
    async def typing(request: Request) -> Answer:
        await street.close()
        return request.accept(ANSWERS[request.prompt])

    async with host(street, wait_for=typing, outage=0.3) as source:
        result = text(await source.call("a_order"))

    assert result.startswith("error: a cannot be reached (ConnectError). Its task ")


async def test_a_client_of_somebody_elses_leaves_the_task_of_a_server_that_is_gone(street: Street) -> None:
    """The SDK's own transport ends with its server; the task does not."""
    kept: list[str] = []

    async def answer(*_: Any) -> ElicitResult:
        await street.close()
        return ElicitResult(action="accept", content={"name": "Ada"})

    with pytest.RaisesGroup(pytest.RaisesExc(Exception), flatten_subgroups=True, allow_unwrapped=True):
        tasks = TasksClient(created=lambda task: kept.append(task.id))
        async with Client(street.url, extensions=[tasks], elicitation_callback=answer) as client:
            await client.call_tool("order")
    await street.open()

    assert await finished(street, kept[0]) == "Ada M"


async def test_a_client_over_a_transport_of_ours_is_told_by_the_error(street: Street) -> None:
    street.refuse("tasks/get", 403)

    async with Client(transport(HttpServer(street.url)), extensions=[TasksClient()], elicitation_callback=never) as at:
        with pytest.raises(TaskOutOfReach, match="answered with the status 403") as caught:
            await at.call_tool("order")

    assert await finished(street, caught.value.task_id) == "Ada M"


async def never(*_: Any) -> ElicitResult:
    raise AssertionError("nobody is to be asked")


# --- who does not -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update"])
async def test_a_refusal_that_passes_does_not_end_a_call_that_is_suspended(street: Street, method: str) -> None:
    async with host(street, suspend=True) as source:
        street.refuse(method, 503, 429)
        call = await stored(await source.call("a_order"))
        street.refuse(method, 0, 502)
        call = await stored(await source.resume(call, call.request.accept({"name": "Ada"})))

        assert text(await source.resume(call, call.request.accept({"size": "M"}))) == "Ada M"
    assert len(street.refused) == (4 if method == "tasks/get" else 2)


@pytest.mark.parametrize("status", [401, 403, 503])
async def test_a_call_whose_task_is_out_of_reach_asks_whether_to_go_on(street: Street, status: int) -> None:
    """Whoever stores what is returned loses nothing: it has the task, and nobody calls the tool again."""
    seen: list[str] = []
    async with host(street, suspend=True, outage=0.01, on_ask=lambda asked: seen.append(asked.id)) as source:
        street.refuse("tasks/get", *[status] * 20)
        left = await stored(await source.call("a_order"))
        street.refuse("tasks/get")
        call = await stored(await source.resume(left, left.request.accept()))

    assert left.request.kind == "approval"
    assert left.request.prompt.startswith(f"a answered {status} ")
    assert Origin.of(left.request).task == Origin.of(call.request).task != ""
    assert Origin.of(left.request).task in left.request.prompt
    assert call.request.prompt == "Who is there?"
    assert seen == [left.request.id, call.request.id]
    assert street.shop.effects == ["reserved"]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update"])
async def test_an_answer_is_kept_with_a_call_that_is_out_of_reach(street: Street, method: str) -> None:
    async with host(street, suspend=True, outage=0.01) as source:
        call = await stored(await source.call("a_order"))
        street.refuse(method, *[401] * 3)
        left = await stored(await source.resume(call, call.request.accept({"name": "Ada"})))
    async with host(street, suspend=True, outage=0.01) as source:
        left = await stored(await source.resume(left, left.request.accept()))  # Still refused.
        street.refuse(method)
        call = await stored(await source.resume(left, left.request.accept()))

        assert call.request.prompt == "Which size?"
        assert text(await source.resume(call, call.request.accept({"size": "M"}))) == "Ada M"


async def test_an_answer_that_arrived_is_not_asked_for_again(street: Street) -> None:
    """The first answer wins: a stored call may be resumed again, whatever became of the first time."""
    async with host(street, suspend=True, outage=0.01) as source:
        call = await stored(await source.call("a_order"))
        await source.resume(call, call.request.accept({"name": "Ada"}))
        again = await stored(await source.resume(call, call.request.accept({"name": "Bob"})))

        assert again.request.prompt == "Which size?"
        assert text(await source.resume(again, again.request.accept({"size": "M"}))) == "Ada M"


async def test_who_does_not_want_to_go_on_is_told_the_task(street: Street) -> None:
    async with host(street, suspend=True) as source:
        street.refuse("tasks/get", 401)
        left = await stored(await source.call("a_order"))
        result = text(await source.resume(left, left.request.decline()))

    assert result.startswith("error: declined/expired: a answered 401 Unauthorized")
    assert await finished(street, Origin.of(left.request).task) == "Ada M"


async def test_no_policy_goes_on_by_itself(street: Street) -> None:
    """It would ask a server that is gone without an end."""
    policy = Policy([Rule("confirm", server="a"), Rule("decline", tool="order")])
    async with host(street, suspend=True, policy=policy) as source:
        street.refuse("tasks/get", *[401] * 5)

        assert isinstance(await source.call("a_order"), PendingCall)
    assert len(street.refused) == 1


async def test_a_task_that_is_gone_is_no_question(street: Street, tmp_path: Path) -> None:
    async with host(street, suspend=True) as source:
        call = await stored(await source.call("a_order"))
        await street.close()
        (tmp_path / "tasks.db").unlink()
        await street.open()
        result = text(await source.resume(call, call.request.accept({"name": "Ada"})))

    assert result.startswith("error: a answered with an error: There is no such task.")
    assert Origin.of(call.request).task in result

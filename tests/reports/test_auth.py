"""Who may see, answer and end what."""

from typing import Any

import pytest
from anyio import fail_after
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolRequest, CallToolRequestParams, ElicitResult

from elicitkit import Answer, Elicitation, FormElicitation, MemoryTaskStore, Origin, Request, Tasks, UnknownTask, elicit
from elicitkit.suspension.contract import new_id
from elicitkit.tasks.record import new_key
from elicitkit.testing import ScriptedAnswers, accept
from tests import eras
from tests.host.hosting import hosting, text
from tests.tasks.desk import Raw, quick
from tests.tasks.test_over_http import AUTH, bearer, people, shop
from tests.tasks.test_protocol import REQUESTS, error_of

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who?").string("name").required().build()


@pytest.mark.parametrize(
    ("owner", "who", "may"),
    [
        (None, None, True),
        (None, "alice", False),
        ("alice", None, False),
        ("alice", "alice", True),
        ("alice", "bob", False),
        ("alice", "", False),
        ("", None, False),
        ("alice", "Alice", False),
    ],
)
async def test_r145_an_id_is_not_enough(owner: str | None, who: str | None, may: bool) -> None:
    async with MemoryTaskStore() as store:
        record = await store.create({"tool": "t"}, owner=owner)
        for request in (store.get, store.cancel):
            if may:
                await request(record.id, owner=who)
            else:
                with pytest.raises(UnknownTask) as refused:
                    await request(record.id, owner=who)
                with pytest.raises(UnknownTask) as unknown:
                    await request("f" * 32, owner=who)
                assert str(refused.value) == str(unknown.value)


async def test_r145_nor_is_it_over_http() -> None:
    tasks = Tasks(MemoryTaskStore())
    async with people(shop(tasks, **AUTH), tasks.store, bearer("ann"), bearer("bob")) as (ann, bob):
        task_id = await ann.start("order")
        await ann.key(task_id)

        assert [(await error_of(bob.client, request(task_id))).code for request in REQUESTS] == [-32602] * len(REQUESTS)
        await ann.cancel(task_id)


def test_r147_every_id_has_128_random_bits_and_no_order() -> None:
    makers = (new_key, lambda: new_id("elc").removeprefix("elc-"))
    for made in makers:
        ids = [made() for _ in range(200)]
        assert len({*ids}) == 200
        assert all(len(one) == 32 and int(one, 16) >= 0 for one in ids)
        assert ids != sorted(ids)
        for place in range(32):
            assert len({one[place] for one in ids}) > 8


async def test_r147_those_of_two_tasks_in_a_store_too() -> None:
    async with MemoryTaskStore() as store:
        ids = [(await store.create({"tool": "t"})).id for _ in range(50)]

    assert len({one[:6] for one in ids}) == 50
    assert {len(one) for one in ids} == {32}


def asking(**more: Any) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("asker", middleware=[Elicitation()], **more)

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        outcome = await elicit(ctx, NAME, key="k")
        return f"for {outcome.content['name']}" if outcome else outcome.reason

    return mcp


def retry(state: str) -> CallToolRequest:
    responses = {"k": ElicitResult(action="accept", content={"name": "Ada"})}
    return CallToolRequest(
        params=CallToolRequestParams(name="ask", arguments={}, input_responses=responses, request_state=state)
    )


async def test_r149_a_state_is_good_for_whom_the_transport_authenticated_and_for_nobody_else() -> None:
    store = MemoryTaskStore()
    async with people(asking(**AUTH), store, bearer("ann"), bearer("bob")) as (ann, bob):
        state = (await ann.send("ask"))["requestState"]
        with pytest.raises(MCPError) as refused:
            await bob.client.session.send_request(retry(state), Raw)
        result = (await ann.client.session.send_request(retry(state), Raw)).wire

    assert refused.value.error.code == -32602
    assert result["content"][0]["text"] == "for Ada"


async def test_r149_a_principal_that_cannot_be_told_fails_closed() -> None:
    def broken(_: Any) -> str | None:
        raise RuntimeError("no directory")

    tasks = quick(MemoryTaskStore(), principal=broken)
    async with people(shop(tasks), tasks.store, {}) as (at,):
        with pytest.raises(MCPError):
            await at.send("order")
        with pytest.raises(MCPError):
            await at.get("f" * 32)

    with fail_after(5):
        async with tasks.store:
            assert await tasks.store.ready() == []


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r151_a_question_goes_to_the_session_that_called_and_to_no_other(revision: str) -> None:
    mcp = asking()
    with ScriptedAnswers([accept(name="Ada")]) as mine, ScriptedAnswers() as others:
        async with eras.connected(mcp, revision, others), eras.connected(mcp, revision, mine) as client:
            assert await eras.said(client, "ask") == "for Ada"

    assert others.asked == []


@pytest.mark.parametrize("revision", eras.ALL)
async def test_r151_every_question_and_answer_is_in_the_log_with_where_it_came_from(revision: str) -> None:
    log: list[Any] = []

    def asked(request: Request) -> None:
        log.append(("asked", request.id, Origin.of(request).server, Origin.of(request).tool))

    def answered(request: Request, answer: Answer) -> None:
        log.append(("answered", answer.id, answer.ok))

    answers = ScriptedAnswers([accept(name="Ada")])
    async with hosting(asking(), revision, wait_for=answers.wait_for, on_ask=asked, on_answer=answered) as source:
        assert text(await source.call("a_ask")) == "for Ada"

    ((_, id, *origin), answer) = log
    assert origin == ["a", "ask"]
    assert answer == ("answered", id, True)

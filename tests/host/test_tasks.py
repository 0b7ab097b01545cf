"""Calls that a server runs as tasks: through the slot, and suspended (issue 6: `McpSource` uses `TasksClient`)."""

from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import (
    AnswerError,
    Elicitation,
    FormElicitation,
    McpSource,
    Origin,
    PendingCall,
    SqliteTaskStore,
    Tasks,
    TasksClient,
    elicit,
    elicit_all,
    step,
)
from tests.host.hosting import Person, hosting, text

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"


class Shop:
    """A server that can be started again on the same file."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "tasks.db"
        self.effects: list[str] = []

    def serve(self) -> MCPServer[Any]:
        tasks = Tasks(SqliteTaskStore(self._file), poll_interval=0.05)
        mcp: MCPServer[Any] = MCPServer(
            "shop", middleware=[Elicitation()], extensions=[tasks], lifespan=tasks.lifespan()
        )

        @mcp.tool()
        @tasks.task(mode="required")
        async def order(ctx: Context) -> str:
            await step(ctx, "reserve", self.effects.append, "reserved")
            who = await elicit(ctx, asking("Who is there?", "name"))
            size = await elicit(ctx, asking("Which size?", "size"))
            return f"{who.content['name']} {size.content['size']}" if who and size else "refused"

        @mcp.tool()
        @tasks.task(mode="required")
        async def both(ctx: Context) -> str:
            found = await elicit_all(ctx, a=asking("Who is there?", "name"), b=asking("Which size?", "size"))
            return " ".join(outcome.action for outcome in found.values())

        @mcp.tool()
        @tasks.task(mode="required")
        async def many(ctx: Context) -> str:
            for number in range(12):
                await elicit(ctx, asking(f"Number {number}?", "name"))
            return "done"

        return mcp


def asking(message: str, name: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string(name).required()
    return form


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


async def test_a_task_asks_through_the_slot_like_any_call(shop: Shop) -> None:
    person = Person()
    async with hosting(shop.serve(), MODERN, wait_for=person) as source:
        assert text(await source.call("a_order", {})) == "Ada M"

    assert [asked.prompt for asked in person.asked] == ["Who is there?", "Which size?"]
    assert (person.asked[0].data or {})["source"]["tool"] == "order"


async def test_a_client_extension_of_the_hosts_own_for_tasks_is_kept(shop: Shop) -> None:
    kept: list[str] = []
    mine = TasksClient(created=lambda task: kept.append(task.id))
    async with hosting(shop.serve(), MODERN, wait_for=Person(), extensions=lambda _: [mine]) as source:
        assert text(await source.call("a_order", {})) == "Ada M"

    assert len(kept) == 1


async def resumed(source: McpSource, waiting: str, **content: Any) -> Any:
    return await source.resume(waiting, PendingCall.from_json(waiting).request.accept(content))


async def test_a_suspended_task_goes_on_in_other_processes_and_does_nothing_twice(shop: Shop) -> None:
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        first = await source.call("a_order", {})
        assert isinstance(first, PendingCall)
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        second = await resumed(source, first.to_json(), name="Ada")
        assert isinstance(second, PendingCall)
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        assert text(await resumed(source, second.to_json(), size="M")) == "Ada M"

    assert (first.request.prompt, second.request.prompt) == ("Who is there?", "Which size?")
    assert Origin.of(first.request).task == Origin.of(second.request).task != ""
    assert shop.effects == ["reserved"]


async def test_several_questions_of_a_task_are_handed_out_one_after_the_other(shop: Shop) -> None:
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        first = await source.call("a_both", {})
        assert isinstance(first, PendingCall)
        second = await source.resume(first, first.request.decline())
        assert isinstance(second, PendingCall)

        assert text(await source.resume(second, second.request.cancel())) == "decline cancel"


async def test_an_answer_that_does_not_fit_goes_nowhere(shop: Shop) -> None:
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        waiting = await source.call("a_order", {})
        assert isinstance(waiting, PendingCall)

        with pytest.raises(AnswerError):
            await source.resume(waiting, waiting.request.accept({"name": 7}))
        assert isinstance(await source.resume(waiting, waiting.request.accept({"name": "Ada"})), PendingCall)


async def test_a_task_may_ask_more_often_than_a_call_has_rounds(shop: Shop) -> None:
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        waiting = await source.call("a_many", {})
        for _ in range(12):
            assert isinstance(waiting, PendingCall)
            waiting = await source.resume(waiting, waiting.request.accept({"name": "Ada"}))

        assert text(waiting) == "done"


async def test_a_task_that_is_gone_is_an_error_that_says_so(shop: Shop, tmp_path: Path) -> None:
    async with hosting(shop.serve(), MODERN, suspend=True) as source:
        waiting = await source.call("a_order", {})
        assert isinstance(waiting, PendingCall)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with hosting(Shop(elsewhere).serve(), MODERN, suspend=True) as source:
        said = text(await source.resume(waiting, waiting.request.accept({"name": "Ada"})))

    assert said.startswith("error: ")
    assert "task" in said

"""How questions come into the store: what is asked side by side goes together (design, section 8: several at once)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from elicitkit import FormElicitation, MemoryTaskStore
from elicitkit.errors import LimitError, StaleClaim, StoreError
from elicitkit.journal import Reply
from elicitkit.limits import MESSAGE_CHARACTERS
from elicitkit.tasks.questions import question_of
from elicitkit.tasks.record import Settlement
from elicitkit.tasks.requests import request_of
from elicitkit.tasks.road import ParkedRoad
from tests.tasks.test_road import a_road, question, turns

pytestmark = pytest.mark.anyio

MANY = 300


class Counted(MemoryTaskStore):
    """A store that says how many questions came with each commit, and may be slow, or fail."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commits: list[int] = []
        self.gate: asyncio.Event | None = None
        self.error: Exception | None = None

    async def park(self, task_id: str, inputs: Any, **named: Any) -> Any:
        asked = list(inputs)
        self.commits.append(len(asked))
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return await super().park(task_id, asked, **named)

    async def names(self, task_id: str) -> list[str]:
        return [asked.name for asked in (await self.history(task_id)).record.inputs.values()]


async def begun(store: Counted, owner: str | None = None) -> tuple[str, ParkedRoad]:
    task_id = (await store.create({}, worker="w", owner=owner)).id
    return task_id, a_road(store, await store.history(task_id))


def asks(road: ParkedRoad, names: Sequence[str]) -> list[asyncio.Task[Reply]]:
    return [asyncio.create_task(road.ask(question(name, "x"))) for name in names]


async def end(road: ParkedRoad, asking: Sequence[asyncio.Task[Reply]]) -> None:
    road.stop()
    await asyncio.wait(asking)


async def test_what_is_asked_side_by_side_is_parked_in_one_commit_and_in_its_order() -> None:
    store = Counted()
    task_id, road = await begun(store)
    names = [f"q{number}" for number in range(MANY)]

    asking = asks(road, names)
    await turns()

    assert store.commits == [MANY]
    assert await store.names(task_id) == names
    await end(road, asking)


async def test_what_is_asked_while_something_is_being_parked_goes_with_the_next_commit() -> None:
    store = Counted()
    store.gate = asyncio.Event()
    task_id, road = await begun(store)
    asking = asks(road, ["first"])
    await turns()
    for name in ("second", "third"):
        asking += asks(road, [name])
        await turns()

    assert not road.is_parked
    store.gate.set()
    await turns()

    assert store.commits == [1, 2]
    assert await store.names(task_id) == ["first", "second", "third"]
    assert road.is_parked
    await end(road, asking)


async def test_each_of_many_gets_its_own_answer() -> None:
    store = Counted()
    task_id, road = await begun(store)
    asking = asks(road, ["a", "b", "c"])
    await turns()
    inputs = (await store.history(task_id)).record.inputs

    await store.settle(task_id, [Settlement(key, Reply("accept", {"x": one.name})) for key, one in inputs.items()])
    road.refresh(await store.history(task_id))

    assert [reply.content for reply in await asyncio.gather(*asking)] == [{"x": "a"}, {"x": "b"}, {"x": "c"}]


async def test_where_there_is_no_room_for_all_as_many_are_parked_as_there_is_room_for() -> None:
    """Design, section 11: a clear error before anything is stored, and none for the others."""
    store = Counted(open_requests=37)
    task_id, road = await begun(store, owner="ada")
    asking = asks(road, [f"q{number}" for number in range(MANY)])
    await turns()

    assert await store.names(task_id) == [f"q{number}" for number in range(37)]
    assert [type(one.exception()) for one in asking if one.done()] == [LimitError] * (MANY - 37)
    assert len(store.commits) < 2 * 9  # Not one for each.
    await end(road, [one for one in asking if not one.done()])


async def test_a_question_that_is_too_large_takes_none_of_the_others_with_it() -> None:
    store = Counted()
    task_id, road = await begun(store)
    large = FormElicitation.create("x" * MESSAGE_CHARACTERS).string("x")
    too_large = replace(question_of(request_of(large), "large"), message="x" * (MESSAGE_CHARACTERS + 1))
    asking = [*asks(road, ["a"]), asyncio.create_task(road.ask(too_large)), *asks(road, ["b"])]
    await turns()

    assert isinstance(asking[1].exception(), LimitError)
    assert await store.names(task_id) == ["a", "b"]
    await end(road, asking)


@pytest.mark.parametrize("error", [StoreError("The disk is full."), StaleClaim("Somebody else has it.")], ids=repr)
async def test_where_the_store_fails_all_are_told_and_the_run_is_dropped(error: Exception) -> None:
    store = Counted()
    store.error = error
    _, road = await begun(store)

    came = await asyncio.gather(*asks(road, ["a", "b", "c"]), return_exceptions=True)

    assert [(type(one), str(one)) for one in came] == [(type(error), str(error))] * 3
    assert store.commits == [3]
    assert road.is_broken


@pytest.mark.parametrize("is_under_way", [True, False])
async def test_a_question_that_its_tool_gives_up_on_the_way_is_asked_no_longer(is_under_way: bool) -> None:
    store = Counted()
    store.gate = asyncio.Event()
    task_id, road = await begun(store)
    asking = asks(road, ["stays", "goes"] if is_under_way else ["stays"])
    await turns()
    if not is_under_way:
        asking += asks(road, ["goes"])
        await turns()

    asking[1].cancel()
    await turns()
    store.gate.set()
    await turns()

    assert await store.names(task_id) == ["stays"]
    await end(road, asking)


async def test_a_question_that_its_tool_gives_up_in_the_moment_it_is_parked_is_asked_no_longer() -> None:
    asking: list[asyncio.Task[Reply]] = []

    class Crossed(Counted):
        async def park(self, task_id: str, inputs: Any, **named: Any) -> Any:
            record = await super().park(task_id, inputs, **named)
            asyncio.get_running_loop().call_soon(asking[1].cancel)  # When it is there, and before its tool knows.
            return record

    store = Crossed()
    task_id, road = await begun(store)
    asking += asks(road, ["stays", "goes"])
    await turns()

    assert await store.names(task_id) == ["stays"]
    await end(road, asking)


async def test_what_is_on_its_way_when_the_call_is_stopped_is_there_for_the_next_run() -> None:
    store = Counted()
    store.gate = asyncio.Event()
    task_id, road = await begun(store)
    asking = asks(road, ["under way"])
    await turns()
    asking += asks(road, ["behind it"])
    await turns()

    road.stop()
    for one in asking:
        one.cancel()
    store.gate.set()
    await asyncio.wait(asking)
    await turns()

    assert await store.names(task_id) == ["under way"]
    assert store.commits == [1]


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_who_waits_for_what_is_on_its_way_when_the_call_is_stopped_is_cancelled_too(is_cancelled: bool) -> None:
    """Whom the cancellation of the call does not reach: a thread, or a task of the tool's own."""
    store = Counted()
    store.gate = asyncio.Event()
    _, road = await begun(store)
    asking = asks(road, ["under way"])
    await turns()

    road.stop(is_cancelled=is_cancelled)
    await turns()
    store.gate.set()
    await turns()

    assert [one.cancelled() for one in asking] == [True]


async def test_a_call_is_not_parked_while_a_question_is_on_its_way_that_it_gave_up() -> None:
    """Nobody would withdraw it in a call that is put down."""
    store = Counted()
    task_id, road = await begun(store)
    asking = asks(road, ["stays"])
    await turns()
    store.gate = asyncio.Event()
    asking += asks(road, ["goes"])
    await turns()

    asking[1].cancel()
    await turns()
    assert not road.is_parked
    store.gate.set()
    await turns()

    assert road.is_parked
    assert await store.names(task_id) == ["stays"]
    await end(road, asking)

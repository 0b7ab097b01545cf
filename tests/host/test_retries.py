"""What was answered wrongly is there again for the one who is asked again, and for nobody else (issue 9, point 5)."""

from typing import Any

import anyio
import pytest

from elicitkit import Answer, Request, Retry, Slot, retry_of

pytestmark = pytest.mark.anyio

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}


def request(id: str = "r1", prompt: str = "How old?") -> Request:
    return Request(id, "input", prompt, data={"schema": SCHEMA})


async def test_the_first_time_there_is_nothing_and_then_what_was_wrong() -> None:
    seen: list[Retry | None] = []

    async def wait_for(asked: Request) -> Answer:
        seen.append(retry_of(asked))
        return asked.accept({"age": "old"})

    answer = await Slot(wait_for, tries=3).answer(request())

    assert answer.reason == "failed"
    first, second, third = seen
    assert first is None
    assert second is not None
    assert (second.prompt, second.answered) == ("How old?", {"age": "old"})
    assert [fault.field for fault in second.faults] == ["age"]
    assert third == second


async def test_a_wait_for_in_a_thread_sees_it_too() -> None:
    seen: list[Any] = []

    def wait_for(asked: Request) -> Answer:
        retry = retry_of(asked)
        seen.append(None if retry is None else retry.answered)
        return asked.accept({"age": "old"} if retry is None else {"age": 36})

    assert (await Slot(wait_for).answer(request())).data == {"age": 36}
    assert seen == [None, {"age": "old"}]


async def test_two_questions_at_once_do_not_see_each_others() -> None:
    seen: dict[str, list[Any]] = {"a": [], "b": []}
    both = anyio.Event()

    async def wait_for(asked: Request) -> Answer:
        retry = retry_of(asked)
        seen[asked.id].append(None if retry is None else retry.answered)
        if all(seen.values()):
            both.set()
        await both.wait()
        return asked.accept({"age": f"of {asked.id}"} if retry is None else {"age": 1})

    slot = Slot(wait_for, at_once=None)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(slot.answer, request("a"))
            group.start_soon(slot.answer, request("b"))

    assert seen == {"a": [None, {"age": "of a"}], "b": [None, {"age": "of b"}]}


async def test_another_request_has_none() -> None:
    other: list[Retry | None] = []

    async def wait_for(asked: Request) -> Answer:
        other.append(retry_of(request("r2")))
        return asked.accept({"age": "old" if len(other) < 2 else 1})

    await Slot(wait_for).answer(request())

    assert other == [None, None]


async def test_afterwards_nothing_is_left() -> None:
    async def wait_for(asked: Request) -> Answer:
        return asked.accept({"age": "old"})

    await Slot(wait_for).answer(request())

    assert retry_of(request()) is None


def test_what_was_typed_is_in_no_repr() -> None:
    assert "s3cret" not in repr(Retry("How old?", {"age": "s3cret"}))

"""The states of a task (Tasks extension, "Task Status Lifecycle"): one table, which no sequence of calls leaves."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import CallOver, MemoryTaskStore, TaskStore
from elicitkit.tasks.answers import judge
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.states import TERMINAL, TRANSITIONS, Event, Status, next_status
from elicitkit.testing import Clock
from elicitkit.testing.store_contract.base import accepting, form

ID = "a" * 32


async def park(store: TaskStore, record: TaskRecord) -> None:
    await store.set_input_requests(ID, form())


async def answer_one(store: TaskStore, record: TaskRecord) -> None:
    await store.settle(ID, [accepting(key) for key in [*record.inputs][:1]])


async def answer_all(store: TaskStore, record: TaskRecord) -> None:
    await store.settle(ID, [accepting(key) for key in record.inputs])


async def answer_wrongly(store: TaskStore, record: TaskRecord) -> None:
    await store.settle(ID, [judge(asked, {"action": "accept"}) for asked in record.inputs.values()])


async def let_time_pass(store: TaskStore, record: TaskRecord) -> None:
    store.clock.advance(store.max_wait / 2)  # type: ignore[attr-defined]  # it is a `Clock`
    await store.sweep()


async def claim_after_a_death(store: TaskStore, record: TaskRecord) -> None:
    store.clock.advance(30)  # type: ignore[attr-defined]
    await store.claim(ID, "worker", 30)


Call = Callable[[TaskStore, TaskRecord], Awaitable[object]]
CALLS: dict[str, Call] = {
    "park": park,
    "answer_one": answer_one,
    "answer_all": answer_all,
    "answer_wrongly": answer_wrongly,
    "let_time_pass": let_time_pass,
    "withdraw": lambda store, record: store.withdraw(ID, [*record.inputs][:1]),
    "progress": lambda store, record: store.progress(ID, "Going on"),
    "claim": lambda store, record: store.claim(ID, "worker", 30),
    "claim_after_a_death": claim_after_a_death,
    "take_a_step": lambda store, record: store.keep_step(ID, "pay", "1"),
    "complete": lambda store, record: store.complete(ID, {}),
    "fail": lambda store, record: store.fail(ID, {"code": 1, "message": "m"}),
    "cancel": lambda store, record: store.cancel(ID, owner=None),
}


@given(st.lists(st.sampled_from([*CALLS]), max_size=15))
def test_no_sequence_of_calls_leaves_the_table(names: list[str]) -> None:
    async def living() -> list[TaskRecord]:
        store = MemoryTaskStore(clock=Clock())
        lived = [await store.create({}, task_id=ID)]
        for name in names:
            with suppress(CallOver):
                await CALLS[name](store, lived[-1])
            lived.append((await store.history(ID)).record)
        return lived

    lived = asyncio.run(living())

    reachable = {(before, after) for (before, _), after in TRANSITIONS.items()}
    for before, after in pairwise(lived):
        assert before.status == after.status or (before.status, after.status) in reachable
        assert not before.is_over or before == after
        assert after.begun in (0, before.begun) if after.fence == before.fence else after.begun == before.begun + 1
    for record in lived:
        assert (record.status == "input_required") == bool(record.inputs)
        assert (record.result is not None) == (record.status == "completed")
        assert (record.error is not None) == (record.status == "failed")


def test_the_table_has_every_state_and_leads_out_of_none_that_is_terminal() -> None:
    assert {status for status, _ in TRANSITIONS} == set(get_args(Status)) - TERMINAL
    assert set(TRANSITIONS.values()) == set(get_args(Status))
    assert {event for _, event in TRANSITIONS} == set(get_args(Event))


@pytest.mark.parametrize("event", get_args(Event))
@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_a_terminal_state_is_never_left(status: Status, event: Event) -> None:
    with pytest.raises(CallOver, match=f"The task is {status}, and stays so"):
        next_status(status, event)


def test_what_was_not_asked_cannot_be_answered() -> None:
    with pytest.raises(ValueError, match="a task that is working has nothing to settle"):
        next_status("working", "settle_last")

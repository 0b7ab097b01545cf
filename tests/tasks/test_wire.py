"""A task as the wire has it, held against the schema of the Tasks extension."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from elicitkit import MemoryTaskStore, TaskStore
from elicitkit.tasks.record import TaskRecord
from elicitkit.tasks.requests import link_request
from elicitkit.tasks.wire import create_task_result, get_task_result, task_notification, write_moment
from elicitkit.testing import Clock
from elicitkit.testing.store_contract.base import form
from tests.specification import FOLDER, needs_specification

ID = "a" * 32


async def ask(store: TaskStore) -> None:
    await store.set_input_requests(ID, form(), key="size")
    await store.set_input_requests(ID, link_request("Sign in", "https://example.com"), key="link")


TO: dict[str, Callable[[TaskStore], Awaitable[object]]] = {
    "working": lambda store: store.progress(ID, "Half of it"),
    "input_required": ask,
    "completed": lambda store: store.complete(ID, {"content": [{"type": "text", "text": "done"}], "isError": True}),
    "failed": lambda store: store.fail(ID, {"code": -32603, "message": "It broke."}),
    "cancelled": lambda store: store.cancel(ID, owner=None),
}
MEMBERS = {"input_required": {"inputRequests"}, "completed": {"result"}, "failed": {"error"}}


def a_task(status: str, **options: Any) -> TaskRecord:
    async def living() -> TaskRecord:
        store = MemoryTaskStore(clock=Clock())
        await store.create({}, task_id=ID, **options)
        await TO[status](store)
        return await store.get(ID, owner=None)

    return asyncio.run(living())


@cache
def validator(definition: str) -> Any:
    document = json.loads((FOLDER / "ext-tasks.schema.json").read_text())
    schema = {"$schema": document["$schema"], "$ref": f"#/$defs/{definition}", "$defs": document["$defs"]}
    return Draft202012Validator(schema, offline=True)


@needs_specification
@pytest.mark.parametrize("options", [{}, {"ttl": 60, "poll_interval_ms": 500}], ids=["bare", "with times"])
@pytest.mark.parametrize("status", TO)
def test_every_message_about_a_task_is_what_the_specification_allows(status: str, options: dict[str, Any]) -> None:
    record = a_task(status, **options)

    validator("CreateTaskResult").validate(create_task_result(record))
    validator("GetTaskResult").validate(get_task_result(record))
    validator("TaskStatusNotificationParams").validate(task_notification(record))


@pytest.mark.parametrize("status", TO)
def test_a_status_has_the_one_member_that_is_its_own(status: str) -> None:
    """Tasks extension, `tasks/get`: exactly one of inputRequests, result and error; none for the other two."""
    of_their_own = {"inputRequests", "result", "error"}

    assert get_task_result(a_task(status)).keys() & of_their_own == MEMBERS.get(status, set())
    assert not create_task_result(a_task(status)).keys() & of_their_own


def test_the_results_tell_what_they_are() -> None:
    """2026-07-28, "Result": `resultType`; a notification is none."""
    record = a_task("working")

    assert create_task_result(record)["resultType"] == "task"
    assert get_task_result(record)["resultType"] == "complete"
    assert "resultType" not in task_notification(record)


def test_a_task_is_flat_and_its_times_are_utc() -> None:
    record = replace(a_task("working", ttl=60.5, poll_interval_ms=500), updated_at=1_785_240_001.25)

    assert get_task_result(record) == {
        "resultType": "complete",
        "taskId": ID,
        "status": "working",
        "statusMessage": "Half of it",
        "createdAt": "2026-07-28T12:00:00.000Z",
        "lastUpdatedAt": "2026-07-28T12:00:01.250Z",
        "ttlMs": 60_500,
        "pollIntervalMs": 500,
    }


def test_what_is_not_known_is_left_out_but_for_the_ttl() -> None:
    """Tasks extension, "Task": `ttlMs` is always there, and `null` for ever."""
    task = create_task_result(a_task("cancelled"))

    assert task["ttlMs"] is None
    assert task.keys() == {"resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"}


def test_a_failed_task_says_why() -> None:
    """Tasks extension, "Task Status": a failed task should have a statusMessage."""
    task = get_task_result(a_task("failed"))

    assert (task["statusMessage"], task["error"]) == ("It broke.", {"code": -32603, "message": "It broke."})


def test_what_is_asked_is_there_by_key_in_the_order_it_was_asked() -> None:
    requests = get_task_result(a_task("input_required"))["inputRequests"]

    assert requests == {
        "size": form().to_input_request(),
        "link": {
            "method": "elicitation/create",
            "params": {"mode": "url", "message": "Sign in", "url": "https://example.com"},
        },
    }
    assert list(requests) == ["size", "link"]


def test_a_moment_has_its_milliseconds_and_no_more() -> None:
    assert write_moment(0.0005) == "1970-01-01T00:00:00.000Z"
    assert write_moment(1_785_240_000.9999) == "2026-07-28T12:00:00.999Z"
    assert write_moment(1_785_240_000.001) == "2026-07-28T12:00:00.001Z"
    assert write_moment(1_785_240_000.9999999) == "2026-07-28T12:00:01.000Z"

"""The session that a tool sees: from inside a task nothing is sent to the client (Tasks extension, "Notifications")."""

from typing import Any

import pytest

from elicitkit import MemoryTaskStore
from elicitkit.tasks.beginning import BeginningRoad
from elicitkit.tasks.call import TaskCall
from elicitkit.tasks.claim import Claim
from elicitkit.tasks.detached import detached_session
from elicitkit.tasks.road import ParkedRoad
from elicitkit.tasks.session import TaskSession

pytestmark = pytest.mark.anyio


class Wire:
    """A session of the SDK that notes what is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send_log_message(self, *_: Any, **__: Any) -> None:
        self.sent.append("log")

    async def send_progress_notification(self, *_: Any, **__: Any) -> None:
        self.sent.append("notification")

    async def report_progress(self, *_: Any) -> None:
        self.sent.append("progress")


async def say(session: TaskSession, done: int) -> None:
    await session.send_log_message("info", "half done")
    await session.send_progress_notification("token", done)
    await session.report_progress(done, 4)


async def test_log_messages_and_progress_are_sent_until_the_call_is_a_task_and_not_from_then_on() -> None:
    store, wire = MemoryTaskStore(), Wire()
    record = await store.create({}, worker="here")

    async def begin() -> ParkedRoad:
        claim = Claim(store, record.id, record.fence, 30.0, record.lease_until)
        return ParkedRoad(claim, detached_session(TaskCall("work", "0" * 32)), call_id="0" * 32)

    road = BeginningRoad(object(), begin)
    session = TaskSession(wire, road)  # type: ignore[arg-type]  # a stand-in
    await say(session, 1)
    await road.go_over()
    await say(session, 2)

    assert wire.sent == ["log", "notification", "progress"]
    assert (await store.get(record.id, owner=None)).status_message == "2 of 4"

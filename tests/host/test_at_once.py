"""How many questions people are shown at a time when the host says nothing (`docs/host.md`, `docs/inbox.md`)."""

import asyncio
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import anyio
import pytest

from elicitkit import Inbox, McpSource, MemoryInboxStore, Request, Slot, ToolContext, Toolkit, pending
from tests.host.inbox.questions import open_count

pytestmark = pytest.mark.anyio

Ways = dict[str, Callable[[Inbox], Any]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def wait_for(request: Request) -> Any:
    return request.accept()


def behind_another(inbox: Inbox) -> Any:
    @wraps(inbox.wait_for)
    async def noted(request: Request) -> Any:
        return await inbox.wait_for(request)

    return noted


ALL_AT_ONCE: Ways = {
    "Slot": lambda inbox: Slot(inbox.wait_for).at_once,
    "inbox.slot": lambda inbox: inbox.slot().at_once,
    "partial": lambda inbox: Slot(partial(inbox.wait_for)).at_once,
    "wraps": lambda inbox: Slot(behind_another(inbox)).at_once,
    "McpSource": lambda inbox: McpSource.load({"mcpServers": {}}, wait_for=inbox.wait_for).slot.at_once,
}
AS_SAID: Ways = {
    "a person": lambda _: Slot(wait_for).at_once,
    "nobody": lambda _: Slot(None).at_once,
    "inbox.wait_for": lambda inbox: Slot(inbox.wait_for, at_once=1).at_once,
    "inbox.slot": lambda inbox: inbox.slot(at_once=1).at_once,
    "McpSource": lambda inbox: McpSource.load({"mcpServers": {}}, wait_for=inbox.wait_for, at_once=1).slot.at_once,
}


@pytest.mark.parametrize("way", ALL_AT_ONCE)
async def test_an_inbox_is_given_all_questions_at_once(way: str) -> None:
    assert ALL_AT_ONCE[way](Inbox(MemoryInboxStore())) is None


@pytest.mark.parametrize("way", AS_SAID)
async def test_a_person_is_shown_one_and_what_a_host_says_wins(way: str) -> None:
    assert AS_SAID[way](Inbox(MemoryInboxStore())) == 1


def deploy(context: ToolContext) -> Any:
    return pending("Deploy?", kind="approval") if context.answer is None else "deployed"


async def test_two_calls_at_once_are_two_questions_in_the_inbox() -> None:
    async with Inbox(MemoryInboxStore()) as inbox:
        kit = Toolkit([deploy], wait_for=inbox.wait_for)
        changed = asyncio.Event()
        inbox.subscribe(lambda _: changed.set())
        calls = [asyncio.ensure_future(kit.execute("deploy")) for _ in range(2)]

        with anyio.fail_after(5):
            while await open_count(inbox) < 2:
                await changed.wait()
                changed.clear()
        for entry in (await inbox.open()).entries:
            await inbox.accept(entry.id)

        assert [(await call).output for call in calls] == ["deployed", "deployed"]

"""Whose a question is on a connection where all comes over one stream, and what a `wait_for` may call there."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit import Answer, McpSource, Origin, Policy, Request, Rule, Slot
from tests import eras
from tests.host.asker import Asker
from tests.host.hosting import LIMIT, hosting, process, speaking, text

pytestmark = pytest.mark.anyio

SERVER = Path(__file__).with_name("raw_server.py")


def raw(mode: str, **entry: Any) -> dict[str, Any]:
    """The configuration of a server that writes its messages by itself (2025-11-25)."""
    return {"servers": {"s": {"command": sys.executable, "args": [str(SERVER), mode], **entry}}}


@pytest.mark.parametrize("end", ["timed out", "cancelled"])
async def test_a_late_question_of_a_call_that_was_given_up_is_not_given_to_the_next(end: str) -> None:
    told: list[Any] = []
    trusted = Policy([Rule("confirm", server="s", tool="u")])
    seconds = 0.5 if end == "timed out" else 10

    with anyio.fail_after(LIMIT):
        async with McpSource.load(
            raw("late", timeout=seconds),
            policy=trusted,
            wait_for=lambda request: request.decline(),
            on_answer=lambda request, answer: told.append((Origin.of(request).tool, answer.ok)),
        ) as source:
            call = asyncio.create_task(source.call("s_t"))
            if end == "cancelled":
                await anyio.sleep(0.1)
                call.cancel()
            await asyncio.wait([call])
            assert text(await source.call("s_u")) == "u done"

    assert told == [("", False)]


async def test_a_question_of_nobody_ends_with_the_calls_that_run() -> None:
    taken = asyncio.Event()

    async def wait_for(request: Request) -> Answer:
        try:
            await anyio.sleep_forever()
        finally:
            taken.set()
        raise AssertionError

    with anyio.fail_after(LIMIT):
        async with McpSource.load(raw("late", timeout=0.5), wait_for=wait_for) as source:
            await source.call("s_t")
            assert text(await source.call("s_u")) == "u done"
            await taken.wait()


async def test_a_server_may_have_no_more_than_a_thousand_questions_open() -> None:
    shown: list[str] = []

    async def wait_for(request: Request) -> Answer:
        shown.append(request.id)
        return request.accept({"name": "Ada"})

    with anyio.fail_after(LIMIT):
        slot = Slot(wait_for)
        slot.hold()
        async with McpSource.load(raw("flood"), wait_for=slot) as source:
            call = asyncio.create_task(source.call("s_t"))
            refusal = json.loads(text(await call))
            slot.release()

    assert refusal["error"]["message"] == "1,000 questions are open already"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_a_wait_for_that_calls_a_tool_that_would_wait_for_it_is_told_so(revision: str) -> None:
    found: list[str] = []

    async def wait_for(request: Request) -> Answer:
        found.append(text(await source.call("a_echo", {"text": "x"})))
        return request.accept({"name": "Ada"})

    async with hosting(Asker().mcp, revision, wait_for=wait_for) as source:
        source._upstreams["a"]._connection.has_one_stream = True
        result = await source.call("a_greet")
        assert text(await source.call("a_echo", {"text": "y"})) == "y"

    assert text(result) == "Hello, Ada!"
    assert found[0].startswith("error: a is busy with another call")


async def test_what_a_wait_for_leaves_behind_may_call_when_it_is_over() -> None:
    left: list[asyncio.Task[Any]] = []
    done = asyncio.Event()

    async def later() -> Any:
        await done.wait()
        first = asyncio.create_task(source.call("a_echo", {"text": "x"}))
        return [text(await source.call("a_echo", {"text": "y"})), text(await first)]

    async def wait_for(request: Request) -> Answer:
        left.append(asyncio.create_task(later()))
        return request.accept({"name": "Ada"})

    async with hosting(Asker().mcp, "2025-11-25", wait_for=wait_for) as source:
        await source.call("a_greet")
        done.set()
        assert await left[0] == ["y", "x"]


async def test_a_wait_for_that_asks_through_its_own_slot_has_failed() -> None:
    inner: list[Any] = []

    async def wait_for(request: Request) -> Answer:
        if request.id == "outer":
            inner.append(await slot.answer(Request("inner", "approval", "Really?")))
        return request.accept()

    slot = Slot(wait_for)
    with anyio.fail_after(LIMIT):
        answer = await slot.answer(Request("outer", "approval", "Go?"))

    assert (answer.ok, inner[0].reason) == (True, "failed")


@pytest.mark.slow
async def test_a_question_whose_process_dies_has_failed() -> None:
    """The connection drops while a question is open, over a real process and with calls in turn."""
    told: list[Any] = []

    async def wait_for(request: Request) -> Answer:
        await anyio.sleep_forever()
        raise AssertionError

    with speaking("2025-11-25"), anyio.fail_after(LIMIT):
        async with McpSource.load(
            raw("die"), wait_for=wait_for, on_answer=lambda _, answer: told.append(answer.reason)
        ) as source:
            assert text(await source.call("s_t")).endswith("ended the connection")

    assert told == ["failed"]


@pytest.mark.slow
async def test_a_tool_that_a_wait_for_calls_may_not_ask_where_it_would_wait_for_itself() -> None:
    """In a process nothing carries a context to the question: it is known by its call."""
    inner: list[str] = []

    async def wait_for(request: Request) -> Answer:
        inner.append(text(await source.call("b_greet")))
        return request.accept({"name": "Ada"})

    with speaking("2025-11-25"), anyio.fail_after(LIMIT):
        async with McpSource.load({"servers": {"a": process(), "b": process()}}, wait_for=wait_for) as source:
            assert text(await source.call("a_greet")) == "Hello, Ada!"

    assert inner == ["Nobody: cancelled"]

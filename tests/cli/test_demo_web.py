"""`elicitkit demo --web`: the demo with the inbox in place of the terminal (issue 9, "Proof")."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from elicitkit.cli import Exit
from tests.render.web.visitor import Page, Visitor

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

COMMAND = [sys.executable, "-m", "elicitkit", "demo", "--web"]

LIMIT = 180
"""For what hangs: three interpreters start, and the machine may be busy."""


@asynccontextmanager
async def the_demo() -> AsyncIterator[tuple[Process, Visitor]]:
    """The demo in a process of its own, and somebody who has opened its link."""
    with anyio.fail_after(LIMIT):
        async with await anyio.open_process(COMMAND, stdin=subprocess.DEVNULL) as process:
            assert process.stderr is not None
            said = ""
            async for text in TextReceiveStream(process.stderr):
                said += text
                if found := re.search(r"(http://127\.0\.0\.1:\d+)(/\?token=\S+)\n", said):
                    break
            assert found, said
            visitor = Visitor(address=found[1])
            visitor.client.timeout = httpx2.Timeout(LIMIT)  # The next question takes as long as it takes.
            async with visitor.client:
                await visitor.open(found[2])
                yield process, visitor


async def next_question(visitor: Visitor) -> Page:
    """The page of the next question, as soon as there is one."""
    async with visitor.client.stream("GET", "/events") as events:
        async for line in events.aiter_lines():
            if line.startswith("data: 1."):
                break
    question = (await visitor.open("/")).all("li", **{"class": "question"})[0]["id"]
    return await visitor.open(f"/q/{question.removeprefix('q-')}")


async def printed(process: Process) -> str:
    assert process.stdout is not None
    return "".join([text async for text in TextReceiveStream(process.stdout)])


async def test_the_whole_demo_is_answered_on_its_pages() -> None:
    async with the_demo() as (process, visitor):
        await next_question(visitor)
        await visitor.press("review", f0="Asking before acting", f2="1")
        await visitor.press("send")
        await next_question(visitor)
        await visitor.press("review", f0="ada@example.com", f3="12,5")
        await visitor.press("send")
        await next_question(visitor)
        last = await visitor.press("yes")
        out = await printed(process)
        code = await process.wait()

    assert "Sent" in last.text
    assert code == Exit.FINE
    assert '"Asking before acting" is announced. See you at the harbour!' in out
    assert "Travel costs  12.5" in out


async def test_its_last_page_is_there_for_who_asks_for_it_late() -> None:
    """Issue 9, "Proof": it is over when the person has seen so, not when the tool has ended."""
    async with the_demo() as (process, visitor):
        await next_question(visitor)
        visitor.client.follow_redirects = False
        await visitor.press("decline")
        sent_on = visitor.location
        assert process.stdout is not None
        out = ""
        async for text in TextReceiveStream(process.stdout):
            out += text
            if "No talk was planned (declined)." in out:
                break
        last = await visitor.open(sent_on)
        code = await process.wait()

    assert "You said no" in last.text
    assert code == Exit.FINE


def test_it_is_either_a_page_or_a_script(elicitkit: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = elicitkit("demo", "--web", "--answers", "answers.jsonl")

    assert code == Exit.USAGE
    assert "not allowed with" in err

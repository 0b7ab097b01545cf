"""What the tests of the inbox share: a question, and waiting until one is open."""

import asyncio

import anyio

from elicitkit import Entry, FormElicitation, Inbox, Request

FORM = FormElicitation.create("Which size?").string("size").required().min_length(1).build()


def sizes(id: str = "r1", **more: object) -> Request:
    return Request(id, "input", FORM.message, data={"schema": FORM.schema(), **more})


async def first_open(inbox: Inbox) -> Entry:
    """The oldest open question, as soon as there is one."""
    changed = asyncio.Event()
    unsubscribe = inbox.subscribe(lambda _: changed.set())
    try:
        with anyio.fail_after(60):
            while not (found := (await inbox.open()).entries):
                await changed.wait()
                changed.clear()
    finally:
        unsubscribe()
    return found[0]


APPROVAL = Request("deploy", "approval", "Deploy to production?")


async def open_count(inbox: Inbox) -> int:
    return (await inbox.open()).total

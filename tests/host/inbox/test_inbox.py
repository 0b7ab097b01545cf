"""`Inbox`: a question goes in, somebody answers, and the first answer wins."""

import asyncio

import pytest

from elicitkit import Answer, AnswerError, EntryClosed, Inbox, MemoryInboxStore
from tests.host.inbox.questions import first_open, sizes

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_an_answer_given_in_the_inbox_reaches_the_host() -> None:
    async with Inbox(MemoryInboxStore(), host="agent") as inbox:
        waiting = asyncio.create_task(inbox.wait_for(sizes()))
        entry = await first_open(inbox)

        await inbox.accept(entry.id, {"size": "M"}, by="ada")

        assert await waiting == Answer("r1", ok=True, data={"size": "M"})


async def test_a_wrong_answer_leaves_the_question_open() -> None:
    async with Inbox(MemoryInboxStore()) as inbox:
        entry = await inbox.ask(sizes())

        with pytest.raises(AnswerError) as caught:
            await inbox.accept(entry.id, {"size": ""})

        assert [fault.field for fault in caught.value.faults] == ["size"]
        assert (await inbox.get(entry.id)).is_open


async def test_who_answers_second_is_told_who_was_first() -> None:
    async with Inbox(MemoryInboxStore()) as inbox:
        entry = await inbox.ask(sizes())
        await inbox.decline(entry.id, by="ada")

        with pytest.raises(EntryClosed, match="answered by ada already") as caught:
            await inbox.accept(entry.id, {"size": "M"}, by="bob")

        assert caught.value.state == "answered"


async def test_cancelling_the_run_withdraws_the_question() -> None:
    async with Inbox(MemoryInboxStore()) as inbox:
        waiting = asyncio.create_task(inbox.wait_for(sizes()))
        entry = await first_open(inbox)

        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

        assert (await inbox.get(entry.id)).state == "withdrawn"
        assert (await inbox.open()).total == 0

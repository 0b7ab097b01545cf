"""A server that dies, and comes back with another version of its tools (issue 7, 1).

What can be asked anew is; what cannot ends with an error result that says so; an old answer is never one to a new
question.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit import FormElicitation, SqliteTaskStore
from elicitkit.tasks.answers import judge
from tests.crash.processes import killed, serving
from tests.crash.rooms import QUICK, desk_at, settle, store_in
from tests.tasks.desk import Desk, accept

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


class Versions:
    """One file, and servers of several versions after one another."""

    def __init__(self, folder: Path, store: SqliteTaskStore) -> None:
        self.folder = folder
        self.store = store
        self._count = 0

    @asynccontextmanager
    async def of(self, tools: str) -> AsyncIterator[Desk]:
        """A desk at a server of that version, which is killed at the end of the block."""
        self._count += 1
        async with serving(self.folder, self._count, tools=tools, **QUICK) as server:
            async with desk_at(self.store, self.folder) as at:
                yield at
            await killed(server)

    async def ordered(self, version: str = "orders", *, second: str | None = "two") -> str:
        """An order whose first question is answered, and whose server dies at the second.

        Args:
            version: Of the server's tools.
            second: What the second question is answered with while nothing runs; `None` leaves it open.
        """
        async with self.of(version) as at:
            task_id = await at.start("order", token="1")
            await at.answer(task_id, answer="one")
            await at.key(task_id)
        if second is not None:
            await settle(self.store, task_id, answer=second)
        return task_id

    async def wakes(self, task_id: str) -> None:
        """Something is answered that no tool has asked for, so that the call is run though its question is open."""
        key = await self.store.set_input_requests(task_id, FormElicitation.create("From elsewhere").string("answer"))
        asked = (await self.store.history(task_id)).record.inputs[key]
        await self.store.settle(task_id, [judge(asked, accept(answer="there"))])


@pytest.fixture
async def versions(tmp_path: Path) -> AsyncIterator[Versions]:
    with anyio.fail_after(60):
        async with store_in(tmp_path) as store:
            yield Versions(tmp_path, store)


def messages(asked: dict[str, Any]) -> list[str]:
    return [one["params"]["message"] for one in asked.values()]


async def test_another_question_is_asked_anew_and_the_answer_to_the_old_one_is_not_used(versions: Versions) -> None:
    task_id = await versions.ordered()
    async with versions.of("another") as at:
        assert messages(await at.asked(task_id)) == ["other 1"]
        await at.answer(task_id, answer="another")

        assert await at.said(task_id) == "one / another"


async def test_the_answer_to_a_question_of_before_is_not_one_to_the_new_one_that_stands_beside_it(
    versions: Versions,
) -> None:
    task_id = await versions.ordered(second=None)
    await versions.wakes(task_id)
    async with versions.of("another") as at:
        found = await at.when(task_id, lambda record: "other" in str(record.inputs))
        for key, request in found["inputRequests"].items():
            await at.update(task_id, **{key: accept(answer=f"answer to {request['params']['message']}")})

        assert await at.said(task_id) == "one / answer to other 1"


async def test_the_answer_to_a_question_that_is_gone_is_not_used(versions: Versions) -> None:
    task_id = await versions.ordered()
    async with versions.of("fewer") as at:
        assert messages(await at.asked(task_id)) == ["third 1"]
        await at.answer(task_id, answer="three")

        assert await at.said(task_id) == "one / three"


async def test_questions_in_another_order_keep_their_own_answers(versions: Versions) -> None:
    task_id = await versions.ordered()
    async with versions.of("swapped") as at:
        assert await at.said(task_id) == "two / one"


async def test_a_call_whose_tool_takes_other_arguments_now_ends_with_an_error_that_says_so(versions: Versions) -> None:
    task_id = await versions.ordered()
    async with versions.of("stricter") as at:
        ended = await at.ended(task_id)

    error = str(ended.get("error") or ended["result"])
    assert ended["status"] == "failed" or ended["result"]["isError"]
    assert "order" in error
    assert "currency" in error
    assert "one" not in error.split()
    assert "two" not in error.split()


async def test_a_call_whose_tool_is_gone_is_left_to_a_version_that_has_it(versions: Versions) -> None:
    """Another server may have it, or the next version: what was answered is kept for that one."""
    task_id = await versions.ordered()
    async with versions.of("renamed") as at:
        assert (await at.get(task_id))["status"] == "working"
    async with versions.of("orders") as at:
        assert messages(await at.asked(task_id)) == ["third 1"]
        await at.answer(task_id, answer="three")

        assert "three" in await at.said(task_id)


async def parked_with_keys(versions: Versions, answered: str) -> tuple[str, str]:
    """A task that asks two things at once, one of which is answered while nothing runs; and the key of the other."""
    async with versions.of("keyed") as at:
        task_id = await at.start("order", token="1")
        keys = {one["params"]["message"].split()[0]: key for key, one in (await at.asked(task_id, 2)).items()}
        await at.update(task_id, **{keys.pop(answered): accept(answer="old")})
    return task_id, *keys.values()


async def test_an_answer_that_was_kept_under_a_key_is_not_one_to_another_form_of_that_key(versions: Versions) -> None:
    task_id, where = await parked_with_keys(versions, "who")
    async with versions.of("rekeyed") as at:
        await at.update(task_id, **{where: accept(answer="here")})
        await at.when(task_id, lambda record: "Name" in str(record.inputs))
        await at.answer(task_id, answer="Ann")

        assert await at.said(task_id) == "Ann / here"


async def test_an_open_question_whose_form_changed_is_asked_anew_whatever_comes_for_the_old_one(
    versions: Versions,
) -> None:
    task_id, who = await parked_with_keys(versions, "where")
    async with versions.of("rekeyed") as at:
        await at.update(task_id, **{who: accept(answer="too late")})
        await at.when(task_id, lambda record: bool(record.inputs) and who not in record.inputs)
        await at.answer(task_id, answer="Ann")

        assert await at.said(task_id) == "Ann / old"

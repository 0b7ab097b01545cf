"""The store in memory keeps the contract; and what is its own: nothing is copied that can be shared."""

from pathlib import Path
from typing import Any

import pytest

from elicitkit import FormElicitation, MemoryTaskStore
from elicitkit.limits import OPEN_REQUESTS
from elicitkit.testing import TaskStoreContract

pytestmark = pytest.mark.anyio


class TestMemoryStore(TaskStoreContract):
    is_shared = False

    def make_store(self, folder: Path, **options: Any) -> MemoryTaskStore:
        return MemoryTaskStore(**options)


async def test_tasks_that_ask_the_same_share_one_schema() -> None:
    """Issue 6: a parked task in memory costs 2 KiB at most."""
    store = MemoryTaskStore()
    asked = []
    for number in range(3):
        form = FormElicitation.create(f"Which size for {number}?").string("size").required()
        made = await store.create({})
        await store.set_input_requests(made.id, form.to_input_request())
        (one,) = (await store.get(made.id, owner=None)).inputs.values()
        asked.append(one.request["params"]["requestedSchema"])

    assert asked[0] is asked[1] is asked[2]


async def test_a_payload_may_be_changed_after_it_was_parked() -> None:
    store = MemoryTaskStore()
    made = await store.create({})
    payload = FormElicitation.create("m").string("size").to_input_request()
    await store.set_input_requests(made.id, payload)

    payload["params"]["message"] = "other"
    payload["params"]["requestedSchema"]["properties"].clear()

    (asked,) = (await store.get(made.id, owner=None)).inputs.values()
    assert asked.request == FormElicitation.create("m").string("size").to_input_request()


async def test_each_store_has_its_own_tasks() -> None:
    made = await MemoryTaskStore().create({})

    assert await MemoryTaskStore().ready() == []
    assert made.id


async def test_a_principal_has_a_thousand_open_questions_unless_told_otherwise() -> None:
    """Design, section 11."""
    assert MemoryTaskStore().open_requests == OPEN_REQUESTS == 1_000


@pytest.mark.parametrize("key", ["", "  ", "half \ud800", 4], ids=repr)
async def test_a_key_that_cannot_be_sent_is_refused(key: Any) -> None:
    store = MemoryTaskStore()
    made = await store.create({})

    with pytest.raises(ValueError, match="a key is text that can be sent"):
        await store.set_input_requests(made.id, FormElicitation.create("m"), key=key)


async def test_a_status_message_can_always_be_sent() -> None:
    store = MemoryTaskStore()
    made = await store.create({})

    await store.progress(made.id, "half \ud800")

    assert (await store.get(made.id, owner=None)).status_message == "half \\ud800"


async def test_what_one_sweep_found_and_did_not_end_the_next_one_finds() -> None:
    store = MemoryTaskStore()
    made = await store.create({}, ttl=10)

    found = [store._tables.due(10, store.clock() + 11) for _ in range(2)]

    assert found == [[made.id]] * 2

"""The contract's second part: questions are parked, under keys that are used once, and within limits."""

from __future__ import annotations

from typing import Any

import pytest

from ...errors import CallOver, FormError, LimitError, LinkError, TaskKeyError
from ...forms import FormElicitation
from ...limits import ANSWER_BYTES, MESSAGE_CHARACTERS, SCHEMA_BYTES, TASK_QUESTIONS
from ...tasks.record import TaskInput
from ...tasks.requests import form_request, link_request
from ...tasks.store import TaskStore
from .base import StoreTests, accepting, current, form, parked, question


def large_schema(size: int) -> dict[str, Any]:
    """A requested schema of more than so many bytes."""
    return {"type": "object", "properties": {"a": {"type": "string", "description": "x" * size}}}


class AskingContract(StoreTests):
    """Parking, keys, sizes."""

    async def test_a_task_is_input_required_exactly_while_a_question_is_open(self, store: TaskStore) -> None:
        """Tasks extension, "Task Status": partial answers leave it in `input_required`."""
        statuses = [(await store.create({}, task_id="a" * 32)).status]

        for change in (
            store.park("a" * 32, [question(store, "a"), question(store, "b")]),
            store.settle("a" * 32, [accepting("b")]),
            store.settle("a" * 32, [accepting("a")]),
            store.park("a" * 32, [question(store, "c")]),
            store.withdraw("a" * 32, ["c", "unknown"]),
        ):
            await change
            record = await current(store, "a" * 32)
            statuses.append(record.status)
            assert (record.status == "input_required") == bool(record.inputs)

        assert statuses == ["working", "input_required", "input_required", "working", "input_required", "working"]

    async def test_questions_add_to_what_is_open_in_the_order_they_are_asked(self, store: TaskStore) -> None:
        made = await parked(store, "z", "b")
        await store.park(made.id, [question(store, "a")])

        found = await current(store, made.id)

        assert list(found.inputs) == ["z", "b", "a"]
        assert found.inputs["b"].request == {**form().to_input_request()}

    async def test_a_question_from_outside_gets_a_key_of_32_hexadecimal_digits(self, store: TaskStore) -> None:
        """Design, section 8: `set_input_requests`."""
        made = await store.create({})

        key = await store.set_input_requests(made.id, form())

        assert len(key) == 32
        assert int(key, 16) >= 0
        assert list((await current(store, made.id)).inputs) == [key]

    async def test_a_question_from_outside_may_choose_its_key(self, store: TaskStore) -> None:
        made = await store.create({})

        assert await store.set_input_requests(made.id, form(), key="create-product") == "create-product"
        assert list((await current(store, made.id)).inputs) == ["create-product"]

    async def test_a_form_a_builder_and_a_payload_ask_the_same(self, store: TaskStore) -> None:
        made = await store.create({})
        builder = FormElicitation.create("Which size?").string("size").required()

        for source in (builder, builder.build(), builder.to_input_request()):
            await store.set_input_requests(made.id, source)

        asked = [*(await current(store, made.id)).inputs.values()]
        assert [one.request for one in asked] == [builder.to_input_request()] * 3
        assert len({one.shape for one in asked}) == 1

    async def test_a_link_is_asked_by_its_payload(self, store: TaskStore) -> None:
        made = await store.create({})
        payload = link_request("Sign in", "https://example.com/login")

        await store.set_input_requests(made.id, payload, key="link")

        assert (await current(store, made.id)).inputs["link"].request == payload

    @pytest.mark.parametrize(
        ("source", "error"),
        [
            (FormElicitation.create(" "), FormError),
            (form_request("m", {"type": "string"}), FormError),
            (link_request("m", "javascript:alert(1)"), LinkError),
            (link_request("", "https://example.com"), LinkError),
            ({"method": "roots/list", "params": {}}, TypeError),
            ({"method": "elicitation/create"}, TypeError),
            ("Which size?", TypeError),
        ],
        ids=["blank", "no object", "no web link", "link without message", "no question", "no params", "text"],
    )
    async def test_what_cannot_be_asked_is_not_parked(self, store: TaskStore, source: Any, error: Any) -> None:
        made = await store.create({})

        with pytest.raises(error):
            await store.set_input_requests(made.id, source)
        assert await current(store, made.id) == made

    # --- keys --------------------------------------------------------------------------------------------------------

    async def test_a_key_is_used_once_in_the_life_of_a_task(self, store: TaskStore) -> None:
        """Tasks extension, "Input Requests": a key is unique over the lifetime of a task."""
        made = await parked(store, "open", "answered", "withdrawn")
        await store.settle(made.id, [accepting("answered")])
        await store.withdraw(made.id, ["withdrawn"])
        before = await store.history(made.id)

        for key in ("open", "answered", "withdrawn"):
            with pytest.raises(TaskKeyError):
                await store.park(made.id, [question(store, "new"), question(store, key)])

        assert await store.history(made.id) == before

    async def test_one_key_cannot_be_asked_twice_at_once(self, store: TaskStore) -> None:
        made = await store.create({})

        with pytest.raises(TaskKeyError):
            await store.park(made.id, [question(store, "a"), question(store, "a")])
        assert await current(store, made.id) == made

    async def test_another_task_may_have_the_same_key(self, store: TaskStore) -> None:
        first, second = await parked(store, "a"), await parked(store, "a")

        await store.settle(first.id, [accepting("a")])

        assert list((await current(store, second.id)).inputs) == ["a"]

    async def test_nothing_is_asked_in_a_task_that_has_ended(self, store: TaskStore) -> None:
        made = await store.create({})
        await store.complete(made.id, {})

        with pytest.raises(CallOver, match="completed"):
            await store.set_input_requests(made.id, form())

    # --- sizes (design, section 11) ----------------------------------------------------------------------------------

    async def test_a_schema_that_is_too_large_is_refused(self, store: TaskStore) -> None:
        made = await store.create({})
        request = form_request("m", large_schema(SCHEMA_BYTES))
        asked = TaskInput("a", "a", "shape", request, store.clock() + 10)

        with pytest.raises(LimitError, match="131,072"):
            await store.park(made.id, [asked])
        with pytest.raises(LimitError, match="131,072"):
            await store.set_input_requests(made.id, request)
        assert await current(store, made.id) == made

    async def test_a_message_that_is_too_long_is_refused(self, store: TaskStore) -> None:
        made = await store.create({})

        with pytest.raises(LimitError, match="10,000"):
            await store.set_input_requests(made.id, form_request("m" * (MESSAGE_CHARACTERS + 1), large_schema(1)))

    async def test_an_answer_that_is_too_large_is_refused(self, store: TaskStore) -> None:
        made = await parked(store, "a")

        with pytest.raises(LimitError, match="262,144"):
            await store.settle(made.id, [accepting("a", "x" * ANSWER_BYTES)])
        assert list((await current(store, made.id)).inputs) == ["a"]

    async def test_a_principal_has_so_many_open_questions_in_all_its_tasks(self, store: TaskStore) -> None:
        """Design, section 11; the store of these tests has a limit of 20."""
        first = await parked(store, *map(str, range(12)), owner="ada")
        second = await parked(store, *map(str, range(8)), owner="ada")

        with pytest.raises(LimitError, match="20"):
            await store.set_input_requests(second.id, form())
        await store.settle(first.id, [accepting("0")])
        await store.set_input_requests(second.id, form())
        await store.cancel(first.id, owner="ada")
        await store.park(second.id, [question(store) for _ in range(11)])
        with pytest.raises(LimitError, match="20"):
            await store.set_input_requests(second.id, form())

    async def test_a_task_has_so_many_open_questions_whoever_owns_it(self, store: TaskStore) -> None:
        """`TASK_QUESTIONS`: each poll carries all of them."""
        made = await store.create({})
        await store.park(made.id, [question(store, str(number)) for number in range(TASK_QUESTIONS)])

        with pytest.raises(LimitError, match="1,000"):
            await store.set_input_requests(made.id, form())
        await store.settle(made.id, [accepting("0")])
        await store.set_input_requests(made.id, form())
        assert len((await current(store, made.id)).inputs) == TASK_QUESTIONS

    async def test_the_questions_of_others_do_not_count(self, store: TaskStore) -> None:
        await parked(store, *map(str, range(20)), owner="ada")

        assert len((await parked(store, *map(str, range(20)), owner="bob")).inputs) == 20
        assert len((await parked(store, *map(str, range(30)))).inputs) == 30

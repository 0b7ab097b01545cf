"""The contract's first part: what is created is there, for its owner alone, and what has ended stays so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ...errors import CallOver, TaskKeyError, UnknownTask
from ...journal import Reply
from ...tasks.record import Settlement, TaskInput, TaskRecord
from ...tasks.requests import request_of
from ...tasks.store import TaskStore
from .base import NOBODY, Clock, StoreTests, accepting, current, form, parked, question

ENDINGS: dict[str, Callable[[TaskStore, str], Awaitable[object]]] = {
    "completed": lambda store, task_id: store.complete(task_id, {"content": []}),
    "failed": lambda store, task_id: store.fail(task_id, {"code": -32603, "message": "It broke."}),
    "cancelled": lambda store, task_id: store.cancel(task_id, owner=None),
}

CHANGES: dict[str, Callable[[TaskStore, str], Awaitable[object]]] = {
    "park": lambda store, task_id: store.park(task_id, [question(store, "late")]),
    "keep_step": lambda store, task_id: store.keep_step(task_id, "charge", "1"),
    "progress": lambda store, task_id: store.progress(task_id, "Still going"),
    "complete": lambda store, task_id: store.complete(task_id, {"content": ["other"]}),
    "fail": lambda store, task_id: store.fail(task_id, {"code": 1, "message": "other"}),
}


class KeepingContract(StoreTests):
    """Creation, owners, ends."""

    async def test_a_task_can_be_read_by_all_when_it_was_created(self, store: TaskStore, other: TaskStore) -> None:
        """Tasks extension, "Creating Tasks": a server must not answer before the task can be read."""
        call = {"tool": "order", "arguments": {"n": 2**70, "text": "half \ud800 a character", "list": [None, 1.5]}}

        made = await store.create(call, ttl=60, poll_interval_ms=500)
        found = await other.get(made.id, owner=None)

        assert found == made
        assert (found.status, found.call, found.ttl, found.poll_interval_ms) == ("working", call, 60, 500)
        assert found.created_at == found.updated_at == found.last_activity == store.clock()

    async def test_a_task_is_still_there_when_the_store_is_opened_again(
        self, store: TaskStore, tmp_path: Path, clock: Clock
    ) -> None:
        """Design, section 8: what is parked outlives the process, where the store's medium does."""
        made = await parked(store, "a")
        await store.keep_step(made.id, "price", "42")
        await store.close()
        reopened = self.make_store(tmp_path, clock=clock) if self.is_shared else store

        async with reopened:
            history = await reopened.history(made.id)

        assert list(history.record.inputs) == ["a"]
        assert history.steps == {"price": "42"}

    async def test_ids_are_random_and_no_shorter_than_128_bits(self, store: TaskStore) -> None:
        """Tasks extension, "Security": ids of high entropy."""
        ids = {(await store.create({})).id for _ in range(50)}

        assert len(ids) == 50
        assert all(len(task_id) == 32 and int(task_id, 16) >= 0 for task_id in ids)

    async def test_an_id_may_be_chosen_once(self, store: TaskStore) -> None:
        made = await store.create({"n": 1}, task_id="ab" * 16)

        with pytest.raises(TaskKeyError):
            await store.create({"n": 2}, task_id="ab" * 16)
        assert (await current(store, made.id)).call == {"n": 1}

    @pytest.mark.parametrize("task_id", ["", "1", "order-1", "g" * 32])
    async def test_an_id_that_could_be_guessed_is_refused(self, store: TaskStore, task_id: str) -> None:
        with pytest.raises(ValueError, match="32 hexadecimal digits"):
            await store.create({}, task_id=task_id)

    @pytest.mark.parametrize("options", [{"ttl": 0}, {"ttl": float("inf")}, {"poll_interval_ms": -1}], ids=str)
    async def test_a_time_that_is_none_is_refused(self, store: TaskStore, options: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match="is positive"):
            await store.create({}, **options)
        assert await store.ready() == []

    async def test_what_is_not_json_is_refused_before_anything_is_stored(self, store: TaskStore) -> None:
        with pytest.raises(TypeError, match="JSON"):
            await store.create({"tool": object()})

        made = await store.create({})
        with pytest.raises(TypeError, match="JSON"):
            await store.complete(made.id, {"result": {1, 2}})
        assert (await store.ready(), (await current(store, made.id)).status) == ([made.id], "working")

    async def test_what_was_given_may_be_changed_afterwards(self, store: TaskStore) -> None:
        call: dict[str, Any] = {"arguments": {"n": 1}}
        made = await store.create(call)

        call["arguments"]["n"] = 2
        made.call["arguments"]["n"] = 3

        assert (await current(store, made.id)).call == {"arguments": {"n": 1}}

    @pytest.mark.parametrize("text", ["nul \x00 in it", "\x00", "\x01", "\\x00", "\\u0000", "é 🜁", ""], ids=ascii)
    async def test_any_text_comes_back_as_it_was(self, store: TaskStore, other: TaskStore, text: str) -> None:
        """A database may not take a NUL, which JSON, tokens and forms can bring."""
        request, call = request_of(form(f"m {text}")), {text: [text]}
        made = await store.create(call, owner=text, worker=f"w {text}")
        asked = TaskInput(f"k {text}", f"n {text}", "shape", request, store.clock() + 60, message=text)
        await store.park(made.id, [asked], fence=1)
        await store.settle(made.id, [Settlement(asked.key, Reply("accept", {text: text}))])
        await store.keep_step(made.id, f"s {text}", f'"{text}"', fence=1)
        await store.progress(made.id, text, fence=1)

        history = await other.history(made.id)
        found = await other.get(made.id, owner=text)

        assert (found.call, found.owner, found.worker, found.status_message) == (call, text, f"w {text}", text)
        assert history.steps == {f"s {text}": f'"{text}"'}
        (was,) = history.inputs
        assert (was.key, was.name, was.request, was.message) == (asked.key, asked.name, request, text)
        assert was.reply == Reply("accept", {text: text})

    # --- owners ------------------------------------------------------------------------------------------------------

    async def test_a_foreign_an_unknown_and_an_expired_id_are_told_in_the_same_bytes(
        self, store: TaskStore, clock: Clock
    ) -> None:
        """Design, section 8: a foreign task is answered, byte for byte, like one that does not exist."""
        foreign = await store.create({}, owner="ada")
        expired = await store.create({}, owner="bob", ttl=10)
        clock.advance(10)

        told = set()
        for task_id in (foreign.id, expired.id, NOBODY, "", "no id", "\ud800", "é" * 32):
            for asking in (store.get, store.cancel):
                with pytest.raises(UnknownTask) as caught:
                    await asking(task_id, owner="bob")
                told.add((str(caught.value), repr(caught.value), caught.value.args))
        with pytest.raises(UnknownTask):
            await store.history(expired.id)

        assert len(told) == 1
        assert foreign.id not in str(told)

    @pytest.mark.parametrize(
        ("owner", "caller"), [("ada", None), (None, "ada"), ("ada", "Ada"), ("ada", ""), ("", None)]
    )
    async def test_a_task_is_its_owners_alone(self, store: TaskStore, owner: str | None, caller: str | None) -> None:
        """Design, section 10: no principal never matches a named owner."""
        made = await store.create({}, owner=owner)

        for asking in (store.get, store.cancel):
            with pytest.raises(UnknownTask):
                await asking(made.id, owner=caller)
        assert (await store.get(made.id, owner=owner)).status == "working"

    async def test_nobody_owns_what_was_made_without_authentication(self, store: TaskStore) -> None:
        made = await store.create({})

        assert await store.get(made.id, owner=None) == made

    @pytest.mark.parametrize("name", CHANGES)
    async def test_nothing_is_changed_in_a_task_that_is_not_there(self, store: TaskStore, name: str) -> None:
        with pytest.raises(UnknownTask):
            await CHANGES[name](store, NOBODY)

    # --- the end -----------------------------------------------------------------------------------------------------

    async def test_a_completed_task_has_its_result_and_a_failed_one_its_error(self, store: TaskStore) -> None:
        """Tasks extension, "Task Status": `failed` is for errors of the protocol."""
        done, broken = await store.create({}), await store.create({})

        await store.complete(done.id, {"content": [], "isError": True})
        await store.fail(broken.id, {"code": -32603, "message": "It broke."})

        done, broken = await current(store, done.id), await current(store, broken.id)
        assert (done.status, done.result, done.error) == ("completed", {"content": [], "isError": True}, None)
        assert (broken.status, broken.result, broken.error["code"]) == ("failed", None, -32603)
        assert broken.status_message == "It broke."

    @pytest.mark.parametrize("status", ENDINGS)
    async def test_what_has_ended_does_not_change(self, store: TaskStore, clock: Clock, status: str) -> None:
        """Tasks extension, "Task Status Lifecycle": a terminal status is never left."""
        made = await parked(store, "a")
        await ENDINGS[status](store, made.id)
        ended = await current(store, made.id)
        clock.advance(5)

        for change in CHANGES.values():
            with pytest.raises(CallOver):
                await change(store, made.id)
        await store.cancel(made.id, owner=None)
        taken = await store.settle(made.id, [accepting("a")])

        assert await store.claim(made.id, "worker", 30) is None
        assert (taken, ended.status, ended.inputs) == (frozenset(), status, {})
        assert await current(store, made.id) == ended

    @pytest.mark.parametrize("status", ENDINGS)
    async def test_an_end_withdraws_what_is_still_asked(self, store: TaskStore, status: str) -> None:
        made = await parked(store, "a", "b")
        await store.settle(made.id, [accepting("a")])

        await ENDINGS[status](store, made.id)

        history = await store.history(made.id)
        assert [asked.state for asked in history.inputs] == ["answered", "withdrawn"]
        assert history.record.inputs == {}

    async def test_progress_is_what_the_task_says_it_does(self, store: TaskStore, clock: Clock) -> None:
        """Tasks extension, "Tasks": `statusMessage`, and `lastUpdatedAt` with it."""
        made = await store.create({})
        clock.advance(5)

        await store.progress(made.id, "Half of it")

        found = await current(store, made.id)
        assert (found.status_message, found.status) == ("Half of it", "working")
        assert found.updated_at == made.updated_at + 5

    async def test_every_change_that_a_client_can_see_has_a_revision_of_its_own(self, store: TaskStore) -> None:
        seen: list[TaskRecord] = [await store.create({}), await store.create({})]
        seen.append(await store.park(seen[0].id, [question(store, "a")]))
        await store.settle(seen[0].id, [accepting("a")])
        seen.append(await current(store, seen[0].id))
        await store.progress(seen[0].id, "Nearly")
        seen.append(await current(store, seen[0].id))

        revisions = [record.revision for record in seen]
        assert revisions == sorted(set(revisions))

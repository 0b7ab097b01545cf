"""`Inbox`: a question goes in, somebody answers, and the first answer wins."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit import (
    Answer,
    AnswerError,
    ContractError,
    EntryClosed,
    Inbox,
    InboxStore,
    LimitError,
    MemoryInboxStore,
    Pending,
    Request,
    SqliteInboxStore,
    SqliteTaskStore,
    StoreError,
    UnknownEntry,
)
from elicitkit.host.inbox import holding
from elicitkit.limits import NAME_CHARACTERS, NOTE_CHARACTERS
from elicitkit.testing import Clock
from tests.host.inbox.questions import APPROVAL, first_open, open_count, sizes

pytestmark = pytest.mark.anyio

UNREADABLE = {"schema": {"type": "object", "properties": {"x": {"type": "object"}}, "required": ["x"]}}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
async def inbox(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> AsyncIterator[Inbox]:
    store: InboxStore = (
        MemoryInboxStore(clock=clock)
        if request.param == "memory"
        else SqliteInboxStore(tmp_path / "inbox.db", clock=clock)
    )
    async with Inbox(store, host="agent") as made:
        yield made


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# --- waiting ----------------------------------------------------------------------------------------------------------


async def test_an_answer_given_in_the_inbox_reaches_the_host(inbox: Inbox) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    entry = await first_open(inbox)

    await inbox.accept(entry.id, {"size": "M"}, by="ada")

    assert await waiting == Answer("r1", ok=True, data={"size": "M"})
    kept = await inbox.get(entry.id)
    assert (kept.state, kept.closed_by, kept.host, kept.is_collected) == ("answered", "ada", "agent", True)


@pytest.mark.parametrize("act", ["decline", "cancel"])
async def test_a_refusal_reaches_the_host_and_its_note_does_not(inbox: Inbox, act: str) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    entry = await first_open(inbox)

    closed = await getattr(inbox, act)(entry.id, note="too late in the year")

    expected = sizes().decline() if act == "decline" else sizes().cancel()
    assert await waiting == expected
    assert closed.note == "too late in the year"


async def test_cancelling_the_run_withdraws_the_question(inbox: Inbox) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    entry = await first_open(inbox)

    await cancelled(waiting)

    assert (await inbox.get(entry.id)).state == "withdrawn"
    assert await open_count(inbox) == 0
    with pytest.raises(EntryClosed, match="asked no longer"):
        await inbox.accept(entry.id, {"size": "M"})


async def test_a_run_that_is_cancelled_while_it_asks_leaves_nothing(inbox: Inbox) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    await asyncio.sleep(0)

    await cancelled(waiting)

    assert await open_count(inbox) == 0


async def test_a_question_that_is_withdrawn_is_cancelled_for_its_host(inbox: Inbox) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))

    await inbox.withdraw((await first_open(inbox)).id, by="the keeper")

    assert await waiting == sizes().cancel()


async def test_expiry_is_an_answer(inbox: Inbox, clock: Clock) -> None:
    """Design, section 9."""
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(seconds=60)
    waiting = asyncio.create_task(inbox.wait_for(Request("r1", "approval", "Go?", expires_at=soon)))
    entry = await first_open(inbox)
    assert entry.until == soon

    clock.advance(60)
    await inbox.store.sweep()

    assert await waiting == Answer("r1", ok=False, reason="expired")


async def test_a_question_ends_on_time_where_nobody_else_sweeps() -> None:
    async with Inbox(MemoryInboxStore(), max_wait=0.05) as inbox:
        with anyio.fail_after(10):
            assert await inbox.wait_for(APPROVAL) == APPROVAL.cancel("expired")


async def test_questions_of_a_slot_are_shown_side_by_side(inbox: Inbox) -> None:
    slot = inbox.slot()
    asking = [asyncio.create_task(slot.answer(sizes(f"r{number}"))) for number in range(3)]
    with anyio.fail_after(10):
        while await open_count(inbox) < 3:
            await first_open(inbox)

    for entry in (await inbox.open()).entries:
        await inbox.accept(entry.id, {"size": entry.request.id})

    assert [(await one).data for one in asking] == [{"size": f"r{number}"} for number in range(3)]


async def test_an_inbox_that_is_not_open_says_so() -> None:
    with pytest.raises(StoreError, match="async with inbox"):
        await Inbox(MemoryInboxStore()).wait_for(APPROVAL)


async def test_a_question_that_cannot_be_withdrawn_does_not_hold_up_the_run(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.")

    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    await first_open(inbox)
    monkeypatch.setattr(inbox.store, "leave", fails)
    with anyio.fail_after(10), caplog.at_level(logging.ERROR):
        await cancelled(waiting)

    assert waiting.cancelled()
    assert "could not be withdrawn" in caplog.text


async def test_a_host_says_again_and_again_that_it_waits(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    renewed = asyncio.Event()
    renew = inbox.store.renew

    async def renewing(ids: Any, seconds: float, *, holder: str) -> None:
        await renew(ids, seconds, holder=holder)
        if ids:
            renewed.set()

    monkeypatch.setattr(holding, "SWEPT_EVERY", 0.001)
    monkeypatch.setattr(holding, "RENEWED_EVERY", 0.0)
    monkeypatch.setattr(inbox.store, "renew", renewing)
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    entry = await first_open(inbox)
    inbox.store.clock.advance(25)  # type: ignore[attr-defined]  # a test's
    with anyio.fail_after(10):
        await renewed.wait()

    later = await inbox.get(entry.id)
    assert entry.waited_until is not None
    assert later.waited_until == entry.waited_until + timedelta(seconds=25)
    await cancelled(waiting)


# --- answering --------------------------------------------------------------------------------------------------------


async def test_a_wrong_answer_leaves_the_question_open(inbox: Inbox) -> None:
    entry = await inbox.ask(sizes())

    with pytest.raises(AnswerError) as caught:
        await inbox.accept(entry.id, {"size": ""})

    assert [fault.field for fault in caught.value.faults] == ["size"]
    assert (await inbox.get(entry.id)).is_open


async def test_what_is_not_of_the_form_is_left_out_and_types_are_made_right(inbox: Inbox) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    entry = await inbox.ask(Request("r", "input", "How many?", data={"schema": schema}))

    await inbox.accept(entry.id, {"count": "42", "more": "x"})

    assert (await inbox.answer_to(entry.id)) == Answer("r", ok=True, data={"count": 42})


async def test_who_answers_second_is_told_who_was_first(inbox: Inbox) -> None:
    entry = await inbox.ask(sizes())
    await inbox.decline(entry.id, by="ada")

    with pytest.raises(EntryClosed, match="answered by ada already") as caught:
        await inbox.accept(entry.id, {"size": "M"}, by="bob")

    assert (caught.value.state, caught.value.by) == ("answered", "ada")
    assert caught.value.at is not None


async def test_who_answers_second_is_told_so_even_with_a_wrong_answer(inbox: Inbox) -> None:
    """What is wrong with an answer is of no use to who is too late."""
    entry = await inbox.ask(sizes())
    await inbox.decline(entry.id)

    with pytest.raises(EntryClosed):
        await inbox.accept(entry.id, {"size": ""})


async def test_of_many_who_answer_at_once_one_is_taken(inbox: Inbox) -> None:
    waiting = asyncio.create_task(inbox.wait_for(sizes()))
    entry = await first_open(inbox)

    done = await asyncio.gather(
        *(inbox.accept(entry.id, {"size": f"{number}"}) for number in range(20)), return_exceptions=True
    )

    (won,) = [number for number, one in enumerate(done) if not isinstance(one, BaseException)]
    assert (await waiting).data == {"size": f"{won}"}


async def test_a_form_that_nobody_can_answer_can_only_be_refused(inbox: Inbox) -> None:
    entry = await inbox.ask(Request("r", "input", "?", data=UNREADABLE))

    with pytest.raises(ContractError, match="requires 'x'"):
        inbox.form(entry)
    with pytest.raises(ContractError, match="nobody can answer this"):
        await inbox.accept(entry.id, {"x": {}})
    assert (await inbox.decline(entry.id)).reason == "declined"


async def test_the_form_of_a_question_is_there_and_of_other_kinds_there_is_none(inbox: Inbox) -> None:
    form = inbox.form(await inbox.ask(sizes()))

    assert form is not None
    assert [field.name for field in form.fields] == ["size"]
    assert inbox.form(await inbox.ask(APPROVAL)) is None


async def test_the_consent_to_a_link_has_no_data(inbox: Inbox) -> None:
    entry = await inbox.ask(Request("r", "authorization", "Log in", "https://example.com"))

    await inbox.accept(entry.id, {"code": "secret"})

    assert await inbox.answer_to(entry.id) == Answer("r", ok=True)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://example.com/", "https://me:pw@example.com/", None])
async def test_a_link_that_nobody_is_to_open_can_only_be_refused(inbox: Inbox, url: str | None) -> None:
    """Design, section 10; whatever door the answer comes through."""
    entry = await inbox.ask(Request("r", "authorization", "Log in", url))

    with pytest.raises(ContractError, match="nobody is to agree to this link"):
        await inbox.accept(entry.id)
    assert (await inbox.decline(entry.id)).reason == "declined"


async def test_an_answer_to_another_request_is_refused(inbox: Inbox) -> None:
    entry = await inbox.ask(sizes("r1"))

    with pytest.raises(ContractError, match="another request"):
        await inbox.answer(entry.id, sizes("r2").decline())


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"by": "n" * (NAME_CHARACTERS + 1)}, LimitError),
        ({"by": 5}, TypeError),
        ({"by": "\ud800"}, ContractError),
        ({"note": "n" * (NOTE_CHARACTERS + 1)}, LimitError),
    ],
    ids=str,
)
async def test_what_is_kept_of_who_answers_is_short_text(inbox: Inbox, given: Any, error: type[Exception]) -> None:
    entry = await inbox.ask(sizes())

    with pytest.raises(error):
        await inbox.decline(entry.id, **given)
    assert (await inbox.get(entry.id)).is_open


# --- who looks --------------------------------------------------------------------------------------------------------

REACHING: dict[str, Callable[[Inbox, str], Awaitable[object]]] = {
    "get": lambda inbox, id: inbox.get(id, owner="bob"),
    "accept": lambda inbox, id: inbox.accept(id, {"size": "M"}, owner="bob"),
    "decline": lambda inbox, id: inbox.decline(id, owner="bob"),
    "cancel": lambda inbox, id: inbox.cancel(id, owner=None),
    "answer": lambda inbox, id: inbox.answer(id, sizes().decline(), owner=""),
    "answer_to": lambda inbox, id: inbox.answer_to(id, owner="Ada"),
    "closing": lambda inbox, id: inbox.closing(id, owner=None, seconds=0),
}


@pytest.mark.parametrize("how", REACHING)
async def test_somebody_else_s_question_is_as_one_that_is_not_there(inbox: Inbox, how: str) -> None:
    entry = await inbox.ask(sizes(), owner="ada")

    with pytest.raises(UnknownEntry) as foreign:
        await REACHING[how](inbox, entry.id)
    with pytest.raises(UnknownEntry) as missing:
        await REACHING[how](inbox, "0" * 32)

    assert str(foreign.value) == str(missing.value)
    assert (await inbox.get(entry.id, owner="ada")).is_open


async def test_the_host_says_who_may_answer(clock: Clock) -> None:
    async with Inbox(MemoryInboxStore(), owner_of=lambda request: request.id.partition("/")[0]) as inbox:
        waiting = asyncio.create_task(inbox.wait_for(sizes("ada/1")))

        assert (await first_open(inbox)).owner == "ada"
        await cancelled(waiting)


WAYS_IN: dict[str, Callable[[Inbox, Request], Awaitable[object]]] = {
    "wait_for": lambda inbox, request: inbox.wait_for(request),
    "slot": lambda inbox, request: inbox.slot().answer(request),
    "ask": lambda inbox, request: inbox.ask(request),
    "ask a pending": lambda inbox, request: inbox.ask(Pending(request)),
}


@pytest.mark.parametrize("way", WAYS_IN)
async def test_who_may_answer_is_said_for_every_way_in(way: str) -> None:
    """Design, section 10: what is somebody's is seen by nobody else, whichever way it came in."""
    async with Inbox(MemoryInboxStore(), owner_of=lambda _: "ada") as inbox:
        asking = asyncio.ensure_future(WAYS_IN[way](inbox, sizes()))

        assert (await first_open(inbox)).owner == "ada"
        assert (await inbox.open(owner="bob")).total == 0
        await cancelled(asking)


@pytest.mark.parametrize("owner", ["bob", None])
async def test_an_owner_that_is_said_wins(owner: str | None) -> None:
    async with Inbox(MemoryInboxStore(), owner_of=lambda _: "ada") as inbox:
        assert (await inbox.ask(sizes(), owner=owner)).owner == owner


@pytest.mark.parametrize("limit", [0, -1, 201])
async def test_a_page_has_a_size_that_can_be(inbox: Inbox, limit: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 200"):
        await inbox.open(limit=limit)


# --- links to one question --------------------------------------------------------------------------------------------


async def test_a_token_opens_its_question_and_no_other(inbox: Inbox) -> None:
    mine, other = await inbox.ask(sizes("r1")), await inbox.ask(sizes("r2"))
    first, second = await inbox.token(mine.id), await inbox.token(mine.id)
    foreign = await inbox.token(other.id)

    assert (await inbox.opened_by(mine.id, first)).id == (await inbox.opened_by(mine.id, second)).id == mine.id
    assert len({first, second, foreign}) == 3
    for wrong in (foreign, "", first[:-1], f"{first}x", "\ud800", "é"):
        with pytest.raises(UnknownEntry):
            await inbox.opened_by(mine.id, wrong)


async def test_no_token_is_in_the_store(tmp_path: Path) -> None:
    """Whoever reads a file of the inbox, or a backup of it, opens no question with what is there."""
    async with Inbox(SqliteInboxStore(tmp_path / "inbox.db")) as inbox:
        token = await inbox.token((await inbox.ask(sizes())).id)

    assert len(token) >= 22
    assert all(token.encode() not in written for written in contents(tmp_path).values())


# --- calls that are put aside -----------------------------------------------------------------------------------------


async def test_a_question_without_a_host_is_waited_for_by_long_polls(inbox: Inbox) -> None:
    entry = await inbox.ask(APPROVAL)
    assert (await inbox.closing(entry.id, seconds=0)).is_open
    polling = asyncio.create_task(inbox.closing(entry.id, seconds=60))
    await asyncio.sleep(0)

    await inbox.accept(entry.id)

    with anyio.fail_after(10):
        assert (await polling).is_accepted
    assert await inbox.answer_to(entry.id) == APPROVAL.accept()
    assert await inbox.ready() == []
    with pytest.raises(UnknownEntry):
        await inbox.take(entry.id)


@pytest.mark.parametrize("address", ["inbox.db", Path("inbox.db")])
def test_an_address_is_no_store_yet(address: Any) -> None:
    with pytest.raises(TypeError, match=r"Inbox\(open_inbox_store\('inbox.db'\)\)"):
        Inbox(address)


@pytest.mark.parametrize("given", [None, "deploy", {"id": "r"}, sizes().decline()])
async def test_only_a_request_or_a_pending_call_is_asked(inbox: Inbox, given: Any) -> None:
    with pytest.raises(TypeError, match="a Request or a Pending"):
        await inbox.ask(given)


# --- one file for all -------------------------------------------------------------------------------------------------


async def test_tasks_and_inbox_live_in_one_file(tmp_path: Path) -> None:
    """Design, section 9: its stores share file, database and connection code with the tasks'."""
    path = tmp_path / "all.db"
    async with SqliteTaskStore(path) as tasks, Inbox(SqliteInboxStore(path)) as inbox:
        done = await asyncio.gather(
            *(tasks.create({"n": number}) for number in range(20)),
            *(inbox.ask(sizes(f"r{number}")) for number in range(20)),
        )

        assert len({one.id for one in done}) == 40
        assert await open_count(inbox) == 20
    assert list(contents(tmp_path)) == ["all.db"]


async def test_what_is_forgotten_is_overwritten(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "inbox.db"
    async with Inbox(SqliteInboxStore(path, clock=clock, retention=60.0)) as inbox:
        entry = await inbox.ask(sizes())
        await inbox.accept(entry.id, {"size": "my secret size"})
        clock.advance(60)
        await inbox.store.sweep()

    assert all(b"my secret size" not in written for written in contents(tmp_path).values())


@pytest.mark.parametrize("wrong", [0, -1.0])
def test_an_inbox_waits_for_a_time_that_can_be(wrong: float) -> None:
    with pytest.raises(ValueError, match="max_wait is positive"):
        Inbox(MemoryInboxStore(), max_wait=wrong)


def test_a_file_that_is_not_kept_is_another_store() -> None:
    with pytest.raises(ValueError, match="MemoryInboxStore"):
        SqliteInboxStore(":memory:")


# --- the time that a host gives ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [None, 30, 90])
async def test_the_time_that_a_host_gives_is_the_end_of_its_entry(own: float | None) -> None:
    request = sizes() if own is None else replace(sizes(), expires_at=in_seconds(own))
    async with Inbox(MemoryInboxStore(), host="agent") as inbox:
        asking = asyncio.create_task(inbox.slot(timeout=60).answer(request))
        entry = await first_open(inbox)
        asking.cancel()
        await asyncio.wait([asking])

    assert entry.until == entry.request.expires_at
    assert entry.until <= in_seconds(60)
    assert (entry.until == request.expires_at) is (own == 30)


async def test_a_question_whose_host_waits_no_longer_because_of_its_time_is_expired() -> None:
    """And not withdrawn: the run goes on, and is told so. The slot may be first, or the inbox."""
    async with Inbox(MemoryInboxStore(), host="agent") as inbox:
        with anyio.fail_after(30):
            answer = await inbox.slot(timeout=0.05).answer(sizes())
            entry = (await inbox.closed()).entries[0]

    assert answer.reason == "expired"
    assert (entry.state, entry.reason) == ("expired", "expired")


async def test_a_slot_whose_inbox_is_full_asks_once(caplog: pytest.LogCaptureFixture) -> None:
    async with Inbox(MemoryInboxStore(open_entries=1), host="agent") as inbox:
        await inbox.ask(sizes())
        answer = await inbox.slot().answer(sizes("r2"))

    assert answer.reason == "failed"
    assert "There are 1 questions open in the inbox" in caplog.text
    assert "answered wrongly" not in caplog.text


def in_seconds(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)

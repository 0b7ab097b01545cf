"""`Slot`: one way to people for every question (design, sections 6 and 9; issue 5, points 3 and 4)."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import anyio
import pytest

from elicitkit import Answer, AnswerError, ContractError, LimitError, Policy, Request, Rule, Slot
from elicitkit.host import answering
from elicitkit.host.showing import waiting_here
from elicitkit.limits import ANSWER_BYTES
from tests.host.clock import skippable

pytestmark = pytest.mark.anyio

SECRET = "hunter2 typed this"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 2}, "age": {"type": "integer"}},
    "required": ["name"],
}
FORM = Request("r1", "input", "Who?", data={"schema": SCHEMA})
LINK = Request("r2", "authorization", "Log in", "https://example.com/login")
APPROVAL = Request("r3", "approval", "Deploy?")
UNANSWERABLE = {"type": "object", "properties": {"x": {"type": "object"}}, "required": ["x"]}


@pytest.fixture(autouse=True)
async def no_test_hangs() -> Any:
    with anyio.fail_after(5):
        yield


async def ada(request: Request) -> Answer:
    return request.accept({"name": "Ada"})


async def forever(request: Request) -> Answer:
    await anyio.sleep_forever()
    raise AssertionError


class Person:
    """Answers by one function after another, and keeps what was asked."""

    def __init__(self, *answers: Callable[[Request], Answer]) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []

    async def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        return self.answers.pop(0)(request)


def accepting(**data: Any) -> Callable[[Request], Answer]:
    return lambda request: request.accept(data)


# --- every kind of function -------------------------------------------------------------------------------------------


class Blocking:
    def __call__(self, request: Request) -> Answer:
        return request.accept({"name": threading.current_thread().name})


class Asking:
    async def __call__(self, request: Request) -> Answer:
        return await ada(request)


async def with_name(name: str, request: Request) -> Answer:
    return request.accept({"name": name})


@pytest.mark.parametrize(
    "wait_for",
    [
        ada,
        lambda request: request.accept({"name": "Ada"}),
        lambda request: ada(request),
        Asking(),
        partial(with_name, "Ada"),
    ],
    ids=["async", "sync", "sync that gives an awaitable", "object", "partial"],
)
async def test_a_host_may_wait_in_any_way(wait_for: Any) -> None:
    assert await Slot(wait_for).answer(FORM) == FORM.accept({"name": "Ada"})


async def test_a_function_that_blocks_does_not_stop_the_host() -> None:
    answer = await Slot(Blocking()).answer(FORM)

    assert (answer.data or {})["name"] != threading.current_thread().name


async def test_without_a_function_nobody_is_there() -> None:
    assert await Slot(None).answer(FORM) == FORM.cancel("headless")
    assert not Slot(None).has_person


# --- what goes wrong in it: `failed`, and the other side learns nothing more ------------------------------------------


def raising(request: Request) -> Answer:
    raise ValueError(SECRET)


async def raising_later(request: Request) -> Answer:
    raise KeyError(SECRET)


def stopping(request: Request) -> Answer:
    raise StopIteration


async def cancelled_within(request: Request) -> Answer:
    dismissed: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    dismissed.cancel()
    return await dismissed


async def too_large(request: Request) -> Answer:
    return request.accept({"name": "x" * (ANSWER_BYTES + 1)})


async def for_another(request: Request) -> Answer:
    return Answer("r0", ok=True, data={"name": SECRET})


async def no_answer(request: Request) -> Any:
    return {"name": SECRET}


@pytest.mark.parametrize(
    "wait_for", [raising, raising_later, stopping, cancelled_within, too_large, for_another, no_answer]
)
async def test_a_host_that_fails_gives_failed_and_nothing_else(wait_for: Any) -> None:
    """Design, section 10: errors in a host's code never travel to the server."""
    assert (await Slot(wait_for).answer(FORM)).to_dict() == {"id": "r1", "ok": False, "reason": "failed"}


@pytest.mark.parametrize("wait_for", [for_another, no_answer, too_large])
async def test_what_was_typed_is_in_no_log(wait_for: Any, caplog: pytest.LogCaptureFixture) -> None:
    await Slot(wait_for).answer(FORM)

    assert caplog.records
    assert SECRET not in caplog.text


async def test_the_detail_of_a_failure_is_logged_here(caplog: pytest.LogCaptureFixture) -> None:
    await Slot(raising).answer(FORM)

    assert "ValueError" in caplog.text
    assert caplog.records[0].levelno == logging.ERROR


async def test_a_slot_goes_on_after_a_failure() -> None:
    answers: list[Callable[[Request], Any]] = [raising, accepting(name="Ada")]
    slot = Slot(Person(*answers))

    assert [(await slot.answer(FORM)).reason, (await slot.answer(FORM)).ok] == ["failed", True]


async def test_of_two_answers_the_first_counts() -> None:
    """A host whose interface answers twice: the second has nowhere to go."""

    async def twice(request: Request) -> Answer:
        answered: asyncio.Queue[Answer] = asyncio.Queue()
        for name in ("Ada", "Bob"):
            answered.put_nowait(request.accept({"name": name}))
        return await answered.get()

    assert (await Slot(twice).answer(FORM)).data == {"name": "Ada"}


# --- forms: what leaves fits ------------------------------------------------------------------------------------------


async def test_a_wrong_answer_goes_back_to_the_person_with_its_faults_and_never_leaves() -> None:
    person = Person(accepting(name="A", age="old"), accepting(name="Ada", age="36"))

    answer = await Slot(person).answer(FORM)

    assert answer == FORM.accept({"name": "Ada", "age": 36})
    assert [request.id for request in person.asked] == ["r1", "r1"]
    assert person.asked[1].prompt.splitlines() == [
        "Please correct this:",
        "- Name: must have at least 2 characters",
        "- Age: must be a whole number in figures, such as 1000",
        "",
        "Who?",
    ]
    assert person.asked[1].schema == SCHEMA


async def test_after_three_wrong_answers_it_has_failed() -> None:
    person = Person(*[accepting(name=SECRET, age="old")] * 4)

    assert await Slot(person).answer(FORM) == FORM.cancel("failed")
    assert len(person.asked) == 3


async def test_the_log_says_what_was_wrong_and_not_what_was_typed(caplog: pytest.LogCaptureFixture) -> None:
    """Design, section 5: no log line ever contains what the person typed."""
    await Slot(Person(*[accepting(age=SECRET)] * 3)).answer(FORM)

    assert "the form was answered wrongly 3 times; at last: " in caplog.text
    assert "Name: is required" in caplog.text
    assert "Age: " in caplog.text
    assert SECRET not in caplog.text


async def test_how_often_is_the_hosts_to_say() -> None:
    person = Person(accepting(), accepting(name="Ada"))

    assert await Slot(person, tries=1).answer(FORM) == FORM.cancel("failed")


async def test_a_person_may_refuse_instead_of_correcting() -> None:
    person = Person(accepting(), lambda request: Answer(request.id, ok=False, data={"name": "x"}, reason="declined"))

    assert await Slot(person).answer(FORM) == FORM.decline()


@pytest.mark.parametrize("data", [{"name": "Ada", "age": None}, {"name": "Ada", "age": ""}, {"name": "Ada", "more": 1}])
async def test_cleared_fields_and_unknown_ones_are_left_out(data: dict[str, Any]) -> None:
    """The TypeScript SDK refuses a whole answer for one `null`."""
    assert await Slot(Person(accepting(**data))).answer(FORM) == FORM.accept({"name": "Ada"})


async def test_accepting_a_form_without_an_answer_is_a_wrong_answer() -> None:
    assert await Slot(Person(accepting(), accepting(name="Ada"))).answer(FORM) == FORM.accept({"name": "Ada"})


@pytest.mark.parametrize("schema", [UNANSWERABLE, {"type": "array"}, {"type": "object", "properties": []}])
async def test_a_form_that_nobody_can_answer_is_shown_to_nobody(schema: dict[str, Any]) -> None:
    person = Person()
    request = Request("r1", "input", "?", data={"schema": schema})

    assert await Slot(person).answer(request) == request.cancel("unsupported")
    assert person.asked == []


async def test_a_bad_default_of_a_stranger_keeps_nobody_from_answering() -> None:
    schema = {"type": "object", "properties": {"age": {"type": "integer", "default": "x"}}}
    request = Request("r1", "input", "?", data={"schema": schema})

    assert await Slot(Person(accepting(age=3))).answer(request) == request.accept({"age": 3})


# --- other kinds ------------------------------------------------------------------------------------------------------


async def test_consent_to_a_link_says_nothing_else() -> None:
    assert await Slot(Person(accepting(token=SECRET))).answer(LINK) == LINK.accept()


async def test_other_answers_leave_as_they_are() -> None:
    assert await Slot(Person(accepting(note="go"))).answer(APPROVAL) == APPROVAL.accept({"note": "go"})


# --- time -------------------------------------------------------------------------------------------------------------


async def test_a_person_who_takes_too_long_gets_the_prompt_taken_away() -> None:
    withdrawn = asyncio.Event()

    async def waiting(request: Request) -> Answer:
        try:
            return await forever(request)
        finally:
            withdrawn.set()

    assert await Slot(waiting, timeout=0.001).answer(FORM) == FORM.cancel("expired")
    assert withdrawn.is_set()


def in_seconds(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@pytest.mark.parametrize("at_once", [1, 3, None])
async def test_the_person_is_told_until_when_it_is_open(at_once: int | None) -> None:
    person = Person(accepting(name="A"), accepting(name="Ada"))
    earliest = in_seconds(60)

    assert (await Slot(person, timeout=60, at_once=at_once).answer(FORM)).ok

    first, second = (request.expires_at for request in person.asked)
    assert first is not None
    assert earliest <= first <= in_seconds(60)
    assert second == first  # all tries have the time of one question
    assert replace(person.asked[0], expires_at=None) == FORM


@pytest.mark.parametrize(("own", "is_own"), [(30, True), (90, False)])
async def test_the_earlier_of_two_ends_counts(own: float, is_own: bool) -> None:
    person, request = Person(accepting()), replace(APPROVAL, expires_at=in_seconds(own))

    await Slot(person, timeout=60).answer(request)

    assert (person.asked[0].expires_at == request.expires_at) is is_own
    assert person.asked[0].is_expired(in_seconds(61))


@pytest.mark.parametrize("timeout", [None, 1e12, 1e300])
async def test_a_time_without_end_is_none(timeout: float | None) -> None:
    person = Person(accepting())

    assert (await Slot(person, timeout=timeout).answer(APPROVAL)).ok
    assert person.asked == [APPROVAL]


async def test_a_time_begins_when_the_question_is_shown() -> None:
    """Whoever waits in the queue loses none of it."""
    release, shown = asyncio.Event(), []

    async def wait_for(request: Request) -> Answer:
        shown.append((request.expires_at, in_seconds(60)))
        await release.wait()
        return request.accept()

    slot = Slot(wait_for, timeout=60)
    async with anyio.create_task_group() as group:
        group.start_soon(slot.answer, APPROVAL)
        group.start_soon(slot.answer, replace(APPROVAL, id="r4"))
        await anyio.wait_all_tasks_blocked()
        between = in_seconds(60)
        release.set()

    (first, _), (second, after) = shown
    assert first is not None
    assert second is not None
    assert first <= between <= second <= after


async def test_where_all_are_shown_at_once_hooks_know_the_end_too() -> None:
    """A mail to the person, say, which tells until when."""
    seen: list[Request] = []
    person = Person(accepting(), accepting())
    for at_once in (None, 1):
        slot = Slot(person, timeout=60, at_once=at_once, on_ask=seen.append, on_answer=lambda one, _: seen.append(one))
        await slot.answer(APPROVAL)

    assert seen == [person.asked[0], person.asked[0], APPROVAL, APPROVAL]
    assert person.asked[0].expires_at is not None


async def test_a_thread_that_hangs_is_left_behind() -> None:
    done = threading.Event()

    def blocking(request: Request) -> Answer:
        done.wait(5)
        return request.accept({"name": "late"})

    try:
        assert await Slot(blocking, timeout=timedelta(milliseconds=1)).answer(FORM) == FORM.cancel("expired")
    finally:
        done.set()


@pytest.mark.parametrize("seconds", [-1, 0.001])
async def test_a_request_that_expires_is_answered_by_nobody(seconds: float) -> None:
    request = Request("r1", "approval", "?", expires_at=datetime.now(UTC) + timedelta(seconds=seconds))

    assert await Slot(forever).answer(request) == request.cancel("expired")


async def test_a_request_may_expire_before_its_turn_comes() -> None:
    slot = Slot(forever)
    request = Request("r1", "approval", "?", expires_at=datetime.now(UTC) + timedelta(seconds=0.01))

    async with anyio.create_task_group() as group:
        group.start_soon(slot.answer, FORM)
        group.start_soon(slot.answer, LINK)
        assert await slot.answer(request) == request.cancel("expired")
        group.cancel_scope.cancel()


async def test_time_in_the_queue_is_not_the_persons() -> None:
    """Only what a person takes from when a question is shown counts."""
    with skippable() as clock:

        async def slowly(request: Request) -> Answer:
            clock.skip(0.6)
            return request.accept()

        slot = Slot(slowly, timeout=1)
        answers = await asyncio.gather(*(slot.answer(APPROVAL) for _ in range(4)))

    assert all(answer.ok for answer in answers)


async def test_all_tries_together_have_the_time_of_one_question() -> None:
    with skippable() as clock:

        async def wrongly(request: Request) -> Answer:
            clock.skip(0.6)
            await anyio.lowlevel.checkpoint()
            return request.accept({"name": "A"})

        assert await Slot(wrongly, timeout=1).answer(FORM) == FORM.cancel("expired")


# --- order, and being ready -------------------------------------------------------------------------------------------


class Counter:
    """How many questions are shown at a time, and in which order."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.most = self.now = 0

    async def __call__(self, request: Request) -> Answer:
        self.shown.append(request.id)
        self.now += 1
        self.most = max(self.most, self.now)
        for _ in range(3):
            await anyio.lowlevel.checkpoint()
        self.now -= 1
        return request.accept()


REQUESTS = [Request(f"r{number}", "approval", "?") for number in range(20)]


@pytest.mark.parametrize(("at_once", "most"), [(1, 1), (3, 3), (None, 20)])
async def test_questions_are_shown_in_order_and_no_more_than_the_host_wants(at_once: Any, most: int) -> None:
    counter = Counter()
    slot = Slot(counter, at_once=at_once)

    answers = await asyncio.gather(*map(slot.answer, REQUESTS))

    assert [answer.id for answer in answers] == [request.id for request in REQUESTS]
    assert counter.shown == [request.id for request in REQUESTS]
    assert counter.most == most


async def test_a_question_that_is_corrected_keeps_its_turn() -> None:
    person = Person(accepting(), accepting(name="Ada"), accepting())
    slot = Slot(person)

    await asyncio.gather(slot.answer(FORM), slot.answer(APPROVAL))

    assert [request.id for request in person.asked] == ["r1", "r1", "r3"]


async def test_questions_wait_until_the_host_is_ready() -> None:
    person = Person(*[accepting(name="Ada")] * 2)
    slot = Slot(person)
    slot.hold()
    slot.hold()

    async with anyio.create_task_group() as group:
        group.start_soon(slot.answer, FORM)
        group.start_soon(slot.answer, APPROVAL)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        slot.release()
        await anyio.lowlevel.checkpoint()
        before = len(person.asked)
        slot.release()

    assert (before, len(person.asked)) == (0, 2)


async def test_how_many_wait_for_their_turn_is_known() -> None:
    """Issue 9, point 5: several questions queued."""
    seen: list[tuple[int, int]] = []

    async def wait_for(request: Request) -> Answer:
        await anyio.wait_all_tasks_blocked()
        seen.append((slot.waiting, waiting_here()))
        return request.accept()

    slot = Slot(wait_for)
    async with anyio.create_task_group() as group:
        for request in REQUESTS[:3]:
            group.start_soon(slot.answer, request)

    assert seen == [(2, 2), (1, 1), (0, 0)]
    assert (slot.waiting, waiting_here()) == (0, 0)


async def test_one_that_is_withdrawn_or_expires_in_the_queue_waits_no_more() -> None:
    slot = Slot(forever)
    late = replace(APPROVAL, expires_at=in_seconds(0.01))
    async with anyio.create_task_group() as group:
        group.start_soon(slot.answer, FORM)
        group.start_soon(slot.answer, LINK)
        await anyio.wait_all_tasks_blocked()
        assert (await slot.answer(late)).reason == "expired"
        assert slot.waiting == 1
        group.cancel_scope.cancel()

    assert slot.waiting == 0


async def test_a_release_too_many_is_a_mistake() -> None:
    with pytest.raises(RuntimeError, match="release"):
        Slot(ada).release()


# --- hooks and policy -------------------------------------------------------------------------------------------------


async def test_hooks_see_every_question_and_answer() -> None:
    seen: list[Any] = []

    async def on_answer(request: Request, answer: Answer) -> None:
        seen.append((request, answer))

    slot = Slot(ada, policy=Policy([Rule("decline", kind="approval")]), on_ask=seen.append, on_answer=on_answer)
    await slot.answer(FORM)
    await slot.answer(APPROVAL)

    assert seen == [FORM, (FORM, FORM.accept({"name": "Ada"})), APPROVAL, (APPROVAL, APPROVAL.decline())]


@pytest.mark.parametrize("hook", [raising, raising_later])
async def test_a_hook_that_fails_changes_nothing(hook: Any, caplog: pytest.LogCaptureFixture) -> None:
    slot = Slot(ada, on_ask=hook, on_answer=lambda request, answer: hook(request))

    assert (await slot.answer(FORM)).ok
    assert "a hook failed" in caplog.text


async def test_what_a_policy_answers_is_shown_to_nobody_and_waits_for_nobody() -> None:
    slot = Slot(forever, policy=Policy([Rule("decline", kind="approval")]))

    async with anyio.create_task_group() as group:
        group.start_soon(slot.answer, FORM)
        assert await slot.answer(APPROVAL) == APPROVAL.decline()
        group.cancel_scope.cancel()


# --- withdrawing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["cancelled", "failed"])
async def test_a_run_that_is_cancelled_reaches_the_persons_prompt(reason: str) -> None:
    shown, withdrawn, seen = asyncio.Event(), asyncio.Event(), []

    async def waiting(request: Request) -> Answer:
        shown.set()
        try:
            return await forever(request)
        finally:
            withdrawn.set()

    async def on_answer(request: Request, answer: Answer) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append(answer.reason)

    slot = Slot(waiting, on_answer=on_answer)
    run = asyncio.create_task(slot.answer(FORM, withdrawn=lambda: reason))
    await shown.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert withdrawn.is_set()
    assert seen == [reason]


async def test_a_question_that_is_withdrawn_makes_room_for_the_next() -> None:
    shown = asyncio.Event()

    async def waiting(request: Request) -> Answer:
        shown.set()
        return await (forever if request is FORM else ada)(request)

    slot = Slot(waiting)
    first, second = (asyncio.create_task(slot.answer(request)) for request in (FORM, LINK))
    await shown.wait()
    first.cancel()

    assert await second == LINK.accept()


# --- answers that come later ------------------------------------------------------------------------------------------


async def test_an_answer_that_comes_later_is_checked_like_any_other() -> None:
    seen: list[Any] = []
    slot = Slot(None, on_answer=lambda request, answer: seen.append(answer))

    assert await slot.received(FORM, FORM.accept({"name": "Ada", "age": "3"})) == FORM.accept({"name": "Ada", "age": 3})
    assert seen == [FORM.accept({"name": "Ada", "age": 3})]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (FORM.accept({"name": "A"}), AnswerError),
        (APPROVAL.accept(), ContractError),
        ({"id": "r1", "ok": True}, TypeError),
    ],
)
async def test_one_that_does_not_fit_is_refused_and_nobody_is_told(answer: Any, error: type[Exception]) -> None:
    seen: list[Any] = []
    slot = Slot(None, on_answer=lambda request, answer: seen.append(answer))

    with pytest.raises(error):
        await slot.received(FORM, answer)
    assert seen == []


async def test_only_what_needs_a_person_is_kept_for_later() -> None:
    unanswerable = Request("r4", "input", "?", data={"schema": UNANSWERABLE})
    slot = Slot(None, policy=Policy([Rule("decline", kind="approval")]))

    found = [await slot.offered(request) for request in (FORM, APPROVAL, unanswerable)]

    assert found == [None, APPROVAL.decline(), unanswerable.cancel("unsupported")]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"wait_for": "ada"}, TypeError),
        ({"wait_for": ada, "on_ask": 1}, TypeError),
        ({"wait_for": ada, "policy": {}}, TypeError),
        ({"wait_for": ada, "at_once": 0}, ValueError),
        ({"wait_for": ada, "tries": 0}, ValueError),
        ({"wait_for": ada, "timeout": -1}, ValueError),
        ({"wait_for": ada, "timeout": "1"}, TypeError),
    ],
)
async def test_what_makes_no_sense_is_refused_at_once(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Slot(**options)


async def test_a_function_of_any_type_is_one_that_hosts_have() -> None:
    def sync(request: Request) -> Answer:
        return request.accept()

    functions: list[Callable[[Request], Answer | Awaitable[Answer]]] = [sync, ada, Asking()]

    assert all(Slot(function).has_person for function in functions)


# --- what a function or a hook does to itself -------------------------------------------------------------------------


class Stop(BaseException):
    """No `Exception`, and none that is to end a program."""


async def stopping_later(request: Request) -> Answer:
    raise Stop


async def cancelling_itself(request: Request) -> Answer:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await anyio.lowlevel.checkpoint()
    return request.accept({"name": "Ada"})


def stopping_in_a_thread(request: Request) -> Answer:
    raise Stop


@pytest.mark.parametrize("wait_for", [stopping_later, cancelling_itself, stopping_in_a_thread])
async def test_not_even_what_is_no_exception_comes_out(wait_for: Any) -> None:
    slot = Slot(wait_for)

    assert (await slot.answer(FORM)).reason == "failed"
    assert (await slot.answer(FORM)).reason == "failed"


async def test_a_function_may_end_the_program() -> None:
    def leave(request: Request) -> Answer:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        await asyncio.to_thread(asyncio.run, Slot(leave).answer(FORM))


async def test_a_function_may_give_the_future_of_a_thread() -> None:
    loop = asyncio.get_running_loop()

    def wait_for(request: Request) -> Any:
        return asyncio.run_coroutine_threadsafe(ada(request), loop)

    assert (await Slot(wait_for).answer(FORM)).ok


async def test_a_function_in_a_thread_that_makes_a_task_is_told_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    def wait_for(request: Request) -> Any:
        return asyncio.get_event_loop().create_task(ada(request))

    answer = await Slot(wait_for).answer(FORM)

    assert answer.reason == "failed"
    assert "make it async def" in caplog.text


async def test_an_answer_that_is_too_large_goes_back_to_the_person() -> None:
    asked: list[str] = []

    def wait_for(request: Request) -> Answer:
        asked.append(request.prompt)
        return request.accept({"name": "x" * (300 * 1024 if len(asked) == 1 else 3)})

    assert (await Slot(wait_for).answer(FORM)).ok
    assert "- The answer is larger than 256 KiB" in asked[1]


@pytest.mark.parametrize("error", [LimitError("The inbox is full."), ContractError("It is none.")])
async def test_what_a_host_cannot_keep_is_no_wrong_answer(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """An inbox that is full, say. Nobody answered, and nobody is asked again."""
    asked: list[Request] = []

    async def wait_for(request: Request) -> Answer:
        asked.append(request)
        raise error

    assert (await Slot(wait_for).answer(FORM)) == FORM.cancel("failed")
    assert len(asked) == 1
    assert str(error) in caplog.text
    assert "answered wrongly" not in caplog.text


async def swallowing(request: Request) -> Answer:
    try:
        await anyio.sleep_forever()
    except asyncio.CancelledError:
        return request.accept({"name": "Ada"})
    raise AssertionError


async def late(request: Request) -> Answer:
    """It lets nobody run until the time is over, so that it cannot be cancelled."""
    time.sleep(0.1)  # noqa: ASYNC251  # it is to block
    return request.accept({"name": "Ada"})


@pytest.mark.parametrize("wait_for", [swallowing, late])
async def test_an_answer_after_the_time_is_over_does_not_count(wait_for: Any) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=0.05)

    assert (await Slot(wait_for, timeout=0.05).answer(FORM)).reason == "expired"
    assert (await Slot(wait_for).answer(replace(FORM, expires_at=soon))).reason == "expired"


@pytest.mark.parametrize("name", ["on_ask", "on_answer"])
async def test_a_hook_that_hangs_holds_no_question(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(answering, "HOOK_SECONDS", 0.05)

    async def hook(*seen: object) -> None:
        await anyio.sleep_forever()

    slot = Slot(ada, **{name: hook})

    assert (await slot.answer(FORM)).ok
    assert (await slot.received(FORM, FORM.accept({"name": "Ada"}))).ok
    assert "a hook took longer" in caplog.text

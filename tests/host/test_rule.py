"""The rule of calls that wait (design, section 6): one re-execution, two error texts, and nothing else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest

from elicitkit import (
    Answer,
    ContractError,
    PendingCall,
    Request,
    ToolContext,
    Toolkit,
    ToolResult,
    auth_required,
    pending,
    pending_of,
)
from elicitkit.host.rule import concluded, follow, go_on, in_time, refused, settle
from elicitkit.limits import ROUNDS
from tests.host.calling import Person, declining

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 7, 28, 12, tzinfo=UTC)
REQUEST = Request("r1", "approval", "Deploy?", expires_at=NOON)
CALL = PendingCall(REQUEST, "", "deploy", {"to": "production"}, {"call": "c1"})
WAITING = ToolResult.waiting(CALL)


class Runs:
    """A tool that is run again: it counts, and gives what it is told to."""

    def __init__(self, *results: ToolResult) -> None:
        self.answers: list[Answer] = []
        self._results = list(results)

    async def __call__(self, call: PendingCall, answer: Answer) -> ToolResult:
        self.answers.append(answer)
        return self._results.pop(0) if len(self._results) > 1 else self._results[0]


async def accepting(request: Request) -> Answer | None:
    return request.accept({"note": "go"})


async def nobody(_: Request) -> Answer | None:
    return None


# --- pure -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [None, "declined", "cancelled", "expired", "headless", "unsupported", "failed", "x"])
async def test_every_answer_that_is_not_ok_is_the_same_error(reason: str | None) -> None:
    assert refused(CALL, Answer("r1", ok=False, reason=reason)) == ToolResult.error("declined/expired: Deploy?")


async def test_only_ok_decides() -> None:
    assert refused(CALL, Answer("r1", ok=True, reason="declined")) is None


async def test_a_tool_that_waits_again_is_unresolved() -> None:
    assert concluded(CALL, WAITING) == ToolResult.error("unresolved: Deploy?")
    assert concluded(CALL, ToolResult("done")) == ToolResult("done")


@pytest.mark.parametrize(("seconds", "is_late"), [(-1, False), (0, True), (1, True)])
async def test_an_answer_after_the_request_expired_is_too_late(seconds: int, is_late: bool) -> None:
    answer = in_time(CALL, REQUEST.accept(), at=NOON + timedelta(seconds=seconds))

    assert answer == (REQUEST.cancel("expired") if is_late else REQUEST.accept())


async def test_an_answer_to_another_request_is_an_error() -> None:
    """Design, section 6: an answer whose id is not the request's is an error. The call still waits."""
    with pytest.raises(ContractError, match="the answer is one to another request than 'r1', which still waits"):
        in_time(CALL, Answer("r2", ok=True), at=NOON)


# --- the shells -------------------------------------------------------------------------------------------------------


async def test_a_tool_that_does_not_wait_is_not_run_again() -> None:
    again = Runs(ToolResult("never"))

    assert await settle(ToolResult("done"), ask=accepting, again=again) == ToolResult("done")
    assert not again.answers


async def test_an_accepted_tool_is_run_once_more_with_the_answer_and_its_result_is_used() -> None:
    again = Runs(ToolResult("done"))

    assert await settle(WAITING, ask=accepting, again=again) == ToolResult("done")
    assert again.answers == [REQUEST.accept({"note": "go"})]


async def test_an_error_of_the_second_run_is_the_result() -> None:
    assert (await settle(WAITING, ask=accepting, again=Runs(ToolResult.error("no")))) == ToolResult.error("no")


async def test_a_tool_is_never_run_a_third_time() -> None:
    again = Runs(WAITING)

    assert await settle(WAITING, ask=accepting, again=again) == ToolResult.error("unresolved: Deploy?")
    assert len(again.answers) == 1


async def test_without_a_slot_nothing_hangs_and_the_result_waits() -> None:
    again = Runs(ToolResult("never"))

    assert await settle(WAITING, ask=nobody, again=again) is WAITING
    assert not again.answers


async def test_a_tool_that_was_refused_is_not_run_again() -> None:
    again = Runs(ToolResult("never"))

    assert await go_on(CALL, REQUEST.decline(), again=again) == ToolResult.error("declined/expired: Deploy?")
    assert not again.answers


async def test_a_server_may_ask_several_times_and_is_told_refusals() -> None:
    """A server handles a decline itself: for it the rule of one re-execution is not made."""

    async def refusing(request: Request) -> Answer | None:
        return request.decline()

    again = Runs(WAITING, WAITING, ToolResult("Nothing was ordered."))

    assert await follow(WAITING, ask=refusing, again=again) == ToolResult("Nothing was ordered.")
    assert again.answers == [REQUEST.decline()] * 3


async def test_a_server_that_never_stops_asking_is_unresolved() -> None:
    again = Runs(WAITING)

    assert await follow(WAITING, ask=accepting, again=again) == ToolResult.error("unresolved: Deploy?")
    assert len(again.answers) == ROUNDS


async def test_a_call_that_waits_has_not_failed() -> None:
    """Design, section 6: a suspension is never counted as a tool's failure."""
    assert not WAITING.is_error
    assert pending_of(WAITING) == REQUEST
    with pytest.raises(ContractError, match="no error"):
        ToolResult("", is_error=True, pending=CALL)


# --- a tool, its slot, and what goes wrong ----------------------------------------------------------------------------


def deploy(ctx: ToolContext) -> Any:
    return "deployed" if ctx.answer else pending("Deploy?", kind="approval")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (lambda _: 1 / 0, "declined/expired: Deploy?"),
        (lambda _: Answer("another", ok=True), "declined/expired: Deploy?"),
        (lambda _: None, "declined/expired: Deploy?"),
        (declining, "declined/expired: Deploy?"),
        (lambda request: request.cancel("failed"), "declined/expired: Deploy?"),
    ],
    ids=["raises", "answers another", "answers nothing", "declines", "fails"],
)
async def test_whatever_a_wait_for_does_wrong_nothing_is_deployed(fault: Any, expected: str) -> None:
    with anyio.fail_after(5):
        result = await Toolkit([deploy], wait_for=fault).execute("deploy")

    assert result == ToolResult.error(expected)


async def test_a_person_who_never_answers_is_expired() -> None:
    async def hangs(_: Request) -> Answer:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.fail_after(5):
        result = await Toolkit([deploy], wait_for=hangs, timeout=0.01).execute("deploy")

    assert result == ToolResult.error("declined/expired: Deploy?")


async def test_the_cancellation_of_a_run_reaches_the_prompt_of_the_person() -> None:
    seen: list[str] = []
    shown = anyio.Event()

    async def hangs(request: Request) -> Answer:
        shown.set()
        try:
            await anyio.sleep_forever()
        finally:
            seen.append("closed")
        raise AssertionError

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(Toolkit([deploy], wait_for=hangs).execute, "deploy")
            await shown.wait()
            group.cancel_scope.cancel()

    assert seen == ["closed"]


async def test_the_person_sees_what_the_tool_asked() -> None:
    def log_in(ctx: ToolContext) -> Any:
        return "in" if ctx.answer else auth_required("https://example.com/login", prompt="Log in")

    person = Person()

    assert await Toolkit([log_in], wait_for=person).execute("log_in") == ToolResult("in")
    assert (person.asked[0].kind, person.asked[0].url) == ("authorization", "https://example.com/login")

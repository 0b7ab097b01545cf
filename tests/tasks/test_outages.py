"""A server of a task that fails for a while, or for good: nothing is lost (design, sections 1 and 8).

The server is played, and no time passes. What the way over HTTP adds to it is in `tests/host`.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
    ElicitResult,
    ErrorData,
)

from elicitkit import ProtocolError, TaskHandle, TaskOutOfReach, TasksClient, TaskStuck
from elicitkit.tasks.client import GOODBYE_SECONDS
from elicitkit.tasks.client_reach import ANSWER_SECONDS, LONGEST_PAUSE, OUTAGE, note_refusal
from elicitkit.tasks.messages import CancelTask, CreatedTask, GetTask
from tests.tasks.test_waiting import DONE, FORM, WORKING, asking, state

pytestmark = pytest.mark.anyio

GONE = MCPError(code=INVALID_PARAMS, message="There is no such task.")
FULL = MCPError(code=INTERNAL_ERROR, message="The store cannot be used: the disk is full. Nothing was stored.")
CLOSED = MCPError(code=CONNECTION_CLOSED, message="Connection closed")


class Refused(MCPError):
    """What the SDK makes of a status of HTTP, where the transport notes it."""

    def __init__(self, status: int, code: int = INTERNAL_ERROR) -> None:
        super().__init__(code=code, message="Server returned an error response")
        self.status = status


PASSING = [
    FULL,
    MCPError(code=CONNECTION_CLOSED, message="SSE stream ended without a response"),
    MCPError(code=REQUEST_TIMEOUT, message="Timed out"),
    *map(Refused, (408, 425, 429, 500, 502, 503, 504, 599)),
]
LASTING = [
    GONE,
    MCPError(code=METHOD_NOT_FOUND, message="Not Found"),
    MCPError(code=INVALID_REQUEST, message="Session terminated"),
    MCPError(code=-32099, message="closed today"),
    Refused(500, code=INVALID_PARAMS),
    *map(Refused, (400, 401, 403, 404, 410, 422)),
]


def named(error: MCPError) -> str:
    """What a test calls an error."""
    return f"{getattr(error, 'status', '')} {error.code} {error.message}"


class Played:
    """The connection to a server that answers as told: states of a task, and errors, which it raises."""

    def __init__(
        self, *states: Any, answer: Any = None, updates: tuple[Any, ...] = (), goodbyes: tuple[Any, ...] = ()
    ) -> None:
        self._states, self._updates, self._goodbyes = iter(states), iter(updates), iter(goodbyes)
        self._answer = answer
        self.asked = 0
        self.polls = 0
        self.updated: list[Any] = []
        self.is_cancelled = False

    async def send_request(self, request: Any, result_type: Any) -> Any:
        if isinstance(request, CancelTask):
            _given(next(self._goodbyes, None))
            self.is_cancelled = True
            return types.Result()
        if isinstance(request, GetTask):
            self.polls += 1
            return state(_given(next(self._states)))
        self.updated.append(request.params.input_responses)
        return _given(next(self._updates, types.Result()))

    async def dispatch_input_request(self, context: ClientRequestContext, request: Any) -> Any:
        self.asked += 1
        return _given(self._answer)


def _given(one: Any) -> Any:
    if isinstance(one, Refused):
        note_refusal(one.status)
    if isinstance(one, Exception):
        raise one
    return one


def until(found: list[Any], count: int, *, last: Any = DONE) -> Iterator[Any]:
    """What a task is like until its server has heard so often from the person."""
    while len(found) < count:
        yield asking(a=FORM)
    yield last


@pytest.fixture
async def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept; the clock goes on by as much, and nobody waits."""
    seconds: list[float] = []
    loop, sleep = asyncio.get_running_loop(), asyncio.sleep
    now = loop.time

    async def sleeping(span: float) -> None:
        seconds.append(span)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", sleeping)
    monkeypatch.setattr(loop, "time", lambda: now() + sum(seconds), raising=False)
    return seconds


async def called(played: Any, **options: Any) -> Any:
    """What a call comes to that became a task."""
    task = CreatedTask.model_validate(state(WORKING).model_dump(by_alias=True, exclude={"result_type"}), by_name=False)

    class Ctx:
        session = played

    return await TasksClient(**options)._resolve(task, Ctx())  # type: ignore[arg-type]


def words(result: Any) -> str:
    return str(result.content[0].text)


# --- what passes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", PASSING, ids=named)
async def test_a_poll_that_fails_for_a_while_is_made_again(slept: list[float], error: Exception) -> None:
    played = Played(error, WORKING, *[error] * 20, WORKING, error, DONE)

    assert words(await called(played)) == "done"
    assert not played.is_cancelled


@pytest.mark.parametrize("error", PASSING, ids=named)
async def test_what_a_person_typed_is_sent_again_and_asked_once(slept: list[float], error: Exception) -> None:
    answer = ElicitResult(action="accept", content={"size": "XL"})
    played = Played(answer=answer, updates=(error,) * 20)
    played._states = until(played.updated, 21)

    assert words(await called(played)) == "done"
    assert played.asked == 1
    assert played.updated == [{"a": {"action": "accept", "content": {"size": "XL"}}}] * 21


async def test_the_pauses_between_the_tries_grow_and_begin_anew_with_the_next_outage(slept: list[float]) -> None:
    await called(Played(*[FULL] * 9, DONE))
    grown = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5]
    assert slept == grown

    slept.clear()
    await called(Played(FULL, WORKING, FULL, FULL, DONE))
    assert slept == [0.05, 0.05, 0.05, 0.1]


async def test_a_database_that_restarts_and_a_deploy_are_waited_for(slept: list[float]) -> None:
    """A minute at least; what is tried after it is not too far between."""
    assert OUTAGE >= 60
    assert LONGEST_PAUSE <= 5

    await called(Played(*[FULL] * 16, DONE))
    assert 45 < sum(slept) < 60


async def test_a_server_that_does_not_answer_at_all_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elicitkit.tasks.client_reach.ANSWER_SECONDS", 0.01)
    played = Played(WORKING, DONE)
    send, hangs = played.send_request, [True, False, False]

    async def hanging(*arguments: Any) -> Any:
        if hangs.pop(0):
            await asyncio.Event().wait()
        return await send(*arguments)

    played.send_request = hanging  # type: ignore[method-assign]

    assert words(await called(played)) == "done"
    assert ANSWER_SECONDS >= 10


async def test_a_repeat_that_the_server_does_not_know_any_more_has_arrived(slept: list[float]) -> None:
    """First answer wins; a strict server refuses the same key a second time."""
    played = Played(answer=ElicitResult(action="decline"), updates=(FULL, GONE))
    played._states = until(played.updated, 2)

    assert words(await called(played)) == "done"


async def test_an_answer_that_is_refused_at_once_is_an_error(slept: list[float]) -> None:
    played = Played(*[asking(a=FORM)] * 5, answer=ElicitResult(action="decline"), updates=(GONE,))

    with pytest.raises(TaskOutOfReach, match="no such task"):
        await called(played)


async def test_who_wants_to_hears_of_each_request_that_failed(slept: list[float]) -> None:
    heard: list[Exception] = []

    await called(Played(FULL, WORKING, CLOSED, DONE), unreached=heard.append)

    assert heard == [FULL, CLOSED]


async def test_who_wants_to_hears_after_an_outage_how_the_task_stands(slept: list[float]) -> None:
    """Though it has not changed: who was told that its server failed is to hear that it is there again."""
    heard: list[str] = []

    await called(
        Played(WORKING, WORKING, FULL, WORKING, WORKING, FULL, DONE),
        told=lambda state: heard.append(state.status),
        unreached=lambda _: heard.append("unreached"),
    )

    assert heard == ["working", "unreached", "working", "unreached", "completed"]


async def test_a_task_is_not_stuck_because_nobody_could_look(slept: list[float]) -> None:
    """The time of an outage does not count as one in which the task did not change."""
    played = Played(WORKING, *[FULL] * 16, *[WORKING] * 5, DONE)

    assert words(await called(played, patience=10)) == "done"


# --- what does not ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", LASTING, ids=named)
async def test_what_does_not_pass_is_raised_at_once_and_the_task_left_alone(
    slept: list[float], error: MCPError
) -> None:
    played = Played(WORKING, error, DONE)

    with pytest.raises(TaskOutOfReach, match=r"task 1 .* left as it is") as caught:
        await called(played)

    assert caught.value.task_id == "1"
    assert caught.value.__cause__ is error
    assert (played.polls, played.is_cancelled) == (2, False)


async def test_a_refusal_is_told_by_its_status(slept: list[float]) -> None:
    with pytest.raises(TaskOutOfReach, match="answered with the status 401"):
        await called(Played(Refused(401)))


@pytest.mark.parametrize("seconds", [60.0, 1.0])
async def test_an_outage_that_is_too_long_leaves_the_task_alone(slept: list[float], seconds: float) -> None:
    played = Played(WORKING, *[FULL] * 200)

    with pytest.raises(TaskOutOfReach, match="the disk is full"):
        await called(played, outage=seconds)

    assert not played.is_cancelled
    assert seconds - 0.1 < sum(slept) <= seconds + 0.1


async def test_an_outage_may_be_waited_for_however_long_it_is(slept: list[float]) -> None:
    assert words(await called(Played(*[FULL] * 1000, DONE), outage=None)) == "done"
    assert sum(slept) > 4000


async def test_a_connection_that_has_ended_for_good_is_not_waited_for(slept: list[float]) -> None:
    """Nothing comes back over a session of the SDK whose connection has ended."""
    played = Played(WORKING, *[CLOSED] * 100)

    with pytest.raises(TaskOutOfReach, match="Connection closed"):
        await called(played)

    assert sum(slept) < 2
    assert not played.is_cancelled


@pytest.mark.parametrize(
    "states", [({"status": "paused"},), (asking(a={"method": "tools/call"}), *[WORKING] * 5)], ids=["status", "request"]
)
async def test_a_server_that_breaks_the_protocol_keeps_its_task(slept: list[float], states: tuple[Any, ...]) -> None:
    played = Played(*states)

    with pytest.raises(ProtocolError) as caught:
        await called(played)

    assert isinstance(caught.value, TaskOutOfReach)
    assert not played.is_cancelled


# --- what ends a task -------------------------------------------------------------------------------------------------


async def no_screen() -> None:
    raise OSError("no screen")


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [(ErrorData(code=-32042, message="no screen"), MCPError), (OSError("no screen"), OSError), (FULL, MCPError)],
    ids=["declined", "raised", "an error like a server's"],
)
async def test_a_callback_that_fails_cancels_the_task(slept: list[float], answer: Any, wanted: type[Exception]) -> None:
    played = Played(*[asking(a=FORM)] * 5, answer=answer)

    with pytest.raises(wanted):
        await called(played)

    assert played.is_cancelled


@pytest.mark.parametrize("error", PASSING, ids=named)
async def test_a_task_that_nobody_waits_for_is_cancelled_though_that_fails_for_a_while(
    slept: list[float], error: Exception
) -> None:
    played = Played(*[asking(a=FORM)] * 5, answer=OSError("no screen"), goodbyes=(error, error))

    with pytest.raises(OSError, match="no screen"):
        await called(played)

    assert played.is_cancelled


async def test_a_goodbye_takes_no_longer_than_it_may(slept: list[float]) -> None:
    played = Played(*[asking(a=FORM)] * 5, answer=OSError("no screen"), goodbyes=(FULL,) * 100)

    with pytest.raises(OSError, match="no screen"):
        await called(played)

    assert sum(slept) <= GOODBYE_SECONDS + 1


@pytest.mark.parametrize("name", ["created", "told", "unreached"])
async def test_a_hook_that_fails_cancels_the_task(slept: list[float], name: str) -> None:
    def fails(_: object) -> None:
        raise OSError("no disk")

    played = Played(FULL, WORKING, DONE)
    with pytest.raises(OSError, match="no disk"):
        await called(played, **{name: fails})

    assert played.is_cancelled


async def test_a_task_that_is_given_up_is_cancelled(slept: list[float]) -> None:
    played = Played(*[WORKING] * 50)

    with pytest.raises(TaskStuck):
        await called(played, patience=10)

    assert played.is_cancelled


@pytest.mark.parametrize("name", ["patience", "outage"])
@pytest.mark.parametrize("span", [0, -1, float("inf")])
def test_a_time_that_is_none_is_refused(name: str, span: float) -> None:
    more: Any = {name: span}

    with pytest.raises(ValueError, match=name):
        TasksClient(**more)


async def test_a_handle_waits_for_as_long_as_it_is_told(slept: list[float]) -> None:
    played: Any = Played(*[FULL] * 100)

    with pytest.raises(TaskOutOfReach):
        await TaskHandle(played, "1").wait(outage=5)

    assert sum(slept) == pytest.approx(5, abs=0.1)

"""How `TasksClient` asks for a task, how long, and what it makes of strange servers: against one that is played."""

import asyncio
from collections.abc import Iterable
from typing import Any

import mcp_types as types
import pytest
from anyio import fail_after
from mcp.client.session import ClientRequestContext
from mcp_types import ElicitResult

from elicitkit import ProtocolError, TaskHandle, TaskStuck
from elicitkit.tasks.messages import CancelTask, GetTask, TaskState, UpdateTask
from tests.tasks.desk import form

pytestmark = pytest.mark.anyio

DONE = {"status": "completed", "result": {"content": [{"type": "text", "text": "done"}]}}
WORKING: dict[str, Any] = {"status": "working"}


def asking(**requests: Any) -> dict[str, Any]:
    return {"status": "input_required", "inputRequests": requests}


def state(given: dict[str, Any]) -> TaskState:
    moment = "2026-07-28T12:00:00Z"
    return TaskState.model_validate(
        {"taskId": "1", "createdAt": moment, "lastUpdatedAt": moment, "ttlMs": None, **given}, by_name=False
    )


class Played:
    """The connection to a server whose task goes through given states; an error among them is raised."""

    def __init__(self, states: Iterable[Any], **answers: Any) -> None:
        self._states = iter(states)
        self._answers = answers
        self.asked: list[str] = []
        self.sent: list[Any] = []

    async def send_request(self, request: Any, result_type: Any) -> Any:
        if isinstance(request, GetTask):
            self.sent.append("get")
            if isinstance(given := next(self._states), Exception):
                raise given
            return state(given)
        self.sent.append("cancel" if isinstance(request, CancelTask) else request.params.input_responses)
        assert isinstance(request, (CancelTask, UpdateTask))
        return types.Result()

    async def dispatch_input_request(self, context: ClientRequestContext, request: Any) -> Any:
        self.asked.append(str(context.request_id))
        return self._answers[str(context.request_id)]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept, which takes no time."""
    seconds: list[float] = []
    sleep = asyncio.sleep

    async def sleeping(span: float) -> None:
        seconds.append(span)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", sleeping)
    return seconds


async def wait(played: Any, **more: Any) -> Any:
    with fail_after(5):
        return await TaskHandle(played, "1", **more).wait()


FORM = form().build().to_input_request()


async def test_it_asks_quickly_first_and_then_as_often_as_the_server_says(slept: list[float]) -> None:
    """Tasks extension, "Polling": clients SHOULD honour `pollIntervalMs`."""
    played = Played([*[{**WORKING, "pollIntervalMs": 1000}] * 8, DONE])

    await wait(played)

    assert slept == [0.05, 0.1, 0.2, 0.4, 0.8, 1, 1, 1]


async def test_an_interval_that_changes_is_followed(slept: list[float]) -> None:
    slow, slower = {**WORKING, "pollIntervalMs": 100}, {**WORKING, "pollIntervalMs": 300}

    await wait(Played([slow, slow, slow, slower, slower, slower, DONE]))

    assert slept == [0.05, 0.1, 0.1, 0.2, 0.3, 0.3]


async def test_it_asks_quickly_again_when_a_person_has_answered(slept: list[float]) -> None:
    played = Played([*[WORKING] * 3, asking(a=FORM), WORKING, DONE], a=ElicitResult(action="decline"))

    await wait(played)

    assert slept == [0.05, 0.1, 0.2, 0.05]


async def test_without_an_interval_it_asks_every_second(slept: list[float]) -> None:
    await wait(Played([*[WORKING] * 8, DONE]))

    assert slept[-2:] == [1, 1]


async def test_a_task_that_does_not_change_is_given_up(monkeypatch: pytest.MonkeyPatch, slept: list[float]) -> None:
    now = iter(range(0, 10_000, 10))
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: float(next(now)), raising=False)

    with pytest.raises(TaskStuck, match="for 25 seconds"):
        await TaskHandle(Played([WORKING] * 20), "1").wait(patience=25)  # type: ignore[arg-type]


async def test_a_task_that_waits_for_a_person_is_not_given_up(
    monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    played: Any = Played([asking(), *[asking()] * 20, DONE])
    now = iter(range(0, 10_000, 10))
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: float(next(now)), raising=False)

    assert (await TaskHandle(played, "1").wait(patience=25)).content[0].text == "done"  # type: ignore[union-attr]


async def test_whatever_a_task_may_ask_a_client_is_answered() -> None:
    """Tasks extension, `inputRequests`: elicitation, sampling and roots."""
    message = {"role": "user", "content": {"type": "text", "text": "Hello?"}}
    sample = {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 10}}
    said = types.CreateMessageResult.model_validate(
        {"role": "assistant", "content": {"type": "text", "text": "Hi"}, "model": "m"}
    )
    roots = types.ListRootsResult(roots=[types.Root.model_validate({"uri": "file:///home"})])
    asked = asking(a=FORM, b=sample, c={"method": "roots/list"})
    played = Played([asked, WORKING, WORKING, DONE], a=ElicitResult(action="cancel"), b=said, c=roots)

    await wait(played)

    responses = {key: one for sent in played.sent if isinstance(sent, dict) for key, one in sent.items()}
    assert sorted(played.asked) == ["a", "b", "c"]
    assert responses["a"] == {"action": "cancel"}
    assert responses["b"]["content"]["text"] == "Hi"
    assert responses["c"]["roots"] == [{"uri": "file:///home"}]


@pytest.mark.parametrize("request_", [None, 7, {}, {"method": "tools/call"}, {"method": "elicitation/create"}])
async def test_a_request_that_the_protocol_does_not_have_is_an_error(request_: Any) -> None:
    with pytest.raises(ProtocolError, match="asks in a task for something"):
        await wait(Played([asking(a=request_), *[WORKING] * 5]))


@pytest.mark.parametrize("result", [None, {}, {"content": "done"}])
async def test_a_result_that_is_none_is_an_error(result: Any) -> None:
    with pytest.raises(ProtocolError, match="no result of a tool"):
        await wait(Played([{"status": "completed", "result": result}]))

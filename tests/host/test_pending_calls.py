"""`PendingCall`: a call that waits, as JSON that outlives its process (issue 5, point 6)."""

import copy
import json
import pickle
from typing import Any

import pytest

from elicitkit import ContractError, Pending, PendingCall, Request, pending_of

SECRET = "hunter2"
REQUEST = Request("r1", "input", "Who?", data={"schema": {"type": "object", "properties": {}}})
CALL = PendingCall(REQUEST, "shop", "pay", {"cart": SECRET}, {"requestState": SECRET, "answers": {"a": [1, None]}})
WRITTEN = CALL.to_dict()


def test_it_comes_back_from_json_as_it_was() -> None:
    assert PendingCall.from_json(CALL.to_json()) == CALL
    assert PendingCall.from_dict(json.loads(json.dumps(WRITTEN))) == CALL


def test_a_host_finds_its_request_like_that_of_any_suspension() -> None:
    assert pending_of(CALL) is REQUEST
    assert pending_of(WRITTEN) == REQUEST
    assert Pending.from_json(CALL.to_json()) == Pending(REQUEST)
    assert WRITTEN["output"] == "Who?"


def test_a_tool_of_the_hosts_own_has_no_server_and_may_have_no_arguments() -> None:
    call = PendingCall(REQUEST, "", "deploy")

    assert call.to_dict()["call"] == {"server": "", "tool": "deploy", "arguments": {}, "state": {}}
    assert PendingCall.from_json(call.to_json()) == call


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda call: pickle.loads(pickle.dumps(call))])
def test_copies_are_equal_and_hash_alike(again: Any) -> None:
    assert again(CALL) == CALL
    assert hash(again(CALL)) == hash(CALL)


def test_neither_repr_nor_an_error_shows_what_people_said() -> None:
    assert SECRET not in repr(CALL)
    with pytest.raises(ContractError) as caught:
        PendingCall.from_dict({**WRITTEN, "call": {**WRITTEN["call"], "state": SECRET}})
    assert SECRET not in f"{caught.value!r}{caught.value}"


def test_it_does_not_change() -> None:
    state: dict[str, Any] = {"answers": {}}
    call = PendingCall(REQUEST, "shop", "pay", {}, state)

    state["answers"]["a"] = 1
    call.to_dict()["call"]["state"]["answers"]["b"] = 1

    assert call.state == {"answers": {}}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"metadata": None}, "a request under 'pending'"),
        ({"call": None}, "an object under 'call'"),
        ({"call": []}, "an object under 'call'"),
        ({"call": {"server": "s", "tool": "t", "arguments": {}}}, "no 'state'"),
        ({"call": {**WRITTEN["call"], "tool": " "}}, "tool is blank"),
        ({"call": {**WRITTEN["call"], "server": 7}}, "server is text"),
        ({"call": {**WRITTEN["call"], "arguments": [1]}}, "arguments is an object"),
    ],
)
def test_what_is_none_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ContractError, match=problem):
        PendingCall.from_dict({**WRITTEN, **change})


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "{"])
def test_so_is_other_json(text: str) -> None:
    with pytest.raises(ContractError):
        PendingCall.from_json(text)


@pytest.mark.parametrize(
    "given",
    [("r1", "s", "t"), (REQUEST, "s", "t", {"a": object()}), (REQUEST, "s", "t", {}, None)],
    ids=["no request", "no JSON", "no state"],
)
def test_a_mistake_in_python_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError):
        PendingCall(*given)

"""`Request` and `Answer` as values and on the wire (design, section 6: the neutral contract)."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given

from elicitkit import Answer, ContractError, LimitError, Pending, Request, pending, pending_of
from elicitkit import answer_accepted as accepted
from elicitkit import answer_cancelled as cancelled
from elicitkit import answer_declined as declined
from elicitkit.limits import ANSWER_BYTES, MESSAGE_CHARACTERS, SCHEMA_BYTES
from elicitkit.suspension import declined_or_expired, unresolved
from tests.suspension import values

NOON = datetime(2026, 7, 28, 12, tzinfo=UTC)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FULL = Request("r1", "input", "Your name?", "https://example.com", {"schema": SCHEMA}, NOON)
BARE = Request("r1", "approval", "Deploy?")


def asks(**changes: Any) -> Request:
    return dataclasses.replace(BARE, **changes)


def filling(size: int, empty: dict[str, str]) -> dict[str, str]:
    """An object with one text, which takes so many bytes of JSON."""
    (key,) = empty
    return {key: "x" * (size - len(json.dumps(empty, separators=(",", ":"))))}


# --- on the wire ------------------------------------------------------------------------------------------------------


def test_a_request_is_written_with_exactly_the_keys_of_the_contract() -> None:
    assert FULL.to_dict() == {
        "id": "r1",
        "kind": "input",
        "prompt": "Your name?",
        "url": "https://example.com",
        "data": {"schema": SCHEMA},
        "expiresAt": "2026-07-28T12:00:00Z",
    }


def test_an_answer_is_written_with_exactly_the_keys_of_the_contract() -> None:
    assert Answer("r1", ok=False, data={"a": 1}, reason="expired").to_dict() == {
        "id": "r1",
        "ok": False,
        "data": {"a": 1},
        "reason": "expired",
    }


@pytest.mark.parametrize("empty", [{}, {"url": None, "data": None}, {"url": "", "data": {}}], ids=repr)
def test_what_is_empty_in_a_request_is_absent(empty: dict[str, Any]) -> None:
    request = asks(**empty)

    assert request.to_dict() == {"id": "r1", "kind": "approval", "prompt": "Deploy?"}
    assert (request.url, request.data) == (None, None)


@pytest.mark.parametrize("empty", [{}, {"data": None, "reason": None}, {"data": {}, "reason": ""}], ids=repr)
def test_what_is_empty_in_an_answer_is_absent(empty: dict[str, Any]) -> None:
    assert Answer("r1", ok=True, **empty).to_dict() == {"id": "r1", "ok": True}


def test_a_prompt_is_always_written_even_an_empty_one() -> None:
    assert asks(prompt="").to_dict()["prompt"] == ""


@given(values.requests)
def test_any_request_comes_back_the_same(request: Request) -> None:
    assert Request.from_json(request.to_json()) == Request.from_dict(request.to_dict()) == request
    assert Request.from_json(request.to_json().encode()).to_json() == request.to_json()


@given(values.answers)
def test_any_answer_comes_back_the_same(answer: Answer) -> None:
    assert Answer.from_json(answer.to_json()) == Answer.from_dict(answer.to_dict()) == answer
    assert Answer.from_json(answer.to_json().encode()).to_json() == answer.to_json()


def test_a_number_too_large_for_most_is_passed_on_as_it_is() -> None:
    """R015 of the reports: what a server asks is relayed untouched."""
    text = f'{{"id":"r","kind":"input","prompt":"","data":{{"schema":{{"maximum":{2**64 - 1},"minimum":-{10**30}}}}}}}'

    assert Request.from_json(text).to_json() == text


def test_what_is_not_ascii_is_written_as_it_is() -> None:
    assert '"prompt":"Größe 👋"' in asks(prompt="Größe 👋").to_json()


# --- reading what others wrote ----------------------------------------------------------------------------------------


def test_unknown_keys_are_ignored() -> None:
    assert Request.from_dict({**FULL.to_dict(), "path": ["a"], "expires_at": 5}) == FULL
    assert Answer.from_dict({"id": "r1", "ok": True, "output": "x"}) == Answer("r1", ok=True)


def test_null_is_absent() -> None:
    nothing = {"url": None, "data": None, "expiresAt": None, "reason": None}

    assert Request.from_dict(BARE.to_dict() | nothing) == BARE
    assert Answer.from_dict({"id": "r1", "ok": False} | nothing) == Answer("r1", ok=False)


@pytest.mark.parametrize("key", ["id", "kind", "prompt"])
@pytest.mark.parametrize("absent", [True, False], ids=["absent", "null"])
def test_a_request_without_what_it_must_have_is_refused(key: str, absent: bool) -> None:
    written = {name: value for name, value in FULL.to_dict().items() if name != key}

    with pytest.raises(ContractError, match=f"^a request has no '{key}'$"):
        Request.from_dict(written if absent else {**written, key: None})


@pytest.mark.parametrize("written", [{}, {"id": "r1"}, {"ok": True}, {"id": None, "ok": True}], ids=repr)
def test_an_answer_without_what_it_must_have_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ContractError, match=r"^an answer has no '(id|ok)'"):
        Answer.from_dict(written)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("id", 1, "a request's id is text, not an int"),
        ("id", True, "a request's id is text, not a bool"),
        ("id", " ", "a request's id is blank"),
        ("kind", ["input"], "a request's kind is text, not a list"),
        ("kind", "", "a request's kind is blank"),
        ("prompt", 5, "a request's prompt is text, not an int"),
        ("url", {}, "a request's url is text, not a dict"),
        ("data", [], "a request's data is an object (a dict), not a list"),
        ("data", "x", "a request's data is an object (a dict), not a str"),
        ("expiresAt", 1785240000, "a request's expiresAt is text, not an int"),
    ],
)
def test_a_request_with_something_of_the_wrong_type_is_refused(key: str, value: Any, problem: str) -> None:
    with pytest.raises(ContractError) as caught:
        Request.from_dict({**FULL.to_dict(), key: value})

    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("id", 1, "an answer's id is text, not an int"),
        ("ok", 1, "an answer's ok is true or false, not an int"),
        ("ok", "true", "an answer's ok is true or false, not a str"),
        ("data", ["Ada"], "an answer's data is an object (a dict), not a list"),
        ("reason", False, "an answer's reason is text, not a bool"),
    ],
)
def test_an_answer_with_something_of_the_wrong_type_is_refused(key: str, value: Any, problem: str) -> None:
    with pytest.raises(ContractError) as caught:
        Answer.from_dict({"id": "r1", "ok": True, key: value})

    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a request is not JSON: "),
        ("{", "a request is not JSON: "),
        (b"\xff", "a request is not JSON: "),
        ("[" * 100_000, "a request is not JSON: "),
        ('{"id":' + "9" * 5_000 + "}", "a request is not JSON: "),
        ("[]", "a request is a JSON object, not a list"),
        ("null", "a request is a JSON object, not None"),
        ('{"id":"a","kind":"b","prompt":"\\ud800"}', "a request's prompt holds half a character"),
        ('{"id":"a","kind":"b","prompt":"","data":{"\\udc00":1}}', "a request's data holds half a character"),
        ('{"id":"a","kind":"b","prompt":"","data":{"a":NaN}}', "a request's data holds a number that is not finite"),
        ('{"id":"a","kind":"b","prompt":"","data":{"a":1e999}}', "a request's data holds a number that is not finite"),
        ('{"id":"a","kind":"b","prompt":"","data":' + '{"a":' * 200 + "1" + "}" * 201, "nested more than 100 deep"),
    ],
    ids=[
        "empty",
        "cut",
        "no UTF-8",
        "deep",
        "digits",
        "array",
        "null",
        "half",
        "half key",
        "NaN",
        "infinity",
        "deep data",
    ],
)
def test_what_is_not_json_is_refused(text: str | bytes, problem: str) -> None:
    with pytest.raises(ContractError) as caught:
        Request.from_json(text)

    assert problem in str(caught.value)


@pytest.mark.parametrize("kind", [Request, Answer, Pending])
@pytest.mark.parametrize("given", [None, "{}", [("id", "a")]], ids=repr)
def test_reading_a_dict_from_something_else_is_a_type_error(kind: Any, given: Any) -> None:
    with pytest.raises(TypeError, match="is read from a dict, not from "):
        kind.from_dict(given)


@pytest.mark.parametrize("given", [None, {}, 5], ids=repr)
def test_reading_json_from_something_else_is_a_type_error(given: Any) -> None:
    with pytest.raises(TypeError, match="is read from text or bytes, not from "):
        Answer.from_json(given)


# --- making them in Python --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"id": 1},
        {"kind": None},
        {"prompt": b"x"},
        {"url": 5},
        {"data": [1]},
        {"data": {"when": NOON}},
        {"data": {1: "a"}},
        {"data": {"a": [{"b": object}]}},
        {"expires_at": "2026-07-28T12:00:00Z"},
        {"expires_at": NOON.date()},
    ],
    ids=repr,
)
def test_a_wrong_type_of_argument_is_a_type_error(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        asks(**changes)


@pytest.mark.parametrize("ok", [1, None, "yes"], ids=repr)
def test_ok_is_true_or_false_and_nothing_like_them(ok: Any) -> None:
    with pytest.raises(TypeError, match="an answer's ok is true or false"):
        Answer("r1", ok)


@pytest.mark.parametrize("changes", [{"id": ""}, {"id": "\n"}, {"kind": " "}, {"url": "\ud800"}], ids=repr)
def test_a_blank_or_broken_text_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        asks(**changes)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_the_longest_prompt_is_taken_and_a_longer_one_is_not() -> None:
    assert len(asks(prompt="m" * MESSAGE_CHARACTERS).prompt) == MESSAGE_CHARACTERS
    with pytest.raises(LimitError, match=r"^a request's prompt has 10,001 characters, and may have 10,000$"):
        Request.from_dict({**BARE.to_dict(), "prompt": "m" * (MESSAGE_CHARACTERS + 1)})


def test_the_largest_answer_is_taken_and_a_larger_one_is_not() -> None:
    largest = Answer("r1", ok=True, data=filling(ANSWER_BYTES, {"a": ""}))

    assert Answer.from_json(largest.to_json()) == largest
    with pytest.raises(LimitError, match=r"^an answer's data takes 262,145 bytes, and may take 262,144$"):
        BARE.accept(filling(ANSWER_BYTES + 1, {"a": ""}))


def test_the_largest_schema_is_taken_and_a_larger_one_is_not() -> None:
    assert asks(kind="input", data={"schema": filling(SCHEMA_BYTES, {"title": ""})}).schema
    with pytest.raises(LimitError, match=r"^a request's schema takes 131,073 bytes, and may take 131,072$"):
        asks(kind="input", data={"schema": filling(SCHEMA_BYTES + 1, {"title": ""})})


def test_a_number_that_python_cannot_write_is_refused() -> None:
    with pytest.raises(ContractError, match=r"^an answer's data holds a number of too many digits$"):
        BARE.accept({"a": 10**5_000})


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beside", [1, 2**70, (), MappingProxyType({})], ids=repr)
@pytest.mark.parametrize(
    "made_with",
    [
        lambda data: asks(data=data),
        lambda data: dataclasses.replace(asks(data={"a": 1}), data=data),
        lambda data: Request.from_dict({**BARE.to_dict(), "data": data}),
        lambda data: pending("Deploy?", kind="approval", data=data).request,
        lambda data: pending_of({"metadata": {"pending": {**BARE.to_dict(), "data": data}}}),
        BARE.accept,
        lambda data: accepted("r1", data),
        lambda data: Answer.from_dict({"id": "r1", "ok": True, "data": data}),
    ],
    ids=["request", "replace", "from_dict", "pending", "pending_of", "accept", "answer_accepted", "answer"],
)
def test_data_cannot_be_changed_by_surprise(made_with: Callable[[Any], Any], beside: Any) -> None:
    """Whichever way they came, and whatever is in them, which may take the short way to be checked or the long one."""
    given: dict[str, Any] = {"form": {"fields": {"a": {"type": "string"}}, "required": ["a"]}, "beside": beside}
    value = made_with(given)
    written = value.to_json()
    given["form"]["required"].append("b")
    given["form"]["fields"]["a"]["type"] = "boolean"
    given["form"]["fields"].clear()

    assert value.to_json() == written
    assert value.data["form"] == {"fields": {"a": {"type": "string"}}, "required": ["a"]}
    for held in (value.data, value.data["form"], value.data["form"]["fields"]["a"]):
        with pytest.raises(TypeError, match="cannot be changed"):
            held["type"] = {}


@pytest.mark.parametrize("value", [asks(data={"a": {"b": [1]}}), BARE.accept({"a": {"b": [1]}})], ids=repr)
def test_a_value_made_from_another_shares_no_list_with_it(value: Any) -> None:
    for made in (dataclasses.replace(value, id="r2"), copy.copy(value), copy.deepcopy(value)):
        assert made.data == value.data
        made.data["a"]["b"].append(2)

    assert value.data == {"a": {"b": [1]}}


def test_what_a_value_is_made_from_is_checked_even_if_another_value_had_it() -> None:
    value = asks(data={"a": [1]})
    value.data["a"].append(float("nan"))  # type: ignore[index]

    with pytest.raises(ContractError, match="a number that is not finite"):
        dataclasses.replace(value, id="r2")


def test_what_was_written_can_be_changed_and_changes_nothing() -> None:
    request = asks(data={"a": {"b": [1]}})
    written = request.to_dict()
    written["data"]["a"]["b"].append(2)
    written["data"]["c"] = 3

    assert request.data == {"a": {"b": [1]}}


@pytest.mark.parametrize("value", [FULL, BARE, FULL.accept({"a": [1]}), BARE.decline(), Pending(FULL)], ids=repr)
def test_they_are_values_that_can_be_copied_pickled_and_hashed(value: Any) -> None:
    copies = [
        copy.copy(value),
        copy.deepcopy(value),
        pickle.loads(pickle.dumps(value)),
        type(value).from_json(value.to_json()),
    ]

    assert copies == [value] * 4
    assert len({value, *copies}) == 1


def test_the_data_of_a_copy_are_frozen_too() -> None:
    for made in (copy.deepcopy(FULL), pickle.loads(pickle.dumps(FULL))):
        with pytest.raises(TypeError, match="cannot be changed"):
            made.data["x"] = 1


@pytest.mark.parametrize(
    "changes", [{"id": "r2"}, {"kind": "question"}, {"prompt": "?"}, {"url": "https://x"}, {"data": {"a": 1}}]
)
def test_requests_differ_by_all_they_hold(changes: dict[str, Any]) -> None:
    assert asks(**changes) != BARE


@pytest.mark.parametrize("value", [FULL, BARE.accept(), Pending(FULL)], ids=["request", "answer", "pending"])
def test_they_are_frozen(value: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, "other")


# --- what a host does with them ---------------------------------------------------------------------------------------


def test_a_request_makes_its_answers() -> None:
    assert (
        BARE.accept({"name": "Ada"}) == Answer("r1", ok=True, data={"name": "Ada"}) == accepted("r1", {"name": "Ada"})
    )
    assert BARE.accept() == Answer("r1", ok=True) == accepted("r1")
    assert BARE.decline() == Answer("r1", ok=False, reason="declined") == declined("r1")
    assert BARE.cancel() == Answer("r1", ok=False, reason="cancelled") == cancelled("r1")
    assert BARE.cancel("headless") == Answer("r1", ok=False, reason="headless") == cancelled("r1", "headless")


def test_another_reason_than_the_persons_can_be_given_for_a_refusal() -> None:
    assert declined("r1", "expired") == Answer("r1", ok=False, reason="expired")


def test_nobody_cancels_because_a_person_declined() -> None:
    """R061 of the reports: what a machine did is never put down to a person."""
    with pytest.raises(ContractError, match=r"answer with decline\(\)"):
        BARE.cancel("declined")


def test_an_answer_belongs_to_the_request_of_its_id_alone() -> None:
    """Design, section 6: an answer whose id is not the request's is an error."""
    assert BARE.is_answered_by(BARE.accept())
    assert not BARE.is_answered_by(Answer("r2", ok=True))
    assert asks(id="größe").is_answered_by(Answer("größe", ok=True))


def test_a_form_has_a_schema_and_nothing_else_has() -> None:
    assert FULL.schema == SCHEMA
    assert asks(data={"schema": SCHEMA}).schema is None
    assert asks(kind="input").schema is None
    assert asks(kind="input", data={"schema": "none"}).schema is None


@pytest.mark.parametrize(
    ("request_", "is_confirmation"),
    [
        (asks(kind="input", data={"schema": {"type": "object", "properties": {}}}), True),
        (FULL, False),
        (asks(kind="input", data={"schema": {"type": "object"}}), False),
        (asks(kind="input"), False),
        (asks(kind="authorization", url="https://example.com"), False),
        (BARE, False),
    ],
    ids=["no fields", "fields", "no properties", "no schema", "a link", "an approval"],
)
def test_a_form_without_fields_is_a_confirmation(request_: Request, is_confirmation: bool) -> None:
    """R053 of the reports: confirmations, forms and links are told apart."""
    assert request_.is_confirmation is is_confirmation


def test_a_request_expires_at_its_moment() -> None:
    request, second = asks(expires_at=NOON), timedelta(seconds=1)

    assert [request.is_expired(NOON - second), request.is_expired(NOON), request.is_expired(NOON + second)] == [
        False,
        True,
        True,
    ]
    assert not BARE.is_expired(NOON)


def test_the_errors_of_the_loop_rule_are_literal() -> None:
    """Design, section 6: other hosts say the same, and models are prompted with it."""
    assert unresolved(BARE) == "unresolved: Deploy?"
    assert declined_or_expired(BARE) == "declined/expired: Deploy?"

"""The mapping between MCP's elicitation and the contract of a host (design, section 6, its table line by line)."""

import copy
import json
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import mcp_types
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import _v2025_11_25, _v2026_07_28

from elicitkit import (
    Answer,
    AnswerError,
    ContractError,
    Form,
    LimitError,
    ProtocolError,
    Request,
    answer_to_elicit_result,
    elicitation_to_request,
    required_elicitations_to_requests,
)
from elicitkit.limits import MESSAGE_CHARACTERS
from tests import strategies
from tests.specification import FOLDER, needs_specification


class Pet(StrEnum):
    CAT = "c"
    DOG = "d"


ERAS = pytest.mark.parametrize("sdk", [mcp_types, _v2025_11_25, _v2026_07_28], ids=["SDK", "2025-11-25", "2026-07-28"])
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "default": "Ada"},
        "pet": {"type": "string", "enum": ["c", "d"], "enumNames": ["Cat", "Dog"]},
        "roles": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}, "minItems": 1},
    },
    "required": ["name"],
}
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}
FORM: dict[str, Any] = {"message": "Your name?", "requestedSchema": SCHEMA}
LINK: dict[str, Any] = {"mode": "url", "message": "Log in", "url": "https://example.com/auth", "elicitationId": "e1"}


class FirstSdkParams(pydantic.BaseModel):
    """The params as the first SDK has them, with the names of the wire in Python too."""

    model_config = pydantic.ConfigDict(extra="allow")

    message: str
    requestedSchema: dict[str, Any]


# --- elicitation to request -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [{}, {"mode": "form"}, {"mode": None}], ids=repr)
def test_a_form_becomes_an_input_with_the_very_same_schema(mode: dict[str, Any]) -> None:
    request = elicitation_to_request({**FORM, **mode}, id="r1")

    assert request == Request("r1", "input", "Your name?", data={"schema": SCHEMA})
    assert json.dumps(request.to_dict()["data"]) == json.dumps({"schema": SCHEMA})


def test_a_link_becomes_an_authorization_without_data() -> None:
    assert elicitation_to_request(LINK, id="r1") == Request("r1", "authorization", "Log in", "https://example.com/auth")


@ERAS
def test_a_form_of_every_era_is_mapped(sdk: Any) -> None:
    request = elicitation_to_request(sdk.ElicitRequestFormParams.model_validate(FORM), id="r1")

    assert request == Request("r1", "input", "Your name?", data={"schema": SCHEMA})


@ERAS
def test_a_link_of_every_era_is_mapped(sdk: Any) -> None:
    request = elicitation_to_request(sdk.ElicitRequestURLParams.model_validate(LINK), id="r1")

    assert request == Request("r1", "authorization", "Log in", "https://example.com/auth")


def test_params_that_were_made_here_are_mapped() -> None:
    form = mcp_types.ElicitRequestFormParams(message="m", requested_schema=EMPTY)
    link = mcp_types.ElicitRequestURLParams(message="m", url="https://example.com")

    assert elicitation_to_request(form, id="r1") == Request("r1", "input", "m", data={"schema": EMPTY})
    assert elicitation_to_request(link, id="r1") == Request("r1", "authorization", "m", "https://example.com")


def test_params_of_the_first_sdk_are_mapped() -> None:
    request = elicitation_to_request(FirstSdkParams(message="m", requestedSchema=SCHEMA), id="r1")

    assert request == Request("r1", "input", "m", data={"schema": SCHEMA})


@ERAS
@pytest.mark.parametrize("params", [FORM, LINK], ids=["form", "link"])
def test_an_input_request_of_every_era_is_mapped(sdk: Any, params: dict[str, Any]) -> None:
    """2026-07-28, `InputRequests`."""
    entry = {"method": "elicitation/create", "params": params}
    mapped = elicitation_to_request(params, id="k")

    assert elicitation_to_request(entry, id="k") == mapped
    assert (
        elicitation_to_request(sdk.ElicitRequest.model_validate({"jsonrpc": "2.0", "id": 1, **entry}), id="k") == mapped
    )


@given(strategies.forms())
def test_any_form_is_still_the_same_form_at_the_host(form: Form[Any]) -> None:
    request = elicitation_to_request(form.to_input_request(), id="r1")

    assert (request.prompt, request.schema) == (form.message, form.schema())
    assert Request.from_json(request.to_json()) == request


def test_what_is_no_business_of_the_mapping_is_left_to_the_source() -> None:
    """Design, section 6: `_meta` and an elicitation's own id are added to `data` by the source."""
    meta = {"_meta": {"progressToken": 1}, "task": {"ttl": 5}}

    assert elicitation_to_request({**FORM, **meta}, id="r1") == elicitation_to_request(FORM, id="r1")
    assert elicitation_to_request({**LINK, **meta}, id="r1").data is None


def test_a_form_without_fields_is_told_from_a_form_and_from_a_link() -> None:
    """R053 of the reports; the empty form keeps its schema."""
    empty = elicitation_to_request({"message": "Delete it?", "requestedSchema": EMPTY})

    assert empty.data == {"schema": EMPTY}
    assert [empty.is_confirmation, elicitation_to_request(FORM).is_confirmation] == [True, False]
    assert not elicitation_to_request(LINK).is_confirmation


def test_without_an_id_each_request_has_one_that_nobody_can_guess() -> None:
    """Design, section 10: at least 128 random bits."""
    ids = {elicitation_to_request(params).id for params in [FORM, LINK] * 500}

    assert len(ids) == 1_000
    assert all(re.fullmatch("elc-[0-9a-f]{32}", id) for id in ids)


def test_an_empty_message_is_an_empty_prompt() -> None:
    assert elicitation_to_request({**FORM, "message": ""}).prompt == ""


def of_the_sdk(schema: dict[str, Any]) -> mcp_types.ElicitRequestFormParams:
    return mcp_types.ElicitRequestFormParams.model_construct(message="m", requested_schema=schema)


@pytest.mark.parametrize(
    "params_of",
    [
        lambda schema: {"message": "m", "requestedSchema": schema},
        lambda schema: {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": schema}},
        of_the_sdk,
        lambda schema: mcp_types.ElicitRequest(params=of_the_sdk(schema)),
        lambda schema: FirstSdkParams.model_construct(message="m", requestedSchema=schema),
    ],
    ids=["dict", "request", "SDK", "SDK request", "first SDK"],
)
def test_the_form_of_a_server_cannot_change_the_request_afterwards(params_of: Callable[[Any], Any]) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    same = copy.deepcopy(schema)
    request = elicitation_to_request(params_of(schema))
    schema["required"].append("b")
    schema["properties"]["a"]["type"] = "boolean"
    schema["properties"].clear()

    assert request.schema == same


@needs_specification
@pytest.mark.parametrize("path", sorted(FOLDER.glob("examples-2026-07-28/ElicitRequest*/*.json")), ids=lambda p: p.stem)
def test_the_specifications_examples_are_mapped(path: Any) -> None:
    example = json.loads(path.read_text())
    params = example.get("params", example)

    request = elicitation_to_request(example)

    assert (request.prompt, request.url, request.schema) == (
        params["message"],
        params.get("url"),
        params.get("requestedSchema"),
    )


# --- what no server may send ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"message": "m"}, "a form without 'requestedSchema'; an empty form has one, too"),
        ({"message": "m", "mode": "form", "requestedSchema": None}, "a form without 'requestedSchema'"),
        ({"message": "m", "requestedSchema": []}, "a form whose 'requestedSchema' is no object"),
        ({"message": "m", "requestedSchema": True}, "a form whose 'requestedSchema' is no object"),
        ({"message": "m", "mode": "url"}, "an elicitation without 'url', or with one that is no text"),
        ({"message": "m", "mode": "url", "url": " "}, "an elicitation without 'url'"),
        ({"message": "m", "mode": "url", "url": 5}, "an elicitation without 'url'"),
        ({"requestedSchema": EMPTY}, "an elicitation without 'message', or with one that is no text"),
        ({"message": None, "mode": "url", "url": "https://x"}, "an elicitation without 'message'"),
        ({"message": 5, "requestedSchema": EMPTY}, "an elicitation without 'message'"),
        ({"message": "m", "mode": "voice"}, "asks in the mode 'voice', and there are 'form' and 'url'"),
        ({"message": "m", "mode": ["form"]}, "asks in the mode a list, and there are 'form' and 'url'"),
        ({"method": "elicitation/create"}, "sent 'elicitation/create' without params"),
        ({"method": "elicitation/create", "params": [FORM]}, "sent 'elicitation/create' without params"),
        ({}, "an elicitation without 'message'"),
    ],
)
def test_an_elicitation_that_lacks_something_is_reported(params: dict[str, Any], problem: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        elicitation_to_request(params)

    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "entry",
    [
        {"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}},
        {"method": "roots/list"},
        mcp_types.CreateMessageRequest(params=mcp_types.CreateMessageRequestParams(messages=[], max_tokens=1)),
        mcp_types.ListRootsRequest(),
        _v2026_07_28.ListRootsRequest(method="roots/list"),
    ],
    ids=["sampling", "roots", "SDK sampling", "SDK roots", "2026-07-28 roots"],
)
def test_another_request_than_an_elicitation_is_no_question_to_a_person(entry: Any) -> None:
    with pytest.raises(ProtocolError, match=r"^'(sampling/createMessage|roots/list)' is no question to a person"):
        elicitation_to_request(entry)


def test_a_strangers_word_is_cut_and_harmless_in_an_error() -> None:
    with pytest.raises(ProtocolError) as caught:
        elicitation_to_request({"method": "\x1b[31mx" * 100_000})

    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("params", [None, "elicit", [FORM], 5], ids=repr)
def test_what_is_no_message_at_all_is_a_type_error(params: Any) -> None:
    with pytest.raises(TypeError, match="is a mapping or a model of the SDK, not "):
        elicitation_to_request(params)


@pytest.mark.parametrize("id", ["", " "], ids=repr)
def test_a_blank_id_is_refused(id: str) -> None:
    with pytest.raises(ContractError, match="a request's id is blank"):
        elicitation_to_request(FORM, id=id)


def test_what_is_too_large_is_refused() -> None:
    """Design, section 11."""
    with pytest.raises(LimitError, match="a request's prompt has 10,001 characters"):
        elicitation_to_request({**FORM, "message": "m" * (MESSAGE_CHARACTERS + 1)})
    with pytest.raises(LimitError, match=r"a request's schema takes 1[0-9]{2},[0-9]{3} bytes, and may take 131,072"):
        elicitation_to_request({**FORM, "requestedSchema": {**EMPTY, "title": "x" * 131_072}})


# --- the error -32042 -------------------------------------------------------------------------------------------------


def test_the_links_an_error_requires_become_requests() -> None:
    """2025-11-25, URL elicitation required error; R121 of the reports."""
    first, second = required_elicitations_to_requests({"elicitations": [LINK, {**LINK, "url": "https://example.org"}]})

    assert (first.kind, first.prompt, first.url) == ("authorization", "Log in", "https://example.com/auth")
    assert (second.url, second.data) == ("https://example.org", None)
    assert first.id != second.id


def test_the_links_in_the_errors_of_the_sdk_become_requests() -> None:
    entry = mcp_types.ElicitRequestURLParams(message="Log in", url="https://example.com/auth", elicitation_id="e1")
    data = mcp_types.ElicitationRequiredErrorData(elicitations=[entry])
    error = _v2025_11_25.URLElicitationRequiredError.model_validate(
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32042, "message": "m", "data": {"elicitations": [LINK]}}}
    )

    for sent in (data, data.model_dump(by_alias=True), error.error.data):
        (request,) = required_elicitations_to_requests(sent)
        assert (request.kind, request.url) == ("authorization", "https://example.com/auth")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"elicitations": []},
        {"elicitations": None},
        {"elicitations": LINK},
        {"elicitations": [FORM]},
        {"elicitations": [LINK, {**LINK, "mode": None}]},
        {"elicitations": [LINK, "https://example.com"]},
        {"elicitations": [{**LINK, "url": None}]},
    ],
    ids=["nothing", "none", "null", "no list", "form", "no mode", "text", "no url"],
)
def test_an_error_that_requires_anything_but_links_is_reported(data: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        required_elicitations_to_requests(data)


@pytest.mark.parametrize("data", [None, [LINK], "x"], ids=repr)
def test_data_that_are_none_are_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError, match="the data of an error are a mapping or a model of the SDK, not "):
        required_elicitations_to_requests(data)


# --- answer to result -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "action", "content"),
    [
        (Answer("r1", ok=True, data={"name": "Ada", "roles": ["a"]}), "accept", {"name": "Ada", "roles": ["a"]}),
        (Answer("r1", ok=True), "accept", {}),
        (Answer("r1", ok=True, data={}), "accept", {}),
        (Answer("r1", ok=True, data={"a": None}, reason="declined"), "accept", {"a": None}),
        (Answer("r1", ok=False, reason="declined"), "decline", None),
        (Answer("r1", ok=False, data={"name": "Ada"}, reason="declined"), "decline", None),
        (Answer("r1", ok=False), "cancel", None),
        (Answer("r1", ok=False, data={"name": "Ada"}), "cancel", None),
        *((Answer("r1", ok=False, reason=reason), "cancel", None) for reason in ("cancelled", "expired", "headless")),
        *((Answer("r1", ok=False, reason=reason), "cancel", None) for reason in ("unsupported", "failed", "DECLINED")),
    ],
)
def test_an_answer_becomes_the_result_of_the_table(answer: Answer, action: str, content: Any) -> None:
    result = answer_to_elicit_result(answer)

    assert (result.action, result.content) == (action, content)


@ERAS
@pytest.mark.parametrize("answer", [Answer("r", True, {"a": [], "b": 1.5, "c": None}), Answer("r", False)], ids=repr)
def test_the_result_is_one_of_every_era(sdk: Any, answer: Answer) -> None:
    """Elicitation, "Response Actions"."""
    written = answer_to_elicit_result(answer).model_dump(by_alias=True, exclude_none=True)

    assert sdk.ElicitResult.model_validate(written).action == written["action"]


@given(form=strategies.forms(), draw=st.data())
def test_whatever_a_form_was_filled_in_with_reaches_the_server_unchanged(form: Form[Any], draw: st.DataObject) -> None:
    content = draw.draw(strategies.right_answers(form))
    request = elicitation_to_request(form.to_input_request())

    sent = answer_to_elicit_result(Answer.from_json(request.accept(content).to_json())).content

    assert sent == content
    assert list(map(type, (sent or {}).values())) == list(map(type, content.values()))


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | strategies.texts
)
contents = st.dictionaries(strategies.texts, scalars | st.lists(strategies.texts, max_size=3), max_size=4)


@given(contents)
def test_a_result_is_the_very_one_that_the_sdk_makes_and_checks(content: dict[str, Any]) -> None:
    """Elicitation, `ElicitResult`: the mapping does not have the SDK check again what an `Answer` has checked."""
    result = answer_to_elicit_result(Answer("r1", ok=True, data=content))
    checked = mcp_types.ElicitResult(action="accept", content=content)

    assert (result, repr(result), result.model_fields_set) == (checked, repr(checked), checked.model_fields_set)
    assert result.model_dump_json(by_alias=True) == checked.model_dump_json(by_alias=True)


def test_a_result_can_be_changed_and_neither_the_answer_nor_the_next_result_is() -> None:
    answer = Answer("r1", ok=True, data={"roles": ["a"], "name": "Ada"})
    result = answer_to_elicit_result(answer)
    result.meta, result.action = {"a": 1}, "cancel"
    assert result.content is not None
    assert isinstance(result.content["roles"], list)
    result.content["roles"].append("b")
    result.content["name"] = "Eve"

    assert answer.data == {"roles": ["a"], "name": "Ada"}
    assert answer_to_elicit_result(answer) == mcp_types.ElicitResult(action="accept", content=dict(answer.data))
    assert answer_to_elicit_result(Answer("r1", ok=True)) == mcp_types.ElicitResult(action="accept", content={})


def test_an_answer_may_hold_an_enum_s_member_which_is_text() -> None:
    result = answer_to_elicit_result(Answer("r1", ok=True, data={"pet": Pet.CAT, "roles": [Pet.DOG]}))

    assert result.content == {"pet": "c", "roles": ["d"]}


@pytest.mark.parametrize("data", [{"pet": Pet.CAT}, {"roles": [Pet.DOG]}, {Pet.CAT: True}], ids=repr)
def test_what_is_text_and_more_than_that_is_what_the_sdk_makes_of_it(data: dict[str, Any]) -> None:
    result = answer_to_elicit_result(Answer("r1", ok=True, data=data))

    assert repr(result) == repr(mcp_types.ElicitResult(action="accept", content=data))


def test_an_answer_that_is_not_flat_is_refused_with_every_field_and_no_value() -> None:
    """Elicitation, `ElicitResult`; design, section 5: no text shows what was typed."""
    answer = Answer("r1", ok=True, data={"ok": "x", "who": {"name": "hunter2"}, "many": [["hunter2"]], "counts": [1]})

    with pytest.raises(AnswerError) as caught:
        answer_to_elicit_result(answer)

    assert [fault.field for fault in caught.value.faults] == ["who", "many", "counts"]
    assert "hunter2" not in f"{caught.value} {caught.value!r}"
    assert (caught.value.__context__, caught.value.__cause__) == (None, None)


@pytest.mark.parametrize("answer", [None, {"id": "r1", "ok": True}, Request("r1", "input", "")], ids=repr)
def test_only_an_answer_becomes_a_result(answer: Any) -> None:
    with pytest.raises(TypeError, match="is made from an Answer, not from "):
        answer_to_elicit_result(answer)

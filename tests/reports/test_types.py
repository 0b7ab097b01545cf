"""Types that became forms others could not read, or lost members on the way."""

import builtins
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from elicitkit import AnswerError, Form, FormElicitation, FormError, ProtocolError
from elicitkit.bridge import elicitation_to_request
from elicitkit.testing import RandomAnswers, everything_server
from tests import strategies
from tests.host.hosting import hosting, text

pytestmark = pytest.mark.anyio


@given(st.dictionaries(strategies.words, strategies.legal_properties, max_size=4))
def test_r015_a_requested_schema_is_relayed_as_it_came(properties: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": properties, "required": [*properties][:1]}

    request = elicitation_to_request({"message": "?", "requestedSchema": schema})

    assert request.schema == schema
    assert type(request).from_json(request.to_json()).schema == schema


def test_r015_a_default_makes_nothing_nullable() -> None:
    for prop in ({"type": "string", "default": "x"}, {"type": "string"}):
        form = Form.from_schema("?", {"type": "object", "properties": {"n": prop}})
        assert form.schema() == {"type": "object", "properties": {"n": prop}}


class Address(BaseModel):
    street: str


class Order(BaseModel):
    address: Address


@dataclass
class Mixed:
    a: int
    b: Address
    c: dict[str, int]


def test_r017_a_nested_object_is_refused_when_it_is_built_and_named() -> None:
    with pytest.raises(FormError, match="address") as refused:
        FormElicitation.from_type(Order, "?").build()

    assert [fault.field for fault in refused.value.faults] == ["address"]


def test_r019_no_member_is_left_out_in_silence() -> None:
    with pytest.raises(FormError) as refused:
        FormElicitation.from_type(Mixed, "?").build()

    assert [fault.field for fault in refused.value.faults] == ["b", "c"]
    with_value = FormElicitation.from_type(Mixed, "?").exclude("b", value=Address(street="x")).exclude("c", value={})
    assert [field.name for field in with_value.build().fields] == ["a"]


def test_r021_checking_an_answer_compiles_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    form = FormElicitation.create("?").choice("response").options(["yes", "no"]).required().build()

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("code was generated")

    for name in ("exec", "eval", "compile"):
        monkeypatch.setattr(builtins, name, refuse)
    given = form.check({"response": "yes"})
    with pytest.raises(AnswerError):
        form.check({"response": "maybe"})
    monkeypatch.undo()

    assert given == {"response": "yes"}


def test_r021_a_form_loads_no_framework() -> None:
    code = "from elicitkit import FormElicitation as F; F.create('?').string('a').check({'a': 'x'})"
    shown = f"{code}; import sys; print([n for n in ('mcp', 'fastmcp', 'starlette') if n in sys.modules])"

    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True, timeout=30)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("schema", [{}, {"schema": {"type": "object", "properties": {}}}, {"requestedSchema": None}])
def test_r023_a_missing_requested_schema_is_no_empty_form(schema: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError, match="requestedSchema"):
        elicitation_to_request({"message": "m", **schema})


@pytest.mark.parametrize("schema", [[], "object", 7])
def test_r023_nor_is_one_that_is_no_object(schema: Any) -> None:
    with pytest.raises(ProtocolError, match="requestedSchema"):
        elicitation_to_request({"message": "m", "requestedSchema": schema})


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        ("wrong_no_schema", "inputRequests.q.params.requestedSchema: Field required"),
        ("wrong_no_object", "inputRequests.q.params.requestedSchema.properties: Field required"),
        ("wrong_mode", "inputRequests.q.params.mode: Input should be 'form'"),
    ],
)
async def test_r023_a_host_says_what_is_wrong_with_a_round(tool: str, why: str) -> None:
    answers = RandomAnswers(1)
    async with hosting(everything_server(), "2026-07-28", wait_for=answers.wait_for) as source:
        found = text(await source.call(f"a_{tool}"))

    assert found == f"error: a broke the protocol: {why}"
    assert answers.asked == []


@dataclass
class Search:
    limit: int | None = None
    note: str | None = None


def test_r025_an_optional_member_may_be_absent_and_is_never_an_any_of() -> None:
    form = FormElicitation.from_type(Search, "?").build()

    schema = form.schema()
    assert schema["properties"]["limit"]["type"] == "integer"
    assert "null" not in json.dumps(schema)
    assert "required" not in schema
    for answer in ({}, {"limit": None}, {"limit": None, "note": None}):
        assert form.accept(answer).content == Search()
    with pytest.raises(AnswerError, match="Limit"):
        form.check({"limit": "null"})

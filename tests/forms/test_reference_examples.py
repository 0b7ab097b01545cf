"""The examples of the builder in another language that this one follows, in Python: each with the same outcome."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, Flag
from typing import Any, Required, TypedDict

import pytest
from pydantic import AnyUrl, BaseModel
from yarl import URL

from elicitkit import FormElicitation, FormError


class ProductQuery(BaseModel):
    filter: str | None = None
    top: int = 0
    skip: int = 0


class Color(Enum):
    RED = 1
    BLUE_GREEN = 2


class Roles(Flag):
    READER = 1
    WRITER = 2


@dataclass
class KitchenSink:
    name: str
    nickname: str
    homepage: str
    color: Color
    roles: Roles
    starts_at: datetime
    labels: list[str] = field(default_factory=list)
    wait: timedelta | None = None


def properties(form: Any) -> dict[str, Any]:
    found: dict[str, Any] = form.schema()["properties"]
    return found


def test_field_by_field() -> None:
    form = (
        FormElicitation.create("Tell us who you are")
        .string("firstName").required().min_length(1)
        .email("email").required()
        .integer("age").between(18, 120)
    )  # fmt: skip

    assert form.check({"firstName": "Ada", "email": "ada@example.com"})["firstName"] == "Ada"


def test_from_a_type() -> None:
    form = (
        FormElicitation.from_type(ProductQuery, "Query products")
        .exclude(lambda q: q.skip)
        .integer(lambda q: q.top).min(1).max(1000).default(20)
    )  # fmt: skip

    assert list(properties(form)) == ["filter", "top"]
    assert form.build().accept({"filter": "a"}).content == ProductQuery(filter="a", top=20)


def test_driven_by_metadata_and_bound() -> None:
    form = FormElicitation.create("How should we query Products?")
    form.string("filter").title("$filter").description("OData filter expression")
    form.integer("top").title("$top").min(1).max(1000).default(20)

    assert form.build().bound_to(ProductQuery).accept({"filter": "a"}).content == ProductQuery(filter="a", top=20)


def test_a_confirm_dialog_from_an_empty_type() -> None:
    class EmptyForm(BaseModel):
        pass

    assert FormElicitation.from_type(EmptyForm, "Delete this order?").build().fields == ()


def test_names_are_camel_case_on_the_wire_and_title_case_for_people() -> None:
    form = FormElicitation.create("?").string("FirstName").string("TimeToLive")

    assert {name: one["title"] for name, one in properties(form).items()} == {
        "firstName": "First Name",
        "timeToLive": "Time To Live",
    }


def test_a_format_is_set_in_place_and_cleared() -> None:
    form = FormElicitation.create("?").string("a").min_length(3).email("a")
    assert properties(form)["a"] == {"type": "string", "title": "A", "format": "email", "minLength": 3}

    form.string("a")
    assert "format" not in properties(form)["a"]


def test_required_is_read_from_the_type_and_overridden() -> None:
    class SignupForm(TypedDict, total=False):
        code: Required[str]
        note: Required[str | None]  # still required
        hint: str
        age: Required[int]
        score: int

    form = FormElicitation.from_type(SignupForm, "Sign up")
    assert form.schema()["required"] == ["code", "note", "age"]

    form.string("code").optional().default("none").string("hint").required()
    assert form.schema()["required"] == ["note", "hint", "age"]


def test_a_kitchen_sink_is_reconfigured_and_extended() -> None:
    form = (
        FormElicitation.from_type(KitchenSink, "Fill this out")
        .exclude("nickname", value="")
        .string(lambda k: k.name).title("Full name").min_length(1)
        .email(lambda k: k.homepage)
        .integer("extraCount").min(0)
    )  # fmt: skip

    assert list(properties(form)) == ["name", "homepage", "color", "roles", "startsAt", "extraCount"]
    assert properties(form)["homepage"]["format"] == "email"
    assert properties(form)["name"]["title"] == "Full name"
    answer = {
        "name": "A",
        "homepage": "a@b.co",
        "color": "RED",
        "roles": ["READER"],
        "startsAt": "2026-11-30T10:00:00Z",
    }
    content = form.build().accept(answer).content
    assert (content.homepage, content.color, content.roles) == ("a@b.co", Color.RED, Roles.READER)


def test_an_address_type_asked_as_an_e_mail_binds_where_it_can_hold_one() -> None:
    """There, the type for addresses takes any text; of Python's, `yarl.URL` does and pydantic's do not."""

    @dataclass
    class Lenient:
        homepage: URL

    @dataclass
    class Strict:
        homepage: AnyUrl

    assert FormElicitation.from_type(Lenient, "?").email("homepage").build().accept({"homepage": "a@b.co"}).content
    with pytest.raises(ValueError, match="Homepage"):
        FormElicitation.from_type(Strict, "?").email("homepage").build().accept({"homepage": "a@b.co"})


def test_excluding_what_was_skipped_is_a_no_op() -> None:
    form = FormElicitation.from_type(KitchenSink, "?").exclude("wait").exclude("labels")

    assert "wait" not in properties(form)


def test_enum_members_match_by_their_exact_name() -> None:
    form = FormElicitation.from_type(KitchenSink, "?")
    assert [one["const"] for one in properties(form)["color"]["oneOf"]] == ["RED", "BLUE_GREEN"]

    with pytest.raises(ValueError, match="Color"):
        form.check({"color": "blueGreen"})


def test_the_payload_is_the_one_that_is_sent() -> None:
    request = FormElicitation.create("Need a name").string("name").to_input_request()

    assert request == {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Need a name",
            "requestedSchema": {"type": "object", "properties": {"name": {"type": "string", "title": "Name"}}},
        },
    }


def test_two_properties_of_one_wire_name_are_refused() -> None:
    class Twice(BaseModel):
        a_b: str
        aB: str

    with pytest.raises(FormError):
        FormElicitation.from_type(Twice, "?")

"""Forms: building one, writing its schema, and checking an answer, beside pydantic and the SDK, in one run.

The versions are those of the environment; they are printed first. Run it with `make bench`.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any, Literal

from _measure import Work, compare, growth, medians, report, versions
from mcp.server.elicitation import render_elicitation_schema
from pydantic import AnyUrl, AwareDatetime, BaseModel, EmailStr, Field

from elicitkit import Form, FormElicitation

ANSWER: dict[str, Any] = {
    "fullName": "Ada Lovelace",
    "email": "ada@example.com",
    "homepage": "https://example.com/ada?tab=work",
    "birthday": "1815-12-10",
    "startsAt": "2026-11-30T14:30:00+01:00",
    "guests": 4,
    "price": 99.5,
    "vegetarian": True,
    "speed": "std",
    "extras": ["wifi", "lunch"],
}


class Booking(BaseModel):
    """The same ten fields, as the SDK takes them."""

    fullName: str = Field(min_length=1, max_length=80)
    email: EmailStr
    homepage: AnyUrl
    birthday: date
    startsAt: AwareDatetime
    guests: int = Field(ge=1, le=20)
    price: float = Field(ge=0)
    vegetarian: bool
    speed: Literal["std", "exp"]
    extras: list[Literal["wifi", "lunch", "desk"]] = Field(min_length=1)


def described() -> FormElicitation[Any]:
    form = FormElicitation.create("Your booking")
    form.string("full_name").required().min_length(1).max_length(80)
    form.email("email").required()
    form.uri("homepage").required()
    form.date("birthday").required()
    form.date_time("starts_at").required()
    form.integer("guests").required().between(1, 20)
    form.number("price").required().min(0)
    form.boolean("vegetarian").required()
    form.choice("speed").required().options(["std", "exp"])
    form.multi_choice("extras").required().options(["wifi", "lunch", "desk"]).min_items(1)
    return form


LITERAL = json.dumps(described().schema())


def main() -> None:
    print(versions("mcp", "pydantic", "jsonschema-rs"))
    form = described()
    built = form.build()
    assert built.check(ANSWER)["startsAt"] == Booking.model_validate(ANSWER).startsAt.isoformat()
    assert isinstance(Booking.model_validate(ANSWER).startsAt, datetime)
    sdk, anew, known = (
        "mcp: render_elicitation_schema",
        "elicitkit: build anew",
        "elicitkit: a form that did not change",
    )
    works: dict[str, Work] = {
        sdk: lambda: render_elicitation_schema(Booking),
        "json.loads of the finished schema": lambda: json.loads(LITERAL),
        anew: lambda: described().schema(),
        known: form.schema,
    }
    found = medians(works, rounds=40, loops=10)
    report("Building a form of 10 fields and writing its schema", found, beside=sdk, aims={anew: 1, known: 0.01})
    compare("a form of 10 fields built anew, and its schema", found, anew, sdk, "mcp's renderer", 1)
    compare("the schema of a form that did not change", found, known, sdk, "the same", 0.01)
    theirs, check = "pydantic: model_validate", "elicitkit: check"
    found = medians({theirs: lambda: Booking.model_validate(ANSWER), check: lambda: built.check(ANSWER)})
    report("Checking an answer of 10 fields", found, beside=theirs, aims={check: 0.5})
    compare("checking an answer of 10 fields", found, check, theirs, "pydantic", 0.5)
    fields = {
        "a form of text fields built, and its schema": build_fields,
        "checking its answer": check_fields,
        "reading a stranger's schema": read_fields,
    }
    growth("Growth with the number of text fields", fields, [1, 4, 16, 64], by="fields")
    options = {"a choice built, and its schema": build_options, "checking its answer": check_options}
    growth("Growth with the number of options of one choice", options, [10, 100, 1_000], by="options")


def of_fields(count: int) -> FormElicitation[Any]:
    form = FormElicitation.create("Fields")
    for number in range(count):
        form.string(f"field{number}").required().max_length(80)
    return form


def of_options(count: int) -> FormElicitation[Any]:
    form = FormElicitation.create("Options")
    form.choice("one").required().options({str(number): f"Option {number}" for number in range(count)})
    return form


def build_fields(count: int) -> Work:
    return lambda: of_fields(count).schema()


def check_fields(count: int) -> Work:
    form, answer = of_fields(count).build(), {f"field{number}": "some text" for number in range(count)}
    return lambda: form.check(answer)


def read_fields(count: int) -> Work:
    schema = of_fields(count).schema()
    return lambda: Form.from_schema("Fields", schema)


def build_options(count: int) -> Work:
    return lambda: of_options(count).schema()


def check_options(count: int) -> Work:
    form = of_options(count).build()
    return lambda: form.check({"one": str(count - 1)})


if __name__ == "__main__":
    main()

"""The limits of a form (design, section 11): what is just small enough works, one more is a fault at `build`.

Those of answers, states and rounds are tested where they are enforced.
"""

from typing import Any

import orjson
import pytest

from elicitkit import Form, FormElicitation, FormError, limits
from elicitkit.limits import FIELDS, MESSAGE_CHARACTERS, OPTIONS, SCHEMA_BYTES


def form_with(*, fields: int = 0, message: int = 1) -> FormElicitation[Any]:
    form = FormElicitation.create("m" * message)
    for number in range(fields):
        form.boolean(f"f{number}")
    return form


def filling(size: int) -> str:
    """A description that makes the schema of a form with one field take so many bytes."""
    return "x" * (size - len(orjson.dumps(described(""))))


def described(text: str) -> dict[str, Any]:
    field = {"type": "string", "title": "F", "description": text}
    return {"type": "object", "properties": {"f": field}}


def fault(form: Any) -> tuple[str, str]:
    with pytest.raises(FormError) as caught:
        form.build()
    (fault,) = caught.value.faults
    return fault.field, fault.problem


def test_the_limits_are_those_of_the_design() -> None:
    assert (MESSAGE_CHARACTERS, FIELDS, OPTIONS, SCHEMA_BYTES) == (10_000, 64, 1_000, 128 * 1024)
    assert (limits.ANSWER_BYTES, limits.ROUND_TRIP_ANSWER_BYTES) == (256 * 1024, 32 * 1024)
    assert (limits.STATE_BYTES, limits.ROUND_BYTES) == (512 * 1024, 900 * 1024)
    assert (limits.ROUND_QUESTIONS, limits.ROUNDS) == (16, 10)
    assert (limits.OPEN_ENTRIES, limits.ENTRY_BYTES, limits.CALL_BYTES) == (20_000, 256 * 1024, 1024 * 1024)


def test_the_longest_message_is_sent() -> None:
    assert len(form_with(message=MESSAGE_CHARACTERS).build().message) == MESSAGE_CHARACTERS
    assert len(Form("m").with_message("m" * MESSAGE_CHARACTERS).message) == MESSAGE_CHARACTERS
    assert Form.from_schema("m" * MESSAGE_CHARACTERS, {"properties": {}}).fields == ()


def test_a_longer_message_is_a_fault() -> None:
    problem = "has 10,001 characters, and may have 10,000"

    assert fault(form_with(message=MESSAGE_CHARACTERS + 1)) == ("", problem)
    with pytest.raises(FormError, match=problem):
        Form("m").with_message("m" * (MESSAGE_CHARACTERS + 1))


def test_as_many_fields_as_a_form_may_have_are_sent() -> None:
    form = form_with(fields=FIELDS).build()

    assert Form.from_schema("m", form.schema()).fields == tuple(map(unwritten, form.fields))


def test_one_more_field_is_a_fault() -> None:
    assert fault(form_with(fields=FIELDS + 1)) == ("", "has 65 fields, and may have 64; ask in several forms")


@pytest.mark.parametrize("starter", ["choice", "multi_choice"])
def test_as_many_options_as_a_choice_may_have_are_sent(starter: str) -> None:
    step = getattr(form_with(), starter)("f").options([str(number) for number in range(OPTIONS)])

    assert len(Form.from_schema("m", step.schema()).fields[0].options) == OPTIONS  # type: ignore[union-attr]


@pytest.mark.parametrize("starter", ["choice", "multi_choice"])
def test_one_more_option_is_a_fault(starter: str) -> None:
    step = getattr(form_with(), starter)("f").options([str(number) for number in range(OPTIONS + 1)])

    assert fault(step) == ("f", "has 1,001 options, and may have 1,000; ask for text instead, or in steps")


def test_the_largest_schema_is_sent() -> None:
    schema = described(filling(SCHEMA_BYTES))

    assert form_with().string("f").description(filling(SCHEMA_BYTES)).schema() == schema
    assert Form.from_schema("m", schema).schema() == schema


def test_a_schema_of_one_byte_more_is_a_fault() -> None:
    text = filling(SCHEMA_BYTES + 1)

    assert fault(form_with().string("f").description(text)) == (
        "",
        "takes 131,073 bytes as a schema, and may take 131,072",
    )
    with pytest.raises(FormError, match="takes 131,073 bytes, and may take 131,072"):
        Form.from_schema("m", described(text))


def unwritten(field: Any) -> Any:
    return type(field)(field.name, title=field.title)

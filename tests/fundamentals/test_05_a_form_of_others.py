"""A form of others: whatever a server asks is read into the same fields, drawn and checked in the same way."""

from elicitkit import Form
from elicitkit.fields import ChoiceField, UnknownField

ASKED = {
    "type": "object",
    "properties": {
        "user_name": {"type": "string", "minLength": 3, "pattern": "^[a-z]+$"},
        "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "g"},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
    "required": ["user_name"],
}


def test_fields_are_read_with_their_names_unchanged() -> None:
    form = Form.from_schema("Who are you?", ASKED)

    assert [(field.name, field.label) for field in form.fields] == [
        ("user_name", "User Name"),
        ("colour", "Colour"),
        ("address", "Address"),
    ]


def test_options_are_read_whichever_way_they_are_written() -> None:
    colour = Form.from_schema("m", ASKED).fields[1]

    assert isinstance(colour, ChoiceField)
    assert [option.label for option in colour.options] == ["Red", "Green"]


def test_an_answer_is_checked_like_one_to_a_form_of_your_own() -> None:
    assert Form.from_schema("m", ASKED).check({"user_name": "ada"}) == {"user_name": "ada", "colour": "g"}


def test_what_cannot_be_drawn_is_shown_with_the_reason() -> None:
    address = Form.from_schema("m", ASKED).fields[2]

    assert isinstance(address, UnknownField)
    assert address.reason == "it uses properties, which a form cannot show"

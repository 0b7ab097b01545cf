"""A form: a message and fields, described in one chain. Nothing is sent yet; `build` gives what would be.

Read these files in their order: each shows what one part of elicitkit does when all goes well.
"""

from elicitkit import FormElicitation


def test_a_form_is_a_message_and_fields_in_the_order_written() -> None:
    form = (
        FormElicitation.create("Where should we send it?")
        .string("full_name")
        .required()
        .min_length(1)
        .email("email")
        .required()
        .choice("speed")
        .options({"std": "Standard", "exp": "Express"})
        .default("std")
        .build()
    )

    assert form.message == "Where should we send it?"
    assert [field.name for field in form.fields] == ["fullName", "email", "speed"]
    assert [field.label for field in form.fields] == ["Full Name", "Email", "Speed"]


def test_a_field_is_optional_until_it_is_required() -> None:
    form = FormElicitation.create("Who are you?").string("name").required().string("nickname")

    assert form.schema()["required"] == ["name"]


def test_what_goes_over_the_wire_is_plain_json_schema() -> None:
    form = FormElicitation.create("Who are you?").string("name").required().integer("age").between(18, 120)

    assert form.schema() == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "age": {"type": "integer", "title": "Age", "minimum": 18, "maximum": 120},
        },
        "required": ["name"],
    }


def test_fields_can_be_added_in_a_loop() -> None:
    form = FormElicitation.create("How should we query the orders?")
    for name, title in {"filter": "$filter", "order_by": "$orderby"}.items():
        form.string(name).title(title)
    form.integer("top").between(1, 1000).default(20)

    assert [*form.schema()["properties"]] == ["filter", "orderBy", "top"]


def test_a_field_can_be_changed_and_dropped_later() -> None:
    form = FormElicitation.create("Contact").string("homepage").title("Your page").string("skip")
    form.uri("homepage").exclude("skip")

    assert form.schema()["properties"] == {"homepage": {"type": "string", "title": "Your page", "format": "uri"}}


def test_one_form_can_be_asked_with_many_messages() -> None:
    form = FormElicitation.create("Really?").boolean("sure").required().build()

    assert form.with_message("Delete 3 files?").schema() is form.schema()

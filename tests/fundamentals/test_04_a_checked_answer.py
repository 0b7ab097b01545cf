"""A checked answer: types made right, defaults filled in; or every fault at once, in words for the person."""

import pytest

from elicitkit import AnswerError, Content, FormElicitation

BOOKING = (
    FormElicitation.create("Your room")
    .string("full_name")
    .required()
    .min_length(1)
    .integer("guests")
    .between(1, 4)
    .default(2)
    .choice("bed")
    .options({"tw": "Twin", "db": "Double"})
    .date("from_day")
    .build()
)


def test_an_answer_is_found_by_the_name_you_wrote_and_by_the_name_on_the_wire() -> None:
    content = BOOKING.check({"fullName": "Ada", "guests": 3})

    assert content["full_name"] == content["fullName"] == "Ada"


def test_types_are_made_right_and_defaults_filled_in() -> None:
    assert BOOKING.check({"fullName": "Ada", "bed": "Twin"}) == {"fullName": "Ada", "guests": 2, "bed": "tw"}
    assert BOOKING.check({"fullName": "Ada", "guests": " 3 "}) == {"fullName": "Ada", "guests": 3}


def test_what_is_left_open_is_absent() -> None:
    content = BOOKING.check({"fullName": "Ada"})

    assert "bed" not in content
    assert content.get("bed") is None


def test_every_fault_is_found_at_once() -> None:
    with pytest.raises(AnswerError) as caught:
        BOOKING.check({"fullName": "", "guests": 5, "from_day": "tomorrow"})

    assert [str(fault) for fault in caught.value.faults] == [
        "Full Name: must not be empty",
        "Guests: must be between 1 and 4",
        "From Day: must be a date, such as 2026-11-30",
    ]


def test_you_can_check_the_whole_answer_yourself() -> None:
    def two_in_a_double(answer: Content) -> None:
        if answer["bed"] == "db" and answer["guests"] > 2:
            raise ValueError("A double bed is for two.")

    form = FormElicitation.create("Your room").integer("guests").choice("bed").options(["tw", "db"])
    with pytest.raises(AnswerError, match="A double bed is for two"):
        form.validate(two_in_a_double).check({"guests": 3, "bed": "db"})

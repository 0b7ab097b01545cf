"""The author's own check (design, section 4): a `ValueError` from it is a fault of the answer."""

from typing import Any

import pytest

from elicitkit import AnswerError, Content, Fault, FormElicitation


def trip() -> Any:
    return FormElicitation.create("When?").date("start_day").required().date("end_day").required().string("note")


def in_order(answer: Content) -> None:
    if answer["start_day"] > answer["end_day"]:
        raise ValueError("The end comes before the start.")


def at_weekends(answer: Content) -> None:
    raise AnswerError([Fault("startDay", "Start Day", "is no Saturday"), Fault("endDay", "End Day", "is no Sunday")])


GOOD = {"startDay": "2026-11-30", "endDay": "2026-12-01"}
BAD = {"startDay": "2026-11-30", "endDay": "2026-11-01"}


def faults(form: Any, answer: Any) -> list[tuple[str, str]]:
    with pytest.raises(AnswerError) as caught:
        form.check(answer)
    return [(fault.field, fault.problem) for fault in caught.value.faults]


def test_an_answer_that_passes_is_accepted() -> None:
    assert trip().validate(in_order).check(GOOD) == GOOD


def test_a_value_error_is_a_fault_of_the_whole_answer_in_the_authors_words() -> None:
    assert faults(trip().validate(in_order), BAD) == [("", "The end comes before the start.")]


def test_an_answer_error_names_its_fields() -> None:
    expected = [("startDay", "is no Saturday"), ("endDay", "is no Sunday")]

    assert faults(trip().validate(at_weekends), GOOD) == expected


def test_every_check_is_made_in_the_order_they_were_added() -> None:
    found = faults(trip().validate(at_weekends).validate(in_order), BAD)

    assert [problem for _, problem in found] == ["is no Saturday", "is no Sunday", "The end comes before the start."]


def test_a_check_sees_only_answers_whose_fields_are_right() -> None:
    seen: list[Content] = []

    assert faults(trip().validate(seen.append), {"startDay": "soon"}) == [
        ("startDay", "must be a date, such as 2026-11-30"),
        ("endDay", "is required"),
    ]
    assert seen == []


def test_a_check_sees_the_answer_with_types_made_right_and_defaults_filled_in() -> None:
    seen: list[Content] = []
    form = FormElicitation.create("m").integer("top").default(20).integer("skip").validate(seen.append)
    form.check({"skip": "40", "more": 1})

    assert seen == [{"top": 20, "skip": 40}]
    assert seen[0].as_written() == {"top": 20, "skip": 40}


def test_a_value_error_without_words_gets_some() -> None:
    def refuse(answer: Content) -> None:
        raise ValueError

    assert faults(trip().validate(refuse), GOOD) == [("", "is not what the form allows")]


def test_the_answer_is_the_value_of_the_fault() -> None:
    with pytest.raises(AnswerError) as caught:
        trip().validate(in_order).check(BAD)

    assert caught.value.faults[0].value == BAD


def test_what_a_check_returns_does_not_matter() -> None:
    assert trip().validate(lambda answer: False).check(GOOD) == GOOD


def test_another_error_is_the_authors_own() -> None:
    with pytest.raises(ZeroDivisionError):
        trip().validate(lambda answer: 1 / 0).check(GOOD)


def test_checks_go_with_the_form() -> None:
    form = trip().validate(in_order).build().with_message("When again?")

    assert faults(form, BAD)

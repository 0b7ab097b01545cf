"""The author's own check (design, section 4): a `ValueError` from it is a fault of the answer."""

import functools
import time
from datetime import date
from typing import Any, Literal

import pydantic
import pytest
from typing_extensions import TypedDict

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


SECRET = "Xy7 Zebra,Quagga-9"


class Small(pydantic.BaseModel):
    note: str = pydantic.Field(default="", max_length=2)
    top: int = pydantic.Field(default=0, le=5)


def said(check: Any, answer: Any) -> str:
    form = FormElicitation.create("m").string("note").integer("top").validate(check)
    with pytest.raises(AnswerError) as caught:
        form.check(answer)
    return f"{caught.value} {caught.value!r} {[str(fault) for fault in caught.value.faults]}".casefold()


def refusing(words: Any) -> Any:
    def refuse(answer: Content) -> None:
        raise ValueError(words(answer))

    return refuse


QUOTING: dict[str, Any] = {
    "int": lambda c: int(c["note"]),
    "stripped": lambda c: int(c["note"].strip()),
    "lowered": lambda c: int(c["note"].lower()),
    "raised": lambda c: float(c["note"].upper()),
    "split": lambda c: [int(part) for part in reversed(c["note"].split(","))],
    "sliced": lambda c: int(c["note"][4:9]),
    "date": lambda c: date.fromisoformat(c["note"]),
    "model": lambda c: Small(note=c["note"], top=c["top"]),
    "a model inside": lambda c: pydantic.TypeAdapter(list[int]).validate_python([c["note"]]),
    "index": lambda c: [].index(c["top"]),
    "own words": refusing(lambda c: f"{c['note']} and {c['top']} do not go together"),
    "own words, lowered": refusing(lambda c: f"there is no {c['note'].lower()}"),
    "own words, split": refusing(lambda c: f"there is no {c['note'].split(',')[1]}, nor {c['note'].split()[0]}"),
    "an answer error": lambda c: at_note(f"is {c['note']}"),
}


def at_note(problem: str) -> None:
    raise AnswerError([Fault("note", "Note", problem)])


@pytest.mark.parametrize("check", QUOTING)
def test_what_was_typed_is_never_said_again(check: str) -> None:
    """Design, section 5: no text, repr, log line or re-ask ever contains what the person typed."""
    words = said(QUOTING[check], {"note": f"  {SECRET} ", "top": 4242})

    assert not [part for part in ("zebra", "quagga", "4242") if part in words]


def test_a_model_that_refuses_names_the_field_in_words_of_its_own() -> None:
    form = FormElicitation.create("m").string("note").integer("top").validate(QUOTING["model"])

    assert faults(form, {"note": SECRET, "top": 4242}) == [
        ("note", "must have at most 2 characters"),
        ("top", "must be less than or equal to 5"),
    ]


def test_an_authors_own_sentence_is_shown_as_it_is() -> None:
    check = refusing(lambda c: "Please give 'the end' of the trip, or leave it open.")

    assert faults(trip().validate(check), {**GOOD, "note": "we come and go, as the weather has it this time"}) == [
        ("", "Please give 'the end' of the trip, or leave it open.")
    ]


async def later(answer: Content) -> None: ...


class Later:
    async def __call__(self, answer: Content) -> None: ...


def generated(answer: Content) -> Any:
    yield answer


async def generated_later(answer: Content) -> Any:
    yield answer


@pytest.mark.parametrize(
    "check", [later, Later(), functools.partial(later), None, "text"], ids=lambda check: type(check).__name__
)
def test_a_check_that_is_no_plain_function_is_refused_at_once(check: Any) -> None:
    with pytest.raises(TypeError, match="validate takes a plain function"):
        trip().validate(check)


@pytest.mark.parametrize(
    "check", [lambda answer: later(answer), generated, generated_later], ids=["coroutine", "generator", "async"]
)
def test_a_check_that_did_not_run_does_not_pass(check: Any) -> None:
    """A coroutine that is never awaited would also be a warning, and so an error here."""
    with pytest.raises(TypeError, match="validate takes a plain function"):
        trip().validate(check).check(GOOD)


def test_a_check_cannot_change_the_answer() -> None:
    def change(answer: Content) -> None:
        assert answer["several"] == ["a"]
        answer["note"] = "changed"
        answer["several"].append("b")

    form = FormElicitation.create("m").string("note").multi_choice("several").options(["a", "b"])
    answer = {"note": "mine", "several": ["a"]}
    accepted = form.validate(change).validate(change).build().accept(answer)

    assert accepted.content == accepted.raw == answer


class Choice(TypedDict):
    several: list[Literal["a", "b"]]


def test_a_check_of_a_value_cannot_change_the_raw_answer() -> None:
    form = FormElicitation.from_type(Choice, "m").validate(lambda value: value["several"].append("b"))

    assert form.build().accept({"several": ["a"]}).raw == {"several": ["a"]}


@pytest.mark.parametrize("text", ["x", "ab,", "é\n'\"", "word ", "a.b@"], ids=ascii)
def test_a_refusal_of_a_very_long_answer_takes_no_time(text: str) -> None:
    """The largest answer is 256 KiB (design, section 11), and the server waits meanwhile."""
    form = FormElicitation.create("m").string("note").validate(refusing(lambda c: "No way."))
    started = time.process_time()

    assert faults(form, {"note": text * (250_000 // len(text))}) == [("", "No way.")]
    assert time.process_time() - started < 10

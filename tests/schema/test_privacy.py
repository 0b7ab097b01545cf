"""Nothing that is printed, logged or sent ever holds what a person typed (design, section 5)."""

import pickle
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from elicitkit import AnswerError, Content, FormElicitation

TYPED = "tYp3d"

FORM = (
    FormElicitation.create("Tell us")
    .string("text")
    .min_length(100)
    .email("mail")
    .uri("address")
    .date("day")
    .date_time("moment")
    .integer("whole")
    .number("real")
    .boolean("yes")
    .choice("one")
    .options({"a": "A", "b": "B"})
    .multi_choice("several")
    .options(["a", "b"])
    .build()
)

NAMES = [*(field.name for field in FORM.fields), TYPED]

typed = st.sampled_from(["{}", " {}", "4{}", "{}@x", "https://{}.com/ü x", "ü{}", "{}\ud800", "{}" * 200])
values = typed.map(lambda text: text.format(*[TYPED] * 200))
wrong = values | st.lists(values, min_size=1, max_size=2) | st.dictionaries(values, values, max_size=2)


def everything_said(error: AnswerError) -> str:
    shown = [str(error), repr(error), *map(str, error.faults), *map(repr, error.faults)]
    return "\n".join([*shown, *traceback.format_exception(error), str(error.__cause__), str(error.__context__)])


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, wrong)))
def test_no_text_of_an_answer_error_holds_what_was_typed(answer: Any) -> None:
    try:
        FORM.check(answer)
    except AnswerError as error:
        said = everything_said(error)
    else:
        said = ""

    assert TYPED not in said


def test_the_value_is_kept_as_an_attribute_only() -> None:
    with pytest.raises(AnswerError) as caught:
        FORM.check({"whole": TYPED})

    assert caught.value.faults[0].value == TYPED
    assert TYPED not in everything_said(pickle.loads(pickle.dumps(caught.value)))


def as_number(content: Content) -> None:
    int(content["text"])


def as_names(content: Content) -> None:
    TypeAdapter(list[int]).validate_python([content["text"]])


def as_first_number(content: Content) -> None:
    int(content["several"][0])


@pytest.mark.parametrize("check", [as_number, as_names, as_first_number])
@pytest.mark.parametrize(
    "text", [TYPED, TYPED * 50, f"'{TYPED}", f"{TYPED}\n"], ids=["short", "long", "quoted", "lines"]
)
def test_an_authors_error_that_quotes_the_answer_is_not_shown(check: Any, text: str) -> None:
    form = FormElicitation.create("m").string("text").multi_choice("several").options([TYPED]).validate(check)

    with pytest.raises(AnswerError) as caught:
        form.check({"text": text, "several": [TYPED]})

    assert TYPED not in everything_said(caught.value)

"""No text, `repr` or log line ever has what the person typed, whoever wrote it (design, section 5)."""

import logging
import traceback
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

import attrs
import msgspec
import pydantic
import pydantic_core
import pytest
import yarl
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import AnswerError
from elicitkit.introspect.bind import bind
from elicitkit.introspect.describe import describe
from elicitkit.introspect.typed import without_typed
from tests.introspect.making import KINDS, answered
from tests.introspect.shades import Colour

TYPED = "hunter2 is O'Brien's"


def shown(made: Any, answer: dict[str, Any]) -> str:
    """Everything that may be written somewhere of a refused answer."""
    with pytest.raises(AnswerError) as caught:
        bind(describe(made), answer)
    error = caught.value
    assert (error.__context__, error.__cause__) == (None, None)
    logged = logging.LogRecord("x", logging.ERROR, "x", 1, "%s", (error,), None).getMessage()
    trace = "".join(traceback.format_exception_only(error))
    return f"{error}\n{error!r}\n{error.faults!r}\n{logged}\n{trace}"


def quoting(value: Any) -> Any:
    raise ValueError(f"{value!r} is nothing we take, {value}")


class Model(pydantic.BaseModel):
    it: Annotated[str, pydantic.AfterValidator(quoting)]


class Custom(pydantic.BaseModel):
    it: str

    @pydantic.field_validator("it")
    @classmethod
    def quoting(cls, value: str) -> str:
        raise pydantic_core.PydanticCustomError("odd", "{value} is odd", {"value": value})


class Whole(pydantic.BaseModel):
    it: str

    @pydantic.model_validator(mode="after")
    def quoting(self) -> Any:
        assert self.it == "x", f"{self!r} is not x"
        return self


class Nested(pydantic.BaseModel):
    it: str

    @pydantic.model_validator(mode="after")
    def quoting(self) -> Any:
        Narrow(only=self.it)
        return self


class Narrow(pydantic.BaseModel):
    only: Annotated[str, pydantic.Field(max_length=1)]


class Wrapping(pydantic.BaseModel):
    it: str

    @pydantic.model_validator(mode="after")
    def quoting(self) -> Any:
        try:
            Narrow(only=self.it)
        except pydantic.ValidationError as error:
            raise ValueError(f"inside: {error}") from error
        return self


@dataclass
class Data:
    it: str

    def __post_init__(self) -> None:
        quoting(self.it)


@attrs.define
class Attrs:
    it: str = attrs.field(validator=lambda self, attribute, value: quoting(value))


@attrs.define
class Stock:
    it: str = attrs.field(validator=[attrs.validators.max_len(99), attrs.validators.in_(["x"])])


class Struct(msgspec.Struct):
    it: str

    def __post_init__(self) -> None:
        quoting(self.it)


class Name(str):
    __slots__ = ()

    def __new__(cls, text: str) -> "Name":
        quoting(text)
        return super().__new__(cls, text)


@dataclass
class Derived:
    it: Name


QUOTING = [Model, Custom, Whole, Nested, Wrapping, Data, Attrs, Stock, Struct, Derived]


@pytest.mark.parametrize("made", QUOTING)
def test_a_class_that_quotes_the_answer_is_not_repeated(made: Any) -> None:
    for typed in ("hunter2", TYPED, "zażółć\ngęślą", "  padded out  ", "x" * 400, "hunter2 " * 30):
        text = shown(made, {"it": typed})
        assert typed.strip() not in text
        assert repr(typed)[1:-1].strip() not in text
        assert "hunter2" not in text


def test_what_is_left_of_the_words_is_kept() -> None:
    with pytest.raises(AnswerError, match=r"^The answer does not fit: It: '…' is nothing we take, …$"):
        answered(Model, {"it": "hunter2"})


VALUES: list[tuple[Any, Any, list[str]]] = [
    (int, 4711, ["4711", "4,711"]),
    (float, 0.25, ["0.25"]),
    (Decimal, 1234.5, ["1234.5", "1,234.5"]),
    (date, "2026-11-30", ["2026-11-30", "2026, 11, 30"]),
    (datetime, "2026-11-30T14:30:00Z", ["2026-11-30", "14:30", "2026, 11, 30"]),
    (UUID, str(UUID(int=7)), [str(UUID(int=7))]),
    (yarl.URL, "https://secret.example/x", ["secret.example"]),
    (pydantic.EmailStr, "ada@secret.example", ["ada@", "secret.example"]),
    (list[str], ["hunter2", "else"], ["hunter2"]),
]


@pytest.mark.parametrize("kind", ["dataclass", "pydantic model"])
def test_no_value_of_any_type_is_repeated(kind: str) -> None:
    for hint, typed, forms in VALUES:
        made = KINDS[kind]({"it": Annotated[hint, pydantic.AfterValidator(quoting)]}, {})
        text = shown(made, {"it": typed})
        assert not [form for form in forms if form in text]


def test_what_was_chosen_or_is_a_default_may_be_named() -> None:
    """It is no secret of the person's, and a reason often needs it."""

    @dataclass
    class Data:
        colour: Colour
        sure: bool
        limit: int = 20

        def __post_init__(self) -> None:
            raise ValueError("RED needs more than 20, True")

    with pytest.raises(AnswerError, match="RED needs more than 20, True"):
        answered(Data, {"colour": "RED", "sure": True})


def test_our_words_and_those_about_constraints_stay_whole() -> None:
    """The bound may well be what was typed."""
    made = KINDS["dataclass"]({"it": Annotated[int, pydantic.Field(gt=15)], "when": date}, {})

    with pytest.raises(AnswerError) as caught:
        bind(describe(made), {"it": 15, "when": "such as"})

    assert [fault.problem for fault in caught.value.faults] == [
        "must be greater than 15",
        "must be a date, such as 2026-11-30",
    ]


LEFT: list[tuple[str, Any, str]] = [
    ("needs a town", "a", "needs a town"),
    ("'a' is no town", "a", "'…' is no town"),
    ("Ada is no town", "ada", "… is no town"),
    ("adamant", "ada", "adamant"),
    ("ships from Rotterdam1", "Rotterdam", "ships from …1"),
    ("at most 14 nights", 15, "at most 14 nights"),
    ("at most 15 nights", 15, "at most … nights"),
    ("at most 3 nights, 0 is none", 3, "at most 3 nights, 0 is none"),
    ("v1.15 and 15.5 stay, 15 goes", 15, "v1.15 and 15.5 stay, … goes"),
    ("42 is too old", "42", "… is too old"),
    ("hunter2", "hunter2", "is not what the type allows"),
    ("hunter2: 15", "hunter2", "is not what the type allows"),
    ("nothing of it", None, "nothing of it"),
    ("a nan, inf and 1e400", float("nan"), "a nan, inf and 1e400"),
    ("large", Decimal("1e999999"), "large"),
    ("large", 10**5000, "large"),
]


def test_what_was_typed_is_cut_out_and_no_more() -> None:
    assert [(words, typed, without_typed(words, [typed])) for words, typed, _ in LEFT] == LEFT


@given(st.text(min_size=4), st.sampled_from(["{0}", "{0!r}", "bad: {0!a}", "{0} is not it", "x{0}x"]))
def test_no_text_of_some_length_survives(typed: str, form: str) -> None:
    left = without_typed(form.format(typed), [typed])

    assert typed not in left or not typed.strip() or typed in "is not what the type allows"

"""Bounds, lengths and counts: shown where the wire can say them, all of them enforced (design, section 4)."""

import math
import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import annotated_types as at
import msgspec
import pydantic
import pydantic_core
import pytest

from elicitkit import AnswerError
from elicitkit.fields import IntegerField, MultiChoiceField, NumberField, TextField
from elicitkit.introspect.bind import bind
from elicitkit.introspect.describe import describe
from tests.introspect.making import KINDS, answered, fields_of, members, seed_of
from tests.introspect.shades import Colour

Bounds = tuple[float | None, float | None]


def shown(hint: Any, *names: str) -> tuple[Any, ...]:
    field = seed_of(KINDS["dataclass"]({"it": hint}, {})).field
    return tuple(getattr(field, name) for name in names)


WHOLE: list[tuple[Any, Bounds]] = [
    (int, (None, None)),
    (Annotated[int, at.Ge(1), at.Le(9)], (1, 9)),
    (Annotated[int, at.Gt(1), at.Lt(9)], (2, 8)),
    (Annotated[int, at.Interval(ge=1, lt=9)], (1, 8)),
    (Annotated[int, at.Ge(0.5), at.Le(9.5)], (1, 9)),
    (Annotated[int, at.Gt(0.5), at.Lt(8.5)], (1, 8)),
    (Annotated[int, at.Gt(Decimal("-1.5")), at.Lt(Decimal(3))], (-1, 2)),
    (Annotated[int, at.Ge(1), at.Ge(5), at.Gt(2)], (5, None)),
    (Annotated[Annotated[int, at.Ge(5)], at.Ge(1)], (5, None)),
    (Annotated[int | None, at.Le(9)], (None, 9)),
    (Annotated[int, pydantic.Field(ge=1, lt=9)], (1, 8)),
    (Annotated[int, msgspec.Meta(ge=1, lt=9)], (1, 8)),
    (pydantic.PositiveInt, (1, None)),
    (pydantic.NonNegativeInt, (0, None)),
    (pydantic.NonPositiveInt, (None, 0)),
    (pydantic.conint(gt=0, le=10, strict=True), (1, 10)),
    (Annotated[pydantic.PositiveInt, at.Le(5)], (1, 5)),
    (Annotated[int, at.Ge(-(2**80)), at.Le(2**80)], (None, None)),
    (Annotated[int, at.Lt(math.inf), at.Ge(-math.inf)], (None, None)),
    (Annotated[int, at.Ge(math.nan), at.Le(True)], (None, None)),
]

ANY: list[tuple[Any, Bounds]] = [
    (Annotated[float, at.Ge(0.5), at.Le(9)], (0.5, 9)),
    (Annotated[float, at.Gt(0), at.Lt(1)], (0, 1)),
    (Annotated[Decimal, at.Ge(Decimal("0.10")), at.Le(Decimal("20.00"))], (0.1, 20)),
    (Annotated[float, at.Le(2**80)], (None, float(2**80))),
    (Annotated[Decimal, at.Le(Decimal("1e400"))], (None, None)),
    (pydantic.condecimal(gt=Decimal(0), max_digits=5), (0, None)),
    (pydantic.confloat(ge=-1.5), (-1.5, None)),
    (pydantic.PositiveFloat, (0, None)),
]

LENGTHS: list[tuple[Any, tuple[int | None, int | None]]] = [
    (Annotated[str, at.Len(2, 5)], (2, 5)),
    (Annotated[str, at.MinLen(0)], (None, None)),
    (Annotated[str, pydantic.StringConstraints(min_length=2, pattern="^a")], (2, None)),
    (pydantic.constr(max_length=5, strip_whitespace=True), (None, 5)),
    (Annotated[str, msgspec.Meta(min_length=2, max_length=5)], (2, 5)),
    (Annotated[pydantic.EmailStr, pydantic.Field(max_length=50)], (None, 50)),
]

COUNTS: list[tuple[Any, tuple[int | None, int | None]]] = [
    (Annotated[list[Colour], at.Len(1, 2)], (1, 2)),
    (pydantic.conset(Colour, min_length=1), (1, None)),
    (pydantic.conlist(Literal["a", "b"], max_length=1), (None, 1)),
    (Annotated[frozenset[Colour], msgspec.Meta(min_length=1)], (1, None)),
]


def test_the_bounds_of_a_whole_number_step_past_those_that_are_not_included() -> None:
    assert [(hint, shown(hint, "minimum", "maximum")) for hint, _ in WHOLE] == WHOLE


def test_the_bounds_of_any_number_are_shown_as_included() -> None:
    assert [(hint, shown(hint, "minimum", "maximum")) for hint, _ in ANY] == ANY


def test_lengths_and_counts_are_shown() -> None:
    assert [(hint, shown(hint, "min_length", "max_length")) for hint, _ in LENGTHS] == LENGTHS
    assert [(hint, shown(hint, "min_items", "max_items")) for hint, _ in COUNTS] == COUNTS


def test_bounds_on_the_wire_are_whole_where_they_can_be() -> None:
    bounds = shown(Annotated[Decimal, at.Ge(Decimal("1.0")), at.Le(Decimal("2.50"))], "minimum", "maximum")

    assert [*map(repr, bounds)] == ["1", "2.5"]


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_in_any_nesting_are_shown_by_every_kind(kind: str) -> None:
    hints = {
        "text": Annotated[str | None, pydantic.Field(min_length=2)],
        "whole": Annotated[int, pydantic.Field(ge=1)] | None,
        "number": Annotated[float, pydantic.Field(lt=5)],
        "several": Annotated[list[Colour], pydantic.Field(max_length=1)],
    }
    text, whole, number, several = fields_of(KINDS[kind](hints, {}))

    assert isinstance(text, TextField)
    assert isinstance(whole, IntegerField)
    assert isinstance(number, NumberField)
    assert isinstance(several, MultiChoiceField)
    assert (text.min_length, whole.minimum, number.maximum, several.max_items) == (2, 1, 5, 1)


def even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


# What the wire cannot say: the hint, an answer that passes, one that does not, and the words.
UNSAID: list[tuple[Any, Any, Any, str]] = [
    (Annotated[str, pydantic.Field(pattern="^a")], "ab", "b", "must match pattern '^a'"),
    (Annotated[int, pydantic.Field(multiple_of=3)], 6, 7, "must be a multiple of 3"),
    (Annotated[float, at.Gt(0)], 0.5, 0, "must be greater than 0"),
    (Annotated[Decimal, at.Lt(5)], 4.5, 5, "must be less than 5"),
    (pydantic.condecimal(decimal_places=1), 1.5, 1.25, "must have no more than 1 decimal place"),
    (Annotated[int, pydantic.AfterValidator(even)], 2, 3, "must be even"),
    (pydantic.PastDate, "1815-12-10", "9999-01-01", "must be in the past"),
    (pydantic.FutureDatetime, "9999-01-01T00:00:00Z", "1815-12-10T00:00:00Z", "must be in the future"),
    (pydantic.HttpUrl, "https://a.example", "ftp://a.example", "URL scheme should be 'http' or 'https'"),
    (Annotated[list[Colour], at.Predicate(lambda them: len(them) != 2)], ["RED"], ["RED", "BLUE_GREEN"], "Predicate"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_wire_cannot_say_is_enforced_by_binding(kind: str) -> None:
    made = KINDS[kind]({f"m{at}": hint for at, (hint, *_) in enumerate(UNSAID)}, {})
    right = {f"m{at}": answer for at, (_, answer, *_) in enumerate(UNSAID)}
    answered(made, right)

    with pytest.raises(AnswerError) as caught:
        answered(made, {f"m{at}": answer for at, (_, _, answer, _) in enumerate(UNSAID)})

    assert [fault.field for fault in caught.value.faults] == [*right]
    for fault, (*_, words) in zip(caught.value.faults, UNSAID, strict=True):
        assert words in fault.problem


META: list[tuple[Any, Any, Any, str]] = [
    (Annotated[str, msgspec.Meta(pattern="b+$")], "abb", "a", "must match b+$"),
    (Annotated[int, msgspec.Meta(multiple_of=3)], 6, 7, "must be a multiple of 3"),
    (Annotated[float, msgspec.Meta(gt=0)], 0.5, 0, "must be greater than 0"),
]


@pytest.mark.parametrize("kind", ["dataclass", "attrs class", "msgspec struct", "TypedDict", "NamedTuple"])
def test_what_msgspec_knows_is_enforced_wherever_nothing_else_does(kind: str) -> None:
    for hint, right, wrong, words in META:
        made = KINDS[kind]({"it": hint}, {})
        answered(made, {"it": right})
        with pytest.raises(AnswerError, match=re.escape(words)):
            answered(made, {"it": wrong})


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_wire_can_say_is_enforced_for_a_form_of_another_make_too(kind: str) -> None:
    """`bind` works for any dynamic form (design, section 4), whose fields may say less than the type."""
    made = KINDS[kind]({"it": Annotated[int, pydantic.Field(le=5)]}, {})

    with pytest.raises(AnswerError, match="must be less than or equal to 5"):
        bind(describe(made), {"it": 6})


@pytest.mark.parametrize("kind", KINDS)
def test_what_changes_a_value_does_so(kind: str) -> None:
    hint = Annotated[str, pydantic.StringConstraints(strip_whitespace=True, to_upper=True)]
    made = KINDS[kind]({"it": hint, "open": Annotated[str | None, at.MinLen(2)]}, {})

    value = answered(made, {"it": " ada ", "open": None})

    assert (value["it"] if isinstance(value, dict) else value.it) == "ADA"


class Code(str):
    """A class that tells pydantic what it must be, as those of pydantic-extra-types do."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: pydantic.GetCoreSchemaHandler) -> Any:
        return pydantic_core.core_schema.no_info_after_validator_function(cls.known, handler(str))

    @classmethod
    def known(cls, text: str) -> "Code":
        if text != "x1":
            raise ValueError("is no code of ours")
        return cls(text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_that_tells_pydantic_what_it_must_be_is_checked_by_every_kind(kind: str) -> None:
    made = KINDS[kind]({"it": Code}, {})

    assert type(members(made, answered(made, {"it": "x1"}))["it"]) is Code
    with pytest.raises(AnswerError, match="It: is no code of ours"):
        answered(made, {"it": "x2"})


def test_a_pattern_may_be_any_of_pythons() -> None:
    """pydantic's own engine has no look-around; nobody would notice before somebody has answered."""
    made = KINDS["dataclass"]({"it": Annotated[str, pydantic.Field(pattern="(?<=a)b$")]}, {})

    assert answered(made, {"it": "ab"}).it == "ab"
    with pytest.raises(AnswerError, match="must match pattern"):
        answered(made, {"it": "b"})


def test_what_a_field_says_beside_constraints_is_no_business_of_a_check() -> None:
    """pydantic would warn of an alias."""
    hint = Annotated[int, pydantic.Field(ge=1, alias="number", default=3, title="N", deprecated="soon")]
    made = KINDS["dataclass"]({"it": hint}, {})

    assert answered(made, {"it": 5}).it == 5
    assert describe(made).seeds[0].member.has_default is False


def test_metadata_of_strangers_means_nothing() -> None:
    seed = seed_of(KINDS["dataclass"]({"it": Annotated[int, "a note", None, int, object()]}, {}))

    assert seed.field == seed_of(KINDS["dataclass"]({"it": int}, {})).field

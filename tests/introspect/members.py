"""Hypothesis strategies: types of every kind with mappable members, and answers with the values they mean."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NewType, Union
from uuid import UUID

import pydantic
import yarl
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.introspect.making import KINDS
from tests.introspect.shades import Colour, Crossed, Level, Mode, Odd, Right, Speed
from tests.strategies import dates, emails, moments, real, texts, whole

Said = tuple[Any, Any]
"""What stands in an answer, and what it means."""


@dataclass(frozen=True)
class Asked:
    """One member of a type, and what is answered for it."""

    hint: Any
    said: SearchStrategy[Said]
    accepts_none: bool = False


def same(values: SearchStrategy[Any]) -> SearchStrategy[Said]:
    return values.map(lambda value: (value, value))


def meant(values: SearchStrategy[Any], made: Callable[[Any], Any]) -> SearchStrategy[Said]:
    return values.map(lambda value: (value, made(value)))


def one_of(members: Any) -> SearchStrategy[Said]:
    return st.sampled_from([(member.name, member) for member in members])


def several(one: SearchStrategy[Said], make: Callable[[Any], Any]) -> SearchStrategy[Said]:
    chosen = st.lists(one, max_size=3, unique_by=lambda said: said[0])
    return chosen.map(lambda pairs: ([said for said, _ in pairs], make([value for _, value in pairs])))


def flags(kind: Any) -> SearchStrategy[Said]:
    return several(one_of(kind), lambda found: kind(sum(flag.value for flag in found)))


ADDRESSES = st.sampled_from(["https://a.example/", "https://a.example/b?c=d#e", "https://user@a.example:81/%C3%BC"])
LITERALS = st.sampled_from([("1", 1), ("2", 2), ("x", "x"), ("true", True)])

PLAIN: list[Asked] = [
    Asked(str, same(texts)),
    Asked(Annotated[str, pydantic.Field(max_length=5)], same(texts.filter(lambda text: len(text) <= 5))),
    Asked(UUID, meant(st.uuids().map(str), UUID)),
    Asked(yarl.URL, meant(ADDRESSES, yarl.URL)),
    Asked(pydantic.HttpUrl, meant(ADDRESSES, pydantic.HttpUrl)),
    Asked(pydantic.EmailStr, same(emails.filter(lambda text: text.endswith(".org")))),
    Asked(date, meant(dates, date.fromisoformat)),
    Asked(datetime, meant(moments, datetime.fromisoformat)),
    Asked(bool, same(st.booleans())),
    Asked(int, same(whole)),
    Asked(Annotated[int, pydantic.Field(gt=0, le=9)], same(st.integers(1, 9))),
    Asked(float, meant(real | whole, float)),
    Asked(Decimal, meant(real | whole, lambda number: Decimal(str(number)))),
    Asked(Colour, one_of(Colour)),
    Asked(Speed, one_of(Speed)),
    Asked(Level, one_of(Level)),
    Asked(Odd, one_of(Odd)),
    Asked(Crossed, one_of(Crossed)),
    Asked(Literal["", "a", "b"], same(st.sampled_from(["a", "b"]))),
    Asked(Literal[1, 2, "x", True], LITERALS),
    Asked(Right, flags(Right)),
    Asked(Mode, flags(Mode)),
    *(Asked(make[Colour], several(one_of(Colour), make)) for make in (list, set, frozenset)),
    Asked(tuple[Level, ...], several(one_of(Level), tuple)),
    Asked(set[Literal[1, 2, "x", True]], several(LITERALS.filter(lambda said: said[1] is not True), set)),
]


def _optional(asked: Asked) -> Asked:
    return Asked(Union[asked.hint, None], asked.said, accepts_none=True)  # noqa: UP007  # it is made at run time


def _annotated(asked: Asked) -> Asked:
    return Asked(Annotated[asked.hint, pydantic.Field(title="T", description="D")], asked.said, asked.accepts_none)


def _renamed(asked: Asked) -> Asked:
    return Asked(NewType("Renamed", asked.hint), asked.said, asked.accepts_none)


wrappers = st.sampled_from([lambda asked: asked, _optional, _annotated, lambda asked: _annotated(_optional(asked))])
asked_members = st.builds(lambda wrap, asked: wrap(asked), wrappers, st.sampled_from(PLAIN))
names = st.sampled_from(["name", "first_name", "URL", "timeToLive", "x", "größe", "x_1", "IOStream", "limit"])


@dataclass(frozen=True)
class Case:
    """A type, an answer to the form it gives, and the members of the value that should come of it."""

    made: Any
    answer: dict[str, Any]
    expected: dict[str, Any]


@st.composite
def cases(draw: DrawFn) -> Case:
    kind = draw(st.sampled_from([*KINDS]))
    asked = draw(st.dictionaries(names, asked_members, max_size=5))
    defaults = {name: draw(one.said)[1] for name, one in asked.items() if draw(st.booleans())}
    made = KINDS[kind]({name: one.hint for name, one in asked.items()}, defaults)
    answer: dict[str, Any] = {}
    expected: dict[str, Any] = {}
    for name, one in asked.items():
        given, value = draw(_given(one, defaults.get(name, ...), is_absent=kind == "TypedDict"))
        answer |= {} if given is ... else {name: given}
        expected |= {} if value is ... else {name: value}
    return Case(made, answer, expected)


def _given(asked: Asked, default: Any, *, is_absent: bool) -> SearchStrategy[Said]:
    """What may stand in an answer for a member, `...` for nothing, and what it comes to."""
    ways = [asked.said]
    left_out = ... if is_absent else default
    if default is not ... or asked.accepts_none:
        ways.append(st.just((..., left_out if default is not ... else None)))
        ways.append(st.just((None, None if asked.accepts_none else left_out)))
    return st.one_of(ways)

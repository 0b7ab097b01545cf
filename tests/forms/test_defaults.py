"""Defaults take what Python has (design, section 4): a date, an enum member, a Decimal, a UUID. Whatever does not
become what the field asks for is a fault at `build`.
"""

import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum, auto
from typing import Any
from uuid import UUID

import pytest
from pydantic import AnyUrl

from elicitkit import FormElicitation, FormError


class Colour(Enum):
    RED = "red"
    BLUE = "blue"
    BOTH = "RED"
    FIVE = 5


class Speed(StrEnum):
    FAST = "fast"


class Level(IntEnum):
    HIGH = 3


class Access(Flag):
    READ = auto()
    WRITE = auto()


ID = UUID("12345678-1234-5678-1234-567812345678")
DAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=timezone(timedelta(hours=1)))
NAIVE = datetime(2026, 11, 30, 12, 0)
ADDRESS = AnyUrl("https://example.com/a")

VALUES: dict[str, Any] = {
    "text": "ada",
    "digits": "5",
    "an int": 5,
    "a whole float": 5.0,
    "a float": 5.5,
    "a bool": True,
    "a Decimal": Decimal("5.5"),
    "a whole Decimal": Decimal("5.0"),
    "a large Decimal": Decimal("1e9999999"),
    "a NaN Decimal": Decimal("sNaN"),
    "a date": DAY,
    "a moment": NOON,
    "a naive moment": NAIVE,
    "a UUID": ID,
    "an enum member": Colour.RED,
    "an enum member of 5": Colour.FIVE,
    "a StrEnum member": Speed.FAST,
    "an IntEnum member": Level.HIGH,
    "a flag": Access.READ,
    "an address": ADDRESS,
    "NaN": float("nan"),
    "bytes": b"ada",
    "a list": ["red"],
    "a dict": {"red": 1},
    "an object": object(),
}
FITTING: dict[str, dict[str, Any]] = {
    "string": {
        "text": "ada",
        "digits": "5",
        "a date": "2026-11-30",
        "a moment": "2026-11-30T12:00:00+01:00",
        "a naive moment": "2026-11-30T12:00:00",
        "a UUID": str(ID),
        "an enum member": "red",
        "a StrEnum member": "fast",
    },
    "integer": {
        "an int": 5,
        "a whole float": 5,
        "a whole Decimal": 5,
        "an enum member of 5": 5,
        "an IntEnum member": 3,
        "a flag": 1,
    },
    "number": {
        "an int": 5,
        "a whole float": 5.0,
        "a float": 5.5,
        "a Decimal": 5.5,
        "a whole Decimal": 5,
        "an enum member of 5": 5,
        "an IntEnum member": 3,
        "a flag": 1,
    },
    "boolean": {"a bool": True},
    "email": {},
    "uri": {"an address": "https://example.com/a"},
    "date": {"a date": "2026-11-30"},
    "date_time": {"a moment": "2026-11-30T12:00:00+01:00"},
    "choice": {"an enum member": "RED", "a StrEnum member": "fast", "a flag": "READ"},
    "multi_choice": {
        "an enum member": ["RED"],
        "a StrEnum member": ["fast"],
        "a flag": ["READ"],
        "a list": ["red"],
    },
}
OPTIONS = ["RED", "red", "BLUE", "fast", "READ", "WRITE"]


def field(starter: str) -> Any:
    step = getattr(FormElicitation.create("m"), starter)("f")
    return step.options(OPTIONS) if "choice" in starter else step


def default_of(form: Any) -> Any:
    return form.schema()["properties"]["f"]["default"]


@pytest.mark.parametrize("given", VALUES)
@pytest.mark.parametrize("starter", FITTING)
def test_a_default_of_any_type_becomes_what_the_field_asks_for_or_is_a_fault(starter: str, given: str) -> None:
    form = field(starter).default(VALUES[given])

    if given in FITTING[starter]:
        expected = FITTING[starter][given]
        assert (default_of(form), type(default_of(form))) == (expected, type(expected))
    else:
        with pytest.raises(FormError, match="F: has a default that ") as caught:
            form.build()
        assert [fault.field for fault in caught.value.faults] == ["f"]


@pytest.mark.parametrize("starter", FITTING)
def test_none_takes_a_default_away(starter: str) -> None:
    form = field(starter).default("nonsense").default(None)

    assert "default" not in form.schema()["properties"]["f"]


def test_an_enum_member_is_the_option_of_its_name_before_that_of_its_value() -> None:
    assert default_of(field("choice").default(Colour.BOTH)) == "RED"
    assert default_of(field("choice").options(["RED", "BOTH"]).default(Colour.BOTH)) == "BOTH"
    assert default_of(field("choice").options(["red"]).default(Colour.RED)) == "red"


SEVERAL: list[tuple[str, tuple[Any, ...], list[str]]] = [
    ("none", (), []),
    ("several arguments", ("BLUE", "RED"), ["BLUE", "RED"]),
    ("one list", (["BLUE", "RED"],), ["BLUE", "RED"]),
    ("one tuple", (("BLUE", "RED"),), ["BLUE", "RED"]),
    ("a set, in the order of the options", ({"WRITE", "BLUE", "RED"},), ["RED", "BLUE", "WRITE"]),
    ("a set of members", (frozenset({Colour.BLUE, Colour.RED}),), ["RED", "BLUE"]),
    ("flags together", (Access.WRITE | Access.READ,), ["READ", "WRITE"]),
    ("flags apart", (Access.WRITE, Access.READ), ["WRITE", "READ"]),
    ("a flag of nothing", (Access(0),), []),
    ("members", (Colour.RED, Speed.FAST), ["RED", "fast"]),
]


@pytest.mark.parametrize(("given", "expected"), [pytest.param(*row[1:], id=row[0]) for row in SEVERAL])
def test_the_default_of_a_multiple_choice_comes_in_any_collection(given: tuple[Any, ...], expected: list[str]) -> None:
    assert default_of(field("multi_choice").default(*given)) == expected


def test_a_set_gives_the_same_form_in_every_process() -> None:
    """A question is recognised by the digest of its form, also after a restart (design, section 7)."""
    code = (
        "from elicitkit import FormElicitation as F; o = [f'o{n}' for n in range(9)];"
        "print(F.create('m').multi_choice('f').options(o).default(set(o[:7])).build().digest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout
        for seed in "123"
    }

    assert len(digests) == 1


def test_a_default_may_be_set_before_what_it_depends_on() -> None:
    form = FormElicitation.create("m").choice("f").default(Colour.RED).options(["red"])

    assert default_of(form) == "red"


def test_the_last_default_counts() -> None:
    assert default_of(field("integer").default(1).default(2)) == 2


def test_an_encoded_address_is_shown_as_it_will_be_answered() -> None:
    assert default_of(field("uri").default("https://exämple.com")) == "https://xn--exmple-cua.com"


@dataclass
class Page:
    top: int = 20


def test_none_takes_the_default_of_a_type_away_too_and_binding_still_has_it() -> None:
    form = FormElicitation.from_type(Page, "m").integer("top").default(None)

    assert "default" not in form.schema()["properties"]["top"]
    assert form.build().accept({}).content == Page(20)


def test_no_values_choose_nothing_beforehand_which_is_a_default() -> None:
    assert field("multi_choice").default().schema()["properties"]["f"]["default"] == []

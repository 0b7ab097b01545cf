"""Defaults: shown as JSON has them, falsy ones too; factories run at binding, not for the form (design, section 4)."""

import dataclasses
import math
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import attrs
import msgspec
import pydantic
import pytest
import yarl

from elicitkit.introspect.describe import describe
from elicitkit.introspect.members import MISSING
from tests.introspect.making import KINDS, answered, members, seed_of
from tests.introspect.shades import Colour, Level, Mode, Odd, Right, Speed

ID = UUID("12345678-1234-5678-1234-567812345678")
PARIS = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Paris"))
MOMENT = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)
WITH_DEFAULTS = [kind for kind in KINDS if kind != "TypedDict"]

# The hint, a default of its own, and what the form shows.
SHOWN: list[tuple[Any, Any, Any]] = [
    (str, "Ada", "Ada"),
    (str, "", ""),
    (str, Speed.EXPRESS, "exp"),
    (int, 0, 0),
    (int, Level.HIGH, 2),
    (float, 0.0, 0.0),
    (float, 3, 3),
    (bool, False, False),
    (bool, True, True),
    (Decimal, Decimal("1.10"), 1.1),
    (Decimal, Decimal("20.0"), 20),
    (Decimal, Decimal(0), 0),
    (UUID, ID, str(ID)),
    (date, date(2026, 11, 30), "2026-11-30"),
    (datetime, MOMENT, "2026-11-30T14:30:00+00:00"),
    (datetime, PARIS, "2026-07-01T12:00:00+02:00"),
    (yarl.URL, yarl.URL("https://a.example"), "https://a.example"),
    (pydantic.HttpUrl, pydantic.HttpUrl("https://a.example"), "https://a.example/"),
    (Colour, Colour.BLUE_GREEN, "BLUE_GREEN"),
    (Colour, Colour.CRIMSON, "RED"),
    (Speed, Speed.EXPRESS, "EXPRESS"),
    (Level, Level.LOW, "LOW"),
    (Odd, Odd.THING, "THING"),
    (Literal[1, 2, "x"], 2, "2"),
    (Literal["a", "b"], "b", "b"),
    (Literal[Colour.RED], Colour.RED, "RED"),
    (Right, Right.NONE, []),
    (Right, Right.BOTH, ["READ", "WRITE"]),
    (Mode, Mode.RW, ["R", "W"]),
    (tuple[Colour, ...], (), []),
    (tuple[Colour, ...], (Colour.BLUE_GREEN, Colour.RED), ["BLUE_GREEN", "RED"]),
    (frozenset[Speed], frozenset({Speed.EXPRESS, Speed.STANDARD}), ["STANDARD", "EXPRESS"]),
    (int | None, 0, 0),
    (Annotated[str | None, "note"], "", ""),
]

# The hint, and a default that no field of its kind could hold: the type keeps it.
KEPT: list[tuple[Any, Any]] = [
    (int, None),
    (int, "3"),
    (int, True),
    (int, 2**64),
    (bool, 1),
    (float, math.inf),
    (float, math.nan),
    (float, "x"),
    (Decimal, Decimal("NaN")),
    (Decimal, Decimal("1e9999")),
    (str, 3),
    (date, ""),
    (pydantic.EmailStr, ""),
    (Colour, "purple"),
    (Literal["a", "b"], "c"),
    (Literal[1, 2], True),
    (Literal["", "a"], ""),
    (tuple[Colour, ...], 3),
    (Right, "x"),
    (pydantic.SecretStr, pydantic.SecretStr("hush")),
]


@pytest.mark.parametrize("kind", WITH_DEFAULTS)
def test_a_default_is_shown_as_json_has_it_and_bound_back(kind: str) -> None:
    hints = {f"m{at}": hint for at, (hint, *_) in enumerate(SHOWN)}
    defaults = {f"m{at}": default for at, (_, default, _) in enumerate(SHOWN)}
    made = KINDS[kind](hints, defaults)

    found = {seed.member.name: seed.default for seed in describe(made).seeds}

    assert found == {f"m{at}": shown for at, (*_, shown) in enumerate(SHOWN)}
    assert {name: type(value) for name, value in found.items()} == {
        f"m{at}": type(shown) for at, (*_, shown) in enumerate(SHOWN)
    }
    value = members(made, answered(made, {}))
    assert value == defaults | {"m2": "exp", "m4": 2}


@pytest.mark.parametrize("kind", ["pydantic model", "dataclass", "attrs class", "msgspec struct", "NamedTuple"])
def test_a_default_that_no_field_could_hold_is_kept_and_not_shown(kind: str) -> None:
    hints = {f"m{at}": hint for at, (hint, _) in enumerate(KEPT)}
    defaults = {f"m{at}": default for at, (_, default) in enumerate(KEPT)}
    made = KINDS[kind](hints, defaults)

    assert {seed.default for seed in describe(made).seeds} == {MISSING}
    assert not any(seed.field is None or seed.field.required for seed in describe(made).seeds)
    value = members(made, answered(made, {}))
    assert all(value[name] is default for name, default in defaults.items())


def test_a_time_without_zone_is_shown_for_the_form_to_refuse() -> None:
    """Design, section 4: a default that is a date-time without zone is a fault at `build()`."""
    made = KINDS["dataclass"]({"it": datetime}, {"it": datetime(2026, 11, 30)})

    assert seed_of(made).default == "2026-11-30T00:00:00"


# --- what the wire drops ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", WITH_DEFAULTS)
def test_a_default_that_comes_back_untouched_is_the_very_same(kind: str) -> None:
    """The wire drops digits beyond a float's, and the names of zones; a form sent as it was shown does not."""
    exact = Decimal("0.10000000000000000000000001")
    made = KINDS[kind]({"price": Decimal, "at": datetime, "off": Decimal}, {"price": exact, "at": PARIS, "off": exact})

    value = members(made, answered(made, {"price": 0.1, "at": "2026-07-01T12:00:00+02:00", "off": 0.25}))

    assert str(value["price"]) == str(exact)
    assert value["at"].tzinfo is PARIS.tzinfo
    assert value["off"] == Decimal("0.25")


def test_a_decimal_keeps_its_trailing_zeros_when_it_comes_back_untouched() -> None:
    made = KINDS["pydantic model"]({"it": Decimal}, {"it": Decimal("1.10")})

    assert str(answered(made, {}).it) == "1.10"


# --- factories --------------------------------------------------------------------------------------------------------


def run() -> list[Colour]:
    runs.append(1)
    return [Colour.RED]


runs: list[int] = []


class Model(pydantic.BaseModel):
    it: list[Colour] = pydantic.Field(default_factory=run)
    of_others: str = pydantic.Field(default_factory=lambda others: f"{len(others['it'])} colour")


@pydantic.dataclasses.dataclass
class ModelData:
    it: list[Colour] = pydantic.Field(default_factory=run)


@dataclass
class Data:
    it: list[Colour] = dataclasses.field(default_factory=run)


@attrs.define
class Attrs:
    it: list[Colour] = attrs.field(factory=run)


@attrs.define
class AttrsOfSelf:
    it: list[Colour] = attrs.field(default=attrs.Factory(lambda _: run(), takes_self=True))


class Struct(msgspec.Struct):
    it: list[Colour] = msgspec.field(default_factory=run)


@pytest.mark.parametrize("made", [Model, ModelData, Data, Attrs, AttrsOfSelf, Struct])
def test_a_default_factory_makes_a_member_optional_and_runs_at_binding_alone(made: Any) -> None:
    runs.clear()

    seed = seed_of(made)

    assert seed.field is not None
    assert (seed.field.required, seed.default, runs) == (False, MISSING, [])
    assert answered(made, {}).it == [Colour.RED]
    assert runs == [1]
    assert answered(made, {"it": []}).it == []
    assert runs == [1]


def test_a_factory_may_look_at_what_was_answered() -> None:
    assert answered(Model, {"it": ["RED", "BLUE_GREEN"]}).of_others == "2 colour"


def test_a_mutable_default_is_not_shared_by_what_is_bound() -> None:
    class Model(pydantic.BaseModel):
        it: list[Colour] = [Colour.RED]  # pydantic copies it

    first, second = answered(Model, {}), answered(Model, {})
    first.it.append(Colour.BLUE_GREEN)

    assert (second.it, seed_of(Model).default) == ([Colour.RED], ["RED"])


def test_a_class_with_only_defaults_can_be_sent_untouched() -> None:
    """Issue 3: it shows a form that can be sent as it is."""

    class Named(NamedTuple):
        it: int = 3
        colour: Colour = Colour.RED
        when: date = date(2026, 11, 30)

    assert answered(Named, {}) == Named()


def test_the_default_of_a_set_is_shown_in_the_same_order_by_every_process() -> None:
    """A question is known by a digest of its schema, in the next process too."""
    script = (
        "from elicitkit.introspect.describe import describe; from tests.introspect.making import KINDS\n"
        "from typing import Literal\n"
        "hint = frozenset[Literal['a', 'b', 'c', 'd', 'e']]\n"
        "made = KINDS['dataclass']({'it': hint}, {'it': frozenset('edcba')})\n"
        "print(describe(made).seeds[0].default)"
    )

    shown = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, ["src", ".", *sys.path]))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }

    assert shown == {"['a', 'b', 'c', 'd', 'e']\n"}

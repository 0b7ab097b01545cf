"""What each type is asked with, and what its answer becomes, in every kind of class (design, section 4)."""

import collections.abc
import typing
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import pydantic
import pytest
import yarl
from pydantic import networks

from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
)
from tests.introspect.making import KINDS, answered, fields_of, members, seed_of
from tests.introspect.shades import Colour, Crossed, Level, Mode, Odd, Right, Speed

ID = UUID("12345678-1234-5678-1234-567812345678")
MOMENT = datetime(2026, 11, 30, 14, 30, tzinfo=timezone(timedelta(hours=1)))


class Code(str):
    __slots__ = ()


class Meters(float):
    __slots__ = ()


TEXTS: list[tuple[Any, str | None, str, Any]] = [
    (str, None, "Ada", "Ada"),
    (Code, None, "x1", Code("x1")),
    (UUID, None, str(ID), ID),
    (pydantic.UUID4, None, "0b5ce48b-1ce9-4e16-8b9c-4d1a6b0f3b52", UUID("0b5ce48b-1ce9-4e16-8b9c-4d1a6b0f3b52")),
    (yarl.URL, "uri", "https://example.com/a", yarl.URL("https://example.com/a")),
    (pydantic.EmailStr, "email", "ada@example.com", "ada@example.com"),
    (date, "date", "2026-11-30", date(2026, 11, 30)),
    (pydantic.PastDate, "date", "1815-12-10", date(1815, 12, 10)),
    (pydantic.FutureDate, "date", "9999-01-01", date(9999, 1, 1)),
    (datetime, "date-time", "2026-11-30T14:30:00+01:00", MOMENT),
    (datetime, "date-time", "2026-11-30t14:30:00z", datetime(2026, 11, 30, 14, 30, tzinfo=UTC)),
    (pydantic.AwareDatetime, "date-time", "2026-11-30T14:30:00+01:00", MOMENT),
    (pydantic.PastDatetime, "date-time", "1815-12-10T00:00:00Z", datetime(1815, 12, 10, tzinfo=UTC)),
    (pydantic.FutureDatetime, "date-time", "9999-01-01T00:00:00Z", datetime(9999, 1, 1, tzinfo=UTC)),
]

ADDRESSES: list[tuple[Any, str]] = [
    (networks.AnyUrl, "ftp://example.com/"),
    (networks.AnyHttpUrl, "http://example.com/"),
    (networks.HttpUrl, "https://example.com/a?b=c"),
    (networks.AnyWebsocketUrl, "wss://example.com/"),
    (networks.WebsocketUrl, "ws://example.com/"),
    (networks.FileUrl, "file:///tmp/a"),
    (networks.FtpUrl, "ftp://example.com/"),
    (networks.PostgresDsn, "postgres://user@example.com:5432/app"),
    (networks.CockroachDsn, "cockroachdb://user@example.com:26257/app"),
    (networks.AmqpDsn, "amqp://example.com:5672/v"),
    (networks.RedisDsn, "redis://example.com:6379/0"),
    (networks.MongoDsn, "mongodb://example.com:27017/app"),
    (networks.KafkaDsn, "kafka://example.com:9092"),
    (networks.NatsDsn, "nats://example.com:4222"),
    (networks.MySQLDsn, "mysql://user@example.com:3306/app"),
    (networks.MariaDBDsn, "mariadb://user@example.com:3306/app"),
    (networks.ClickHouseDsn, "clickhouse+native://example.com:9000/app"),
    (networks.SnowflakeDsn, "snowflake://user:word@account/app"),
]

NUMBERS: list[tuple[Any, type[Any], Any, Any]] = [
    (bool, BooleanField, False, False),
    (Literal[True, False], BooleanField, True, True),
    (int, IntegerField, 42, 42),
    (pydantic.PositiveInt, IntegerField, 1, 1),
    (pydantic.NegativeInt, IntegerField, -1, -1),
    (pydantic.StrictInt, IntegerField, 7, 7),
    (pydantic.conint(ge=1, multiple_of=2), IntegerField, 4, 4),
    (float, NumberField, 3, 3.0),
    (float, NumberField, 0.5, 0.5),
    (int | float, NumberField, 3, 3),
    (Meters, NumberField, 2.5, Meters(2.5)),
    (pydantic.FiniteFloat, NumberField, 2.5, 2.5),
    (pydantic.confloat(gt=0), NumberField, 2.5, 2.5),
    (Decimal, NumberField, 0.1, Decimal("0.1")),
    (Decimal, NumberField, 7, Decimal(7)),
    (pydantic.condecimal(max_digits=3, decimal_places=2), NumberField, 1.1, Decimal("1.1")),
    (pydantic.ByteSize, IntegerField, 1024, pydantic.ByteSize(1024)),
]

CHOICES: list[tuple[Any, list[str], str, Any]] = [
    (Colour, ["RED", "BLUE_GREEN"], "BLUE_GREEN", Colour.BLUE_GREEN),
    (Speed, ["STANDARD", "EXPRESS"], "EXPRESS", Speed.EXPRESS),
    (Level, ["LOW", "HIGH"], "HIGH", Level.HIGH),
    (Odd, ["PAIR", "THING", "LIST"], "THING", Odd.THING),
    (Crossed, ["A", "B", "C"], "A", Crossed.A),
    (Literal["asc", "desc"], ["asc", "desc"], "desc", "desc"),
    (Literal[1, 2, -3], ["1", "2", "-3"], "-3", -3),
    (Literal["auto", True, 5], ["auto", "true", "5"], "true", True),
    (Literal[True], ["true"], "true", True),
    (Literal["", "asc"], ["asc"], "asc", "asc"),
    (Literal[Colour.RED], ["RED"], "RED", Colour.RED),
    (Literal[Level.LOW, "none"], ["LOW", "none"], "LOW", Level.LOW),
    (Literal["a"] | Literal["b"], ["a", "b"], "b", "b"),
]

BOTH = [Colour.RED, Colour.BLUE_GREEN]
SEVERAL: list[tuple[Any, Any]] = [
    (list[Colour], BOTH),
    (set[Colour], set(BOTH)),
    (frozenset[Colour], frozenset(BOTH)),
    (tuple[Colour, ...], tuple(BOTH)),
    (typing.List[Colour], BOTH),  # noqa: UP006  # the old spellings are types too
    (typing.Set[Colour], set(BOTH)),  # noqa: UP006
    (typing.FrozenSet[Colour], frozenset(BOTH)),  # noqa: UP006
    (typing.Tuple[Colour, ...], tuple(BOTH)),  # noqa: UP006
    (typing.Sequence[Colour], BOTH),
    (typing.MutableSequence[Colour], BOTH),
    (typing.AbstractSet[Colour], frozenset(BOTH)),
    (typing.MutableSet[Colour], set(BOTH)),
    (collections.abc.Sequence[Colour], BOTH),
    (collections.abc.Set[Colour], frozenset(BOTH)),
    (collections.abc.MutableSet[Colour], set(BOTH)),
    (pydantic.conlist(Colour, min_length=1), BOTH),
    (pydantic.conset(Colour, max_length=2), set(BOTH)),
]


def bound(kind: str, hint: Any, value: Any) -> Any:
    made = KINDS[kind]({"it": hint}, {})
    return members(made, answered(made, {"it": value}))["it"]


def with_each(kind: str, hints: list[Any]) -> Any:
    """A type of a kind with a member for each hint, `m0` and so on."""
    return KINDS[kind]({f"m{at}": hint for at, hint in enumerate(hints)}, {})


def bound_each(made: Any, answers: list[Any]) -> list[Any]:
    value = answered(made, {f"m{at}": answer for at, answer in enumerate(answers)})
    return [*members(made, value).values()]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_text_and_its_formats(kind: str) -> None:
    hints, formats, texts, values = map(list, zip(*TEXTS, strict=True))
    made = with_each(kind, hints)

    assert [(type(field), getattr(field, "format", "")) for field in fields_of(made)] == [
        (TextField, format) for format in formats
    ]
    found = bound_each(made, texts)
    assert found == values
    assert [*map(type, found)] == [*map(type, values)]


def test_every_kind_of_address_is_a_uri(kind: str) -> None:
    hints, texts = map(list, zip(*ADDRESSES, strict=True))
    made = with_each(kind, hints)

    assert {getattr(field, "format", "") for field in fields_of(made)} == {"uri"}
    assert bound_each(made, texts) == [hint(text) for hint, text in ADDRESSES]


def test_numbers_and_yes_or_no(kind: str) -> None:
    hints, fields, answers, values = map(list, zip(*NUMBERS, strict=True))
    made = with_each(kind, hints)

    assert [*map(type, fields_of(made))] == fields
    found = bound_each(made, answers)
    assert found == values
    assert [*map(type, found)] == [*map(type, values)]


def test_a_choice_has_names_or_literals_for_options(kind: str) -> None:
    hints, options, answers, values = map(list, zip(*CHOICES, strict=True))
    made = with_each(kind, hints)

    fields: list[Any] = fields_of(made)
    assert {*map(type, fields)} == {ChoiceField}
    assert [[option.value for option in field.options] for field in fields] == options
    found = bound_each(made, answers)
    assert found == values
    assert [*map(type, found)] == [*map(type, values)]


def test_a_collection_of_an_enum_is_a_multiple_choice(kind: str) -> None:
    hints, values = map(list, zip(*SEVERAL, strict=True))
    made = with_each(kind, hints)

    assert {*map(type, fields_of(made))} == {MultiChoiceField}
    found = bound_each(made, [["RED", "BLUE_GREEN"]] * len(SEVERAL))
    assert found == values
    assert all(isinstance(one, frozenset | type(value)) for one, value in zip(found, values, strict=True))


@pytest.mark.parametrize("hint", [typing.Iterable[Colour], collections.abc.Iterable[Colour]], ids=str)
def test_an_iterable_of_an_enum_is_a_multiple_choice(kind: str, hint: Any) -> None:
    assert list(bound(kind, hint, ["BLUE_GREEN"])) == [Colour.BLUE_GREEN]


@pytest.mark.parametrize("name", [name for name in KINDS if "pydantic" not in name])
def test_types_that_pydantic_has_no_schema_for_work_elsewhere(name: str) -> None:
    assert bound(name, collections.abc.Collection[Colour], ["RED"]) == [Colour.RED]
    assert bound(name, typing.LiteralString, "Ada") == "Ada"


def test_a_collection_of_literals_holds_their_own_values(kind: str) -> None:
    assert bound(kind, set[Literal[1, 2, 3]], ["3", "1"]) == {1, 3}
    assert bound(kind, list[Literal["a", "b"]], ["b", "a"]) == ["b", "a"]


def test_flags_are_chosen_one_by_one_and_bound_together(kind: str) -> None:
    """Zero and what stands for several flags are no options."""
    seed = seed_of(KINDS[kind]({"it": Right}, {}))

    assert isinstance(seed.field, MultiChoiceField)
    assert [option.value for option in seed.field.options] == ["READ", "WRITE", "RUN"]
    assert bound(kind, Right, ["WRITE", "READ"]) is Right.BOTH
    assert bound(kind, Right, []) is Right.NONE


def test_flags_that_are_numbers_are_chosen_by_name_too(kind: str) -> None:
    assert bound(kind, Mode, ["R", "W"]) == Mode.RW
    assert bound(kind, Mode, []) == 0


def test_a_secret_is_told_and_bound(kind: str) -> None:
    """`SecretStr` is a credential; whether it may be asked is the form's business."""
    seed = seed_of(KINDS[kind]({"it": pydantic.SecretStr}, {}))

    assert seed.is_secret
    assert bound(kind, pydantic.SecretStr, "hush") == pydantic.SecretStr("hush")

"""The kinds of field a form can have: one frozen class for each, and `Field`, their closed union.

The specification closes the set (`PrimitiveSchemaDefinition`), so code that treats fields by kind is a `match` that
ends in `assert_never`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal, TypeAlias

from .naming import label

TextFormat: TypeAlias = Literal["email", "uri", "date", "date-time"]
"""The formats of text the specification has."""

FORMAT_LENGTHS: Mapping[str | None, tuple[int, int | None]] = {"date": (10, 10), "date-time": (20, None)}
"""The shortest and the longest text of a format, where it has such, in characters."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to choose: its value on the wire, and what a person reads instead."""

    value: str
    title: str | None = None

    _: KW_ONLY

    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What else a stranger's schema says about it: sent on, never acted on."""

    @property
    def label(self) -> str:
        """What a person reads: the title, else the value."""
        return self.title or self.value


def all_titled(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """Give every option a title where one has more to say than its value, as the wire does."""
    if not any(option.title or option.extra for option in options):
        return options
    return tuple(replace(option, title=option.label) for option in options)


@dataclass(frozen=True, slots=True)
class _Base:
    """What every kind of field has."""

    name: str
    """The name on the wire."""

    _: KW_ONLY

    written: str = ""
    """The name as the author wrote it; empty when it is the wire name."""

    title: str | None = None
    """What a person calls it."""

    description: str | None = None
    """What a person is told about it."""

    required: bool = False

    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Keywords of a schema that others wrote and we do not know: sent on, never acted on."""

    @property
    def label(self) -> str:
        """What a person reads beside the field: the title, else one made from the name."""
        title = self.title if self.title and not self.title.isspace() else None
        return title or label(self.name) or self.name


@dataclass(frozen=True, slots=True)
class TextField(_Base):
    """Text, free or in one of four formats. Lengths are in characters."""

    _: KW_ONLY

    format: TextFormat | None = None
    min_length: int | None = None
    max_length: int | None = None
    default: str | None = None
    sensitive_allowed: bool = False
    """Whether the author vouches that it asks for no credential, whatever its name says."""


@dataclass(frozen=True, slots=True)
class IntegerField(_Base):
    """A whole number of at most 64 bits. Both bounds are included."""

    _: KW_ONLY

    minimum: int | float | None = None
    maximum: int | float | None = None
    default: int | None = None
    sensitive_allowed: bool = False


@dataclass(frozen=True, slots=True)
class NumberField(_Base):
    """A number. Both bounds are included."""

    _: KW_ONLY

    minimum: int | float | None = None
    maximum: int | float | None = None
    default: int | float | None = None
    sensitive_allowed: bool = False


@dataclass(frozen=True, slots=True)
class BooleanField(_Base):
    """Yes or no."""

    _: KW_ONLY

    default: bool | None = None


@dataclass(frozen=True, slots=True)
class ChoiceField(_Base):
    """One of several options."""

    _: KW_ONLY

    options: tuple[Option, ...] = ()
    default: str | None = None


@dataclass(frozen=True, slots=True)
class MultiChoiceField(_Base):
    """Any number of several options, none twice."""

    _: KW_ONLY

    options: tuple[Option, ...] = ()
    min_items: int | None = None
    max_items: int | None = None
    default: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class UnknownField(_Base):
    """Something a stranger's form asks that no kind can carry: it is shown, and cannot be answered."""

    _: KW_ONLY

    schema: object = field(default=None, hash=False)
    """The property as it came."""

    described: bool = True
    """Whether there is such a property; without one, it is only named in `required`."""

    reason: str = ""
    """Why it cannot be drawn, as the end of a sentence."""


Field: TypeAlias = TextField | IntegerField | NumberField | BooleanField | ChoiceField | MultiChoiceField | UnknownField
"""Any field of a form."""

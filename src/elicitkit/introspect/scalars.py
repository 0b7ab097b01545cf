"""Single values: how each simple type is asked for, what an answer becomes, and how its defaults are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from pydantic import (
    AwareDatetime,
    EmailStr,
    FutureDate,
    FutureDatetime,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    SecretStr,
)

from ..fields import BooleanField, IntegerField, NumberField, TextField, TextFormat
from ..numbers import fits, is_number, wire_number
from . import readers
from .mapped import Convert, Mapped, Unmappable

NAIVE: Final = "takes a date and time without a zone, and a form only gives those with one"
"""Why no answer ever fits a time that must not have a zone."""


def scalar(core: type[Any]) -> Mapped | None:
    """How a class of single values is asked for; `None` if it is none that is known.

    Raises:
        Unmappable: If it is known to be one that no answer fits.
    """
    if core is NaiveDatetime:
        raise Unmappable(NAIVE)
    if (known := _KNOWN.get(core)) is not None:
        return known
    if any(f"{base.__module__}.{base.__qualname__}" in _ADDRESSES for base in core.__mro__):
        is_pydantic = core.__module__.startswith("pydantic")
        return _formatted(core, readers.made_of_text(core), "uri", pydantic_reads=is_pydantic)
    return next((_derived(core, base) for base in _BASES if issubclass(core, base)), None)


# --- from defaults ----------------------------------------------------------------------------------------------------
# What no field of the kind could hold is a `TypeError`: the type keeps such a default, and the form does not show it.


def _shown_text(default: Any) -> str:
    return str.__str__(default)


def _shown_boolean(default: object) -> bool:
    if not isinstance(default, bool):
        raise TypeError
    return default


def _shown_whole(default: object) -> int:
    if isinstance(default, bool) or not isinstance(default, int) or not fits(default):
        raise TypeError
    return int(default)


def _shown_number(default: object) -> int | float:
    """A number as the check of answers gives it: whole where it was written so."""
    if not is_number(default) or (kept := wire_number(default)) is None:
        raise TypeError
    return kept


def _shown_as(core: type[Any], write: Callable[[Any], str] = str) -> Convert:
    """For formatted text: the default is of the type, or it is text already; blank text is no value of any format."""

    def to_wire(default: object) -> str:
        text = write(default) if isinstance(default, core) else _shown_text(default)
        if not text:
            raise TypeError
        return text

    return to_wire


def _shown_never(_: object) -> str:
    raise TypeError


# --- the types --------------------------------------------------------------------------------------------------------


def _formatted(core: type[Any], convert: Convert, format: TextFormat | None, **more: Any) -> Mapped:
    write = core.isoformat if issubclass(core, date) else str
    settings = {} if format is None else {"format": format}
    return Mapped(TextField, convert, _shown_as(core, write), core, settings, **more)


def _restricted(core: Any, base: type[Any]) -> Mapped:
    """A class of pydantic's that stands for a `date` or `datetime` with more to ask for."""
    return replace(_KNOWN[base], type=core, constrains=True)


def _derived(core: type[Any], base: type[Any]) -> Mapped:
    """A class of the author's own, made from what its base would be; its own words, should it refuse that."""
    known = _KNOWN[base]
    if base in _READERS:
        return _formatted(core, _READERS[base](core), known.settings.get("format"))
    if hasattr(core, "__get_pydantic_core_schema__"):  # pydantic knows how to make it, and what it must be.
        return replace(known, type=core, constrains=True, pydantic_reads=True)
    convert = known.convert
    return Mapped(known.kind, lambda value: core(convert(value)), known.to_wire, core)


_READERS: dict[type[Any], Callable[[Any], Convert]] = {
    UUID: readers.uuid,
    datetime: readers.moment,
    date: readers.day,
}
_BASES = (str, int, float, Decimal, UUID, datetime, date)
_KNOWN: dict[Any, Mapped] = {
    str: Mapped(TextField, readers.text, _shown_text, str, pydantic_reads=True),
    UUID: _formatted(UUID, readers.uuid(UUID), None),
    date: _formatted(date, readers.day(date), "date", quick=date.fromisoformat),
    datetime: _formatted(datetime, readers.moment(datetime), "date-time", quick=datetime.fromisoformat),
    bool: Mapped(BooleanField, readers.boolean, _shown_boolean, bool, pydantic_reads=True),
    int: Mapped(IntegerField, readers.whole, _shown_whole, int, pydantic_reads=True),
    float: Mapped(NumberField, readers.real, _shown_number, float, pydantic_reads=True),
    Decimal: Mapped(NumberField, readers.decimal, _shown_number, Decimal),
    EmailStr: replace(_formatted(str, readers.email, "email"), pydantic_reads=True),
    SecretStr: Mapped(TextField, readers.made_of_text(SecretStr), _shown_never, SecretStr, is_secret=True),
}
_KNOWN |= {AwareDatetime: _KNOWN[datetime]}  # An answer always has a zone.
_KNOWN |= {kind: _restricted(kind, date) for kind in (PastDate, FutureDate)}
_KNOWN |= {kind: _restricted(kind, datetime) for kind in (PastDatetime, FutureDatetime)}

YES_OR_NO: Final = _KNOWN[bool]
ANY_NUMBER: Final = Mapped(NumberField, readers.number, _shown_number, int | float, pydantic_reads=True)
"""`int | float`: what is whole stays whole."""

_ADDRESSES = frozenset(
    {"yarl.URL", "yarl._url.URL", "pydantic.networks._BaseUrl", "pydantic.networks._BaseMultiHostUrl"}
    | {"pydantic_core._pydantic_core.Url", "pydantic_core._pydantic_core.MultiHostUrl"}
)

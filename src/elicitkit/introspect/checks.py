"""Enforcing what the annotations of a member say, for the kinds of types that do not do so themselves."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from annotated_types import Timezone
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter
from pydantic.fields import FieldInfo

from .bounds import is_meta

_CONFIG = ConfigDict(arbitrary_types_allowed=True, regex_engine="python-re")
"""Any class will do, and any pattern of Python's: nobody else has seen to it that pydantic can cope with them."""


class Check:
    """Enforces constraints with pydantic, which knows its own and those of annotated-types.

    What it runs is made at the first value: that takes longer than all the rest of describing a type.
    """

    __slots__ = ("_metadata", "_type", "_validate")

    def __init__(self, type_: Any, metadata: tuple[object, ...] = ()) -> None:
        self._type = type_
        self._metadata = metadata
        self._validate: Callable[[Any], Any] | None = None

    def __call__(self, value: Any) -> Any:
        """Check a value.

        Raises:
            ValueError: If it does not fit.
        """
        validate = self._validate
        if validate is None:
            validate = self._validate = self._made()
        return validate(value)

    def _made(self) -> Callable[[Any], Any]:
        known = [one for item in self._metadata for one in _known(item)]
        hint: Any = Annotated[(self._type, *known)] if known else self._type
        return TypeAdapter(hint, config=_CONFIG).validate_python


def _known(item: object) -> list[object]:
    """A piece of metadata as pydantic knows it; of a `Field` only what constrains, or it warns of the rest."""
    if isinstance(item, FieldInfo):
        return item.metadata
    return _translated(item) if is_meta(item) else [item]


def _translated(meta: Any) -> list[object]:
    """What a `msgspec.Meta` asks for, in pydantic's terms; its pattern is one of Python's, and searched for."""
    names = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length")
    given = {name: getattr(meta, name) for name in names if getattr(meta, name) is not None}
    found: list[object] = Field(**given).metadata if given else []
    if meta.tz is not None:
        found.append(Timezone(... if meta.tz else None))
    if meta.pattern is not None:
        found.append(AfterValidator(partial(_matching, re.compile(meta.pattern))))
    return found


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.search(text):
        raise ValueError(f"must match {pattern.pattern}")
    return text

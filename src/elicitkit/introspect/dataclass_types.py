"""Dataclasses of the standard library."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from pydantic.fields import FieldInfo

from .members import MISSING, Constructed, HintOf, Member


class Dataclasses(Constructed):
    """Dataclasses. A `title` or `description` in a field's `metadata` is carried over, and its `doc` on 3.14."""

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        return dataclasses.is_dataclass(origin)

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`; an `InitVar` is one, since the constructor takes it."""
        every = origin.__dataclass_fields__.values()
        return [_member(field, hint_of(field.name)) for field in every if field.init and not _is_class_variable(field)]


def _is_class_variable(field: dataclasses.Field[Any]) -> bool:
    return field._field_type is dataclasses._FIELD_CLASSVAR  # type: ignore[attr-defined]  # nothing public says it


def _member(field: dataclasses.Field[Any], hint: Any) -> Member:
    beside = field.default if isinstance(field.default, FieldInfo) else None  # It is no default, but pydantic's words.
    has_none = field.default is dataclasses.MISSING or beside is not None
    return Member(
        field.name,
        hint,
        default=MISSING if has_none else field.default,
        has_factory=field.default_factory is not dataclasses.MISSING,
        metadata=() if beside is None else (beside,),
        title=field.metadata.get("title"),
        description=field.metadata.get("description") or getattr(field, "doc", None),
    )

"""pydantic models, and pydantic's dataclasses. The form's names are the attributes'; aliases play no part."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, RootModel, TypeAdapter
from pydantic.dataclasses import rebuild_dataclass
from pydantic.errors import PydanticUndefinedAnnotation
from pydantic.fields import FieldInfo
from pydantic_core import ArgsKwargs

from .annotations import name_of, unresolved
from .members import MISSING, Constructed, HintOf, Make, Member


class Models(Constructed):
    """pydantic models, filled generic ones too, which are classes of their own."""

    validates = True

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`.

        Raises:
            TypeError: For a `RootModel`, which holds one value and has no members.
        """
        if issubclass(origin, RootModel):
            raise TypeError(
                f"{name_of(origin)} is a RootModel, without members: make a model with a member for its value"
            )
        return issubclass(origin, BaseModel) and origin is not BaseModel

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`; pydantic has resolved the hints already, if it could."""
        _complete(origin)
        return [_member(origin, name, info) for name, info in origin.model_fields.items()]

    def maker(self, made: Any) -> Make:
        """See `Kind.maker`; a `model_validate` of a class's own, as SQLModel has it, is called."""
        is_own = getattr(made.model_validate, "__func__", None) is not vars(BaseModel)["model_validate"].__func__
        validate: Any = made.model_validate if is_own else made.__pydantic_validator__.validate_python
        return lambda values: validate(values, by_alias=False, by_name=True)


class ModelDataclasses(Constructed):
    """Dataclasses of pydantic's, `InitVar`s included."""

    validates = True

    def owns(self, origin: Any) -> bool:
        """See `Kind.owns`."""
        return dataclasses.is_dataclass(origin) and "__pydantic_fields__" in vars(origin)

    def members(self, origin: Any, hint_of: HintOf) -> Sequence[Member]:
        """See `Kind.members`."""
        _complete(origin)
        fields = origin.__pydantic_fields__.items()
        return [_filled(_member(origin, name, info), hint_of) for name, info in fields if info.init is not False]

    def maker(self, made: Any) -> Make:
        """See `Kind.maker`; its constructor would ask for aliases."""
        is_class = isinstance(made, type)  # A filled generic is none, and its class knows nothing of what fills it.
        validator: Any = made.__pydantic_validator__ if is_class else TypeAdapter(made).validator
        return lambda values: validator.validate_python(ArgsKwargs((), values), by_alias=False, by_name=True)


def _member(origin: Any, name: str, info: FieldInfo) -> Member:
    """A member as pydantic's `Field` describes it."""
    has_default = not info.is_required() and info.default_factory is None
    return Member(
        name,
        info.annotation,
        default=info.default if has_default else MISSING,
        has_factory=info.default_factory is not None,
        metadata=tuple(info.metadata),
        title=info.title or _generated_title(origin, name, info),
        description=info.description,
    )


def _generated_title(origin: Any, name: str, info: FieldInfo) -> str | None:
    """What a `field_title_generator` makes of a name, that of the field before that of the class."""
    config = getattr(origin, "model_config", None) or getattr(origin, "__pydantic_config__", {})
    generate = info.field_title_generator or config.get("field_title_generator")
    return generate(name, info) if generate else None


def _filled(member: Member, hint_of: HintOf) -> Member:
    """A member without type variables, which pydantic leaves open in a dataclass."""
    is_open = isinstance(member.hint, TypeVar) or bool(getattr(member.hint, "__parameters__", ()))
    return replace(member, hint=hint_of(member.name)) if is_open else member


def _complete(origin: Any) -> None:
    """Let pydantic resolve what was not defined yet when the class was.

    Raises:
        TypeError: If something still is not, with the member that names it.
    """
    rebuild = getattr(origin, "model_rebuild", partial(rebuild_dataclass, origin))
    try:
        rebuild()
    except PydanticUndefinedAnnotation as error:
        fields = origin.__pydantic_fields__.items()
        hints = {name: info.annotation for name, info in fields if str(error.name) in repr(info.annotation)}
        name, hint = next(iter(hints.items()), ("a member", error.name))
        raise TypeError(unresolved(f"{name_of(origin)}.{name}", hint, error)) from error

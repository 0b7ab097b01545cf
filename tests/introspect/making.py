"""Types of every kind with the members a test asks for, and the way from an answer to a value of them."""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, NotRequired

import attrs
import msgspec
import pydantic

from elicitkit.fields import Field
from elicitkit.introspect.bind import bind
from elicitkit.introspect.describe import Seed, describe
from elicitkit.introspect.members import MISSING
from elicitkit.schema.check import Checker, check_default

ANY_CLASS = pydantic.ConfigDict(arbitrary_types_allowed=True)
Hints = Mapping[str, Any]
Defaults = Mapping[str, Any]


def model(hints: Hints, defaults: Defaults) -> Any:
    members = {name: (hint, defaults.get(name, ...)) for name, hint in hints.items()}
    return pydantic.create_model("Model", __config__=ANY_CLASS, **members)


def strict_model(hints: Hints, defaults: Defaults) -> Any:
    members = {name: (hint, defaults.get(name, ...)) for name, hint in hints.items()}
    return pydantic.create_model("Model", __config__=ANY_CLASS | {"strict": True}, **members)


def model_dataclass(hints: Hints, defaults: Defaults) -> Any:
    return pydantic.dataclasses.dataclass(dataclass(hints, defaults), config=ANY_CLASS, kw_only=True)


def dataclass(hints: Hints, defaults: Defaults) -> Any:
    members = [
        (name, hint, dataclasses.field(default_factory=lambda value=defaults[name]: value))
        if name in defaults and defaults[name].__hash__ is None
        else (name, hint, dataclasses.field(default=defaults.get(name, dataclasses.MISSING)))
        for name, hint in hints.items()
    ]
    return dataclasses.make_dataclass("Data", members, kw_only=True)


def attrs_class(hints: Hints, defaults: Defaults) -> Any:
    members = {name: attrs.field(default=defaults.get(name, attrs.NOTHING)) for name in hints}
    body = {"__annotations__": dict(hints), **members}
    return attrs.define(types.new_class("Attrs", exec_body=lambda namespace: namespace.update(body)), kw_only=True)


def struct(hints: Hints, defaults: Defaults) -> Any:
    def default(name: str) -> Any:
        value = defaults.get(name, msgspec.NODEFAULT)
        return msgspec.field(default_factory=lambda: value) if value.__class__.__hash__ is None else value

    members = [(name, hint, default(name)) for name, hint in hints.items()]
    return msgspec.defstruct("Struct", members, kw_only=True)


def typed_dict(hints: Hints, defaults: Defaults) -> Any:
    """A default is nothing a `TypedDict` has: such a member may be absent."""
    members = {name: NotRequired[hint] if name in defaults else hint for name, hint in hints.items()}
    return typing.TypedDict("Dict", members)  # type: ignore[operator,misc]  # its name does not matter


def named_tuple(hints: Hints, defaults: Defaults) -> Any:
    ordered = dict(sorted(hints.items(), key=lambda item: item[0] in defaults))
    body = {"__module__": __name__, "__annotations__": ordered, **defaults}
    return types.new_class("Tuple", (NamedTuple,), exec_body=lambda namespace: namespace.update(body))


KINDS: dict[str, Callable[[Hints, Defaults], Any]] = {
    "pydantic model": model,
    "strict pydantic model": strict_model,
    "pydantic dataclass": model_dataclass,
    "dataclass": dataclass,
    "attrs class": attrs_class,
    "msgspec struct": struct,
    "TypedDict": typed_dict,
    "NamedTuple": named_tuple,
}
"""Every kind of type a form can come from, each as a function of its members' hints and defaults."""

VALIDATING = ("pydantic model", "strict pydantic model", "pydantic dataclass")


def members(made: Any, value: Any) -> dict[str, Any]:
    """The members of a value of any kind, by name."""
    if isinstance(value, dict):
        return value
    return {seed.member.name: getattr(value, seed.member.name) for seed in describe(made).seeds}


def seed_of(made: Any, name: str = "it") -> Seed:
    return next(seed for seed in describe(made).seeds if seed.member.name == name)


def fields_of(made: Any) -> list[Field]:
    """The fields of a type as a form would send them: with their defaults, and without what cannot be mapped."""
    return [_with_default(seed) for seed in describe(made).seeds if seed.field is not None]


def _with_default(seed: Seed) -> Field:
    field: Any = seed.field
    if seed.default is MISSING:
        return field
    default = check_default(field, seed.default)
    return replace(field, default=tuple(default) if isinstance(default, list) else default)


def answered(made: Any, answer: Mapping[str, Any], **options: Any) -> Any:
    """What a checked answer to the form of a type becomes."""
    checked = Checker(fields_of(made)).check(answer)
    return bind(describe(made), checked.values, cleared=checked.cleared, **options)

"""What a builder records: fields that may still be unfinished, until `build` finds every fault and freezes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ..errors import AnswerError, Fault, FormError
from ..fields import ChoiceField, Field, MultiChoiceField, UnknownField
from ..naming import label, nearest, wire_name
from ..schema.check import check_default
from .content import Content
from .defaults import wire_default
from .faults import form_error, form_faults, size_fault
from .form import Form, message_problem

Naming: TypeAlias = Literal["camel", "preserve"]
Member: TypeAlias = str | Callable[[Any], object]
"""A field by its name, in any spelling that has the same wire name, or by a selector such as `lambda q: q.skip`."""


class Draft:
    """The state behind a builder and all the nodes of its chain."""

    def __init__(self, message: str, naming: Naming) -> None:
        if not isinstance(message, str):
            raise TypeError(f"the message of a form is text, not {type(message).__name__}")
        if naming not in ("camel", "preserve"):
            raise ValueError(f"naming is 'camel' or 'preserve', not {naming!r}")
        self._message = message
        self._naming = naming
        self._fields: dict[str, Field] = {}
        self._defaults: dict[str, object] = {}
        self._validators: list[Callable[[Content], object]] = []
        self._built: Form[Any] | None = None

    def start(self, member: Member, kind: type[Any], **fixed: Any) -> str:
        """Begin a field, or update the one of that name where it stands; give its wire name."""
        name = self._name(member)
        wire = self._wire_name(name)
        known = self._fields.get(wire)
        if known is None:
            field = kind(wire, written=name, title=label(name) or name, **fixed)
        elif type(known) is kind:
            field = replace(known, **fixed)
        else:
            kept = {"title": known.title, "description": known.description, "required": known.required}
            field = kind(wire, written=known.written, **kept, **fixed)
            self._defaults.pop(wire, None)
        self._put(field)
        return wire

    def field(self, name: str, kind: type[Any]) -> Any:
        """The field a node of the chain stands for, if it is still of that kind."""
        field = self._fields.get(name)
        if not isinstance(field, kind):
            problem = "was excluded from the form" if field is None else "has become another kind of field since"
            raise FormError([Fault(name, label(name) or name, problem)])
        return field

    def change(self, name: str, kind: type[Any], **changes: Any) -> None:
        """Change a field that is still of that kind."""
        self._put(replace(self.field(name, kind), **changes))

    def set_default(self, name: str, kind: type[Any], default: object) -> None:
        """Keep a default as it was given: what it becomes on the wire depends on steps that may still follow."""
        self._put(self.field(name, kind))
        if default is None:
            self._defaults.pop(name, None)
        else:
            self._defaults[name] = default

    def exclude(self, member: Member) -> None:
        """Drop a field; an unknown one is a `FormError` that has the nearest name."""
        name = self._name(member)
        wire = self._wire_name(name)
        if wire not in self._fields:
            known = [field.written or field.name for field in self._fields.values()]
            raise FormError([Fault(wire, name, f"is not a field of the form: {nearest(name, known)}")])
        del self._fields[wire]
        self._defaults.pop(wire, None)
        self._built = None

    def validate(self, check: Callable[[Content], object]) -> None:
        """Add a check over the whole answer."""
        self._validators.append(check)
        self._built = None

    def build(self) -> Form[Any]:
        """Freeze the form, with all its faults in one error; the same form as long as nothing changes."""
        if self._built is None:
            self._built = self._build()
        return self._built

    def _build(self) -> Form[Any]:
        faults = [Fault("", "the message", problem)] if (problem := message_problem(self._message)) else []
        faults += form_faults([*self._fields.values()])
        fields: list[Field] = []
        for field in self._fields.values():
            try:
                fields.append(self._with_default(field))
            except AnswerError as error:
                faults += [replace(fault, problem=f"has a default that {fault.problem}") for fault in error.faults]
        if not faults and (fault := size_fault(fields)):
            faults.append(fault)
        if faults:
            raise form_error(faults)
        return Form(self._message, tuple(fields), validators=tuple(self._validators))

    def _with_default(self, field: Field) -> Field:
        if field.name not in self._defaults or isinstance(field, UnknownField):
            return field
        if isinstance(field, (ChoiceField, MultiChoiceField)) and not field.options:
            return field  # A fault of its own; nothing could be a default of it.
        default = check_default(field, wire_default(field, self._defaults[field.name]))
        frozen: Any = tuple(default) if isinstance(default, list) else default
        return replace(field, default=frozen)

    def _put(self, field: Field) -> None:
        self._fields[field.name] = field
        self._built = None

    def _wire_name(self, name: str) -> str:
        wire = name if self._naming == "preserve" else wire_name(name)
        if not wire.strip():
            raise FormError([Fault("", "", f"the name of a field is blank: {name!r}")])
        return wire

    def _name(self, member: Member) -> str:
        if isinstance(member, str):
            return str.__str__(member)
        if callable(member):
            return _selected(member)
        raise TypeError(f"the name of a field is text or a selector, not {type(member).__name__}")


class _Selected:
    """What a selector's argument gives for a member: a name, and nothing below it."""

    def __init__(self, name: str) -> None:
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> object:
        path = f"{self.__dict__['name']}.{name}"
        raise FormError([Fault(self.__dict__["name"], path, "is nested, and a form is flat: select a member itself")])

    __getitem__ = __getattr__


class _Members:
    """What a selector is called with."""

    def __getattr__(self, name: str) -> _Selected:
        return _Selected(name)

    __getitem__ = __getattr__


def _selected(selector: Callable[[Any], object]) -> str:
    found = selector(_Members())
    if not isinstance(found, _Selected):
        raise FormError([Fault("", "", "a selector gives one member of its argument, as in lambda q: q.skip")])
    name: str = found.__dict__["name"]
    return name


def once(values: Iterable[str]) -> str | None:
    """The first value that comes a second time."""
    seen: set[str] = set()
    return next((value for value in values if value in seen or seen.add(value)), None)  # type: ignore[func-returns-value]

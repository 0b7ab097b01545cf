"""What a builder records: fields that may still be unfinished, until `build` finds every fault and freezes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias, TypeVar

from ..errors import AnswerError, Fault, FormError
from ..fields import ChoiceField, Field, MultiChoiceField, Option, UnknownField, all_titled
from ..introspect.members import MISSING
from ..naming import label, nearest, wire_name
from ..schema.check import check_default
from .defaults import wire_default
from .faults import form_error, form_faults, wire_faults
from .form import Form, message_problem, vouch
from .seeding import Seeds, bindability_faults

Naming: TypeAlias = Literal["camel", "preserve"]
T = TypeVar("T")
Member: TypeAlias = str | Callable[[T], object]
"""A field by its name, in any spelling that has the same wire name, or by a selector such as `lambda q: q.skip`."""


class Draft:
    """The state behind a builder and all the nodes of its chain."""

    __slots__ = (  # A form of a type is described anew for each question.
        *("_built", "_defaults", "_fields", "_fixed", "_is_changed", "_is_typed", "_message", "_naming"),
        *("_option_values", "_seeds", "_validators"),
    )

    def __init__(self, message: str, naming: Naming, seeds: Seeds | None = None, *, is_typed: bool = True) -> None:
        if not isinstance(message, str):
            raise TypeError(f"the message of a form is text, not {type(message).__name__}")
        if naming not in ("camel", "preserve"):
            raise ValueError(f"naming is 'camel' or 'preserve', not {naming!r}")
        self._message = message
        self._naming = naming
        self._seeds = seeds
        self._is_typed = seeds is not None and is_typed
        self._fields: dict[str, Field] = dict(seeds.fields) if seeds else {}
        self._defaults: dict[str, object] = {}
        self._fixed: dict[str, object] = {}
        self._validators: list[Callable[[Any], object]] = []
        self._option_values: dict[str, tuple[tuple[Option, ...], set[str]]] = {}
        """The values of a field's options, beside the options they are those of."""
        self._is_changed = False
        self._built: Form[Any] | None = None

    def start(self, member: Member[Any], kind: type[Any], **fixed: Any) -> str:
        """Begin a field, or update the one of that name where it stands; give its wire name."""
        name = self._name(member)
        wire = self._wire_name(name)
        known = self._fields.get(wire)
        self._refuse_unknown_selection(member, name, wire)
        if known is None:
            self._unfix(wire)
            field = kind(wire, written=name, title=label(name) or name, **fixed)
        elif type(known) is kind:
            field = replace(known, **fixed)
        else:
            kept = {"title": known.title, "description": known.description, "required": known.required}
            field = kind(wire, written=known.written, **kept, **fixed)
            self._defaults.pop(wire, None)
        self._put(field)
        return wire

    def _refuse_unknown_selection(self, member: Member[Any], name: str, wire: str) -> None:
        """A selector means a member of the type, and one it has not is a slip of the pen."""
        if callable(member) and self._seeds is not None and wire not in self._seeds.by_wire_name:
            known = [seed.member.name for seed in self._seeds.by_wire_name.values()]
            raise FormError([Fault(wire, name, f"is not a member of the type: {nearest(name, known)}")])

    def _unfix(self, wire: str) -> None:
        """A member that is asked for again has no fixed value any more."""
        if self._seeds is not None and (seed := self._seeds.by_wire_name.get(wire)):
            self._fixed.pop(seed.member.name, None)

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

    def add_option(self, field: ChoiceField | MultiChoiceField, option: Option) -> bool:
        """Add an option to a field, unless it has one of that value."""
        known, values = self._option_values.get(field.name, ((), set()))
        if known is not field.options:  # They came another way than one by one.
            values = {one.value for one in field.options}
        if option.value in values:
            return False
        values.add(option.value)
        changed = replace(field, options=(*field.options, option))
        self._option_values[field.name] = (changed.options, values)
        self._put(changed)
        return True

    def set_default(self, name: str, kind: type[Any], default: object) -> None:
        """Keep a default as it was given: what it becomes on the wire depends on steps that may still follow."""
        self._put(self.field(name, kind))
        self._defaults[name] = default

    def exclude(self, member: Member[Any], value: object) -> None:
        """Drop a field; an unknown one is a `FormError` that has the nearest name."""
        name = self._name(member)
        wire = self._wire_name(name)
        seed = self._seeds.by_wire_name.get(wire) if self._seeds else None
        if wire not in self._fields and seed is None:
            known = [field.written or field.name for field in self._fields.values()]
            raise FormError([Fault(wire, name, f"is not a field of the form: {nearest(name, known)}")])
        if seed is not None and value is not MISSING:
            self._fixed[seed.member.name] = value
        self._fields.pop(wire, None)
        self._defaults.pop(wire, None)
        self._touch()

    def validate(self, check: Callable[[Any], object]) -> None:
        """Add a check over the whole answer."""
        self._validators.append(check)
        self._touch()

    def build(self) -> Form[Any]:
        """Freeze the form, with all its faults in one error; the same form as long as nothing changes."""
        if self._built is None:
            self._built = self._build() if self._is_changed or self._seeds is None else self._untouched(self._seeds)
        return self._built

    def _untouched(self, seeds: Seeds) -> Form[Any]:
        """The form of a type as it is, which is made once for all messages; the last message's is kept whole."""
        made: Form[Any] | None = seeds.forms.get(self._is_typed)
        if made is not None and made.message == self._message:
            return made
        made = seeds.forms[self._is_typed] = self._build() if made is None else made.with_message(self._message)
        return made

    def _build(self) -> Form[Any]:
        faults = [Fault("", "the message", problem)] if (problem := message_problem(self._message)) else []
        faults += form_faults([*self._fields.values()], secret=self._seeds.secret if self._seeds else frozenset())
        finished: dict[str, Field] = {}
        for wire, field in self._fields.items():
            try:
                finished[wire] = self._finished(field)
            except AnswerError as error:
                faults += [replace(fault, problem=f"has a default that {fault.problem}") for fault in error.faults]
        faults += self._binding_faults(finished)
        fields = tuple(finished.values())
        form: Form[Any] = Form(self._message, fields, validators=tuple(self._validators))
        faults += wire_faults(fields, form.schema())
        if faults:
            raise form_error(faults)
        vouch(form)
        if self._seeds is None or not self._is_typed:
            return form
        return form.bound(self._seeds.binding(finished, self._fixed, self._defaults.keys()))

    def _binding_faults(self, fields: Mapping[str, Field]) -> Iterable[Fault]:
        if self._seeds is None or not self._is_typed:
            return ()
        has_default = {name for name, default in self._defaults.items() if default is not None}
        return bindability_faults(self._seeds, fields, self._fixed, has_default)

    def _finished(self, field: Field) -> Field:
        """A field as it is sent: with its default, and with a title for every option where one has a title."""
        if isinstance(field, (ChoiceField, MultiChoiceField)):
            if not field.options:
                return field  # A fault of its own; nothing could be a default of it.
            field = replace(field, options=all_titled(field.options))
        if field.name not in self._defaults or isinstance(field, UnknownField):
            return self._with_own_default(field)
        default = self._defaults[field.name]
        return field if default is None else _with_default(field, default)

    def _with_own_default(self, field: Field) -> Field:
        """A field with the default that its type brought, if it is one that could be answered; else the type has it."""
        seed = self._seeds.by_wire_name.get(field.name) if self._seeds else None
        if seed is None or seed.default is MISSING or type(seed.field) is not type(field):
            return field
        try:
            return _with_default(field, seed.default)
        except AnswerError:
            return field

    def _put(self, field: Field) -> None:
        self._fields[field.name] = field
        self._touch()

    def _touch(self) -> None:
        self._is_changed = True
        self._built = None

    def _wire_name(self, name: str) -> str:
        wire = name if self._naming == "preserve" else wire_name(name)
        if not wire.strip():
            raise FormError([Fault("", "", f"the name of a field is blank: {name!r}")])
        return wire

    def _name(self, member: Member[Any]) -> str:
        return _selected(member) if callable(member) else _text(member)


def _with_default(field: Field, raw: object) -> Field:
    default = check_default(field, wire_default(field, raw))
    frozen: Any = tuple(default) if isinstance(default, list) else default
    return replace(field, default=frozen)


_NAME = "the name"
"""Where a selected member keeps its name: no attribute can be called so."""


class _Selected:
    """What a selector's argument gives for a member: a name, and nothing below it."""

    def __init__(self, name: str) -> None:
        self.__dict__[_NAME] = name

    def __getattr__(self, name: object) -> object:
        member = self.__dict__[_NAME]
        raise FormError([Fault(member, f"{member}.{name}", "is nested, and a form is flat: select a member itself")])

    __getitem__ = __getattr__


class _Members:
    """What a selector is called with."""

    def __getattr__(self, name: str) -> _Selected:
        return _Selected(_text(name))

    __getitem__ = __getattr__


def _selected(selector: Callable[[Any], object]) -> str:
    found = selector(_Members())
    if not isinstance(found, _Selected):
        raise FormError([Fault("", "", "a selector gives one member of its argument, as in lambda q: q.skip")])
    name: str = found.__dict__[_NAME]
    return name


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a field is text or a selector, not {type(name).__name__}")
    return str.__str__(name)


def once(values: Iterable[str]) -> str | None:
    """The first value that comes a second time."""
    seen: set[str] = set()
    return next((value for value in values if value in seen or seen.add(value)), None)  # type: ignore[func-returns-value]

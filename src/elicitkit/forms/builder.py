"""`FormElicitation`: the fluent builder, and the facade of each kind of field, on which only its own steps exist."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar, overload
from uuid import UUID

from ..errors import Fault, FormError
from ..fields import BooleanField, ChoiceField, IntegerField, MultiChoiceField, NumberField, TextField
from ..introspect.members import MISSING
from ..naming import label
from ..outcomes import Accepted
from .content import Content
from .draft import Draft, Member, Naming
from .form import LATEST, NOT_PLAIN, Form
from .given import bound_given, count_given, option_given, options_given, repeated, text_given
from .seeding import seeds_of
from .typed import bind

if TYPE_CHECKING:
    from mcp_types import ElicitResult

T = TypeVar("T")
V = TypeVar("V")


class _Chain(Generic[T]):
    """What the builder and every node of its chain can do. A chain only records; `build` makes the form."""

    def __init__(self, draft: Draft) -> None:
        if not isinstance(draft, Draft):
            raise TypeError('a form is started by FormElicitation.create("hello"), or from_type(…), not by its class')
        self._draft = draft

    def string(self, member: Member[T]) -> TextStep[T]:
        """Ask for text; on a field that has a format, take the format away."""
        return TextStep(self._draft, self._draft.start(member, TextField, format=None))

    def email(self, member: Member[T]) -> TextStep[T]:
        """Ask for an e-mail address."""
        return TextStep(self._draft, self._draft.start(member, TextField, format="email"))

    def uri(self, member: Member[T]) -> TextStep[T]:
        """Ask for a full address, such as `https://example.com`."""
        return TextStep(self._draft, self._draft.start(member, TextField, format="uri"))

    def date(self, member: Member[T]) -> TextStep[T]:
        """Ask for a date."""
        return TextStep(self._draft, self._draft.start(member, TextField, format="date"))

    def date_time(self, member: Member[T]) -> TextStep[T]:
        """Ask for a date and time with a zone."""
        return TextStep(self._draft, self._draft.start(member, TextField, format="date-time"))

    def integer(self, member: Member[T]) -> IntegerStep[T]:
        """Ask for a whole number."""
        return IntegerStep(self._draft, self._draft.start(member, IntegerField))

    def number(self, member: Member[T]) -> NumberStep[T]:
        """Ask for a number."""
        return NumberStep(self._draft, self._draft.start(member, NumberField))

    def boolean(self, member: Member[T]) -> BooleanStep[T]:
        """Ask for yes or no."""
        return BooleanStep(self._draft, self._draft.start(member, BooleanField))

    def choice(self, member: Member[T]) -> ChoiceStep[T]:
        """Ask for one of several options."""
        return ChoiceStep(self._draft, self._draft.start(member, ChoiceField))

    def multi_choice(self, member: Member[T]) -> MultiChoiceStep[T]:
        """Ask for any number of several options."""
        return MultiChoiceStep(self._draft, self._draft.start(member, MultiChoiceField))

    def exclude(self, member: Member[T], *, value: object = MISSING) -> FormElicitation[T]:
        """Drop a field. Of a member that no field can carry it is a no-op, but for the value.

        Args:
            member: Its name in any spelling, or a selector.
            value: What the member of the type becomes, since nobody is asked.

        Raises:
            FormError: If there is no such field, with the nearest name; or if a selector goes below a member.
        """
        self._draft.exclude(member, value)
        return FormElicitation(self._draft)

    def validate(self, check: Callable[[T], object]) -> FormElicitation[T]:
        """Add a check of your own over the whole answer (of a type: its value), called when every field is right.

        A `ValueError` from it is a fault of the answer, and its text is shown to the person, who is asked again. What
        was typed is cut out of the text, since it may be private: also in other case, and what is a part of it where
        that is quoted, as `int("x")` does, or an item of a list. Raise an `AnswerError` to name fields. It is given a
        copy of the answer, and what it returns does not matter.

        Raises:
            TypeError: If *check* is no function, or an async one. One that only shows when it is called (an async
                lambda) is found when the first answer is checked.
        """
        if not callable(check) or any(map(inspect.iscoroutinefunction, (check, type(check).__call__))):
            raise TypeError(NOT_PLAIN)
        self._draft.validate(check)
        return FormElicitation(self._draft)

    def build(self) -> Form[T]:
        """Make the form; as long as nothing changes, the same one.

        Raises:
            FormError: With every fault of the form, each with its field. A `SensitiveFieldError` if one of them is a
                field that asks for a credential.
        """
        return self._draft.build()

    def schema(self, revision: str = LATEST) -> dict[str, Any]:
        """The requested schema, as `Form.schema` gives it."""
        return self.build().schema(revision)

    def check(self, content: Mapping[str, object] | None) -> Content:
        """Check an answer, as `Form.check` does."""
        return self.build().check(content)

    def to_input_request(self) -> dict[str, Any]:
        """The form as the wire has it, as `Form.to_input_request` gives it."""
        return self.build().to_input_request()


class FormElicitation(_Chain[T]):
    """A form that is being described.

    >>> form = FormElicitation.create("Where should we send it?").string("full_name").required().min_length(1)
    >>> form.schema()["properties"]
    {'fullName': {'type': 'string', 'title': 'Full Name', 'minLength': 1}}
    """

    @classmethod
    def create(cls, message: str, *, naming: Naming = "camel") -> FormElicitation[Content]:
        """Start an empty form.

        Args:
            message: What the person is asked. It may be blank here, not when the form is built.
            naming: `"camel"` sends the camelCase of each name, `"preserve"` the name as it is given.

        Raises:
            TypeError: If the message is not text.
        """
        return FormElicitation(Draft(message, naming))

    @overload
    @classmethod
    def from_type(
        cls, made: type[V], message: str, *, naming: Naming = "camel", skip_unmapped: Literal[False] = False
    ) -> FormElicitation[V]: ...

    @overload
    @classmethod
    def from_type(
        cls, made: type[Any], message: str, *, naming: Naming = "camel", skip_unmapped: Literal[True]
    ) -> FormElicitation[Content]: ...

    @overload
    @classmethod
    def from_type(
        cls, made: type[Any], message: str, *, naming: Naming = "camel", skip_unmapped: bool
    ) -> FormElicitation[Any]: ...

    @classmethod
    def from_type(
        cls, made: type[Any], message: str, *, naming: Naming = "camel", skip_unmapped: bool = False
    ) -> FormElicitation[Any]:
        """Start a form with a field for each member of a type; the answer comes back as a value of it.

        Members are required unless they have a default or accept `None`. Each can be changed afterwards, by a starter
        of its name; others can be added, and are in `Accepted.raw`.

        Args:
            made: A pydantic model, dataclass, attrs class, msgspec struct, `TypedDict` or `NamedTuple`; a generic is
                given with its arguments.
            message: What the person is asked.
            naming: As for `create`.
            skip_unmapped: Leave out members that no field can carry, and give the answer as a dict.

        Raises:
            TypeError: If it is of no such kind, or the message is not text.
            FormError: If two members have one name on the wire.
        """
        if made is None:
            raise TypeError("a form comes from a type, not from None")
        seeds = seeds_of(made, preserve=naming == "preserve")
        return FormElicitation(Draft(message, naming, seeds, is_typed=not skip_unmapped))

    @staticmethod
    def bind(made: type[V], raw: Mapping[str, Any] | Accepted[Any] | ElicitResult) -> V:
        """Make a value of a type of an answer to any form; the same as the function `elicitkit.bind`."""
        return bind(made, raw)


class _Step(_Chain[T]):
    """A chain whose last step was a field: what every kind of field can be told."""

    _kind: ClassVar[type[Any]]

    def __init__(self, draft: Draft, name: str) -> None:
        super().__init__(draft)
        self._name = name

    def title(self, text: str) -> Self:
        """Set what the person calls the field.

        Raises:
            TypeError: If it is not text.
            FormError: If it is blank.
        """
        if not text_given(text, "a title").strip():
            raise self._fault("has a blank title")
        return self._change(title=text)

    def description(self, text: str) -> Self:
        """Set what the person is told about the field.

        Raises:
            TypeError: If it is not text.
        """
        return self._change(description=text_given(text, "a description") or None)

    def required(self) -> Self:
        """The field must be filled in."""
        return self._change(required=True)

    def optional(self) -> Self:
        """The field may be left open, as fields started by name may unless told otherwise."""
        return self._change(required=False)

    def _change(self, **changes: Any) -> Self:
        self._draft.change(self._name, self._kind, **changes)
        return self

    def _set_default(self, default: object) -> Self:
        self._draft.set_default(self._name, self._kind, default)
        return self

    def _fault(self, problem: str) -> FormError:
        return FormError([Fault(self._name, label(self._name), problem)])


class TextStep(_Step[T]):
    """A text field, free or in one of the four formats."""

    _kind = TextField

    def min_length(self, characters: int) -> Self:
        """Ask for at least so many characters."""
        return self._change(min_length=count_given(characters, "a min_length", self._fault))

    def max_length(self, characters: int) -> Self:
        """Take at most so many characters."""
        return self._change(max_length=count_given(characters, "a max_length", self._fault))

    def default(self, value: str | date | UUID | Enum | object | None) -> Self:
        """Fill the field in beforehand; `None` takes the default away.

        A date, a `datetime` with a zone, a `UUID` or a URL object will do too.
        """
        return self._set_default(value)

    def allow_sensitive(self) -> Self:
        """Vouch that the field asks for no credential, whatever its name sounds like."""
        return self._change(sensitive_allowed=True)


class _NumericStep(_Step[T]):
    """What whole and other numbers share. Bounds are included."""

    _whole: ClassVar[bool]

    def min(self, bound: int | float | Decimal) -> Self:
        """Take nothing below *bound*."""
        return self._change(minimum=self._bound(bound))

    def max(self, bound: int | float | Decimal) -> Self:
        """Take nothing above *bound*."""
        return self._change(maximum=self._bound(bound))

    def between(self, low: int | float | Decimal, high: int | float | Decimal) -> Self:
        """Set both bounds.

        Raises:
            FormError: If *low* is above *high*.
        """
        minimum, maximum = self._bound(low), self._bound(high)
        if minimum > maximum:
            raise self._fault(f"is to be between {minimum} and {maximum}, and nothing is")
        return self._change(minimum=minimum, maximum=maximum)

    def default(self, value: int | float | Decimal | Enum | None) -> Self:
        """Fill the field in beforehand; `None` takes the default away."""
        return self._set_default(value)

    def allow_sensitive(self) -> Self:
        """Vouch that the field asks for no credential, whatever its name sounds like."""
        return self._change(sensitive_allowed=True)

    def _bound(self, bound: int | float | Decimal) -> int | float:
        return bound_given(bound, self._fault, whole=self._whole)


class IntegerStep(_NumericStep[T]):
    """A field for a whole number."""

    _kind = IntegerField
    _whole = True


class NumberStep(_NumericStep[T]):
    """A field for any number."""

    _kind = NumberField
    _whole = False


class BooleanStep(_Step[T]):
    """A field for yes or no."""

    _kind = BooleanField

    def default(self, value: bool | None) -> Self:
        """Fill the field in beforehand; `None` takes the default away."""
        return self._set_default(value)


class _OptionsStep(_Step[T]):
    """What a choice and a multiple choice share."""

    def option(self, value: str, title: str | None = None) -> Self:
        """Add one option.

        Args:
            value: What comes back when it is chosen.
            title: What the person reads instead of the value.

        Raises:
            TypeError: If one of them is not text.
            FormError: If one of them is blank, or the value is an option already.
        """
        field = self._draft.field(self._name, self._kind)
        option = option_given(value, title, self._fault)
        if not self._draft.add_option(field, option):
            raise repeated(option.value, self._fault)
        return self

    def options(self, values: Iterable[str] | Mapping[str, str | None]) -> Self:
        """Set all options, in place of those there are.

        Args:
            values: The values, or a mapping of each value to its title.

        Raises:
            TypeError: If one is not text, or *values* is one text.
            FormError: If one is blank or comes twice.
        """
        return self._change(options=options_given(values, self._fault))


class ChoiceStep(_OptionsStep[T]):
    """A field for one of several options."""

    _kind = ChoiceField

    def default(self, value: str | Enum | None) -> Self:
        """Choose an option beforehand; `None` takes the default away.

        An enum member stands for the option of its name, else of its value.
        """
        return self._set_default(value)


class MultiChoiceStep(_OptionsStep[T]):
    """A field for any number of several options."""

    _kind = MultiChoiceField

    def min_items(self, count: int) -> Self:
        """Ask for at least so many options."""
        return self._change(min_items=count_given(count, "a min_items", self._fault))

    def max_items(self, count: int) -> Self:
        """Take at most so many options."""
        return self._change(max_items=count_given(count, "a max_items", self._fault))

    def default(self, *values: str | Enum | None) -> Self:
        """Choose options beforehand; without values, none of them. `None` takes the default away."""
        return self._set_default(None if values == (None,) else values)

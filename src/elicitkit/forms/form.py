"""`Form`: a message and an ordered set of fields, frozen; and `FormSource`, whatever can become one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from .. import _json
from ..errors import AnswerError, Fault, FormError
from ..fields import Field
from ..limits import MESSAGE_CHARACTERS
from ..naming import nearest
from ..outcomes import Accepted
from ..schema.check import Checker
from ..schema.dialects import DIALECTS, Dialect
from ..schema.read import read_fields
from .content import Content
from .seeding import Binding, binding_to

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_QUOTED = 20
"""How much of a text tells that it is quoted, in characters: pydantic's errors leave out the middle of a long one."""

LATEST = "2026-07-28"
"""The revision whose dialect a form is written in when none is named."""


class FormSource(Protocol[T_co]):
    """Whatever can be asked: a `Form`, a builder, or any node of a builder's chain."""

    def build(self) -> Form[T_co]:
        """Make the form, or give the one that was made before.

        Raises:
            FormError: With every fault of the description.
        """
        ...


@dataclass(frozen=True, slots=True)
class Form(Generic[T_co]):
    """A form as it is asked. Make one with `FormElicitation`, or read one with `Form.from_schema`."""

    message: str
    """What the person is asked."""

    fields: tuple[Field, ...] = ()
    """What there is to fill in, in this order; none is a confirm dialog."""

    _: KW_ONLY

    validators: tuple[Callable[[Any], object], ...] = ()
    """The author's own checks over the whole answer."""

    binding: Binding | None = None
    """What makes a value of a type of the answer, if the form came from one."""

    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What is derived from the fields, made once and shared by every form with the same ones."""

    @classmethod
    def from_schema(cls, message: str, schema: Mapping[str, Any]) -> Form[Content]:
        """Read a form that others wrote. What no kind can carry becomes an `UnknownField`, shown and not answered.

        Raises:
            TypeError: If the message is not text.
            FormError: If *schema* is no object schema, or something is larger than `elicitkit.limits` allows.
        """
        if not isinstance(message, str):
            raise TypeError(f"the message of a form is text, not {type(message).__name__}")
        if problem := message_problem(message, may_be_blank=True):
            raise FormError([Fault("", "the message", problem)])
        return Form(message, read_fields(schema))

    def build(self) -> Form[T_co]:
        """This form: it is a `FormSource` itself."""
        return self

    def with_message(self, message: str) -> Form[T_co]:
        """The same form with another message; nothing else is made anew.

        Raises:
            TypeError: If the message is not text.
            FormError: If the message is blank or too long.
        """
        if not isinstance(message, str):
            raise TypeError(f"the message of a form is text, not {type(message).__name__}")
        if problem := message_problem(message):
            raise FormError([Fault("", "the message", problem)])
        return self._with(message, self.binding)

    def schema(self, revision: str = LATEST) -> dict[str, Any]:
        """The requested schema, in the dialect of a protocol revision. It is shared: treat it as read-only.

        Raises:
            ElicitationUnsupported: If the dialect cannot write one of the fields.
            ValueError: If the revision is not one that can ask.
        """
        if revision not in DIALECTS:
            raise ValueError(f"no dialect for revision {revision!r}: {nearest(revision, DIALECTS)}")
        return self.schema_in(DIALECTS[revision])

    def schema_in(self, dialect: Dialect) -> dict[str, Any]:
        """The requested schema in a dialect, made once."""
        key = type(dialect).__name__
        if key not in self._made:
            self._made[key] = dialect.schema(self.fields)
        made: dict[str, Any] = self._made[key]
        return made

    def check(self, content: Mapping[str, object] | None) -> Content:
        """Check an answer: types made right, defaults filled in, unknown names dropped (names in either spelling).

        Raises:
            AnswerError: With every fault. What a type and `validate` functions refuse comes only after the fields are
                right.
        """
        return self._checked(content)[0]

    def accept(self, content: Mapping[str, object] | None) -> Accepted[T_co]:
        """Check an answer, and make the accepted outcome of it: bound to the form's type, if there is one.

        Raises:
            AnswerError: As `check` does.
        """
        answer, value = self._checked(content)
        return Accepted(value, raw=answer)

    def bound_to(self, made: type[T]) -> Form[T]:
        """The same form, whose answers become values of a type; its members are found by name.

        Raises:
            TypeError: If it is of no kind a form can come from.
            FormError: If the form has no field for a member that needs one: binding could never succeed.
        """
        return self.bound(binding_to(made, self.fields))

    def bound(self, binding: Binding) -> Form[Any]:
        """The same form with another way from its answers to values."""
        return self._with(self.message, binding)

    def _checked(self, content: Mapping[str, object] | None) -> tuple[Content, Any]:
        if content is not None and not isinstance(content, Mapping):
            raise AnswerError([Fault("", "the answer", "must be an object with a value for each field", content)])
        checked = self._checker().check(self._by_wire_name(content or {}))
        answer = Content(checked.values, written=self._written(), cleared=checked.cleared)
        value = answer if self.binding is None else self.binding.bind(answer)
        if faults := [fault for validate in self.validators for fault in _refusals(validate, value, answer)]:
            raise AnswerError(faults)
        return answer, value

    def to_input_request(self) -> dict[str, Any]:
        """The form as the wire has it: an `elicitation/create` request without id (2026-07-28, `InputRequest`)."""
        params = {"mode": "form", "message": self.message, "requestedSchema": self.schema()}
        return {"method": "elicitation/create", "params": params}

    def digest(self) -> str:
        """A fingerprint of what is asked: the message, and the fields in any order. The era does not matter."""
        schema = self.schema()
        required = sorted(schema.get("required", []))
        return _json.digest({"message": self.message, "schema": {**schema, "required": required}})

    def __reduce__(self) -> tuple[Any, ...]:
        return _form, (self.message, self.fields, self.validators, self.binding)

    def _with(self, message: str, binding: Binding | None) -> Form[Any]:
        form: Form[Any] = Form(message, self.fields, validators=self.validators, binding=binding)
        object.__setattr__(form, "_made", self._made)  # It is frozen, and what is made of the same fields is shared.
        return form

    def _checker(self) -> Checker:
        if "checker" not in self._made:
            self._made["checker"] = Checker(self.fields)
        made: Checker = self._made["checker"]
        return made

    def _written(self) -> dict[str, str]:
        if "written" not in self._made:
            self._made["written"] = {field.name: field.written or field.name for field in self.fields}
        made: dict[str, str] = self._made["written"]
        return made

    def _by_wire_name(self, content: Mapping[str, object]) -> Mapping[str, object]:
        written = self._written()
        if content.keys() <= written.keys():
            return content
        wire_names = {name: wire for wire, name in written.items() if name not in written}
        return {wire_names[key]: value for key, value in content.items() if key in wire_names} | dict(content)


def _form(message: str, fields: tuple[Field, ...], validators: Any, binding: Binding | None) -> Form[Any]:
    return Form(message, fields, validators=validators, binding=binding)


def message_problem(message: str, *, may_be_blank: bool = False) -> str | None:
    """What is wrong with a form's message, as the end of a sentence."""
    if not may_be_blank and not message.strip():
        return "is blank; say what is asked, and why"
    if len(message) > MESSAGE_CHARACTERS:
        return f"has {len(message):,} characters, and may have {MESSAGE_CHARACTERS:,}"
    return None if _json.is_sendable(message) else "holds half a character (a lone surrogate), which cannot be sent"


def _refusals(validate: Callable[[Any], object], value: object, answer: Content) -> tuple[Fault, ...]:
    try:
        validate(value)
    except AnswerError as error:
        return error.faults
    except ValueError as error:
        return (Fault("", "", _words(error, answer), dict(answer)),)
    return ()


def _words(error: ValueError, answer: Content) -> str:
    """What an author's error tells the person, unless it quotes what was typed, as Python's own do."""
    said = str(error)
    texts = [text for value in answer.values() for text in (value if isinstance(value, list) else [value])]
    quotes = any(repr(text)[:_QUOTED] in said for text in texts if isinstance(text, str))
    return "is not what the form allows" if quotes or not said else said

"""`Form`: a message and an ordered set of fields, frozen; and `FormSource`, whatever can become one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from .. import _json
from ..errors import AnswerError, Fault, FormError
from ..fields import BooleanField, Field, IntegerField, NumberField, TextField
from ..introspect.refusals import UNSAID, Refusal, refusals
from ..introspect.typed import without_typed
from ..limits import MESSAGE_CHARACTERS
from ..naming import nearest
from ..outcomes import Accepted
from ..schema.check import Checker
from ..schema.dialects import DIALECTS, Dialect
from ..schema.read import read_fields
from .content import Content
from .faults import form_error, form_faults, unanswerable_faults, wire_faults
from .seeding import Binding, binding_to

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

NOT_PLAIN = "validate takes a plain function of the answer, which raises a ValueError to refuse it"
"""What is said of a check that would never run: an async one, or a generator."""

_UNSAID = "is not what the form allows"
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
        if faults := message_faults(message, may_be_blank=True):
            raise FormError(faults)
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
        if faults := message_faults(message):
            raise FormError(faults)
        return self._with(message, self.binding)

    def require_askable(self) -> None:
        """Make sure that the form could be asked by us, as one that was built can: others' forms may ask for anything.

        Raises:
            TypeError: If the message is not text.
            FormError: With every fault: a blank message, a required field that cannot be answered, a default that
                does not fit, or something larger than `elicitkit.limits` allows. A `SensitiveFieldError` if one of
                them is a field that asks for a credential.
        """
        faults = message_faults(self.message)
        if "askable" not in self._made:
            faults += [*form_faults(self.fields), *unanswerable_faults(self.fields)]
            faults += wire_faults(self.fields, self.schema())
        if faults:
            raise form_error(faults)
        vouch(self)

    def schema(self, revision: str = LATEST) -> dict[str, Any]:
        """The requested schema, in the dialect of a protocol revision. It is shared, and refuses to be changed.

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
            self._made[key] = _json.frozen(dialect.schema(self.fields))
        made: dict[str, Any] = self._made[key]
        return made

    def check(self, content: Mapping[str, object] | None) -> Content:
        """Check an answer: types made right, defaults filled in, unknown names dropped (names in either spelling).

        Raises:
            AnswerError: With every fault. What a type and `validate` functions refuse comes only after the fields are
                right.
        """
        answer: Any = self.accept(content).raw
        checked: Content = answer
        return checked

    def accept(self, content: Mapping[str, object] | None) -> Accepted[T_co]:
        """Check an answer, and make the accepted outcome of it: bound to the form's type, if there is one.

        Raises:
            AnswerError: As `check` does.
        """
        checker: Checker = self._made.get("checker") or self._checker()
        checked = checker.check(content if type(content) is dict else _mapping(content))
        answer = Content(checked.values, written=checker.written, cleared=checked.cleared)
        value: Any = answer if self.binding is None else self.binding.bind(checked)
        if self.validators:
            self._validate(value, answer)
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

    def _validate(self, value: object, answer: Content) -> None:
        """Run the author's checks.

        Raises:
            AnswerError: With all that they refuse.
        """
        if faults := [fault for check in self.validators for fault in self._refusals(check, value, answer)]:
            raise AnswerError(faults)

    def _refusals(self, check: Callable[[Any], object], value: object, answer: Content) -> list[Fault]:
        """What an author's check refuses, in its words but for what was typed."""
        try:
            _run(check, _copied(answer) if value is answer else value)
        except AnswerError as error:
            typed = self._typed(answer)
            return [replace(fault, problem=_words(fault.problem, typed)) for fault in error.faults]
        except ValueError as error:
            typed = self._typed(answer)
            return [self._fault(refusal, typed, answer) for refusal in refusals(error)]
        return []

    def _fault(self, refusal: Refusal, typed: list[object], answer: Content) -> Fault:
        """A refusal as a fault, of the field a class means where there is one."""
        words = _words(refusal.words, typed) if refusal.may_quote else refusal.words
        for asked in self.fields:
            if refusal.member and refusal.member in (asked.name, asked.written):
                return Fault(asked.name, asked.label, words, answer.get(asked.name))
        return Fault("", "the answer" if refusal.member else "", words, dict(answer))

    def _typed(self, answer: Content) -> list[object]:
        """What a person may have typed: no choice among options, and no default come back."""
        typable = [asked for asked in self.fields if isinstance(asked, (TextField, IntegerField, NumberField))]
        return [answer[asked.name] for asked in typable if answer.get(asked.name) not in (None, asked.default)]

    def to_input_request(self) -> dict[str, Any]:
        """The form as the wire has it: an `elicitation/create` request without id (2026-07-28, `InputRequest`)."""
        params = {"mode": "form", "message": self.message, "requestedSchema": _json.thawed(self.schema())}
        return {"method": "elicitation/create", "params": params}

    def digest(self) -> str:
        """A fingerprint of what is asked: the message, and the fields in any order. The era does not matter."""
        if (fields := self._made.get("digest")) is None:
            schema = self.schema()
            fields = _json.digest({**schema, "required": sorted(schema.get("required", []))})
            self._made["digest"] = fields
        message, asked = self._made.get("asked", (None, ""))
        if message != self.message:  # Only the last is kept: each call may have a message of its own.
            asked = _json.digest({"message": self.message, "fields": fields})
            self._made["asked"] = self.message, asked
        return str(asked)

    @property
    def is_yes_or_no(self) -> bool:
        """Whether its message is all that it asks: it has no field, or a yes or no alone."""
        return len(self.fields) == 0 or (len(self.fields) == 1 and isinstance(self.fields[0], BooleanField))

    def shape_in(self, dialect: Dialect) -> str:
        """A fingerprint of the requested schema in a dialect, made once."""
        key = f"shape {type(dialect).__name__}"
        if key not in self._made:
            self._made[key] = _json.digest(self.schema_in(dialect))
        shape: str = self._made[key]
        return shape

    def __reduce__(self) -> tuple[Any, ...]:
        return _form, (self.message, self.fields, self.validators, self.binding)

    def _with(self, message: str, binding: Binding | None) -> Form[Any]:
        form: Form[Any] = Form(message, self.fields, validators=self.validators, binding=binding)
        object.__setattr__(form, "_made", self._made)  # It is frozen, and what is made of the same fields is shared.
        return form

    def _checker(self) -> Checker:
        made: Checker = self._made.setdefault("checker", Checker(self.fields))
        return made


def _form(message: str, fields: tuple[Field, ...], validators: Any, binding: Binding | None) -> Form[Any]:
    return Form(message, fields, validators=validators, binding=binding)


def _mapping(content: object) -> Mapping[str, object]:
    """The content of an answer; none is one that fills in nothing, and what was cleared once is cleared again.

    Raises:
        AnswerError: If it is no mapping.
    """
    if content is None:
        return {}
    if isinstance(content, Content) and content.cleared:
        return {**dict.fromkeys(content.cleared), **content}
    if not isinstance(content, Mapping):
        raise AnswerError([Fault("", "the answer", "must be an object with a value for each field", content)])
    return content


def message_problem(message: str, *, may_be_blank: bool = False) -> str | None:
    """What is wrong with a form's message, as the end of a sentence."""
    if not may_be_blank and not message.strip():
        return "is blank; say what is asked, and why"
    if len(message) > MESSAGE_CHARACTERS:
        return f"has {len(message):,} characters, and may have {MESSAGE_CHARACTERS:,}"
    return None if _json.is_sendable(message) else "holds half a character (a lone surrogate), which cannot be sent"


def message_faults(message: object, *, may_be_blank: bool = False) -> list[Fault]:
    """What is wrong with a form's message.

    Raises:
        TypeError: If it is not text.
    """
    if not isinstance(message, str):
        raise TypeError(f"the message of a form is text, not {type(message).__name__}")
    problem = message_problem(message, may_be_blank=may_be_blank)
    return [Fault("", "the message", problem)] if problem else []


def vouch(form: Form[Any]) -> None:
    """Note that the fields of a form, and of every form that shares them, were found without fault."""
    form._made["askable"] = True


def _run(check: Callable[[Any], object], value: object) -> None:
    """Run an author's check.

    Raises:
        TypeError: If it did not run, but gave something to run later.
    """
    given = check(value)
    if inspect.iscoroutine(given) or inspect.isgenerator(given):
        given.close()
    if inspect.isawaitable(given) or inspect.isgenerator(given) or inspect.isasyncgen(given):
        raise TypeError(NOT_PLAIN)


def _copied(answer: Content) -> Content:
    """An answer that may be changed, its lists too."""
    copied = answer.copy()
    for name, value in answer.items():
        if isinstance(value, list):
            copied[name] = [*value]
    return copied


def _words(said: str, typed: list[object]) -> str:
    words = without_typed(said, typed)
    return _UNSAID if words == UNSAID else words

"""`Policy`: what may be answered without a person. Nothing is, unless a rule allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias

from ..errors import AnswerError, FormError
from ..fields import BooleanField
from ..forms import Form
from ..suspension import Answer, Request
from .origins import Origin

What: TypeAlias = Literal["decline", "confirm", "defaults"]
"""What a rule answers with."""

_WHATS: Final = ("decline", "confirm", "defaults")


@dataclass(frozen=True, slots=True)
class Rule:
    """Allows one kind of answer to some requests without a person.

    >>> Rule("decline", kind="authorization")  # no links from anybody
    Rule(answer='decline', kind='authorization', server=None, tool=None)

    What does not fit a request is passed over: `confirm` is for a form that can only be agreed to, `defaults` for a
    form with defaults that are a whole answer. Neither opens a link, and neither gives an approval.

    Raises:
        ValueError: If there is no such answer; or if *answer* is one that accepts, and no server is named: a
            stranger's question is never accepted unseen.
    """

    answer: What
    """`decline`; `defaults`, which accepts a form with its own; or `confirm`, which accepts a form without fields, and
    says yes to one that has a single required yes or no, without default, as `elicitkit.confirm` sends it.
    """

    _: KW_ONLY

    kind: str | None = None
    """The kind of request; `None` is every kind."""

    server: str | None = None
    """The server's name in the configuration, `""` for the host's own tools; `None` is every server."""

    tool: str | None = None
    """The tool, by its server's name for it; `None` is every tool."""

    def __post_init__(self) -> None:
        if self.answer not in _WHATS:
            raise ValueError(f"a rule answers with one of {', '.join(_WHATS)}, not {self.answer!r}")
        if self.answer != "decline" and self.server is None:
            raise ValueError(f"a rule that answers with {self.answer!r} names the server it trusts")

    def applies_to(self, request: Request) -> bool:
        """Tell whether kind, server and tool of a request are those of the rule."""
        origin = Origin.of(request)
        asked = ((self.kind, request.kind), (self.server, origin.server), (self.tool, origin.tool))
        return all(wanted is None or wanted == found for wanted, found in asked)


@dataclass(frozen=True, slots=True)
class Policy:
    """What may be answered without a person, and what becomes of the rest.

    The first rule that applies and has an answer decides.

    >>> policy = Policy([Rule("confirm", server="shop", tool="archive")])
    >>> policy.answer(Request("r1", "approval", "Deploy?")) is None
    True
    """

    rules: Sequence[Rule] = ()
    """In the order they are tried."""

    headless: bool = False
    """Nobody is there: what no rule answers is cancelled, with the reason `headless`."""

    nothing: ClassVar[Policy]
    """The default: a person answers everything."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        if wrong := [rule for rule in self.rules if not isinstance(rule, Rule)]:
            raise TypeError(f"a policy is made of rules, not of {type(wrong[0]).__name__}")
        if not isinstance(self.headless, bool):
            raise TypeError(f"headless is True or False, not {type(self.headless).__name__}")

    def answer(self, request: Request) -> Answer | None:
        """The answer that needs no person; `None` if one has to be asked. It never raises."""
        for rule in self.rules:
            if rule.applies_to(request) and (found := _answered(rule.answer, request)) is not None:
                return found
        return request.cancel("headless") if self.headless else None


Policy.nothing = Policy()


def _answered(what: What, request: Request) -> Answer | None:
    match what:
        case "decline":
            return request.decline()
        case "confirm":
            return request.accept() if request.is_confirmation else _yes(request)
        case "defaults":
            return _defaults(request)


def _yes(request: Request) -> Answer | None:
    """A yes to a form that asks for nothing else, and suggests nothing."""
    try:
        form = Form.from_schema(request.prompt, request.schema) if request.schema is not None else None
    except FormError:
        return None
    match form and form.fields:
        case (BooleanField(required=True, default=None) as field,):
            return request.accept({field.name: True})
        case _:
            return None


def _defaults(request: Request) -> Answer | None:
    """The form's own defaults, if they are a whole answer, and none of them is refused; a form may have none."""
    if request.schema is None:
        return None
    properties = request.schema.get("properties")
    given = properties if isinstance(properties, Mapping) else {}
    defaults = {name for name, one in given.items() if isinstance(one, Mapping) and "default" in one}
    try:
        form = Form.from_schema(request.prompt, request.schema)
        content: dict[str, Any] = dict(form.check({}))
    except (AnswerError, FormError):
        return None
    return request.accept(content) if defaults and defaults == content.keys() else None

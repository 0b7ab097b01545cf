"""`Asked`: one question that reached the side of the person, and how it reads in the failure of a test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Self, TypeAlias

from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams

from .._json import thawed
from ..asking.questions import CORRECT_THIS
from ..errors import ScriptError
from ..forms import Content, Form
from ..host.origins import Origin
from ..suspension import Request

Params: TypeAlias = ElicitRequestFormParams | ElicitRequestURLParams

_SHOWN = 500
"""What a failure shows of a field, in characters."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that reached the client, or the host."""

    message: str
    schema: Mapping[str, Any]
    """The requested schema; empty for what is no form."""

    url: str | None = None

    _: KW_ONLY

    key: str = field(default="", compare=False)
    """What the wire calls the question, where it has a name for it: on 2026-07-28, tasks included."""

    request: Request | None = field(default=None, compare=False)
    """The request as a host has it; `None` at a client of the SDK's."""

    @classmethod
    def of(cls, params: Params, context: object = None) -> Self:
        """What the `elicitation_callback` of the SDK's client was given."""
        name = getattr(context, "request_id", "")
        key = name if isinstance(name, str) else ""
        if isinstance(params, ElicitRequestURLParams):
            return cls(params.message, {}, params.url, key=key)
        return cls(params.message, params.requested_schema, key=key)

    @classmethod
    def of_request(cls, request: Request) -> Self:
        """What a `wait_for` was given."""
        return cls(request.prompt, request.schema or {}, request.url, request=request)

    @property
    def form(self) -> Form[Content]:
        """The question as a form.

        Raises:
            FormError: If it is none, or cannot be read.
        """
        return Form.from_schema(self.message, self.schema)

    @property
    def question(self) -> str:
        """The message without the faults of an earlier try."""
        return self._parted[1]

    @property
    def faults(self) -> tuple[str, ...]:
        """What was wrong with an earlier try, a line for each fault; none when it is asked for the first time."""
        return tuple(line.removeprefix("- ") for line in self._parted[0].splitlines())

    @property
    def names(self) -> tuple[str, ...]:
        """The fields of the form, by their wire names; none where it has none that could be read."""
        properties = self.schema.get("properties")
        return tuple(properties) if isinstance(properties, Mapping) else ()

    @property
    def tool(self) -> str:
        """The tool that asks, where the host could tell."""
        return Origin.of(self.request).tool if self.request else ""

    @property
    def _parted(self) -> tuple[str, str]:
        faults, gap, question = self.message.removeprefix(CORRECT_THIS).partition("\n\n")
        return (faults, question) if gap and self.message.startswith(CORRECT_THIS) else ("", self.message)

    def __str__(self) -> str:
        return "\n".join([repr(self.message), *(f"    {line}" for line in self._lines())])

    def _lines(self) -> Iterator[str]:
        if self.url is not None:
            yield f"to open {self.url}"
        elif self.request is not None and self.request.schema is None:
            yield f"of the kind {self.request.kind!r}"
        else:
            yield from self._fields()

    def _fields(self) -> Iterator[str]:
        """The fields as they are on the wire, where answers go by the same names."""
        properties = self.schema.get("properties")
        if not isinstance(properties, Mapping):
            yield f"with a form that has no fields to read: {dict(self.schema)!r}"[:_SHOWN]
            return
        required = self.schema.get("required", ())
        for name, described in properties.items():
            yield f"{name}: {thawed(described)!r}{', required' if name in required else ''}"[:_SHOWN]
        if not properties:
            yield "with a form without fields"


def says(wanted: str | re.Pattern[str], text: str) -> bool:
    """Tell whether a text is the wanted one, or holds what a pattern finds."""
    return text == wanted if isinstance(wanted, str) else wanted.search(text) is not None


def assert_asked(asked: Iterable[Asked], *messages: str | re.Pattern[str]) -> None:
    """Check what was asked, in this order, and nothing else: `assert_asked(answers.asked, "Which size?", "Sure?")`.

    A text is the whole question; a pattern is searched for. A question that was asked again counts each time.

    Raises:
        ScriptError: If something else was asked; an `AssertionError`, whose text shows both.
    """
    found = [*asked]
    if len(found) == len(messages) and all(map(says, messages, [one.question for one in found])):
        return
    wanted = "\n".join(f"  {getattr(message, 'pattern', message)!r}" for message in messages) or "  nothing"
    shown = "\n".join(f"  {one}" for one in found) or "  nothing"
    raise ScriptError(f"It was to be asked:\n{wanted}\nIt was asked:\n{shown}")

"""`ToolResult`: what a call of any tool comes to, a value that survives JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, assert_never

import pydantic_core
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from .._json import frozen, sendable, thawed
from ..errors import ContractError
from ..suspension import Request
from ..suspension.wire import Wire, frozen_object, present, require_keys, require_text, type_of
from .pending_calls import PendingCall


@dataclass(frozen=True, slots=True)
class ToolResult(Wire):
    """What a call of a tool came to, whatever tool it was: text for the model, or a request for a person.

    `pending_of` finds the request. As JSON, a result that waits is that of its `PendingCall`. `repr` shows neither text
    nor content, which may hold what a person said.

    >>> ToolResult("3 files deleted").to_json()
    '{"output":"3 files deleted"}'

    Raises:
        TypeError: If something is of the wrong type; structured data and content hold what JSON has, and nothing else.
        ContractError: If something cannot be written as JSON, or an error waits for a person.
    """

    output: str = dataclasses.field(repr=False)
    """What the model is told. For a result that waits, the prompt, and the link below it."""

    _: KW_ONLY

    is_error: bool = False
    """Whether the call failed. One that waits has not."""

    structured: Mapping[str, Any] | None = dataclasses.field(default=None, repr=False, hash=False)
    """The same as data, where the tool gives any."""

    content: Sequence[Mapping[str, Any]] = dataclasses.field(default=(), repr=False, hash=False)
    """What is no text (images, sounds, resources), each as MCP writes it; the output has a line for each."""

    pending: PendingCall | None = None
    """The call that waits, with all that `Toolkit.resume` needs; `None` for one that is over."""

    _noun: ClassVar[str] = "the result of a tool"

    def __post_init__(self) -> None:
        if not isinstance(self.output, str):
            raise TypeError(f"the output of a tool is text, not {type_of(self.output)}")
        require_text("the output of a tool", self.output, may_be_blank=True)
        if not (self.pending is None or isinstance(self.pending, PendingCall)):
            raise TypeError(f"a result waits for a PendingCall, not for {type_of(self.pending)}")
        if self.is_error and self.pending is not None:
            raise ContractError("a result that waits for a person is no error")
        self._set(
            structured=None if self.structured is None else frozen_object("structured data", self.structured) or {},
            content=tuple(frozen(_block(block)) for block in self.content),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    @property
    def request(self) -> Request | None:
        """What the call waits for; `None` if it is over."""
        return None if self.pending is None else self.pending.request

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Where other hosts of the contract look for the request."""
        return {} if self.pending is None else {"pending": self.pending.request}

    @classmethod
    def error(cls, output: str) -> Self:
        """The result of a call that failed, with what the model is told."""
        return cls(output, is_error=True)

    @classmethod
    def waiting(cls, pending: PendingCall) -> Self:
        """The result of a call that waits for a person."""
        return cls(pending.output, pending=pending)

    @classmethod
    def from_call_tool_result(cls, result: CallToolResult) -> Self:
        """Read a result of MCP. A request that the server left in it is not looked for: servers ask by eliciting."""
        lines = [content_text(block) for block in result.content]
        found = result.structured_content  # Anything that JSON has, on the newest revision.
        if not lines and found is not None:
            lines = [_json_text(found)]
        return cls(
            sendable("\n".join(lines)),
            is_error=bool(result.is_error),
            structured=storable(found),
            content=tuple(filter(None, map(_kept, result.content))),
        )

    @classmethod
    def from_value(cls, value: object) -> Self:
        """The result of a Python function: text as it is, nothing as an empty text, all else as JSON.

        Raises:
            TypeError, ContractError: If JSON has no place for it.
        """
        if isinstance(value, cls):
            return value
        if isinstance(value, CallToolResult):
            return cls.from_call_tool_result(value)
        if value is None or isinstance(value, str):
            return cls(sendable(value or ""))
        plain = _plain(value)
        return cls(_json_text(plain), structured=storable(plain))

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain JSON values, which `from_dict` and `pending_of` read; what is empty is absent."""
        if self.pending is not None:
            return self.pending.to_dict()
        optional = {
            "isError": self.is_error or None,
            "structured": thawed(self.structured),
            "content": thawed(self.content) or None,
        }
        return {"output": self.output, **present(optional)}

    @classmethod
    def _read(cls, given: Mapping[str, Any]) -> Self:
        if given.get("call") is not None:
            return cls.waiting(PendingCall.from_dict(given))
        require_keys(cls._noun, given, ("output",))
        optional = present(given)
        content, is_error = optional.get("content", ()), optional.get("isError", False)
        if not isinstance(content, (list, tuple)) or not isinstance(is_error, bool):
            raise ContractError(
                f"{cls._noun} has a 'content' that is no list, or an 'isError' that is not true or false"
            )
        return cls(given["output"], is_error=is_error, structured=given.get("structured"), content=content)


def storable(data: object) -> Mapping[str, Any] | None:
    """Data as a result can hold them; `None` for what is no object, or nested too deep to be stored."""
    try:
        return frozen_object("structured data", data) or frozen({}) if isinstance(data, Mapping) else None
    except (TypeError, ContractError):
        return None


def _kept(block: ContentBlock) -> Mapping[str, Any] | None:
    """A piece of content as a result can hold it, without the server's `_meta` if need be.

    It is `None` for a text, and for what no result can hold: its line in the output tells of it.
    """
    if isinstance(block, TextContent):
        return None
    for kept in (block, block.model_copy(update={"meta": None})):
        with suppress(TypeError, ValueError, RecursionError):
            return _block(_dumped(kept))
    return None


def _block(block: object) -> Mapping[str, Any]:
    if not isinstance(block, Mapping):
        raise TypeError(f"a piece of content is an object (a dict), not {type_of(block)}")
    return frozen_object("a piece of content", block) or {}


def _plain(value: object) -> Any:
    """A Python value as plain JSON: models, dataclasses, dates and their like are written as pydantic does.

    Raises:
        TypeError: If JSON has no place for it.
    """
    try:
        return pydantic_core.from_json(pydantic_core.to_json(value, inf_nan_mode="null"))
    except ValueError:  # pydantic's errors of serialization are some; their text may quote the value
        problem = f"JSON has no place for {type_of(value)}, or for what is in it"
    raise TypeError(problem)


def _json_text(value: object) -> str:
    return pydantic_core.to_json(value).decode()


def _dumped(block: ContentBlock) -> dict[str, Any]:
    return block.model_dump(mode="json", by_alias=True, exclude_none=True)


def content_text(block: ContentBlock) -> str:
    """One piece of content: text as it is, all else as a line that says what it is."""
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return f"[{block.type}: {block.mime_type}, {_bytes(block.data)}]"
        case ResourceLink():
            return f"[link to a resource: {block.name}, {block.uri}]"
        case EmbeddedResource():
            return _resource(block.resource)
        case _:
            assert_never(block)


def _resource(held: TextResourceContents | BlobResourceContents) -> str:
    if isinstance(held, TextResourceContents):
        return held.text
    return f"[resource: {held.uri}, {held.mime_type or 'of no known type'}, {_bytes(held.blob)}]"


def _bytes(text: str) -> str:
    return f"{len(text.rstrip('=')) * 3 // 4:,} bytes"

"""What a tool returned, as a person reads it."""

from __future__ import annotations

from typing import assert_never

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

from .exits import Exit
from .output import complain, give, give_json, say


def show(result: CallToolResult, tool: str, *, as_json: bool = False) -> Exit:
    """Print a result, and give the exit code for it.

    The text of a tool that failed goes to standard error; JSON always to standard output.
    """
    if as_json:
        give_json(result.model_dump(mode="json", by_alias=True, exclude_none=True))
    if result.is_error:
        complain(f"the tool {tool!r} failed", details="" if as_json else "\n".join(map(described, result.content)))
        return Exit.TOOL_FAILED
    if not as_json:
        _show_content(result)
    return Exit.FINE


def described(block: ContentBlock) -> str:
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


def _show_content(result: CallToolResult) -> None:
    has_text = any(isinstance(block, TextContent) for block in result.content)
    for block in result.content:
        give(described(block))
    if result.structured_content is not None and not has_text:
        give_json(result.structured_content)
    elif not result.content:
        say("the tool returned nothing")


def _resource(held: TextResourceContents | BlobResourceContents) -> str:
    size = f"{len(held.text):,} characters" if isinstance(held, TextResourceContents) else _bytes(held.blob)
    return f"[resource: {held.uri}, {held.mime_type or 'of no known type'}, {size}]"


def _bytes(base64: str) -> str:
    return f"{len(base64.rstrip('=')) * 3 // 4:,} bytes"

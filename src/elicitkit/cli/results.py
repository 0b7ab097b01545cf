"""What a tool returned, as a person reads it."""

from __future__ import annotations

from mcp_types import CallToolResult, ContentBlock, EmbeddedResource, TextContent, TextResourceContents

from ..host.results import content_text
from .exits import Exit
from .output import complain, give, give_json, say


def show(result: CallToolResult, of: str, *, as_json: bool = False) -> Exit:
    """Print a result *of* something, and give the exit code for it.

    The text of a tool that failed goes to standard error; JSON always to standard output.
    """
    if as_json:
        give_json(result.model_dump(mode="json", by_alias=True, exclude_none=True))
    if result.is_error:
        complain(f"{of} failed", details="" if as_json else "\n".join(map(described, result.content)))
        return Exit.TOOL_FAILED
    if not as_json:
        _show_content(result)
    return Exit.FINE


def described(block: ContentBlock) -> str:
    """One piece of content, as the host has it; but a resource that is text is a line that says what it is, too."""
    match block:
        case EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=kind, text=text)):
            return f"[resource: {uri}, {kind or 'of no known type'}, {len(text):,} characters]"
        case _:
            return content_text(block)


def _show_content(result: CallToolResult) -> None:
    has_text = any(isinstance(block, TextContent) for block in result.content)
    for block in result.content:
        give(described(block))
    if result.structured_content is not None and not has_text:
        give_json(result.structured_content)
    elif not result.content:
        say("the tool returned nothing")

"""`FormOnly`: a transport for the SDK's client, through which it declares forms, and no links.

The SDK declares both modes of elicitation as soon as there is a callback, and has no option for one. So the messages
that carry the client's capabilities are rewritten on their way out: `initialize` in the handshake eras, and the `_meta`
of every request on 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from mcp.client import Transport
from mcp_types import CLIENT_CAPABILITIES_META_KEY, JSONRPCRequest

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams, WriteStream
    from mcp.shared.message import SessionMessage


class FormOnly(Transport):
    """Wraps a transport so that the other side is told of the form mode alone (2026-07-28, "Elicitation").

    Nothing else changes, and what was not declared before is not declared now. It works on every transport and era.

    >>> from mcp import Client, StdioServerParameters, stdio_client
    >>> transport = FormOnly(stdio_client(StdioServerParameters(command="my-server")))
    >>> client = Client(transport, elicitation_callback=...)
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def __aenter__(self) -> TransportStreams:
        read, write = await self._transport.__aenter__()
        return read, _Rewriting(write)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._transport.__aexit__(kind, error, trace)


def without_links(params: Mapping[str, Any]) -> dict[str, Any]:
    """The params of a request, with the URL mode taken out of the capabilities they carry.

    >>> without_links({"capabilities": {"elicitation": {"form": {}, "url": {}}}})
    {'capabilities': {'elicitation': {'form': {}}}}
    """
    return _changed(_changed(params, "capabilities", _form_alone), "_meta", _meta_form_alone)


def _meta_form_alone(meta: Mapping[str, Any]) -> dict[str, Any]:
    return _changed(meta, CLIENT_CAPABILITIES_META_KEY, _form_alone)


def _form_alone(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    modes = capabilities.get("elicitation")
    if not isinstance(modes, Mapping) or "url" not in modes:
        return dict(capabilities)
    kept = {mode: settings for mode, settings in modes.items() if mode != "url"}
    others = {name: settings for name, settings in capabilities.items() if name != "elicitation"}
    # An empty object would declare forms, so a client of links alone declares nothing.
    return {**others, "elicitation": kept} if kept else others


def _changed(holder: Mapping[str, Any], key: str, change: Any) -> dict[str, Any]:
    """A copy in which what stands under *key* is changed: the SDK sends the same object with every request."""
    held = holder.get(key)
    return {**holder, key: change(held)} if isinstance(held, Mapping) else dict(holder)


class _Rewriting:
    """The way out. It sends in the task it is called in, whose context variables the HTTP transport reads."""

    def __init__(self, inner: WriteStream[SessionMessage]) -> None:
        self._inner = inner

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, JSONRPCRequest) and message.params:
            rewritten = message.model_copy(update={"params": without_links(message.params)})
            item = replace(item, message=rewritten)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(exc_type, exc_val, exc_tb)

"""`Watched`: a transport for the SDK's client that tells when the other side has ended the connection."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
from mcp.client import Transport

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, TransportStreams
    from mcp.shared.message import SessionMessage


class Watched(Transport):
    """Wraps a transport, and calls a function before anybody else learns that nothing more will come.

    The SDK tells it only to those who wait for a response, after it has cancelled what the server had asked.
    """

    def __init__(self, transport: Transport, ended: Callable[[], None]) -> None:
        self._transport = transport
        self._ended = ended

    async def __aenter__(self) -> TransportStreams:
        read, write = await self._transport.__aenter__()
        return _Watching(read, self._ended), write

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._transport.__aexit__(kind, error, trace)


class _Watching:
    """The way in. Whoever reads it also finds the context that a message was received in, where there is one."""

    def __init__(self, inner: ReadStream[SessionMessage | Exception], ended: Callable[[], None]) -> None:
        self._inner = inner
        self._ended = ended

    @property
    def last_context(self) -> contextvars.Context | None:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._ended()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def close(self) -> Any:
        """For those transports that close their own end without waiting."""
        return self._inner.close()  # type: ignore[attr-defined]  # The SDK's own streams have it.

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(exc_type, exc_val, exc_tb)

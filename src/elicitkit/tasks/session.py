"""The session that a tool sees inside a task, or on the way to one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.connection import Connection

from ..server.sessions import SuspendingSession
from .beginning import parked_road

if TYPE_CHECKING:
    from mcp_types import ClientCapabilities


class TaskSession(SuspendingSession):
    """A session whose questions are parked, and whose progress is the task's status message.

    Tasks have neither progress nor log notifications of their own (Tasks extension, "Notifications").
    """

    @property
    def client_capabilities(self) -> ClientCapabilities | None:
        """What the client declared that made the call, in a replay too."""
        road = parked_road(self.elicitkit_road)
        session = self._session if road is None else road.session
        capabilities: ClientCapabilities | None = session.client_capabilities
        return capabilities

    def check_client_capability(self, capability: ClientCapabilities) -> bool:
        """Tell whether the client that made the call declared something."""
        return Connection.check_capability(self, capability)  # type: ignore[arg-type]  # it reads `client_capabilities`

    async def report_progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Say how far the tool is."""
        if (road := parked_road(self.elicitkit_road)) is None:
            await self._session.report_progress(progress, total, message)
        else:
            await road.progress(message or _told(progress, total))

    async def send_log_message(self, level: Any, data: Any, *more: Any, **named: Any) -> None:
        """Send a log message; from inside a task none is sent."""
        if parked_road(self.elicitkit_road) is None:
            await self._session.send_log_message(level, data, *more, **named)

    async def send_progress_notification(self, *given: Any, **named: Any) -> None:
        """Send a progress notification; from inside a task none is sent."""
        if parked_road(self.elicitkit_road) is None:
            await self._session.send_progress_notification(*given, **named)


def _told(progress: float, total: float | None) -> str:
    return f"{progress:g}" if total is None else f"{progress:g} of {total:g}"

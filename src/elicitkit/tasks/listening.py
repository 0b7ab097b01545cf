"""`subscriptions/listen` with `taskIds`: `notifications/tasks` for those who want them.

(Tasks extension, "Task Status Notifications".)
The SDK serves the subscription itself and knows nothing of tasks: its acknowledgement is completed on its way, and the
notifications are sent beside those it sends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import Notification, SubscriptionFilter, SubscriptionsAcknowledgedNotification

from ..errors import StoreError, UnknownTask
from ..server.driving import with_session
from .record import TaskRecord
from .store import TaskStore
from .troubles import Troubles, troubles_of
from .wire import task_notification

_METHOD = "subscriptions/listen"

_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
"""The first and the longest pause between two tries at a store that cannot be read, in seconds."""

Find: TypeAlias = Callable[[str], Awaitable[TaskRecord]]
"""Gives a task of whoever listens, or raises `UnknownTask`."""


class _TaskNote(Notification[dict[str, Any], Literal["notifications/tasks"]]):
    method: Literal["notifications/tasks"] = "notifications/tasks"
    params: dict[str, Any]


MOST_TASKS: Final = 1_000
"""How many tasks one subscription hears of; the acknowledgement names them, and leaves out the rest."""


def wanted_tasks(ctx: ServerRequestContext[Any, Any]) -> list[str]:
    """The tasks that a request wants to hear of; none for any other request."""
    if ctx.method != _METHOD:
        return []
    notifications = (ctx.params or {}).get("notifications")
    wanted = notifications.get("taskIds") if isinstance(notifications, Mapping) else None
    if not isinstance(wanted, list):
        return []
    return list(dict.fromkeys(one for one in wanted if isinstance(one, str)))[:MOST_TASKS]


async def listen(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext, *, store: TaskStore, wanted: Sequence[str], find: Find
) -> HandlerResult:
    """Serve a subscription that wants to hear of tasks, until the client ends it."""
    telling = _Telling(ctx, find, wanted, troubles_of(store))
    unsubscribe = store.subscribe(telling.changed)  # Before anything is read, so that no change is missed.
    forwarding = asyncio.create_task(telling.forward())
    try:
        honoured = [task_id for task_id in wanted if await _is_found(find, task_id)]
        session = _Acknowledging(ctx.session, honoured, telling.begin)
        return await call_next(with_session(ctx, session))
    finally:
        unsubscribe()
        forwarding.cancel()
        await asyncio.gather(forwarding, return_exceptions=True)


async def _is_found(find: Find, task_id: str) -> bool:
    try:
        await find(task_id)
    except UnknownTask:
        return False
    return True


class _Telling:
    """What one subscriber is told: the newest state of a task that changed, and no more of them than there are."""

    def __init__(
        self, ctx: ServerRequestContext[Any, Any], find: Find, wanted: Iterable[str], troubles: Troubles
    ) -> None:
        self._ctx = ctx
        self._find = find
        self._troubles = troubles
        self._wanted = frozenset(wanted)
        self._pending: dict[str, None] = {}
        self._something = asyncio.Event()
        self._is_acknowledged = asyncio.Event()
        self._pause = _PAUSE

    def begin(self) -> None:
        """The acknowledgement was sent, which is the first message of a subscription."""
        self._is_acknowledged.set()

    def changed(self, task_id: str) -> None:
        """A task changed."""
        if task_id in self._wanted:
            self._pending[task_id] = None
            self._something.set()

    async def forward(self) -> None:
        """Tell of changes, one after the other. A task that is not the subscriber's is found no more than before."""
        await self._is_acknowledged.wait()
        while True:
            await self._something.wait()
            self._something.clear()
            while self._pending:
                await self._tell(next(iter(self._pending)))

    async def _tell(self, task_id: str) -> None:
        del self._pending[task_id]
        try:
            record = await self._find(task_id)
        except UnknownTask:
            return
        except StoreError as error:
            self._troubles.begin("read", error, f"a subscriber cannot be told of the task {task_id[:8]} yet")
            self._pending[task_id] = None  # Behind the others. It may have ended, and not change any more.
            await asyncio.sleep(self._pause)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return
        self._troubles.end("read")
        self._pause = _PAUSE
        meta = {SUBSCRIPTION_ID_META_KEY: self._ctx.request_id}
        note = _TaskNote(params={**task_notification(record), "_meta": meta})
        await self._ctx.session.send_notification(note, related_request_id=self._ctx.request_id)  # type: ignore[arg-type]


class _Acknowledging:
    """A session whose acknowledgement of a subscription names the tasks, too."""

    def __init__(self, session: Any, honoured: list[str], begin: Callable[[], None]) -> None:
        self._session = session
        self._honoured = honoured
        self._begin = begin

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def send_notification(self, note: Any, *args: Any, **more: Any) -> None:
        if not isinstance(note, SubscriptionsAcknowledgedNotification):
            await self._session.send_notification(note, *args, **more)
            return
        kept = note.params.notifications.model_dump(by_alias=True, exclude_none=True)
        named = SubscriptionFilter.model_validate({**kept, "taskIds": self._honoured})
        told = note.model_copy(update={"params": note.params.model_copy(update={"notifications": named})})
        await self._session.send_notification(told, *args, **more)
        self._begin()

"""`TaskStore`: the port behind which tasks are kept. Its docstring is the contract; `TaskStoreContract` tests it."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from .._json import is_sendable
from ..asking import TRIES
from ..errors import TaskKeyError, UnknownTask
from ..forms import FormSource
from ..limits import OPEN_REQUESTS
from ..outcomes import Outcome
from .answers import outcome_of
from .listing import EVERYBODY, Everybody, TaskPage
from .record import History, News, Settlement, Swept, TaskInput, TaskRecord, new_key
from .requests import request_of, shape_of
from .states import Status
from .storage import Storage
from .stores.arguments import count, positive

MAX_WAIT: Final = 7 * 24 * 3600.0
"""How long a question waits for a person when nothing else is said, in seconds."""

LEASE: Final = 30.0
"""How long a worker has a task that is claimed at its creation, in seconds."""

Listener: TypeAlias = Callable[[str], None]
"""What is told the id of a task that changed."""

Follower: TypeAlias = Callable[[str, News | None], None]
"""What is told the id of a task that changed, and what is new; `None` where nothing is known of that."""

Judged: TypeAlias = Callable[[Mapping[str, TaskInput]], Iterable[Settlement]]
"""What answers make of the open questions of a task, by key. Pure: it may be called again, and in another thread."""

Wanted: TypeAlias = Callable[[TaskRecord], bool]
"""Decides whether a worker wants a task, as it is before it is taken. Pure, as `Judged`."""


class TaskStore(Storage):
    """Where tasks are kept, with what they asked, were told and did once. The store is the truth.

    **It guarantees:** What a method did is there when it returns, as long as the store's medium keeps it, and is whole:
    nobody ever sees half of it. Of several answers to one question the first wins, whoever sends them from wherever. A
    key is used once in a task's life. What has ended does not change. A task is `input_required` exactly while one of
    its questions is open. A worker that was overtaken changes nothing: every method that a worker calls takes the
    *fence* of its claim; without one, the caller acts from outside (an author's background worker, a client). A task
    that is unknown, expired or somebody else's is `UnknownTask`, in the same words. What is too large is refused before
    anything is stored. A listener hears of every change that a client can see.

    **It does not:** run anything, look into calls and results, check answers (`judge` does), or end what is over by
    itself: somebody calls `sweep`. A call that is cancelled while it waits may have happened or not. Two processes
    agree on the time as far as their clocks do.

    A store is an async context manager, is used on the event loop it was opened on, and may be opened again.

    Args:
        clock: What gives the time, in seconds since the epoch.
        max_wait: How long a question of `set_input_requests` waits for a person, in seconds.
        open_requests: How many questions may be open for one principal, in all its tasks; not counted where nobody is
            authenticated.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        max_wait: float = MAX_WAIT,
        open_requests: int = OPEN_REQUESTS,
    ) -> None:
        self.clock = clock
        self.max_wait: float = positive("max_wait", max_wait)
        self.open_requests: int = count("open_requests", open_requests, least=1)

    # --- for whoever serves clients ----------------------------------------------------------------------------------

    @abstractmethod
    async def create(
        self,
        call: Mapping[str, Any],
        *,
        owner: str | None = None,
        ttl: float | None = None,
        poll_interval_ms: int | None = None,
        task_id: str | None = None,
        worker: str | None = None,
        lease: float = LEASE,
    ) -> TaskRecord:
        """Keep a new task, and give it: it can be read by all when this returns.

        Args:
            call: What is needed to run the call again, as JSON; the store does not look into it.
            owner: The principal it belongs to.
            ttl: How long it is kept after the last activity, in seconds; `None` for ever.
            poll_interval_ms: What clients are told, in milliseconds.
            task_id: Its id, 32 hexadecimal digits or more; random unless given.
            worker: Who has it from its birth on, with the fence 1; else it is `ready` at once.
            lease: How long *worker* has it, in seconds.

        Raises:
            TypeError: If the call is not JSON.
            ValueError: If a time is not positive, or the id is none.
            TaskKeyError: If the id is taken.
        """

    @abstractmethod
    async def get(self, task_id: str, *, owner: str | None) -> TaskRecord:
        """A task, for its owner. Nobody in particular (`None`) owns the tasks without owner alone.

        Raises:
            UnknownTask: If there is none of that id for that owner.
        """

    @abstractmethod
    async def settle(self, task_id: str, settlements: Iterable[Settlement]) -> frozenset[str]:
        """Take answers, all in one transaction, and give the keys of those that were taken: the first answer wins.

        Keys that are unknown, settled, or whose time is over are ignored; so is everything for a task that has ended.
        A replacement is asked in the same moment as the question that it replaces is closed.

        Raises:
            UnknownTask: If there is no such task.
            LimitError: If an answer takes more than `ANSWER_BYTES`.
        """

    async def answer(self, task_id: str, judged: Judged, *, owner: str | None) -> frozenset[str]:
        """As `settle`, with what *judged* makes of the questions that are open, for the owner of the task.

        Raises:
            UnknownTask: If there is none of that id for that owner.
            LimitError: If an answer takes more than `ANSWER_BYTES`.
        """
        return await self.settle(task_id, judged((await self.get(task_id, owner=owner)).inputs))

    @abstractmethod
    async def cancel(self, task_id: str, *, owner: str | None) -> None:
        """Cancel a task; open questions are withdrawn. On one that has ended nothing happens.

        One that was claimed before, so that its tool may have something to clear up, is `ready` once more, for that
        alone: `is_to_clear_up` is true of it until a worker that has done so puts it down.

        Raises:
            UnknownTask: If there is none of that id for that owner.
        """

    # --- for whoever runs a task: with the fence of a claim, or from outside -----------------------------------------

    @abstractmethod
    async def park(self, task_id: str, inputs: Iterable[TaskInput], *, fence: int | None = None) -> TaskRecord:
        """Ask something more: all of *inputs*, or nothing.

        Raises:
            TaskKeyError: If a key was used before in this task.
            LimitError: If a message or a schema is too large, or the owner or the task has too many open questions.
            CallOver: If the task has ended.
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def withdraw(
        self, task_id: str, keys: Iterable[str], *, fence: int | None = None, have_passed: bool = False
    ) -> None:
        """Ask some open questions no longer; keys that are not open are ignored.

        Args:
            task_id: The task.
            keys: Those of the questions.
            fence: See the class.
            have_passed: They are kept as questions that the tool did not come to any more: `TaskInput.has_passed`.

        Raises:
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def keep_step(self, task_id: str, name: str, given: str, *, fence: int | None = None) -> None:
        """Keep what a step gave, as JSON text. The first of a name stays.

        Raises:
            CallOver: If the task has ended.
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def progress(self, task_id: str, status_message: str | None, *, fence: int | None = None) -> None:
        """Say what the task is doing; it is an activity.

        Raises:
            CallOver: If the task has ended.
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def complete(
        self, task_id: str, result: Mapping[str, Any], *, status_message: str | None = None, fence: int | None = None
    ) -> TaskRecord:
        """End a task with what its call returns, an `isError` result too. Open questions are withdrawn.

        The status message stays unless another is given.

        Raises:
            TypeError: If the result is not JSON.
            CallOver: If the task has ended.
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def fail(
        self, task_id: str, error: Mapping[str, Any], *, status_message: str | None = None, fence: int | None = None
    ) -> TaskRecord:
        """End a task with a JSON-RPC error; its message is the status message unless another is given.

        Raises:
            TypeError: If the error is not JSON.
            CallOver: If the task has ended.
            UnknownTask, StaleClaim: See the class.
        """

    # --- for workers -------------------------------------------------------------------------------------------------

    @abstractmethod
    async def history(self, task_id: str) -> History:
        """The task with all it asked, was told and did: for replays, and for whoever may see any task.

        Raises:
            UnknownTask: If there is no such task.
        """

    @abstractmethod
    async def claim(self, task_id: str, worker: str, seconds: float, *, clears_up: bool = False) -> int | None:
        """Take a task for so many seconds, and give the fence of the claim.

        It begins a run: see `TaskRecord.begun`. One that is given back does not count, one that is lost does.

        `None` if somebody has it whose lease lives, the same worker too; if it has ended, unless it is to clear up, and
        the worker does so (*clears_up*); or if it is gone.
        """

    async def take(
        self, task_id: str, worker: str, seconds: float, *, wanted: Wanted = lambda _: True
    ) -> History | None:
        """As `claim`, if there is something to do for a worker; give the task with all it has, its new fence included.

        Where `claim` would give `None`, there is nothing to do, or the task is not *wanted*, it is `None`. A task that
        is to clear up is given, though it has ended.
        """
        try:
            record = (await self.history(task_id)).record
            if not (record.is_waiting_to_run and wanted(record)):
                return None
            fence = await self.claim(task_id, worker, seconds, clears_up=record.is_to_clear_up)
            return None if fence is None else await self.history(task_id)
        except UnknownTask:
            return None

    @abstractmethod
    async def renew(
        self,
        task_id: str,
        seconds: float,
        *,
        fence: int,
        waiting_since: int | None = None,
        clears_up: bool = False,
    ) -> None:
        """Keep a task for so many seconds from now; it is an activity. A lease that ran out can be renewed, too.

        Args:
            task_id: The task.
            seconds: For how long.
            fence: See the class.
            waiting_since: The revision of the record that the worker saw last, if it does nothing but wait for people:
                were it to die, the task would not be `ready` before something is settled after that.
            clears_up: Whether the worker knows that the task was cancelled, and has its tool clear up.

        Raises:
            CallOver: If the task has ended, unless it is one that is to clear up.
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def release(self, task_id: str, *, fence: int) -> None:
        """Give a task back as it is: if there is something to do, it is `ready` for others at once.

        Raises:
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def put_down(self, task_id: str, *, fence: int, seen_revision: int) -> bool:
        """Give a task back that has nothing to do until an answer comes.

        False, and nothing is changed, if something was settled after *seen_revision*, the revision of the record that
        the worker saw last: then the worker has it still, and goes on.

        Raises:
            UnknownTask, StaleClaim: See the class.
        """

    @abstractmethod
    async def ready(self, limit: int = 100, *, now: float | None = None) -> list[str]:
        """The ids of tasks that wait for a worker, those that wait for longest first.

        Nobody has them whose lease lives. Either they have not ended, and nothing is asked, or something was settled
        since they were put down; or they were cancelled, and are to clear up.
        """

    # --- for whoever looks after them all ----------------------------------------------------------------------------

    @abstractmethod
    async def list_tasks(
        self,
        *,
        statuses: Iterable[Status] | None = None,
        owner: str | Everybody | None = EVERYBODY,
        prefix: str = "",
        oldest_first: bool = False,
        cursor: str | None = None,
        limit: int = 100,
    ) -> TaskPage:
        """A page of the tasks there are, in the order they were created in, with their open questions.

        The next page goes on behind the last task of this one: none comes twice or is left out, whatever is created,
        changed or forgotten meanwhile; but a task that comes to a wanted status behind the cursor is on no later page.

        Args:
            statuses: In which states they are; in any unless given.
            owner: Whose they are; `None` is for those that belong to nobody.
            prefix: What their ids begin with.
            oldest_first: The oldest first, in place of the newest.
            cursor: That of the page before, asked for with the same filters.
            limit: How many at most, up to 1,000.

        Raises:
            ValueError: If a status, a prefix, a cursor or the limit is none.
        """

    @abstractmethod
    async def sweep(self, *, now: float | None = None) -> Swept:
        """End questions whose time is over, and forget tasks whose TTL has passed, with their answers."""

    @abstractmethod
    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with the id of each task that changed or was forgotten, and give what ends that.

        It is called on the store's event loop, soon after the change; within 50 ms after that of another process. It
        may be called once for several changes, or without one; not for what workers do among themselves (a step, a
        claim, its renewal, a task put down), nor for what another process forgot; later for a task that a worker of
        another process has from its birth.
        """

    def follow(self, follower: Follower) -> Callable[[], None]:
        """As `subscribe`, and tell with each change what is new, where the store knows it."""
        return self.subscribe(lambda task_id: follower(task_id, None))

    # --- for authors: a question from a background worker ------------------------------------------------------------

    async def set_input_requests(
        self,
        task_id: str,
        form: FormSource[Any] | Mapping[str, Any],
        *,
        key: str | None = None,
        max_wait: float | None = None,
        tries: int = TRIES,
        fence: int | None = None,
    ) -> str:
        """Ask something more, and give the key of the question: 32 hexadecimal digits unless *key* is given.

            key = await store.set_input_requests(task_id, FormElicitation.create("Which size?").string("size"))
            outcome = await store.input_response(task_id, key)

        Args:
            task_id: The task.
            form: A form, a builder, or the payload of `form.to_input_request()`. It adds to what is open.
            key: What the wire calls it; used once in the task's life.
            max_wait: How long it waits for a person, in seconds; the store's `max_wait` unless given.
            tries: How often the person may answer.
            fence: See the class.

        Raises:
            FormError, LinkError: If it cannot be asked.
            ValueError: If the key is blank.
            TaskKeyError, LimitError, CallOver, UnknownTask, StaleClaim: As `park`.
        """
        if key is not None and not (isinstance(key, str) and key.strip() and is_sendable(key)):
            raise ValueError(f"a key is text that can be sent, and not blank: {key!r}")
        request, name = request_of(form), new_key() if key is None else key
        until = self.clock() + (self.max_wait if max_wait is None else max_wait)
        asked = TaskInput(name, name, shape_of(request), request, until, tries=tries)
        await self.park(task_id, [asked], fence=fence)
        return name

    async def input_response(self, task_id: str, key: str) -> Outcome[Any]:
        """Wait for what a question comes to, however often it is asked again.

        The content of a form is checked; that of a question without answer in time is `Cancelled("expired")`, of one
        that was withdrawn `Cancelled("cancelled")`.

        Raises:
            TaskKeyError: If nothing was asked under that key.
            AnswerError: If the last try did not fit either.
            UnknownTask: If there is no such task, or no longer.
        """
        changed = asyncio.Event()
        unsubscribe = self.subscribe(lambda changed_id: changed.set() if changed_id == task_id else None)
        try:
            while True:
                changed.clear()
                asked = (await self.history(task_id)).latest(key)
                if asked is None:
                    raise TaskKeyError("The task was asked nothing under that key.")
                if asked.state != "open":
                    return outcome_of(asked)
                await self._wait(changed, asked.until)
        finally:
            unsubscribe()

    async def _wait(self, changed: asyncio.Event, until: float) -> None:
        """Wait for a change, or for the end of a question, which nobody else may be there to sweep."""
        try:
            async with asyncio.timeout(until - self.clock()):  # Not `wait_for`, which may swallow a cancellation.
                await changed.wait()
        except TimeoutError:
            await self.sweep()

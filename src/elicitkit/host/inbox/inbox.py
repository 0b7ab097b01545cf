"""`Inbox`: a durable queue of questions for people. Hosts put them in and wait; whoever is allowed to answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from types import TracebackType
from typing import Any, Final, Self

import anyio

from ...errors import ContractError, EntryClosed, LimitError, StoreError, UnknownEntry
from ...forms import Content, Form
from ...limits import PAGE_ENTRIES
from ...suspension import Answer, Pending, Request
from ...tasks.listing import EVERYBODY
from ...tasks.store import MAX_WAIT
from ..answering import HOOK_SECONDS, Slot
from ..asked import unsafe_link
from ..at_once import takes_all_at_once
from ..checking import Refusal
from ..shapes import fitting, shape_of
from .entry import Entry, Page, Viewer
from .holding import Holding
from .owners import OWNER_OF_INBOX, OwnerOf, OwnerOfInbox
from .resumable import Resumable, pending_of
from .sizes import require_name, require_note
from .store import Asking, Closing, InboxStore, Kept, Listener
from .tokens import digest_of, is_answered_through, is_opened, new_token
from .waiting import Waiting

logger: logging.Logger = logging.getLogger(__name__)

LONGEST_LOOK: Final = 60.0
"""How long `closing` waits at most, in seconds."""


class Inbox:
    """A durable queue of questions. `inbox.wait_for` is a host's `wait_for`; people answer by page, terminal or API.

        async with Inbox(SqliteInboxStore("tasks.db"), host="shop agent") as inbox:
            async with McpSource.load("mcp.json", wait_for=inbox.slot()) as source:
                ...

    The first answer wins, and whoever comes second is told so. An answer to a form is checked before it is taken, so
    that a wrong one leaves the question open. When a run is cancelled, its question is withdrawn. Where the host dies,
    its questions stay for a while (`abandoned_after` of the store), and a host of the same name that asks the same
    again, by the id of the request, gets the answer that was given meanwhile. Hosts that run at once differ in name.

    Whoever looks is the *owner* of a method: `EVERYBODY`, the default, is for who keeps the inbox; a name sees its own
    questions and those of nobody in particular; `None` sees only the latter. What is somebody else's is `UnknownEntry`.

    It is an async context manager, which opens the store, says every few seconds that the host still waits, and sweeps.

    Args:
        store: Where the questions are kept.
        host: The name of the host, which people are shown; needed by who only answers least of all.
        owner_of: Says who may answer a request, by whichever way it comes in: `wait_for`, a `slot`, or `ask` without
            an owner. Without it, whoever may look into the inbox.
        max_wait: How long a question waits for a person at most, in seconds.

    Raises:
        TypeError: If *store* is an address, and no store yet.
        TypeError, ContractError, LimitError: If the name of the host is none.
        ValueError: If *max_wait* is not positive.
    """

    def __init__(
        self,
        store: InboxStore,
        *,
        host: str = "",
        owner_of: OwnerOf | None = None,
        max_wait: float = MAX_WAIT,
    ) -> None:
        if isinstance(store, (str, PurePath)):
            raise TypeError(f"Inbox takes a store, not its address: Inbox(open_inbox_store({str(store)!r}))")
        if not max_wait > 0:
            raise ValueError(f"max_wait is positive, and not {max_wait!r}")
        self.store = store
        self.host: str = require_name("the name of a host", host)
        self._owner_of = owner_of
        self._max_wait = max_wait
        self._holding = Holding(store)
        self._waiting = Waiting(store)

    async def __aenter__(self) -> Self:
        await self.store.open()
        self._holding.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._holding.stop()
        await self.store.close()

    # --- for hosts ---------------------------------------------------------------------------------------------------

    def slot(self, **options: Any) -> Slot:
        """A `Slot` whose questions all go into this inbox, side by side.

        Args:
            options: Those of `Slot`.
        """
        return Slot(self.wait_for, **options)

    @takes_all_at_once
    async def wait_for(self, request: Request) -> Answer:
        """Put a question in, and wait for what it comes to. When this is cancelled, the question is withdrawn.

        Raises:
            LimitError: If it is too large, or too many are open.
            StoreError: If the store cannot be used.
        """
        asking = Asking(request, self._end_of(request), self.host, self._owner(request), *self._holding.claim())
        put = asyncio.ensure_future(self.store.ask(asking))
        try:
            entry = await asyncio.shield(put)
            with self._holding.held(entry.id):
                kept = await self._until_closed(entry.id)
            await self.store.collect(entry.id)
        except asyncio.CancelledError:
            await self._leave(put)
            raise
        return _outcome(kept)

    async def ask(self, question: Request | Pending, *, owner: str | OwnerOfInbox | None = OWNER_OF_INBOX) -> Entry:
        """Put a question in that waits without a host; or find it, where it was put in before.

        Args:
            question: A request, or the result of a call that waits: then `take` gives it back with the answer.
            owner: Who may answer. When nothing is said, `owner_of` of the inbox says it; what is said wins over it,
                and `None` is whoever may look into the inbox.

        Raises:
            TypeError: If it is neither.
            LimitError, StoreError: As `wait_for`.
        """
        if not isinstance(question, (Request, Pending)):
            raise TypeError(f"an inbox is asked a Request or a Pending, not {type(question).__name__}")
        request = question.request if isinstance(question, Pending) else question
        call = question.to_dict() if isinstance(question, Pending) else None
        owner = self._owner(request) if isinstance(owner, OwnerOfInbox) else owner
        return await self.store.ask(Asking(request, self._end_of(request), self.host, owner, call=call))

    async def ready(self, *, limit: int = 100) -> list[Entry]:
        """The entries of this host's calls that can go on, the oldest first: `take` each of them."""
        return await self.store.ready(limit, host=self.host)

    async def take(self, id: str) -> Resumable | None:
        """Take a call that can go on, with its answer; `None` if somebody else has taken it.

        It is taken once, even where the process dies before the call has gone on, since a call that is made twice may
        do twice what it does. `give_back` undoes it.

        Raises:
            UnknownEntry: If there is no such entry, or it is one of no call.
        """
        kept = await self.store.get(id)
        if kept.call is None:
            raise UnknownEntry
        if not await self.store.collect(id):
            return None
        kept = await self.store.get(id)
        return Resumable(kept.entry, pending_of(kept.call or {}), _outcome(kept))

    async def give_back(self, id: str) -> None:
        """Undo `take`: the call could not go on, and nothing of it has happened.

        Raises:
            UnknownEntry: If there is no such entry.
        """
        await self.store.give_back(id)

    async def withdraw(self, id: str, *, by: str = "", reason: str = "cancelled") -> Entry:
        """Ask a question no longer; whoever waits is told that it was cancelled.

        Raises:
            UnknownEntry, EntryClosed: As `answer`.
        """
        return await self.store.settle(id, Closing(by=require_name("who withdraws", by), reason=reason))

    # --- for people --------------------------------------------------------------------------------------------------

    async def open(self, *, owner: Viewer = EVERYBODY, limit: int = 50, after: str | None = None) -> Page:
        """The questions that are open, the oldest first.

        Args:
            owner: Who looks.
            limit: How many a page has, up to 200.
            after: The `next` of the page before.

        Raises:
            ValueError: If *after* is nothing that a page gave, or *limit* is not from 1 to 200.
        """
        return await self._page(is_open=True, owner=owner, limit=limit, after=after)

    async def closed(self, *, owner: Viewer = EVERYBODY, limit: int = 50, after: str | None = None) -> Page:
        """The questions that are closed and not yet erased, the one that was closed last first; see `open`."""
        return await self._page(is_open=False, owner=owner, limit=limit, after=after)

    async def get(self, id: str, *, owner: Viewer = EVERYBODY) -> Entry:
        """An entry.

        Raises:
            UnknownEntry: If there is none of that id for who looks.
        """
        return (await self._kept(id, owner)).entry

    def form(self, entry: Entry) -> Form[Content] | None:
        """The form of an entry; `None` for another kind of question.

        Raises:
            ContractError: If nobody can answer it: it can only be declined or cancelled.
        """
        form = shape_of(entry.request)
        if isinstance(form, Refusal):
            raise ContractError(f"nobody can answer this: {form.problem}")
        return form if entry.request.kind == "input" else None

    async def accept(
        self, id: str, data: Mapping[str, Any] | None = None, *, by: str = "", owner: Viewer = EVERYBODY
    ) -> Entry:
        """Agree, with what somebody filled in; see `answer`."""
        entry = await self.get(id, owner=owner)
        return await self.answer(id, entry.request.accept(data), by=by, owner=owner)

    async def decline(self, id: str, *, note: str = "", by: str = "", owner: Viewer = EVERYBODY) -> Entry:
        """Say no; see `answer`."""
        entry = await self.get(id, owner=owner)
        return await self.answer(id, entry.request.decline(), note=note, by=by, owner=owner)

    async def cancel(self, id: str, *, note: str = "", by: str = "", owner: Viewer = EVERYBODY) -> Entry:
        """Decide nothing; see `answer`."""
        entry = await self.get(id, owner=owner)
        return await self.answer(id, entry.request.cancel(), note=note, by=by, owner=owner)

    async def answer(
        self,
        id: str,
        answer: Answer,
        *,
        note: str = "",
        by: str = "",
        owner: Viewer = EVERYBODY,
        through: str | None = None,
    ) -> Entry:
        """Close a question with an answer, and give the entry as it is then. The first one wins.

        What is given to a form, or to questions, is made right and checked, and what is not of it is left out.

        Args:
            id: The id of the entry.
            answer: An answer to its request.
            note: What is to be known of it here, at most 2,000 characters; it never goes to who asked.
            by: Who answers, for people to read.
            owner: Who looks.
            through: The token of the link that it comes by. Nobody proves by one who they are: then it was answered by
                the owner of the question, if it has one, and *by* does not count.

        Raises:
            AnswerError: If it does not fit, with every fault. The question stays open.
            EntryClosed: If somebody was first, or it is asked no longer.
            UnknownEntry: If there is none of that id for who looks, or *through* opens another one.
            ContractError: If it is the answer to another request; or accepts a form or questions that nobody can
                answer, or a link that nobody is to open.
            TypeError, LimitError: If *by* is no name, or *note* too long.
            StoreError: If the store cannot be used.
        """
        require_name("who answers", by)
        require_note(note)
        entry = await self.get(id, owner=owner)
        if through is not None:
            by = (await self.opened_by(id, through)).owner or ""
        if not entry.request.is_answered_by(answer):
            raise ContractError("the answer is one to another request: its id is not the id of this one")
        if not entry.is_open:
            raise EntryClosed(entry.state, entry.closed_by, entry.closed_at)
        is_consent = answer.ok and entry.request.kind == "authorization"
        if is_consent and (problem := unsafe_link(entry.request.url)):
            raise ContractError(f"nobody is to agree to this link: it {problem}")
        fits, digest = fitting(entry.request, answer), "" if through is None else digest_of(through)
        return await self.store.settle(id, Closing(fits, by=by, note=note, through=digest))

    async def answer_to(self, id: str, *, owner: Viewer = EVERYBODY) -> Answer | None:
        """What a question came to, with all that was filled in; `None` while it is open.

        Raises:
            UnknownEntry: If there is none of that id for who looks.
        """
        return (await self._kept(id, owner)).outcome

    async def closing(self, id: str, *, seconds: float = 25.0, owner: Viewer = EVERYBODY) -> Entry:
        """Wait until a question is closed, or for so many seconds, a minute at most; and give the entry as it is then.

        Raises:
            UnknownEntry: If there is none of that id for who looks, or no longer.
        """
        await self._kept(id, owner)
        with anyio.move_on_after(min(seconds, LONGEST_LOOK)):
            return (await self._until_closed(id)).entry
        return await self.get(id, owner=owner)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call *listener* with the id of each entry that changed, and give what ends that; see `InboxStore.subscribe`.

        An entry may be gone, and `get` raises `UnknownEntry` then; or may be one that whoever looks does not see.
        """
        return self.store.subscribe(listener)

    # --- links to one question ---------------------------------------------------------------------------------------

    async def token(self, id: str) -> str:
        """A new secret that opens this question alone, for a link that only its owner gets. It is kept as a digest.

        Raises:
            UnknownEntry: If there is no such entry.
        """
        token = new_token()
        await self.store.add_token(id, digest_of(token))
        return token

    async def opened_by(self, id: str, token: str) -> Entry:
        """The entry that a token opens.

        Raises:
            UnknownEntry: If there is none of that id, or the token opens another one.
        """
        kept = await self.store.get(id)
        if not is_opened(kept, token):
            raise UnknownEntry
        return kept.entry

    async def is_answered_through(self, id: str, token: str) -> bool:
        """Whether it was this token that a question was answered through; see `answer`.

        Raises:
            UnknownEntry: If there is none of that id.
        """
        return is_answered_through(await self.store.get(id), token)

    # --- within ------------------------------------------------------------------------------------------------------

    async def _kept(self, id: str, viewer: Viewer) -> Kept:
        kept = await self.store.get(id)
        if not kept.entry.is_seen_by(viewer):
            raise UnknownEntry
        return kept

    async def _page(self, *, is_open: bool, owner: Viewer, limit: int, after: str | None) -> Page:
        if not 1 <= limit <= PAGE_ENTRIES:
            raise ValueError(f"a page has from 1 to {PAGE_ENTRIES} entries, not {limit}")
        return await self.store.page(is_open=is_open, viewer=owner, limit=limit, after=after)

    async def _until_closed(self, id: str) -> Kept:
        """Wait until a question is closed; one whose time is over is, even where nobody else sweeps.

        Raises:
            UnknownEntry: If it is erased meanwhile.
        """
        with self._waiting.changes_of(id) as changed:
            while (kept := await self.store.get(id)).entry.is_open:
                left = kept.entry.until.timestamp() - self.store.clock()
                with anyio.move_on_after(max(left, 0.0)) as waiting:
                    await changed.wait()
                changed.clear()
                if waiting.cancelled_caught:
                    await self.store.sweep()
            return kept

    async def _leave(self, put: asyncio.Future[Entry]) -> None:
        """Withdraw the question of a run that was cancelled, perhaps while it was put in."""
        with anyio.move_on_after(HOOK_SECONDS, shield=True):
            try:
                await self.store.leave((await put).id, holder=self._holding.name)
            except LimitError:  # It never was put in.
                pass
            except StoreError:
                logger.exception("a question could not be withdrawn from the inbox; it is abandoned after a while")

    def _owner(self, request: Request) -> str | None:
        return None if self._owner_of is None else self._owner_of(request)

    def _end_of(self, request: Request) -> datetime:
        end = datetime.fromtimestamp(self.store.clock(), UTC) + timedelta(seconds=self._max_wait)
        return min(end, (request.expires_at or end).astimezone(UTC))


def _outcome(kept: Kept) -> Answer:
    outcome = kept.outcome
    assert outcome is not None, "it is closed"
    return outcome

"""`TransactionalInboxStore`: an `InboxStore` for any medium that has transactions.

Each operation is one function of a `Transaction`: it reads what is kept, lets `changes` decide, and saves what that
gives. A new store implements `Transaction`, and how one is run.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from ...errors import LimitError
from ...tasks.listing import EVERYBODY
from ...tasks.stores.telling import Telling
from . import changes
from .entry import Entry, Mark, Page, Viewer
from .sizes import require_keepable
from .store import Asking, Closing, InboxStore, Kept, SweptEntries
from .transaction import Transaction, known

T = TypeVar("T")

SWEEP_AT_ONCE: Final = 200
"""How many entries one transaction of a sweep takes, so that it does not keep others waiting."""

_OPEN: Final = re.compile(r"\d{1,18}", re.ASCII)
_CLOSED: Final = re.compile(r"\d{1,18}_\d{1,12}\.\d{1,9}", re.ASCII)
"""The marks of the two lists."""

_NOTHING: Final = SweptEntries(0, 0, 0)


class TransactionalInboxStore(Telling, InboxStore):
    """What all stores with transactions have in common: everything but how one is run."""

    @abstractmethod
    async def _write(self, work: Callable[[Transaction], T]) -> T:
        """Run *work* in a transaction, commit it, and tell the listeners; roll it back if it raises."""

    @abstractmethod
    async def _read(self, work: Callable[[Transaction], T]) -> T:
        """Run *work*, which writes nothing, on one state of the store."""

    # --- for hosts ---------------------------------------------------------------------------------------------------

    async def ask(self, asking: Asking) -> Entry:
        """See `InboxStore.ask`."""
        require_keepable(asking)
        now, new = self.clock(), changes.asked(asking, self.clock())

        def asks(within: Transaction) -> Entry:
            for kept in within.of_key(new.key):
                if changes.may_join(kept, asking, now):
                    return self._save(within, changes.joined(kept, asking, now)).entry
            self._require_room(within)
            return within.insert(new, self._due(new)).entry

        return await self._write(asks)

    async def collect(self, id: str) -> bool:
        """See `InboxStore.collect`."""

        def collecting(within: Transaction) -> bool:
            kept = known(within, id)
            if kept.entry.is_open or kept.entry.is_collected:
                return False
            self._save(within, replace(kept, entry=replace(kept.entry, is_collected=True)))
            return True

        return await self._write(collecting)

    async def give_back(self, id: str) -> None:
        """See `InboxStore.give_back`."""

        def giving_back(within: Transaction) -> None:
            kept = known(within, id)
            if kept.entry.is_collected:
                self._save(within, replace(kept, entry=replace(kept.entry, is_collected=False)))

        await self._write(giving_back)

    async def leave(self, id: str, *, holder: str, by: str = "") -> None:
        """See `InboxStore.leave`."""
        now = self.clock()

        def leaving(within: Transaction) -> None:
            kept = within.load(id)
            if kept is not None and kept.holder == holder:
                self._save(within, changes.left(kept, now, by))

        await self._write(leaving)

    async def renew(self, ids: Iterable[str], seconds: float, *, holder: str) -> None:
        """See `InboxStore.renew`."""
        held, waited_until = tuple(ids), self.clock() + seconds
        due = waited_until + self.abandoned_after
        await self._write(lambda within: within.renew(held, holder, waited_until, due))

    async def ready(self, limit: int = 100, *, host: str | None = None) -> list[Entry]:
        """See `InboxStore.ready`."""
        return await self._read(lambda within: within.ready(limit, host))

    # --- for people --------------------------------------------------------------------------------------------------

    async def get(self, id: str) -> Kept:
        """See `InboxStore.get`."""
        return await self._read(partial(known, id=id))

    async def settle(self, id: str, closing: Closing) -> Entry:
        """See `InboxStore.settle`."""
        now = self.clock()

        def settling(within: Transaction) -> Entry:
            return self._save(within, changes.settled(known(within, id), closing, now)).entry

        return await self._write(settling)

    async def add_token(self, id: str, digest: str) -> None:
        """See `InboxStore.add_token`."""

        def adding(within: Transaction) -> None:
            self._save(within, changes.with_token(known(within, id), digest))

        await self._write(adding)

    async def page(self, *, is_open: bool, viewer: Viewer, limit: int, after: str | None) -> Page:
        """See `InboxStore.page`."""
        mark = None if after is None else _mark(after, is_open=is_open)

        def paging(within: Transaction) -> Page:
            found = within.page(is_open=is_open, viewer=viewer, limit=limit + 1, after=mark)
            total = within.count(is_open=is_open, viewer=viewer)
            shown = found[:limit]
            return Page(tuple(shown), _written(shown[-1]) if len(found) > limit else None, total)

        return await self._read(paging)

    # --- housekeeping ------------------------------------------------------------------------------------------------

    async def forget(self, id: str) -> None:
        """See `InboxStore.forget`."""

        def forgetting(within: Transaction) -> None:
            if within.load(id) is not None:
                within.delete(id)

        await self._write(forgetting)

    async def sweep(self, *, now: float | None = None) -> SweptEntries:
        """See `InboxStore.sweep`."""
        moment, total = self.clock() if now is None else now, _NOTHING
        # Looked for by a reader, so that a sweep that finds nothing waits for nobody.
        while due := await self._read(lambda within: within.due(SWEEP_AT_ONCE, moment)):
            swept = await self._write(partial(self._swept, due=due, now=moment))
            if swept == _NOTHING:  # Another process did it.
                break
            total = SweptEntries(*(sum(pair) for pair in zip(total, swept, strict=True)))
        return total

    def _swept(self, within: Transaction, due: list[str], now: float) -> SweptEntries:
        expired = abandoned = forgotten = 0
        for kept in filter(None, map(within.load, due)):
            if self._due(kept) > now:  # It changed meanwhile.
                continue
            if not kept.entry.is_open:
                within.delete(kept.entry.id)
                forgotten += 1
            elif (closed := changes.overdue(kept, now, abandoned_after=self.abandoned_after)) is not None:
                self._save(within, replace(kept, entry=closed))
                expired, abandoned = expired + (closed.state == "expired"), abandoned + (closed.state == "withdrawn")
        return SweptEntries(expired, abandoned, forgotten)

    def _save(self, within: Transaction, kept: Kept) -> Kept:
        return within.save(kept, self._due(kept))

    def _due(self, kept: Kept) -> float:
        return changes.due(kept, abandoned_after=self.abandoned_after, retention=self.retention)

    def _require_room(self, within: Transaction) -> None:
        """Make sure that one question more may be open.

        Raises:
            LimitError: If not.
        """
        if (there := within.count(is_open=True, viewer=EVERYBODY)) >= self.open_entries:
            raise LimitError(
                f"There are {there:,} questions open in the inbox, and there may be {self.open_entries:,}: "
                "some must be answered, or expire, first."
            )


def _written(last: Entry) -> str:
    """Where the next page goes on, as a text."""
    closed_at, number = last.mark
    return f"{number}" if last.is_open else f"{number}_{closed_at!r}"


def _mark(after: str, *, is_open: bool) -> Mark:
    """Where a page goes on.

    Raises:
        ValueError: If it is nothing that a page of that list gave.
    """
    if not (_OPEN if is_open else _CLOSED).fullmatch(after):
        raise ValueError("a page is asked for with what the page before gave as its next")
    number, _, closed_at = after.partition("_")
    return float(closed_at or 0.0), int(number)

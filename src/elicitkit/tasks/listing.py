"""Which tasks are listed, in what order, and where a page goes on. Pure.

Tasks are in the order they were created in, and that does not change: so a page goes on where the one before ended,
whatever came, went or happened meanwhile.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, replace
from enum import Enum
from typing import Final, Self, TypeAlias, get_args

from .record import TaskRecord
from .states import Status


class Everybody(Enum):
    """Whose tasks, or questions, are listed when it does not matter: `None` is for those that belong to nobody."""

    EVERYBODY = "everybody"


EVERYBODY: Final = Everybody.EVERYBODY

Mark: TypeAlias = tuple[float, str]
"""Where a task stands in the order: when it was created, and its id."""

_PREFIX = re.compile(r"[0-9a-f]{0,128}")


@dataclass(frozen=True, slots=True)
class Listing:
    """Which tasks are wanted: those that pass every filter."""

    _: KW_ONLY

    statuses: frozenset[Status] | None = None
    """In which states; `None` for all."""

    owner: str | Everybody | None = EVERYBODY

    prefix: str = ""
    """What the ids begin with."""

    oldest_first: bool = False

    after: Mark | None = None
    """The task behind which the page begins, there or not."""

    def wants(self, record: TaskRecord) -> bool:
        """Whether a task passes the filters, and stands behind the mark."""
        return (
            (self.statuses is None or record.status in self.statuses)
            and (isinstance(self.owner, Everybody) or record.owner == self.owner)
            and record.id.startswith(self.prefix)
            and (self.after is None or self._is_behind(mark_of(record), self.after))
        )

    def behind(self, record: TaskRecord) -> Self:
        """The same, from behind a task on."""
        return replace(self, after=mark_of(record))

    def _is_behind(self, one: Mark, other: Mark) -> bool:
        return one > other if self.oldest_first else one < other


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Some of the tasks that were asked for."""

    records: tuple[TaskRecord, ...]

    cursor: str | None = None
    """What gives the next page; `None` after the last."""


def mark_of(record: TaskRecord) -> Mark:
    """Where a task stands in the order."""
    return record.created_at, record.id


def listing_of(
    statuses: Iterable[Status] | None,
    owner: str | Everybody | None,
    prefix: str,
    oldest_first: bool,
    cursor: str | None,
) -> Listing:
    """What was asked for, checked.

    Raises:
        ValueError: If a status or a cursor is none, or no id begins like that.
    """
    wanted = None if statuses is None else frozenset(statuses)
    if wanted is not None and (unknown := sorted(map(str, wanted - set(get_args(Status))))):
        raise ValueError(f"{unknown[0]!r} is no status of a task: they are {', '.join(get_args(Status))}")
    if not _PREFIX.fullmatch(prefix):
        raise ValueError("ids of tasks are hexadecimal digits in lower case, and so is what they begin with")
    after = None if cursor is None else _read_cursor(cursor)
    return Listing(statuses=wanted, owner=owner, prefix=prefix, oldest_first=oldest_first, after=after)


def page_of(found: list[TaskRecord], limit: int) -> TaskPage:
    """A page, of all of them or the first *limit*."""
    records = tuple(found[:limit])
    return TaskPage(records, _write_cursor(mark_of(records[-1])) if len(found) > limit else None)


def _write_cursor(mark: Mark) -> str:
    created_at, task_id = mark
    return f"{created_at!r}~{task_id}"


def _read_cursor(cursor: str) -> Mark:
    moment, separator, task_id = cursor.partition("~")
    try:
        created_at = float(moment)
    except ValueError:
        created_at = math.nan
    if not (separator and math.isfinite(created_at) and _PREFIX.fullmatch(task_id)):
        raise ValueError("that is no cursor: it comes with a page, and is given back as it came")
    return created_at, task_id

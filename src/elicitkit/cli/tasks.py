"""Look after the tasks in a store: what there is, what waits for whom, what may go.

A server may have the store open meanwhile. Answers, results and the arguments of calls are hidden unless asked for.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

from ..errors import StoreError, UnknownTask
from ..tasks.states import Status
from .exits import Exit, Failure, cannot_open
from .output import give, give_json, say
from .parsers import add_debug, end_with_exit_codes

if TYPE_CHECKING:
    from ..tasks.record import TaskRecord
    from ..tasks.store import TaskStore

    Command: TypeAlias = Callable[[TaskStore, argparse.Namespace], Coroutine[Any, Any, None]]

SUMMARY = "list, show, cancel and sweep the tasks in a store"

NOBODY: Final = "-"
"""What is given for the owner of tasks that belong to nobody."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit tasks` takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    listing = _action(actions, "list", "list tasks, the newest first")
    listing.add_argument(
        "--status", action="append", choices=get_args(Status), help="only tasks in this state; may be given again"
    )
    listing.add_argument("--owner", help=f"only tasks of this principal; {NOBODY} is for those that belong to nobody")
    listing.add_argument("--oldest", action="store_true", help="the oldest first")
    listing.add_argument("--limit", type=int, default=50, help="how many, up to 1,000 (default: 50)")
    listing.add_argument("--cursor", help="go on where the list before ended, which says how")
    _add_reports(listing)
    showing = _action(actions, "show", "show what a task asks, was told and has done")
    _add_id(showing)
    _add_reports(showing)
    _add_id(_action(actions, "cancel", "cancel a task; what it asks is withdrawn"))
    _action(actions, "sweep", "end questions whose time is over, and erase tasks whose time has passed")


def _action(actions: Any, name: str, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
    )
    add_debug(parser)
    end_with_exit_codes(parser)
    parser.add_argument("store", metavar="STORE", help="a file of tasks, sqlite:///FILE or postgresql://…")
    return parser


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the id of the task, or enough of its beginning")


def _add_reports(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--answers", action="store_true", help="show answers, results and arguments too")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit tasks`, and give its exit code.

    Raises:
        Failure: If there is no such store or task, or the store cannot be used.
        MissingExtra: If what the store needs is not installed.
    """
    asyncio.run(_run(_ACTIONS[args.action], args))
    return Exit.FINE


async def _run(action: Command, args: argparse.Namespace) -> None:
    store = await _opened(args.store, reads=action in _READING)
    try:
        await action(store, args)
    except StoreError as error:
        raise Failure(Exit.UNREACHABLE, str(error)) from error
    finally:
        await store.close()


async def _opened(address: str, *, reads: bool) -> TaskStore:
    from ..tasks.stores.addresses import open_store

    try:
        store = open_store(address, must_exist=True, reads_only=reads)
        await store.open()
    except (StoreError, ValueError) as error:
        raise cannot_open(error) from error
    return store


# --- actions ----------------------------------------------------------------------------------------------------------


async def _list(store: TaskStore, args: argparse.Namespace) -> None:
    from ..tasks.listing import EVERYBODY
    from . import task_reports

    owner = EVERYBODY if args.owner is None else None if args.owner == NOBODY else args.owner
    try:
        page = await store.list_tasks(
            statuses=args.status, owner=owner, oldest_first=args.oldest, cursor=args.cursor, limit=args.limit
        )
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error
    if args.json:
        tasks = [task_reports.task_json(record, store.clock(), with_answers=args.answers) for record in page.records]
        return give_json({"tasks": tasks, "cursor": page.cursor})
    if not page.records:
        return say("no tasks")
    give(task_reports.table(page.records, store.clock(), with_answers=args.answers))
    if page.cursor is not None:
        say(f"there are more: --cursor {page.cursor}")


async def _show(store: TaskStore, args: argparse.Namespace) -> None:
    from . import task_reports

    try:
        history = await store.history((await _found(store, args.id)).id)
    except UnknownTask:  # It was forgotten just now.
        raise _unknown(args.id) from None
    if args.json:
        give_json(task_reports.history_json(history, store.clock(), with_answers=args.answers))
    else:
        give(task_reports.history_text(history, store.clock(), with_answers=args.answers))


async def _cancel(store: TaskStore, args: argparse.Namespace) -> None:
    record = await _found(store, args.id)
    if record.is_over:
        return say(f"{record.id} has ended already: it is {record.status}; nothing was changed")
    try:
        await store.cancel(record.id, owner=record.owner)
        (record,) = (await store.list_tasks(prefix=record.id)).records
    except (UnknownTask, ValueError):
        raise _unknown(args.id) from None
    if record.status == "cancelled":
        give(f"{record.id} is cancelled")
    else:
        say(f"{record.id} ended before it could be cancelled: it is {record.status}")


async def _sweep(store: TaskStore, args: argparse.Namespace) -> None:
    from ..tasks.stores.sqlite import SqliteTaskStore

    swept = await store.sweep()
    is_erased = await store.erase() if isinstance(store, SqliteTaskStore) else True
    give(f"{_count(swept.expired, 'question')} ended unanswered, {_count(swept.deleted, 'task')} erased")
    if not is_erased:
        say("somebody reads in the file just now, and keeps old pages of it alive: sweep again")


_ACTIONS: Final[dict[str, Command]] = {"list": _list, "show": _show, "cancel": _cancel, "sweep": _sweep}
_READING: Final = frozenset({_list, _show})


async def _found(store: TaskStore, given: str) -> TaskRecord:
    """The task that an id, or the beginning of one, is for.

    Raises:
        Failure: If there is none, or more than one.
    """
    try:
        prefix = given.strip().lower()
        records = [*(await store.list_tasks(prefix=prefix, limit=5)).records] if prefix else []
    except ValueError:
        raise Failure(Exit.USAGE, f"{given!r} is no id of a task: those are hexadecimal digits") from None
    if not records:
        raise _unknown(given)
    if len(records) > 1:
        several = "\n".join(record.id for record in records)
        raise Failure(Exit.USAGE, f"several tasks begin with {given!r}: give more of the id", details=several)
    return records[0]


def _unknown(given: str) -> Failure:
    return Failure(Exit.USAGE, f"there is no task {given!r} in this store")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"

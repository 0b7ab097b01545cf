"""Look into an inbox and answer: what hosts ask, who asks it, and until when.

Hosts, and whoever else answers, may have the store open meanwhile. What was answered is hidden unless asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from .. import _json
from ..errors import AnswerError, ContractError, EntryClosed, LimitError, StoreError, UnknownEntry
from ..naming import nearest, wire_name
from .exits import Exit, Failure, cannot_open
from .output import give, give_json, say
from .parsers import add_debug, end_with_exit_codes

if TYPE_CHECKING:
    from ..forms import Content, Form
    from ..host.inbox import Entry, Inbox, Viewer

    Command: TypeAlias = Callable[[Inbox, argparse.Namespace], Coroutine[Any, Any, None]]

SUMMARY = "list and answer the questions in an inbox; serve it as a web page"

NOBODY: Final = "-"
"""What is given for whoever sees only questions of nobody in particular."""

PORT: Final = 8400

_ALIKE_SHOWN: Final = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit inbox` takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    listing = _action(actions, "list", "list the questions that are open, the oldest first")
    listing.add_argument("--closed", action="store_true", help="those that are closed instead, the newest first")
    listing.add_argument("--owner", help=f"as this person sees them; {NOBODY} for those of nobody in particular")
    listing.add_argument("--limit", type=int, default=50, help="how many, up to 200 (default: 50)")
    listing.add_argument("--after", help="go on where the list before ended, which says how")
    listing.add_argument("--json", action="store_true", help="print JSON")
    showing = _action(actions, "show", "show a question, and what became of it")
    showing.add_argument("id", metavar="ID", help="the id of the question, or enough of its beginning")
    showing.add_argument("--answer", action="store_true", help="show what was answered, too")
    showing.add_argument("--json", action="store_true", help="print JSON")
    _add_answering(_action(actions, "answer", "answer a question at the terminal; or all that are open, one by one"))
    _add_serving(_action(actions, "serve", "serve the inbox to browsers, and to programs under /api"))


def _action(actions: Any, name: str, summary: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
    )
    add_debug(parser)
    end_with_exit_codes(parser)
    parser.add_argument(
        "store", metavar="STORE", help="a file, sqlite:///FILE or postgresql://…; that of the tasks too"
    )
    return parser


def _add_answering(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="the id, or enough of its beginning; all if left out")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--accept", metavar="JSON", help="agree without a prompt, with these fields: an object, or {}")
    how.add_argument("--decline", action="store_true", help="say no without a prompt")
    how.add_argument("--cancel", action="store_true", help="close it undecided, without a prompt")
    parser.add_argument("--note", default="", help="what is to be known of a refusal; whoever asked is not told")
    parser.add_argument("--by", help="who answers, for others to read (default: your user name)")
    parser.add_argument("--owner", help="answer only what this person may")


def _add_serving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=PORT, help=f"the port, 0 for any (default: {PORT})")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine alone)")
    parser.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="another name it may be asked for by"
    )
    parser.add_argument("--title", default="Inbox", help="what the pages are called")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit inbox`, and give its exit code.

    Raises:
        Failure: If there is no such store or question, it cannot be answered so, or the store cannot be used.
        MissingExtra: If what the store, the prompt or the pages need is not installed.
    """
    asyncio.run(_run(_ACTIONS[args.action], args))
    return Exit.FINE


async def _run(action: Command, args: argparse.Namespace) -> None:
    inbox = await _opened(args.store, may_be_made=args.action == "serve")
    try:
        await action(inbox, args)
    except StoreError as error:
        raise Failure(Exit.UNREACHABLE, str(error)) from error
    except EntryClosed as error:
        raise Failure(Exit.TOO_LATE, str(error)) from error
    finally:
        await inbox.__aexit__(None, None, None)


async def _opened(address: str, *, may_be_made: bool) -> Inbox:
    from ..host.inbox import Inbox
    from ..host.inbox.addresses import open_inbox_store

    try:
        return await Inbox(open_inbox_store(address, must_exist=not may_be_made)).__aenter__()
    except (StoreError, ValueError) as error:
        raise cannot_open(error) from error


# --- actions ----------------------------------------------------------------------------------------------------------


async def _list(inbox: Inbox, args: argparse.Namespace) -> None:
    from . import inbox_reports

    read = inbox.closed if args.closed else inbox.open
    try:
        page = await read(owner=_viewer(args.owner), limit=args.limit, after=args.after)
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from error
    if args.json:
        return give_json({"questions": [one.to_dict() for one in page.entries], "total": page.total, "next": page.next})
    if not page.entries:
        return say("nothing is closed" if args.closed else "nothing is asked")
    give(inbox_reports.table(page.entries, inbox_reports.now_of(inbox)))
    if page.next is not None:
        say(f"{len(page.entries)} of {page.total}: --after {page.next}")


async def _show(inbox: Inbox, args: argparse.Namespace) -> None:
    from . import inbox_reports

    entry = await _found(inbox, args.id)
    answer = await inbox.answer_to(entry.id) if args.answer else None
    if args.json:
        give_json(entry.to_dict() | ({} if answer is None else {"answer": answer.to_dict()}))
    else:
        give(inbox_reports.entry_text(entry, inbox_reports.now_of(inbox), answer))


async def _answer(inbox: Inbox, args: argparse.Namespace) -> None:
    if args.accept is None and not (args.decline or args.cancel):
        return await _answer_at_terminal(inbox, args)
    if args.id is None:
        raise Failure(Exit.USAGE, "without a prompt one question is answered at a time: give its ID")
    entry = await _found(inbox, args.id, _viewer(args.owner))
    answer = entry.request.decline() if args.decline else entry.request.cancel()
    try:
        if args.accept is not None:
            answer = entry.request.accept(
                _named(_object(args.accept), inbox.form(entry) if entry.request.schema else None)
            )
        closed = await inbox.answer(entry.id, answer, note=args.note, by=_name(args.by))
    except AnswerError as error:
        raise Failure(Exit.USAGE, "the answer does not fit", details="\n".join(map(str, error.faults))) from error
    except (ContractError, LimitError) as error:
        raise Failure(Exit.USAGE, str(error)) from error
    say("accepted" if closed.is_accepted else f"{closed.reason}")


async def _answer_at_terminal(inbox: Inbox, args: argparse.Namespace) -> None:
    from .inbox_answering import AtTerminal

    if args.note:
        raise Failure(Exit.USAGE, "a note goes with --decline or --cancel; a prompt asks for it")
    desk = AtTerminal(inbox, by=_name(args.by), viewer=_viewer(args.owner))
    if args.id is None:
        return await desk.answer_all()
    return await desk.answer(await _found(inbox, args.id, _viewer(args.owner)))


async def _serve(inbox: Inbox, args: argparse.Namespace) -> None:
    from ..render.web import LOOPBACK, serve

    token = os.environ.get("ELICITKIT_INBOX_TOKEN")

    def tell(link: str) -> None:
        if args.host not in LOOPBACK:
            say(
                "it listens beyond this machine, without encryption: put a proxy with TLS before it, "
                "and name each address people use with --allow-host"
            )
        until = "as long as its token is the same" if token else "until this ends"
        say(f"open this link once, and give it to nobody; it lets in {until}:")
        give(link)

    try:
        await serve(
            inbox,
            token=token,
            title=args.title,
            host=args.host,
            port=args.port,
            allowed_hosts=(*LOOPBACK, *args.allow_host),
            tell=tell,
        )
    except (OSError, ValueError) as error:
        raise Failure(Exit.USAGE, f"it cannot be served: {error}") from error


_ACTIONS: Final[dict[str, Command]] = {"list": _list, "show": _show, "answer": _answer, "serve": _serve}


# --- what was given ---------------------------------------------------------------------------------------------------


async def _found(inbox: Inbox, id: str, viewer: Viewer | None = None) -> Entry:
    """The entry of an id, or of enough of its beginning, in small or large letters.

    Raises:
        Failure: If there is none, or several.
    """
    from ..host.inbox import EVERYBODY
    from .inbox_reports import ID_SHOWN

    owner = EVERYBODY if viewer is None else viewer
    try:
        return await inbox.get(id, owner=owner)
    except UnknownEntry:
        start = id.strip().lower()
        found = [one async for one in _all(inbox, owner) if one.id.startswith(start)] if start else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise Failure(Exit.USAGE, f"there is no such question: {id!r}")
    alike = ", ".join(one.id[:ID_SHOWN] for one in found[:_ALIKE_SHOWN])
    more = f" and {len(found) - _ALIKE_SHOWN} more" if len(found) > _ALIKE_SHOWN else ""
    raise Failure(Exit.USAGE, f"{len(found)} questions begin with {id!r}: {alike}{more}")


async def _all(inbox: Inbox, owner: Viewer) -> AsyncIterator[Entry]:
    for read in (inbox.open, inbox.closed):
        after = None
        while True:
            page = await read(owner=owner, limit=200, after=after)
            for entry in page.entries:
                yield entry
            if (after := page.next) is None:
                break


def _port(text: str) -> int:
    """The number of a port; what is none is a fault of usage, which argparse tells."""
    if text.isascii() and text.isdigit() and int(text) < 65_536:
        return int(text)
    raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")


def _viewer(owner: str | None) -> Viewer:
    from ..host.inbox import EVERYBODY

    return EVERYBODY if owner is None else None if owner == NOBODY else owner


def _object(text: str) -> dict[str, Any]:
    try:
        found = _json.loads(text)
    except ValueError as error:
        raise Failure(Exit.USAGE, f"what is to be accepted is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise Failure(Exit.USAGE, 'what is to be accepted is a JSON object, such as \'{"size": "M"}\'')
    return found


def _named(given: dict[str, Any], form: Form[Content] | None) -> dict[str, Any]:
    """What was filled in, by the names of the wire; a name that was written in another way finds its field.

    Raises:
        Failure: If a name is that of no field, or two are that of one.
    """
    if form is None:
        return given
    known = [field.name for field in form.fields]
    pairs = [(_wire_name(key, form), key) for key in given]
    problems = [f"{key!r} is no field of the form: {nearest(key, known)}" for wire, key in pairs if wire is None]
    twice = [wire for wire, count in Counter(wire for wire, _ in pairs).items() if wire is not None and count > 1]
    problems += [f"{wire!r} is given more than once, in different spellings" for wire in twice]
    if problems:
        raise Failure(Exit.USAGE, "the answer has names that do not fit", details="\n".join(problems))
    return {wire: given[key] for wire, key in pairs if wire is not None}


def _wire_name(key: str, form: Form[Content]) -> str | None:
    """The field that a name means: its own, or one that no other is spelt as, such as `full_name` for `fullName`."""
    if any(key == field.name for field in form.fields):
        return key
    alike = [field.name for field in form.fields if wire_name(key) in (wire_name(field.name), wire_name(field.label))]
    return alike[0] if len(alike) == 1 else None


def _name(given: str | None) -> str:
    """Who answers. A machine may not know."""
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""

"""See a form as a person will, answer it, and see what the tool gets.

FORM is a name such as shop.forms:order or ./forms.py:order, of a form, of a builder, or of a type that forms are made
from (a dataclass, a pydantic model).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pprint import pformat
from typing import TYPE_CHECKING, Any

from .. import _json
from .exits import Exit, Failure
from .output import give, give_json, say

if TYPE_CHECKING:
    from ..forms import Content, Form
    from ..outcomes import Outcome

SUMMARY = "see a form as a person will, and what the tool gets"

_WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `elicitkit preview` takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("form", metavar="FORM", help="package.module:form, or file.py:form")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--web", action="store_true", help="as a page in a browser, served on this machine")
    way.add_argument("--schema", action="store_true", help="print the JSON Schema as it is sent")
    parser.add_argument("--era", metavar="REVISION", help="as a host of this revision of the protocol is sent it")


def run(args: argparse.Namespace) -> int:
    """Run `elicitkit preview`, and give its exit code.

    Raises:
        Failure: If there is no such form, or it does not work.
        MissingExtra: If what it is drawn with is not installed.
    """
    from ..forms.form import LATEST
    from .loading import load_form

    form, era = load_form(args.form), args.era or LATEST
    drawn = _as_sent(form, era)
    if args.era:
        _tell_era(form, era)
    if args.schema:
        give_json(_json.thawed(form.schema(era)))
        return Exit.FINE
    if args.web:
        from .preview_web import serve

        return serve(drawn, _judge(form, era))
    return _fill_in(form, drawn, era, args.form)


def _as_sent(form: Form[Any], era: str) -> Form[Any]:
    """The form as a host of a revision reads it.

    Raises:
        Failure: If there is no such revision, or it has no way to ask for a field.
    """
    from ..errors import ElicitationUnsupported
    from ..forms import Form

    try:
        return Form.from_schema(form.message, form.schema(era))
    except ElicitationUnsupported as error:
        raise Failure(Exit.FAULTS, str(error)) from None
    except ValueError as error:
        raise Failure(Exit.USAGE, str(error)) from None


def _tell_era(form: Form[Any], era: str) -> None:
    from .eras import era_notes

    say(f"In {era}:")
    for note in era_notes(form, era):
        say(f"- {note}")


def _fill_in(form: Form[Any], drawn: Form[Any], era: str, name: str) -> Exit:
    import anyio

    from ..errors import AnswerError
    from ..outcomes import Cancelled
    from ..render.terminal import fill

    judge = _judge(form, era)

    async def put() -> Outcome[Any]:
        """Ask until the author's own checks are content, as a tool does."""
        answered: dict[str, object] = {}
        faults: Any = ()
        while True:
            outcome: Outcome[Content] = await fill(
                drawn, f"preview ({name})", filled=answered, faults=faults, piped=not sys.stdin.isatty()
            )
            if not outcome:
                return outcome
            answered = {**outcome.content, **dict.fromkeys(outcome.content.cleared)}
            try:
                return judge(answered)
            except AnswerError as error:
                faults = error.faults

    outcome = anyio.run(put)
    if isinstance(outcome, Cancelled) and outcome.reason == "headless":
        raise Failure(Exit.SCRIPT, "standard input ended before the form was answered")
    _tell(outcome)
    return Exit.FINE


def _judge(form: Form[Any], era: str) -> Callable[[Mapping[str, Any]], Outcome[Any]]:
    """What the tool makes of an answer: its author's own checks, and its type. It raises an `AnswerError`."""
    from ..schema.dialects import DIALECTS

    def judge(answered: Mapping[str, Any]) -> Outcome[Any]:
        # Hosts leave a field that was cleared out of the answer.
        sent = {name: value for name, value in answered.items() if value is not None}
        return form.accept(DIALECTS[era].fold(form.fields, sent))

    return judge


def _tell(outcome: Outcome[Any]) -> None:
    """Print what the tool gets: the content, typed, or the refusal."""
    if not outcome:
        give(repr(outcome))
        return
    say(f"on the wire: {_json.dumps(dict(outcome.raw)).decode()}")
    value = outcome.content
    give(pformat(dict(value) if value is outcome.raw else value, width=_WIDTH, sort_dicts=False))

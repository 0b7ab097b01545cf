"""What an answer to an open question comes to: kept, or asked again with the faults above the message. Pure.

No text here ever holds what was typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast, get_args

from .. import _json
from ..asking import reply_from
from ..asking.questions import message_with_faults, refused
from ..errors import AnswerError, Fault
from ..fields import UnknownField
from ..forms import Content, Form
from ..journal import Action, Reply
from ..limits import ANSWER_BYTES
from ..outcomes import Accepted, Cancelled, Outcome
from .record import Settlement, TaskInput, new_key

_NO_RESULT = "The answer could not be read: it has an action, which is accept, decline or cancel, and fields"
"""What the tool and whoever looks at its task are told: the client sent something else."""

_ANSWER_AGAIN = (
    "Your answer did not arrive in a form that can be read. Please give it once more; if this stands here again, the "
    "program in which you answer cannot send it, and another one may"
)
"""What the person is told, who cannot know what their client sent."""


def judge(asked: TaskInput, response: object) -> Settlement:
    """Decide what an answer makes of an open question.

    What fits is kept, but for what the form has no field for; so is a refusal. What does not fit closes the question,
    which is asked again under a new key, until the same moment; after the last try its reply has a `problem` in place
    of content. A response that is no `ElicitResult` is a wrong answer: a client shows each key once, and would wait for
    ever if it were ignored. (Tasks extension, `tasks/update`.)

    Args:
        asked: An open question.
        response: What came for its key, as it is on the wire: `{"action": …, "content": …}`.
    """
    if (read := _read(response)) is None:
        return _wrong(asked, _NO_RESULT, AnswerError([Fault("", "", _ANSWER_AGAIN)]))
    try:
        return Settlement(asked.key, replace(_fitting(asked, *read), tries=asked.attempt))
    except AnswerError as error:
        return _wrong(asked, "; ".join(map(str, error.faults)), error)


def outcome_of(asked: TaskInput) -> Outcome[Any]:
    """The outcome of a question that is not open any more; its own, if it was asked again.

    A withdrawn one is `Cancelled`; one that expired is `Cancelled("expired")`.

    Raises:
        AnswerError: If the answer did not fit.
    """
    reply = asked.reply
    if reply is None:
        return Cancelled()
    if (refusal := refused(reply)) is not None:
        return refusal
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    return Accepted(None) if asked.mode == "url" else _form_of(asked).accept(reply.content)


def _wrong(asked: TaskInput, problem: str, told: AnswerError) -> Settlement:
    reply = Reply("accept", problem=problem, tries=asked.attempt)
    return Settlement(asked.key, reply, None if asked.attempt >= asked.tries else _again(asked, told))


def _fitting(asked: TaskInput, action: Action, content: Mapping[str, Any] | None) -> Reply:
    """The reply to keep.

    Raises:
        AnswerError: If the answer does not fit.
    """
    if action != "accept" or asked.mode == "url":
        return Reply(action)
    reply = reply_from(action, content or {}, ANSWER_BYTES)
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    form = _form_of(asked)
    form.check(reply.content)
    # As it came, not as it was checked: `null` keeps a default away, and would be gone.
    known = {one.name for one in form.fields if not isinstance(one, UnknownField)}
    return Reply(action, {name: value for name, value in (reply.content or {}).items() if name in known})


def _read(response: object) -> tuple[Action, Mapping[str, Any] | None] | None:
    if isinstance(response, Mapping):
        action, content = response.get("action"), response.get("content")
        if action in get_args(Action) and (content is None or isinstance(content, Mapping)):
            return cast("Action", action), content
    return None


def _again(asked: TaskInput, error: AnswerError) -> TaskInput:
    params = asked.request["params"]
    message = asked.authors_message
    request = {**asked.request, "params": {**params, "message": message_with_faults(message, error)}}
    return replace(asked, key=new_key(), request=request, message=message, attempt=asked.attempt + 1)


def _form_of(asked: TaskInput) -> Form[Content]:
    return _form(_json.dumps(asked.request["params"]["requestedSchema"]))


@lru_cache(maxsize=256)
def _form(schema: bytes) -> Form[Content]:
    """A form to check answers by; reading and compiling a schema takes longer than a check."""
    return Form.from_schema("", _json.loads(schema))

"""From a question that is asked to what a store keeps of it, and from what the store has to the reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..asking import TRIES
from ..errors import AnswerError, Fault, ProtocolError
from ..journal import EXPIRED, FormQuestion, LinkQuestion, Question, Reply
from .record import TaskInput, new_key
from .requests import METHOD, form_request, link_request, shape_of
from .store import TaskStore


def request_of_question(question: Question) -> Mapping[str, Any]:
    """The request of a question, as the wire has it."""
    match question:
        case FormQuestion(message=message, schema=schema):
            return form_request(message, schema)
        case LinkQuestion(message=message, url=url):
            return link_request(message, url)
    raise TypeError(f"a question is a form or a link, not {type(question).__name__}")


def question_of(request: Mapping[str, Any], name: str) -> Question:
    """The question of a request that a tool made itself.

    Raises:
        ProtocolError: If it is something that a task cannot carry: no person answers it.
    """
    if request.get("method") != METHOD:
        raise ProtocolError(f"a task can ask a person, and nothing else: not {request.get('method')!r}")
    params = request.get("params") or {}
    if params.get("mode") == "url":
        return LinkQuestion(name, shape_of(request), params["message"], url=params["url"])
    return FormQuestion(name, shape_of(request), params["message"], params["requestedSchema"], tries=TRIES)


def input_of(question: Question, store: TaskStore) -> TaskInput:
    """A question as it is to be parked, under a new key."""
    limit = store.clock() + store.max_wait
    until = limit if question.until is None else min(limit, question.until)
    tries = question.tries if isinstance(question, FormQuestion) else TRIES
    return TaskInput(new_key(), question.name, question.shape, request_of_question(question), until, tries=tries)


def reply_of(asked: TaskInput, question: Question) -> Reply:
    """What a question came to.

    Raises:
        AnswerError: If it is a link, and nothing that came was an answer: whoever asks for consent looks no further.
    """
    reply = asked.reply
    if reply is None:
        return EXPIRED if asked.state == "expired" else Reply("cancel")
    if isinstance(question, LinkQuestion) and reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    return replace(reply, tries=asked.attempt)


def answer_on_wire(reply: Reply) -> dict[str, Any]:
    """A reply, as a tool that drives its own rounds is given it.

    Raises:
        AnswerError: If nothing that came was an answer.
    """
    if reply.problem is not None:
        raise AnswerError([Fault("", "", reply.problem)])
    content = None if reply.content is None else dict(reply.content)
    return {"action": reply.action} if content is None else {"action": reply.action, "content": content}

"""What reads from a wire, each as a function of bytes: it may refuse them with an error of ours, and nothing else.

A target asserts what has to hold of all that it takes. An exception that leaves it is a fault.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote, urlencode

import httpx2
import pytest
from jsonschema_rs import ValidationError as SchemaError
from mcp import MCPError
from mcp_types import ElicitResult
from pydantic import ValidationError

from elicitkit import (
    Answer,
    AnswerError,
    ContractError,
    Form,
    FormElicitation,
    FormError,
    Inbox,
    LimitError,
    MemoryInboxStore,
    PendingCall,
    ProtocolError,
    Request,
    answer_to_elicit_result,
    elicitation_to_request,
    pending_of,
    required_elicitations_to_requests,
)
from elicitkit.fields import UnknownField
from elicitkit.journal import _MARK, _VERSION, Journal
from elicitkit.render.web import inbox_app
from elicitkit.render.web.sessions import Sessions
from elicitkit.safety import link_problem, plain, plain_line
from elicitkit.tasks.answers import judge, outcome_of
from elicitkit.tasks.client_waiting import ENDS, input_request
from elicitkit.tasks.messages import TaskState, UpdateParams
from elicitkit.tasks.record import TaskInput
from elicitkit.tasks.requests import request_of, shape_of
from tests.fuzz.shapes import Bytes, mapping, message, requested_schema, text, value, word
from tests.validators import passes

TOKEN: Final = "a-token-that-nobody-can-guess-at-all"

Target = Callable[[bytes], None]

ASKED: Final = (
    FormElicitation.create("Everything")
    .string("name").required().min_length(2).max_length(20)
    .email("mail").uri("page").date("day").date_time("moment")
    .integer("age").between(0, 150).default(30).number("weight").min(0.5)
    .boolean("member").required()
    .choice("pet").options({"c": "Cat", "d": "Dog"}).default("c")
    .multi_choice("roles").options(["a", "b", "c"]).min_items(1).max_items(2)
    .build()
)  # fmt: skip


REQUEST: Final = request_of(ASKED)
PARKED: Final = TaskInput("k", "k", shape_of(REQUEST), REQUEST, 2.0**40, tries=2)


def requested_schemas(data: bytes) -> None:
    """A stranger's schema becomes a form, which can be drawn, answered and sent on, or is refused."""
    given = Bytes(data)
    message, schema = word(given), requested_schema(given)
    try:
        form = Form.from_schema(message, schema)
    except (FormError, LimitError, TypeError):
        return
    for field in form.fields:
        plain_line(field.title or field.name)
        if not isinstance(field, UnknownField):
            hash(field)
    json.dumps(form.schema())
    again = Form.from_schema(message, form.schema())
    assert [field.name for field in again.fields] == [field.name for field in form.fields]
    check_of(form, mapping(given))


def answers(data: bytes) -> None:
    """An answer fits, and then fits the schema too; or it is refused in words that do not hold it."""
    given = Bytes(data)
    content = {name: value(given) for name in ASKED.schema()["properties"] if given.next(4)}
    check_of(ASKED, content)


def check_of(form: Form[Any], content: dict[str, Any]) -> None:
    faults, checked = (), {}
    try:
        checked = form.check(content)
    except AnswerError as error:
        faults = error.faults
    if not checked:
        assert all(fault.problem for fault in faults)
        return
    sent = {name: one for name, one in checked.items() if one is not None}
    try:
        is_right = passes(form.schema(), sent)
    except SchemaError:  # The stranger's schema is none as a whole; there is nothing to compare with.
        return
    assert is_right, (form.schema(), sent)
    assert form.check(checked) == checked


def requests(data: bytes) -> None:
    """A request of another program is read, and written again as the same."""
    try:
        read = Request.from_json(message(Bytes(data), "id", "kind", "prompt", "url", "data", "expiresAt"))
    except (ContractError, LimitError):
        return
    assert Request.from_json(read.to_json()) == read
    pending_of({"request": read.to_dict()})


def answers_of_hosts(data: bytes) -> None:
    """An answer of another program is read, written again as the same, and can go back to a server or is refused."""
    try:
        read = Answer.from_json(message(Bytes(data), "id", "ok", "data", "reason"))
    except (ContractError, LimitError):
        return
    assert Answer.from_json(read.to_json()) == read
    with suppress(AnswerError):
        result = answer_to_elicit_result(read)
        assert (result.content is not None) == read.ok


def elicitations(data: bytes) -> None:
    """What a server asks becomes a request, or is refused."""
    given = Bytes(data)
    params = {**mapping(given), "message": word(given), "requestedSchema": requested_schema(given)}
    for read in (elicitation_to_request, required_elicitations_to_requests):
        with suppress(ProtocolError, ContractError, LimitError, TypeError):
            read(params if given.next(2) else {"method": "elicitation/create", "params": params})


def request_states(data: bytes) -> None:
    """The state of a round trip, as it is once the seal is off, is ours and read whole, or refused."""
    given = Bytes(data)
    parts = ("call", "rounds", "answers", "asked", "deadlines", "steps", "inner")
    found = {_MARK: _VERSION, **{part: mapping(given) if given.next(2) else value(given) for part in parts}}
    state = json.dumps(found) if given.next(4) else text(given).decode(errors="replace")
    try:
        journal = Journal.read(state)
    except ProtocolError:
        return
    if journal is not None:
        again = Journal.read(journal.write())
        assert again is not None
        assert again.write() == journal.write()


def pending_calls(data: bytes) -> None:
    """A call that waits, as a host stored it."""
    given = Bytes(data)
    request = {"id": word(given), "kind": word(given), "prompt": word(given), "data": value(given)}
    call = {part: value(given) for part in ("server", "tool", "arguments", "state") if given.next(8)}
    stored = {"output": word(given), "metadata": {"pending": request}, "call": call, **mapping(given)}
    try:
        read = PendingCall.from_json(json.dumps(stored) if given.next(4) else text(given))
    except (ContractError, LimitError):
        return
    assert PendingCall.from_json(read.to_json()).to_json() == read.to_json()


def task_updates(data: bytes) -> None:
    """What a client sends with `tasks/update` is kept, or makes the question come again; never an error."""
    given = Bytes(data)
    params = {"taskId": word(given), "inputResponses": {"k": value(given), word(given): value(given)}}
    try:
        responses = UpdateParams.model_validate(params, by_name=False).input_responses
    except (ValidationError, UnicodeEncodeError):
        return
    settled = judge(PARKED, responses["k"])
    if settled.replacement is None:
        outcome_of(replace(PARKED, state="answered", reply=settled.reply))
        return
    last = judge(settled.replacement, responses["k"])
    assert last.replacement is None
    with pytest.raises(AnswerError):
        outcome_of(replace(settled.replacement, state="answered", reply=last.reply))


def task_states(data: bytes) -> None:
    """What a server says of a task is a result, a question, or an error that names the server's fault."""
    given = Bytes(data)
    said = {"taskId": "t", "createdAt": word(given), "lastUpdatedAt": word(given), "ttlMs": None, **mapping(given)}
    with suppress(ValidationError):
        state = TaskState.model_validate(said, by_name=False)
        for request in (state.input_requests or {}).values():
            with suppress(ProtocolError):
                input_request(request)
        if state.status in ENDS:
            end_of(state)


def end_of(state: TaskState) -> None:
    with suppress(ProtocolError, MCPError):
        ENDS[state.status](state)


def drawn_texts(data: bytes) -> None:
    """What is drawn at a terminal holds nothing that a terminal obeys."""
    given = Bytes(data).rest().decode(errors="replace")
    for drawn in (plain(given), plain_line(given)):
        assert not any(one < " " and one not in "\n\t" for one in drawn), drawn
        assert not set(drawn) & set("\x7f\x9b\u202a\u202b\u202d\u202e\u2066\u2067\u2068"), drawn
    link_problem(given)


def elicit_results(data: bytes) -> None:
    """What a client sends back, as the SDK reads it."""
    given = Bytes(data)
    with suppress(ValidationError):
        result = ElicitResult.model_validate({"action": word(given), "content": value(given)}, by_name=False)
        if result.content is not None:
            check_of(ASKED, dict(result.content))


def inbox_over_http(data: bytes) -> None:
    """A page or the API of the inbox answers whatever comes, and never with a failure of its own."""
    asyncio.run(_requested(Bytes(data)))


async def _requested(given: Bytes) -> None:
    async with Inbox(MemoryInboxStore(), host="fuzz") as inbox:
        entry = await inbox.ask(Request("r1", "input", ASKED.message, data={"schema": ASKED.schema()}))
        sessions = Sessions(TOKEN)
        cookie = sessions.start()
        keeper = sessions.keeper(cookie)
        assert keeper
        answering = {act: f"/api/questions/{entry.id}/{act}" for act in ("answer", "decline", "cancel")}
        paths = [
            "/",
            "/closed",
            "/api/questions",
            f"/api/questions/{entry.id}",
            f"/{quote(word(given), safe='', errors='replace')}",
        ]
        url = (*paths, f"/q/{entry.id}", *answering.values())[given.next(9)]
        headers = {"Authorization": f"Bearer {TOKEN}"} if given.next(8) else {}
        app = inbox_app(inbox, token=TOKEN)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
            client.cookies.set(sessions.cookie, cookie)
            if given.next(2) and not url.endswith("/answer"):  # To get an answer is to wait for it.
                asked = urlencode({word(given): word(given)}, errors="replace")
                sent = await client.get(f"{url}?{asked}", headers=headers)
            elif url.startswith("/api"):
                headers["Content-Type"] = "application/json"
                sent = await client.post(url, content=message(given, "data", "note", "by", "reason"), headers=headers)
            else:
                named = {name: word(given) for name in [*ASKED.schema()["properties"], "step", "action", word(given)]}
                typed = urlencode({**named, "csrf": sessions.form_secret(keeper)}, errors="replace")
                headers["Content-Type"] = "application/x-www-form-urlencoded"
                sent = await client.post(url, content=typed, headers=headers)
        assert sent.status_code < 500, (sent.status_code, sent.text[:500])


TARGETS: Final[dict[str, Target]] = {
    target.__name__: target
    for target in (
        requested_schemas,
        answers,
        requests,
        answers_of_hosts,
        elicitations,
        request_states,
        pending_calls,
        task_updates,
        task_states,
        drawn_texts,
        elicit_results,
        inbox_over_http,
    )
}

"""Tasks as an operator reads them: a table of many, one with its questions and steps, and both as JSON. Pure.

What people typed, what calls were given and what they gave is there only where it was asked for. `output` takes tricks
out of all that is printed; what stands on one line is made one here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from ..errors import ElicitkitError
from ..forms import Form
from ..safety import plain_line
from ..tasks.record import History, TaskInput, TaskRecord
from ..tasks.wire import write_moment
from .questions import line_of
from .spans import since
from .tables import NONE, aligned, cut

HIDDEN: Final = "hidden; --answers shows it"

_ID_SHOWN: Final = 12
_COLUMNS: Final = ("ID", "STATUS", "TOOL", "OWNER", "CREATED", "ENDS", "ASKS")
_WIDEST: Final = {"TOOL": 24, "OWNER": 24, "ASKS": 60}


# --- many -------------------------------------------------------------------------------------------------------------


def table(records: Sequence[TaskRecord], now: float, *, with_answers: bool = False) -> str:
    """Tasks in aligned columns, one a line; with answers, what each was given and gave is on a line below it."""
    rows = [_COLUMNS, *(_row(record, now) for record in records)]
    head, *lines = aligned(rows)
    told = [head]
    for line, record in zip(lines, records, strict=True):
        told.append(line)
        if with_answers:
            told += [f"    {name}: {plain_line(value)}" for name, value in _contents(record)]
    return "\n".join(told)


def _row(record: TaskRecord, now: float) -> tuple[str, ...]:
    cells = {
        "ID": record.id[:_ID_SHOWN],
        "STATUS": record.status,
        "TOOL": tool_of(record),
        "OWNER": NONE if record.owner is None else record.owner,
        "CREATED": since(record.created_at, now),
        "ENDS": _end(record, now),
        "ASKS": _asked(record),
    }
    return tuple(cut(cells[name], _WIDEST.get(name, 40)) for name in _COLUMNS)


def _end(record: TaskRecord, now: float) -> str:
    """When the first thing of a task is over: a question of it, or all of it."""
    return "never" if record.due is None else "now" if record.due <= now else since(record.due, now)


def _asked(record: TaskRecord) -> str:
    messages = [_message(asked) for asked in record.inputs.values()]
    if not messages:
        return NONE
    return messages[0] if len(messages) == 1 else f"{cut(messages[0], _WIDEST['ASKS'] - 6)} (+{len(messages) - 1})"


# --- one --------------------------------------------------------------------------------------------------------------


def history_text(history: History, now: float, *, with_answers: bool = False) -> str:
    """A task with all it asked, was told and has done."""
    parts = [_about(history.record, now, with_answers=with_answers)]
    parts += ["\n".join(_question(asked, now, with_answers=with_answers)) for asked in history.inputs]
    if history.steps:
        parts.append("\n".join(["steps done", *_steps(history, with_answers=with_answers)]))
    return "\n\n".join(parts)


def _about(record: TaskRecord, now: float, *, with_answers: bool) -> str:
    facts = [
        ("status", record.status),
        ("says", record.status_message or ""),
        ("tool", tool_of(record)),
        ("owner", "nobody in particular: whoever holds the id" if record.owner is None else record.owner),
        ("created", _moment(record.created_at, now)),
        ("changed", _moment(record.updated_at, now)),
        ("kept until", "for ever" if record.expires_at is None else _moment(record.expires_at, now)),
        ("run by", _worker(record, now)),
        ("lost runs", _lost(record, now)),
        *(_contents(record) if with_answers else _hidden(record)),
    ]
    return "\n".join([f"task {record.id}", *(f"  {name:<11} {plain_line(value)}" for name, value in facts if value)])


def _worker(record: TaskRecord, now: float) -> str:
    if record.is_over:
        return ""
    if record.worker is None:
        return "nobody: it waits for an answer" if record.inputs and not record.wake else "nobody yet"
    claim = "" if record.is_leased(now) else ": its process may be dead, and another takes it up"
    return f"process {record.worker}, whose claim ends {since(record.lease_until, now)}{claim}"


def _lost(record: TaskRecord, now: float) -> str:
    lost = 0 if record.is_over else record.lost_runs(now)
    return f"{lost} in a row, each with its process: the tool may be what ends it" if lost else ""


def _question(asked: TaskInput, now: float, *, with_answers: bool) -> list[str]:
    tries = f", try {asked.attempt} of {asked.tries}" if asked.attempt > 1 or asked.state == "closed" else ""
    lines = [f"question {plain_line(asked.key)}: {_state(asked, now)}{tries}", f"  | {_message(asked)}"]
    lines += [f"  {line}" for line in _fields(asked)]
    if asked.reply is not None:
        lines.append(f"  => {_reply(asked, with_answers=with_answers)}")
    return lines


def _state(asked: TaskInput, now: float) -> str:
    if asked.settled_at is None:
        return f"open, asked {since(asked.parked_at, now)}, until {_moment(asked.until, now)}"
    words = {"closed": "answered wrongly, and asked again,"}
    return f"{words.get(asked.state, asked.state)} {since(asked.settled_at, now)}"


def _reply(asked: TaskInput, *, with_answers: bool) -> str:
    reply = asked.reply
    if reply is None or reply.is_expired:
        return "nothing came in time"
    if reply.problem is not None:
        return f"{reply.action}, which did not fit: {plain_line(reply.problem)}"
    if reply.content is None:
        return reply.action
    return f"{reply.action}: {plain_line(_written(reply.content)) if with_answers else HIDDEN}"


def _fields(asked: TaskInput) -> list[str]:
    """What would be an answer, a line for each field; or the link."""
    params = asked.request["params"]
    if asked.mode == "url":
        return [f"- a link to open: {plain_line(str(params.get('url')))}"]
    try:
        return [line_of(field) for field in Form.from_schema("m", params["requestedSchema"]).fields]
    except (ElicitkitError, KeyError, TypeError):
        return ["- a form that cannot be read"]


def _steps(history: History, *, with_answers: bool) -> list[str]:
    return [
        f"  {plain_line(name)}{f' => {plain_line(given)}' if with_answers else ''}"
        for name, given in history.steps.items()
    ]


def _moment(moment: float, now: float) -> str:
    return f"{write_moment(moment)[:19].replace('T', ' ')} UTC, {since(moment, now)}"


# --- as JSON ----------------------------------------------------------------------------------------------------------


def task_json(record: TaskRecord, now: float, *, with_answers: bool = False) -> dict[str, Any]:
    """A task for machines. Moments are RFC 3339; the names are the wire's, where it has them."""
    told: dict[str, Any] = {
        "taskId": record.id,
        "status": record.status,
        "statusMessage": record.status_message,
        "tool": tool_of(record),
        "owner": record.owner,
        "createdAt": write_moment(record.created_at),
        "lastUpdatedAt": write_moment(record.updated_at),
        "expiresAt": _written_moment(record.expires_at),
        "worker": record.worker,
        "leaseUntil": _written_moment(record.lease_until if record.worker is not None else None),
        "lostRuns": record.lost_runs(now),
        "open": [_question_json(asked, with_answers=with_answers) for asked in record.inputs.values()],
    }
    if with_answers:
        told |= {"call": record.call, "result": record.result, "error": record.error}
    return told


def history_json(history: History, now: float, *, with_answers: bool = False) -> dict[str, Any]:
    """A task with all its questions and steps, for machines."""
    told = task_json(history.record, now, with_answers=with_answers)
    told["questions"] = [_question_json(asked, with_answers=with_answers) for asked in history.inputs]
    told["steps"] = (
        {name: _read(given) for name, given in history.steps.items()} if with_answers else list(history.steps)
    )
    return told


def _question_json(asked: TaskInput, *, with_answers: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "key": asked.key,
        "state": asked.state,
        "request": asked.request,
        "until": write_moment(asked.until),
        "askedAt": write_moment(asked.parked_at),
        "settledAt": _written_moment(asked.settled_at),
        "try": asked.attempt,
        "tries": asked.tries,
        "action": None if asked.reply is None else asked.reply.action,
    }
    if with_answers and asked.reply is not None:
        told["content"] = asked.reply.content
    return told


def _written_moment(moment: float | None) -> str | None:
    return None if moment is None else write_moment(moment)


# --- both -------------------------------------------------------------------------------------------------------------


def tool_of(record: TaskRecord) -> str:
    """The tool that was called; nothing where somebody else's worker made the task."""
    call = record.call
    tool = call.get("tool") if isinstance(call, dict) else None
    return tool if isinstance(tool, str) else ""


def _contents(record: TaskRecord) -> Iterable[tuple[str, str]]:
    call = record.call
    given = call.get("arguments") if isinstance(call, dict) and "tool" in call else call
    yield "arguments", _written(given or {})
    if record.result_json is not None:
        yield "result", record.result_json
    if record.error_json is not None:
        yield "error", record.error_json


def _hidden(record: TaskRecord) -> Iterable[tuple[str, str]]:
    return [(name, HIDDEN) for name, _ in _contents(record)]


def _message(asked: TaskInput) -> str:
    params = asked.request.get("params") or {}
    return plain_line(str(asked.message if asked.message is not None else params.get("message", "")))


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text

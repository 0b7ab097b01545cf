"""A server that is killed again and again loses nothing: the short form of `make crash` (issue 7, "Proof")."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from elicitkit.journal import Reply
from elicitkit.tasks.record import History, TaskInput, TaskRecord
from tests.crash.conductor import run
from tests.crash.evidence import Evidence, Plan
from tests.crash.faults import faults
from tests.crash.report import repeated, report
from tests.crash.tools import QUESTIONS, STEPS, result_of

pytestmark = pytest.mark.anyio


@pytest.mark.slow
async def test_tasks_survive_a_server_that_is_killed_again_and_again(tmp_path: Path) -> None:
    with anyio.fail_after(110):
        evidence = await run(Plan(20, 10, "short"), tmp_path)

    assert list(faults(evidence)) == [], report(evidence)
    assert sum(line["what"] == "placed" for line in evidence.client) == 20
    assert len(evidence.answers) > 20 * len(QUESTIONS)


# --- the rules find what breaks them ----------------------------------------------------------------------------------

VALUES = {question: f"t {question} 1" for question in QUESTIONS}
RESULT = {"content": [{"type": "text", "text": result_of("t", [*VALUES.values()], [f"t {name}" for name in STEPS])}]}
OTHER_RESULT = {"content": [{"type": "text", "text": "something else"}]}


def asked(question: str, *, attempt: int = 1, state: Any = "answered", value: str | None = None) -> TaskInput:
    value = VALUES[question] if value is None else value
    reply = Reply("accept", {"answer": value} if state == "answered" else None)
    return TaskInput(f"{question}-{attempt}", question, "", {}, 0.0, attempt=attempt, state=state, reply=reply)


def history(*inputs: TaskInput, status: Any = "completed", result: Any = RESULT) -> History:
    call: Any = {"tool": "order", "call_id": "", "arguments": {"token": "t"}}
    # What the rules read of a record, without the JSON in between.
    record: Any = SimpleNamespace(call=call, status=status, result=result, error=None)
    kept: TaskRecord = record
    return History(kept, inputs or tuple(map(asked, QUESTIONS)), {})


def line(what: str, at: float, **more: Any) -> dict[str, Any]:
    return {"what": what, "at": at, **more}


def answer(question: str, at: float, **more: Any) -> dict[str, Any]:
    told = {"task": "id", "key": f"{question}-1", "name": question, "value": VALUES[question], "is_taken": True}
    return line("answer", at, **{**told, **more})


def doing(name: str, at: float, process: int, *whats: str) -> list[dict[str, Any]]:
    return [line(what, at, run=process, token="t", step=name) for what in whats or ("begin", "row", "end", "kept")]


def state(sent: float, asked: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return line("state", sent + 0.1, task="id", sent=sent, status="input_required", asked=asked or {}, **more)


ENDED = state(9.0, result=RESULT) | {"status": "completed"}
DONE = [*doing("reserve", 2.0, 1), *doing("pay", 4.0, 1)]
ANSWERS = [answer(question, at) for question, at in zip(QUESTIONS, (1.0, 3.0, 5.0), strict=True)]
PLACED = line("placed", 0.0, token="t", task="id")
RIGHT = Evidence(
    Plan(1, 1, "seed"),
    deaths={0: 0.5},
    histories={"id": history()},
    effects=DONE,
    answers=ANSWERS,
    client=[PLACED, state(0.9, {"first-1": "first t"}), ENDED],
    exits={"client": 0},
)


Lines = Sequence[Mapping[str, Any]]


def broken(effects: Lines = (), answers: Lines = (), client: Lines = (), **more: Any) -> Evidence:
    """What is right, with more lines, or other members."""
    lines = {"effects": [*DONE, *effects], "answers": [*ANSWERS, *answers], "client": [*RIGHT.client, *client]}
    return replace(RIGHT, **{**lines, **more})


@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        (broken(client=[PLACED | {"task": "lost"}], plan=Plan(2, 1, "")), "the task lost was acknowledged, and is not"),
        (broken(plan=Plan(2, 1, "")), "1 orders were placed of 2"),
        (broken(histories={"id": history(status="working")}), "t is working: None"),
        (broken(histories={"id": history(result=OTHER_RESULT)}), "t gave something else"),
        (broken(client=[ENDED | {"result": OTHER_RESULT}]), "the client was told something else for t"),
        (
            broken(effects=doing("pay", 6.0, 1)),
            "the step pay of t was done again by process 1: process 1 was still",
        ),
        (
            broken(effects=doing("pay", 6.0, 2), deaths={1: 5.0}),
            "the step pay of t was done again by process 2: process 1 had finished it",
        ),
        (
            broken(effects=doing("pay", 6.0, 2)),
            "the step pay of t was done again by process 2: process 1 was still",
        ),
        (replace(RIGHT, effects=doing("pay", 4.0, 1)), "the step reserve of t has no effect"),
        (broken(client=[state(1.5, {"first-1": "first t"})]), "t showed 'first' again, which had been answered"),
        (broken(client=[state(1.5, {"first-2": "first t"})]), "t showed 'first' again, which had been answered"),
        (broken(client=[state(0.5, {"first-1": "first u"})]), "t showed a question of u"),
        (
            broken(histories={"id": history(*map(asked, QUESTIONS), asked("third", attempt=2))}),
            "t asked one question as [(1, 'answered'), (2, 'answered')]",
        ),
        (broken(histories={"id": history(*map(asked, QUESTIONS[:2]))}), "t asked 2 questions"),
        (
            broken(answers=[answer("third", 5.5, value="t third 2")]),
            "t kept 't third 1', of ['t third 1', 't third 2",
        ),
        (broken(effects=[line("heard", 6.0, run=1, token="t", question="first", value="t first 9")]), "was not taken"),
        (broken(effects=[line("heard", 6.0, run=1, token="t", question="first", value="t third 1")]), "for 'first'"),
        (broken(effects=[line("trouble", 6.0, run=1, text="oh", cause="no")]), "process 1 logged: oh (no)"),
        (broken(exits={"client": 1}), "the client ended with 1"),
        (broken(deaths={}), "0 servers were killed, not 1"),
    ],
)
async def test_what_must_not_be_is_told(evidence: Evidence, fault: str) -> None:
    assert fault in "\n".join(faults(evidence))


async def test_what_is_right_has_no_fault() -> None:
    assert list(faults(RIGHT)) == []


async def test_a_step_whose_process_died_inside_may_be_done_again() -> None:
    died = doing("pay", 3.5, 0, "begin", "row", "end")
    evidence = replace(RIGHT, effects=[*died, *DONE], deaths={0: 3.6})

    assert list(faults(evidence)) == []
    assert [(before["run"], again["run"]) for before, again in repeated(evidence)] == [(0, 1)]


async def test_a_question_may_be_shown_by_a_read_that_was_under_way_and_again_after_a_wrong_answer() -> None:
    wrong = answer("first", 0.3, value=None)
    again = replace(asked("first", attempt=2), key="first-2")
    evidence = replace(
        RIGHT,
        histories={"id": history(asked("first", state="closed"), again, *map(asked, QUESTIONS[1:]))},
        answers=[wrong, answer("first", 1.0, key="first-2"), *ANSWERS[1:]],
        client=[
            PLACED,
            state(0.29, {"first-1": "first t"}),
            state(0.95, {"first-2": "Correct it:\n\nfirst t"}),
            ENDED,
        ],
    )

    assert list(faults(evidence)) == []


async def test_the_report_tells_what_happened_and_every_fault() -> None:
    told = report(broken(effects=doing("pay", 6.0, 1)))

    assert told.startswith("seed seed: 1 tasks, 1 kills")
    assert "FAULT: the step pay of t was done again" in told

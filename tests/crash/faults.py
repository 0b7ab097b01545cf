"""What must not be: the rules of the crash test, each a function from the evidence to what breaks it (issue 7)."""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from elicitkit.tasks.record import History, TaskInput
from tests.crash.evidence import Evidence, Stop
from tests.crash.tools import QUESTIONS, STEPS, result_of

AWAKE = 0.5
"""For how long a process that was stopped may do what it was about to do, in seconds: it learns then of its end."""

RECOVERY = 10.0
"""For how long after an outage of the database, or its own stop, a process may log what came of it, in seconds."""


def faults(evidence: Evidence) -> Iterator[str]:
    """All faults there are."""
    for rule in (_ends, _results, _steps, _shown, _questions, _answers, _heard, _processes):
        yield from rule(evidence)


def _ends(evidence: Evidence) -> Iterator[str]:
    """Every order is placed, and every task is done: those too whose client never learnt of them; see `kept`."""
    placed = {line["task"] for line in evidence.client if line["what"] == "placed"}
    if len(placed) != evidence.plan.tasks:
        yield f"{len(placed)} orders were placed of {evidence.plan.tasks}"
    for task_id in placed - evidence.histories.keys():
        yield f"the task {task_id} was acknowledged, and is not in the store"
    for task_id, history in evidence.kept.items():
        if history.record.status != "completed":
            yield f"{evidence.token(task_id)} is {history.record.status}: {history.record.error}"


def _results(evidence: Evidence) -> Iterator[str]:
    """Every result is made of the answers and steps of its own task, in the store and at the client."""
    right = {task_id: right_result(evidence, task_id) for task_id in evidence.kept}
    for task_id, history in evidence.kept.items():
        if history.record.status == "completed" and _text(history.record.result) != right[task_id]:
            yield f"{evidence.token(task_id)} gave {_text(history.record.result)}, not {right[task_id]}"
    told = {line["task"]: line["result"] for line in evidence.client if line.get("status") == "completed"}
    for line in evidence.client:
        if line["what"] == "placed" and _text(told.get(line["task"])) != right.get(line["task"]):
            yield f"the client was told {_text(told.get(line['task']))} for {line['token']}"


def right_result(evidence: Evidence, task_id: str) -> str:
    """What a task should give, from the answers that were taken."""
    token, taken = evidence.token(task_id), defaultdict[str, str](str)
    for line in evidence.answers:
        if line["task"] == task_id and line["is_taken"] and line["value"] is not None:
            taken[line["value"].split()[1]] = line["value"]
    return result_of(token, [taken[question] for question in QUESTIONS], [f"{token} {name}" for name in STEPS])


def _text(result: Any) -> str:
    return "".join(part["text"] for part in result["content"]) if result else "nothing"


# --- steps ------------------------------------------------------------------------------------------------------------


def by_step(evidence: Evidence) -> dict[tuple[str, str], list[Any]]:
    """What was written down of each step, in order."""
    steps: dict[tuple[str, str], list[Any]] = {
        (evidence.token(task_id), name): [] for task_id in evidence.kept for name in STEPS
    }
    for line in evidence.effects:
        if "step" in line:
            steps.setdefault((line["token"], line["step"]), []).append(line)
    return steps


def repeats(lines: list[Any]) -> list[tuple[Any, Any]]:
    """The beginnings of one step after the first, each with the one before it."""
    begun = [line for line in lines if line["what"] == "begin"]
    return list(pairwise(begun))


def _steps(evidence: Evidence) -> Iterator[str]:
    """Every effect is there exactly once, unless its own process died or was stopped inside the step."""
    for (token, name), lines in by_step(evidence).items():
        told, rows = f"the step {name} of {token}", [line for line in lines if line["what"] == "row"]
        if not rows:
            yield f"{told} has no effect"
        for before, again in repeats(lines):
            if reason := _unexcused(evidence, lines, before, again):
                yield f"{told} was done again by process {again['run']}: process {before['run']} {reason}"


def _unexcused(evidence: Evidence, lines: list[Any], before: Any, again: Any) -> str | None:
    """Why a step may not have been repeated; `None` if its process died inside it, or either of both was stopped.

    One that is stopped between its look at its claim and its work does that after another one has.
    """
    if any(stop.run == before["run"] and stop.is_within(before["at"], again["at"]) for stop in evidence.stops):
        return None
    if any(stop.run == again["run"] and stop.is_within(again["at"] - AWAKE, again["at"]) for stop in evidence.stops):
        return None
    if evidence.deaths.get(before["run"], again["at"]) >= again["at"]:
        return "was still alive"
    if any(line["what"] == "kept" and line["at"] < again["at"] for line in lines):
        return "had finished it"
    return None


# --- questions --------------------------------------------------------------------------------------------------------


def _shown(evidence: Evidence) -> Iterator[str]:
    """No question was shown after it had been answered, and none of another task.

    A read that was under way when the answer was taken may have seen it still. A question whose answer was wrong is
    shown again, under another key.
    """
    over: dict[tuple[str, str], float] = {}
    for line in evidence.answers:
        if line["is_taken"]:
            over[line["task"], line["key"]] = line["at"]
            if line["value"] is not None:
                over[line["task"], line["value"].split()[1]] = line["at"]
    for state in evidence.client:
        for key, message in (state.get("asked") or {}).items():
            question, token = message.split()[-2:]
            if token != evidence.token(state["task"]):
                yield f"{evidence.token(state['task'])} showed a question of {token}"
            for what in (key, question):
                if state["sent"] > over.get((state["task"], what), state["sent"]):
                    yield f"{token} showed {question!r} again, which had been answered"


def _questions(evidence: Evidence) -> Iterator[str]:
    """Every question was asked once; again only after an answer that did not fit."""
    for task_id, history in evidence.kept.items():
        asked = _by_name(history)
        if len(asked) != len(QUESTIONS):
            yield f"{evidence.token(task_id)} asked {len(asked)} questions"
        for tries in asked.values():
            found = [(one.attempt, one.state) for one in tries]
            right = [(number, "closed") for number in range(1, len(tries))] + [(len(tries), "answered")]
            if found != right:
                yield f"{evidence.token(task_id)} asked one question as {found}"


def _by_name(history: History) -> dict[str, list[TaskInput]]:
    asked = defaultdict[str, list[TaskInput]](list)
    for one in history.inputs:
        asked[one.name].append(one)
    return asked


# --- answers ----------------------------------------------------------------------------------------------------------


def _answers(evidence: Evidence) -> Iterator[str]:
    """The first answer wins: of several to one key one is taken, and that is the one that was kept."""
    taken = defaultdict[tuple[str, str], list[Any]](list)
    for line in evidence.answers:
        if line["is_taken"]:
            taken[line["task"], line["key"]].append(line["value"])
    for task_id, history in evidence.kept.items():
        for asked in history.inputs:
            kept = ((asked.reply and asked.reply.content) or {}).get("answer")
            if taken[task_id, asked.key] != [kept]:
                yield f"{evidence.token(task_id)} kept {kept!r}, of {taken[task_id, asked.key]}"


def _heard(evidence: Evidence) -> Iterator[str]:
    """A tool hears the answer that was taken, in every run."""
    taken = {line["value"] for line in evidence.answers if line["is_taken"]}
    for line in evidence.effects:
        if line["what"] == "heard":
            if line["value"] not in taken:
                yield f"{line['token']} heard {line['value']!r}, which was not taken"
            if line["value"].split()[:2] != [line["token"], line["question"]]:
                yield f"{line['token']} heard {line['value']!r} for {line['question']!r}"


def _processes(evidence: Evidence) -> Iterator[str]:
    """The servers logged no error, as many died as should, and what was not killed ended well."""
    if len(evidence.deaths) != evidence.plan.kills:
        yield f"{len(evidence.deaths)} servers were killed, not {evidence.plan.kills}"
    for line in evidence.effects:
        if line["what"] == "trouble" and not _is_excused(evidence, line):
            yield f"process {line['run']} logged: {line['text']} ({line['cause']})"
    for name, code in evidence.exits.items():
        if code != 0:
            yield f"the {name} ended with {code}: {json.dumps(code)}"


def _is_excused(evidence: Evidence, line: Any) -> bool:
    """Whether an error is what an outage of the database brings, or a process that was stopped and then overtaken."""

    def since(stop: Stop) -> bool:
        return stop.is_within(line["at"] - RECOVERY, line["at"])

    told = f"{line['text']} {line['cause']}"
    # A server that is started just then does not start: uvicorn ends it with 3.
    of_outage = ("StoreError", "the store of tasks fails", "SystemExit(3)")
    if any(map(since, evidence.outages)) and any(words in told for words in of_outage):
        return True
    is_stopped = any(since(stop) and stop.run == line["run"] for stop in evidence.stops)
    return is_stopped and "StaleClaim" in told

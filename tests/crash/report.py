"""What a crash test tells whoever ran it."""

import statistics
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.crash.evidence import Evidence
from tests.crash.faults import by_step, faults, repeats


def report(evidence: Evidence) -> str:
    return "\n".join([*_numbers(evidence), *(f"FAULT: {fault}" for fault in faults(evidence)), ""])


def _numbers(evidence: Evidence) -> Iterator[str]:
    plan, counted = evidence.plan, Counter(line["what"] for line in evidence.effects)
    lost = len(evidence.histories) - plan.tasks
    yield f"seed {plan.seed}: {plan.tasks} tasks, {plan.kills} kills, {evidence.seconds:.0f} seconds"
    given_up = len(evidence.histories) - len(evidence.kept)
    more = f"{lost} tasks more, whose client never learnt of them, {given_up} of them cancelled for that"
    yield f"{more}; {counted['start']} runs of the tool in all"
    yield f"{len(repeated(evidence))} steps repeated because their own process died inside"
    yield _answers(evidence)
    yield f"{sum('asked' in line for line in evidence.client)} looks of the client at a task"
    for name, delays in _delays(evidence).items():
        if delays:
            middle, slow = statistics.median(delays), sorted(delays)[int(len(delays) * 0.95)]
            took = f"median {middle * 1000:.0f} ms, p95 {slow * 1000:.0f} ms"
            yield f"from an answer to the tool going on, {name}: {took}"


def _answers(evidence: Evidence) -> str:
    twice = sum(not line["is_taken"] for line in evidence.answers)
    wrong = sum(line["value"] is None and line["is_taken"] for line in evidence.answers)
    alone = sum(not _serving_at(evidence, line["at"]) for line in evidence.answers)
    return f"{len(evidence.answers)} answers: {wrong} wrong, {twice} too late, {alone} while nothing ran"


def repeated(evidence: Evidence) -> list[tuple[Any, Any]]:
    """The steps that were begun again, with who began them first."""
    return [pair for lines in by_step(evidence).values() for pair in repeats(lines)]


def _delays(evidence: Evidence) -> dict[str, list[float]]:
    """How long it took from each answer to the tool: where its server served then and until then, and where not."""
    heard: dict[str, Any] = {}
    for line in evidence.effects:
        if line["what"] == "heard":
            heard.setdefault(line["value"], line)
    delays: dict[str, list[float]] = {"while a server ran": [], "with a death in between": []}
    for line in evidence.answers:
        if line["is_taken"] and line["value"] in heard:
            at = heard[line["value"]]
            is_alive = _serving_at(evidence, line["at"]) == at["run"]
            delays["while a server ran" if is_alive else "with a death in between"].append(at["at"] - line["at"])
    return delays


def _serving_at(evidence: Evidence, moment: float) -> int | None:
    """Which server served at a moment."""
    for line in evidence.effects:
        if line["what"] == "ready" and line["at"] <= moment < evidence.deaths.get(line["run"], float("inf")):
            return int(line["run"])
    return None

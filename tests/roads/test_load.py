"""Many calls at once neither mix nor leave anything behind: the short form of `make load` (design, 1 and 7)."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.roads import apart
from tests.roads.frameworks import FRAMEWORKS
from tests.roads.load import REST, Load, Person, run

pytestmark = pytest.mark.anyio

IDLE = {"tasks": 9, "objects": 9_000, "of ours": 9, "kilobytes": 9_000, "steps": 1, "troubles": 0}


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
async def test_calls_at_once_keep_their_answers_apart_and_leave_nothing_behind(framework: str, tmp_path: Path) -> None:
    with anyio.fail_after(60):
        async with apart.running(apart.command(framework, "load", tmp_path / "effects")) as (addresses,):
            load = await run(addresses["http"], seconds=3, calls=16, delay=0.05)

    assert list(load.faults()) == []
    assert len(load.seconds) >= 16


def load_of_one_call(asked: dict[str, int], **end: int) -> Load:
    """A load of which only what is told was wrong."""
    person: Any = Person(0)
    person.shown = Counter({"first a": 1, "second a": 1} | asked)
    return Load(0, REST, [(person, person)], seconds=[0.1], conditions=[IDLE, IDLE | end])


@pytest.mark.parametrize(
    ("load", "fault"),
    [
        (replace(load_of_one_call({}), mixed_up=["a b a"]), "an answer of another call: a b a"),
        (load_of_one_call({"first a": 2}), "shown 2 times: first a"),
        (load_of_one_call({"first b": 1}), "3 questions for 1 calls"),
        (load_of_one_call({}, steps=2), "2 steps for 1 calls"),
        (load_of_one_call({}, tasks=10), "1 more tasks than when warm"),
        (load_of_one_call({}, **{"of ours": 30}), "21 more of ours than when warm"),
        (load_of_one_call({}, objects=99_000), "90,000 more objects than when warm"),
        (load_of_one_call({}, kilobytes=99_000), "90,000 more kilobytes than when warm"),
        (load_of_one_call({}, troubles=1), "1 errors in the server that nobody looked at"),
    ],
    ids=lambda given: given if isinstance(given, str) else "load",
)
async def test_what_must_not_be_is_told(load: Load, fault: str) -> None:
    assert list(load.faults()) == [fault]

"""A fleet that is killed, stopped and cut off loses nothing: the short form of `make crashfleet` (issue 8, "Proof")."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.crash.evidence import Plan, Stop
from tests.crash.faults import faults
from tests.crash.fleet import ROLES
from tests.crash.fleet import run as run_fleet
from tests.crash.report import report
from tests.crash.test_crash import PLACED, RIGHT, broken, doing, history, line
from tests.services.postgres_server import needs_postgres
from tests.services.redis_server import needs_redis

pytestmark = pytest.mark.anyio


@needs_postgres
@needs_redis
@pytest.mark.slow
async def test_tasks_survive_servers_workers_redis_and_a_database_that_fall_over(tmp_path: Path) -> None:
    with anyio.fail_after(280):
        evidence = await run_fleet(Plan(8, 6, "short"), tmp_path)

    assert list(faults(evidence)) == [], report(evidence)
    assert len(evidence.outages) == 1
    assert evidence.stops
    assert set(ROLES) < set(evidence.exits)


STOPPED = Stop(4.05, 5.5, 1)
ASLEEP = doing("pay", 6.0, 2)


async def test_a_step_whose_process_was_stopped_inside_may_be_done_again() -> None:
    evidence = broken(effects=doing("pay", 5.0, 2, "begin", "row"), stops=[STOPPED])
    evidence = replace(evidence, effects=sorted(evidence.effects, key=lambda one: one["at"]))

    assert list(faults(evidence)) == []


async def test_a_process_that_wakes_may_do_what_it_was_about_to_do() -> None:
    assert list(faults(broken(effects=ASLEEP, stops=[Stop(3.0, 5.9, 2)]))) == []


@pytest.mark.parametrize("stop", [Stop(3.0, 5.9, 3), Stop(3.0, 5.0, 2), Stop(1.0, 3.5, 1)])
async def test_that_others_were_stopped_or_at_other_times_excuses_nothing(stop: Stop) -> None:
    assert len(list(faults(broken(effects=ASLEEP, stops=[stop])))) == 1


@pytest.mark.parametrize(("run", "at", "is_excused"), [(1, 6.0, True), (2, 6.0, False), (1, 30.0, False)])
async def test_who_was_stopped_may_log_that_it_was_overtaken(run: int, at: float, is_excused: bool) -> None:
    trouble = line("trouble", at, run=run, text="oh", cause="StaleClaim('taken over')")

    assert (list(faults(broken(effects=[trouble], stops=[STOPPED]))) == []) is is_excused


@pytest.mark.parametrize(
    ("at", "cause", "is_excused"),
    [
        (7.0, "StoreError('lost')", True),
        (7.0, "Group('', [SystemExit(3)])", True),
        (7.0, "KeyError('lost')", False),
        (30.0, "StoreError('lost')", False),
    ],
)
async def test_an_error_is_excused_by_an_outage_of_the_database_alone(at: float, cause: str, is_excused: bool) -> None:
    trouble = line("trouble", at, run=1, text="oh", cause=cause)
    evidence = replace(RIGHT, effects=[*RIGHT.effects, trouble], outages=[Stop(6.0, 6.5)])

    assert (list(faults(evidence)) == []) is is_excused


@pytest.mark.parametrize(
    ("outages", "client", "is_right"),
    [((Stop(6.0, 6.5),), (), True), ((), (), False), ((Stop(6.0, 6.5),), (PLACED | {"task": "more"},), False)],
)
async def test_a_task_may_be_cancelled_of_which_nobody_knew_whether_it_was_made(
    outages: Sequence[Stop], client: Sequence[Any], is_right: bool
) -> None:
    """But none whose id the client was given, and none while nothing stood still. It has no call if it never came."""
    more = history(status="cancelled")
    if is_right:
        more.record.call.clear()
    evidence = broken(histories={**RIGHT.histories, "more": more}, client=client, outages=outages)

    assert (list(faults(evidence)) == []) is is_right
    if is_right:
        assert "0 tasks more" not in report(evidence)
        assert "1 of them cancelled for that" in report(evidence)

"""What `DocketEngine` knows of Docket, so that another release of it is noticed (issue 8, 3)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from anyio import fail_after
from docket import Disposition, Docket, Worker

from tests.services.redis_server import needs_redis, redis_server

pytestmark = [pytest.mark.anyio, needs_redis]

KEY = "0" * 32


class Job:
    """A job that lasts until it is told to end."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.runs = 0

    async def run(self, task_id: str) -> None:
        self.runs += 1
        self.begun.set()
        await self.may_end.wait()


@pytest.fixture
async def docket(tmp_path: Path) -> AsyncIterator[Docket]:
    async with (
        redis_server(tmp_path) as redis,
        Docket("contract", redis.url, execution_ttl=timedelta(minutes=1)) as docket,
    ):
        yield docket


async def added(docket: Docket, job: Job) -> Disposition:
    docket.register(job.run, names=["job"])
    execution = await docket.add("job", key=KEY)(KEY)
    assert execution.disposition is not None
    return execution.disposition


async def test_an_id_is_dropped_while_its_job_waits_or_runs_and_taken_once_it_has_ended(docket: Docket) -> None:
    job = Job()
    with fail_after(10):
        assert await added(docket, job) is Disposition.SCHEDULED
        assert await added(docket, job) is Disposition.ALREADY_SCHEDULED
        async with Worker(docket, minimum_check_interval=timedelta(milliseconds=10)) as worker:
            working = asyncio.create_task(worker.run_forever())
            await job.begun.wait()
            assert await added(docket, job) is Disposition.ALREADY_SCHEDULED
            job.may_end.set()
            while await added(docket, job) is not Disposition.SCHEDULED:  # noqa: ASYNC110  # it tells nobody
                await asyncio.sleep(0.01)
            while job.runs < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            working.cancel()
            await working

    assert job.runs == 2


async def test_a_worker_that_is_cancelled_lets_its_jobs_end_first(docket: Docket) -> None:
    job = Job()
    with fail_after(10):
        await added(docket, job)
        async with Worker(docket) as worker:
            working = asyncio.create_task(worker.run_forever())
            await job.begun.wait()
            working.cancel()
            await asyncio.sleep(0)
            assert not working.done()
            job.may_end.set()
            await working
        assert await added(docket, job) is Disposition.SCHEDULED

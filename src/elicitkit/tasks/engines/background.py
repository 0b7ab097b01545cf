"""What every engine does in the background while it runs."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

from ...safety import trace_of
from ..runner import Runner

logger: logging.Logger = logging.getLogger(__name__)

_CHANCE: Final = random.Random()
"""A source of its own: that of the program, which may be seeded, is left alone."""


@asynccontextmanager
async def beside(**works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do what never ends beside the block, each under its name; leaving the block ends it."""
    tasks = [asyncio.create_task(work, name=f"elicitkit tasks: {name}") for name, work in works.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def keep_renewing(runner: Runner) -> None:
    """Renew the claims of what runs here, thrice in each of their lives."""
    while True:
        await asyncio.sleep(runner.lease / 3)
        try:
            await runner.renew()
        except Exception as error:
            logger.error("the claims of the tasks that run here could not be renewed%s", trace_of(error))


async def sleep_about(seconds: float) -> None:
    """Sleep for about so long: several processes that begin at once end one after the other."""
    await asyncio.sleep(seconds * _CHANCE.uniform(0.5, 1.5))

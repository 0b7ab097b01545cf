from collections.abc import AsyncIterator

import pytest

from tests.render.web.visitor import Desk, a_desk


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with a_desk() as made:
        yield made

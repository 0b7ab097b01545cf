"""One event loop for a whole module, so that its servers and connections are opened once."""

import pytest


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"

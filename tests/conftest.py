"""What every test shares."""

import pytest

pytest_plugins = ["tests.skips"]


@pytest.fixture
def anyio_backend() -> str:
    """The SDK's server and our suspending need asyncio."""
    return "asyncio"

"""What every test shares."""

import pytest

pytest_plugins = ["tests.skips", "tests.hypothesis_profiles"]


@pytest.fixture
def anyio_backend() -> str:
    """The SDK's server and our suspending need asyncio."""
    return "asyncio"

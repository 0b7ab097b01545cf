"""The store in PostgreSQL keeps the contract; and what is its own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.testing import TaskStoreContract
from tests.tasks import postgres

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def schema() -> Iterator[str]:
    postgres.require()
    with postgres.own_schema() as name:
        yield name


class TestPostgresStore(TaskStoreContract):
    @pytest.fixture(autouse=True)
    def _in_a_schema_of_its_own(self, schema: str) -> None:
        self.schema = schema

    def make_store(self, folder: Path, **options: Any) -> PostgresTaskStore:
        return PostgresTaskStore(postgres.ADDRESS, schema=self.schema, **options)

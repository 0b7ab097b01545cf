"""The inbox in PostgreSQL keeps the contract; and shares the database with tasks, and questions with other machines."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from elicitkit import Inbox, LimitError, Request, StoreError
from elicitkit.host.inbox.addresses import open_inbox_store
from elicitkit.host.inbox.postgres import PostgresInboxStore
from elicitkit.tasks.stores.postgres import PostgresTaskStore
from elicitkit.testing import InboxStoreContract
from elicitkit.testing.inbox_contract.base import asking
from tests.host.inbox.questions import first_open, open_count, sizes
from tests.services import postgres

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def kept_schema() -> Iterator[str]:
    postgres.require()
    with postgres.own_schema() as name:
        yield name


@pytest.fixture
def schema(kept_schema: str) -> str:
    """A schema of this module, with nothing in it but what the store makes."""
    postgres.empty(kept_schema)
    return kept_schema


class TestPostgresInboxStore(InboxStoreContract):
    @pytest.fixture(autouse=True)
    def _in_a_schema_of_its_own(self, schema: str) -> None:
        self.schema = schema

    def make_store(self, folder: Path, **options: Any) -> PostgresInboxStore:
        return PostgresInboxStore(postgres.ADDRESS, schema=self.schema, **options)


async def test_tasks_and_inbox_live_in_one_schema(schema: str) -> None:
    """Design, section 9: its stores share file, database and connection code with the tasks'."""
    async with (
        PostgresTaskStore(postgres.ADDRESS, schema=schema) as tasks,
        Inbox(PostgresInboxStore(postgres.ADDRESS, schema=schema)) as inbox,
    ):
        heard: list[str] = []
        tasks.subscribe(heard.append)
        done = await asyncio.gather(
            *(tasks.create({"n": number}) for number in range(10)),
            *(inbox.ask(sizes(f"r{number}")) for number in range(10)),
        )

        assert len({one.id for one in done}) == 20
        assert await open_count(inbox) == 10
        await asyncio.sleep(0)
        assert set(heard) <= {one.id for one in done[:10]}, "each hears of its own"


async def test_a_host_and_somebody_on_another_machine(schema: str) -> None:
    async with (
        Inbox(PostgresInboxStore(postgres.ADDRESS, schema=schema), host="agent") as host,
        Inbox(PostgresInboxStore(postgres.ADDRESS, schema=schema)) as elsewhere,
    ):
        waiting = asyncio.create_task(host.wait_for(sizes()))
        entry = await first_open(elsewhere)

        await elsewhere.accept(entry.id, {"size": "M"}, by="ada")

        with anyio.fail_after(30):
            assert (await waiting).data == {"size": "M"}


async def test_of_many_who_ask_the_same_at_once_one_entry_is_made(schema: str) -> None:
    async with PostgresInboxStore(postgres.ADDRESS, schema=schema) as store:
        made = await asyncio.gather(*(store.ask(asking(store)) for _ in range(20)))

    assert len({entry.id for entry in made}) == 1


async def test_one_that_fails_spoils_no_other_at_the_same_time(schema: str) -> None:
    async with PostgresInboxStore(postgres.ADDRESS, schema=schema) as store:
        long = asking(store, host="n" * 201)
        done = await asyncio.gather(
            *(store.ask(one) for one in (asking(store, sizes("r1")), long, asking(store, sizes("r2")))),
            return_exceptions=True,
        )

    assert [isinstance(one, LimitError) for one in done] == [False, True, False]


async def test_text_that_postgres_does_not_take_comes_back_as_it_was(schema: str) -> None:
    async with PostgresInboxStore(postgres.ADDRESS, schema=schema) as store:
        made = await store.ask(asking(store, Request("r", "vote", "a\x00b\x01"), host="h\x00", owner="\x01o"))

        kept = (await store.get(made.id)).entry
        assert kept == made
        assert (kept.request.prompt, kept.host, kept.owner) == ("a\x00b\x01", "h\x00", "\x01o")
        assert (await store.page(is_open=True, viewer="\x01o", limit=1, after=None)).entries == (made,)


async def test_a_store_is_opened_by_its_address_and_made_only_where_it_may_be() -> None:
    postgres.require()
    with postgres.own_schema() as name:
        store = open_inbox_store(postgres.ADDRESS, schema=name, must_exist=True)
        assert isinstance(store, PostgresInboxStore)
        with pytest.raises(StoreError, match="nothing of elicitkit in the schema"):
            await store.open()

        async with open_inbox_store(postgres.ADDRESS, schema=name), store:
            assert await store.ready() == []

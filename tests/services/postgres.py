"""The PostgreSQL that tests talk to: ELICITKIT_POSTGRES, else the one here; each test has a schema of its own."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import psycopg
import pytest

ADDRESS = os.environ.get("ELICITKIT_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


@cache
def is_there() -> bool:
    try:
        psycopg.connect(ADDRESS, connect_timeout=3).close()
    except psycopg.OperationalError:
        return False
    return True


def require() -> None:
    """Skip the test loudly where there is no PostgreSQL."""
    if not is_there():
        pytest.skip("missing here: needs PostgreSQL on 127.0.0.1:5432, or where ELICITKIT_POSTGRES says")


@contextmanager
def own_schema(address: str = ADDRESS) -> Iterator[str]:
    """The name of a schema that nobody has; what is in it in the end is dropped."""
    name = f"test_{secrets.token_hex(6)}"
    try:
        yield name
    finally:
        sql(f"DROP SCHEMA IF EXISTS {name} CASCADE", address=address)


def empty(schema: str) -> None:
    """Forget all tasks in a schema, which is quicker than to make another."""
    if sql(f"SELECT to_regclass('{schema}.tasks')") != [(None,)]:
        sql(*(f"DELETE FROM {schema}.{table}" for table in ("tasks", "inputs", "steps")))


def sql(*statements: str, address: str = ADDRESS) -> list[tuple[Any, ...]]:
    """Run statements, and give the rows of the last."""
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        for statement in statements:
            found = connection.execute(statement.encode())
        return found.fetchall() if found.description else []

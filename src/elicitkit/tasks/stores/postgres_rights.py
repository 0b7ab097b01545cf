"""What a role of PostgreSQL lacks when a store cannot be opened, and which GRANT helps."""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg.errors import InsufficientPrivilege

from ...errors import StoreError
from .postgres_connections import Connection, told

_RIGHTS: Final = b"""
    SELECT quote_ident(current_user), quote_ident(current_database()), given.id IS NOT NULL,
        coalesce(has_schema_privilege(given.id, 'USAGE'), false),
        coalesce(has_schema_privilege(given.id, 'CREATE'), false),
        EXISTS (SELECT FROM pg_class WHERE relnamespace = given.id AND relname = 'versions')
    FROM (SELECT to_regnamespace(%s)::oid AS id) AS given
"""


def not_allowed(connection: Connection, schema: str, error: InsufficientPrivilege) -> StoreError:
    """What is told of a role that may not do what opening a store takes."""
    try:
        row = connection.execute(_RIGHTS, (schema,)).fetchone()
    except psycopg.Error:
        row = None
    if row is None:
        return told(error)
    role, database, is_there, may_use, may_create, has_tables = row
    refused = StoreError(_words(schema, role, database, _lack(is_there, may_use, may_create, has_tables), error))
    refused.__cause__ = error
    return refused


def _lack(is_there: bool, may_use: bool, may_create: bool, has_tables: bool) -> str:
    if not is_there:
        return "schema"
    if not may_use:
        return "use"
    return "rows" if has_tables or may_create else "tables"


def _words(schema: str, role: str, database: str, lack: str, error: InsufficientPrivilege) -> str:
    said = f" ({error.diag.message_primary})" if error.diag.message_primary else ""
    match lack:
        case "schema":
            what, grant = f"make the schema {schema}", f"GRANT CREATE ON DATABASE {database} TO {role}"
        case "use":
            what, grant = f"use the schema {schema}", f"GRANT USAGE ON SCHEMA {schema} TO {role}"
        case "tables":
            what, grant = f"make tables in the schema {schema}", f"GRANT CREATE ON SCHEMA {schema} TO {role}"
        case _:
            every = f"ON ALL TABLES IN SCHEMA {schema} TO {role}"
            what, grant = f"do that in the schema {schema}{said}", f"GRANT SELECT, INSERT, UPDATE, DELETE {every}"
    other = "or let a role that may do so open the store once, and grant what docs/postgres.md lists under Rights"
    return f"The store cannot be used: the role {role} may not {what}. What helps: {grant}; {other}."

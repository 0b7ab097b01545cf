"""A listing as a query for PostgreSQL, such that an index has the rows in the order that is wanted."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..listing import Everybody, Listing

_Query: TypeAlias = tuple[str, tuple[Any, ...]]
"""SQL, and what stands for its placeholders."""


def listing_query(columns: str, listing: Listing, limit: int) -> _Query:
    """The query for the rows of a listing, and its parameters."""
    direction = "ASC" if listing.oldest_first else "DESC"
    end = f"ORDER BY created_at {direction}, id {direction} LIMIT %s"
    conditions = _conditions(listing)
    if listing.statuses is None:
        return _select(columns, conditions, end, limit)
    # The first of each status, of which the first are wanted.
    each = [_select(columns, [*conditions, ("status = %s", (one,))], end, limit) for one in sorted(listing.statuses)]
    united = " UNION ALL ".join(f"({sql})" for sql, _ in each)
    return f"SELECT * FROM ({united}) AS each {end}", (*(one for _, given in each for one in given), limit)


def _conditions(listing: Listing) -> list[_Query]:
    found: list[_Query] = []
    if listing.after is not None:
        found.append((f"(created_at, id) {'>' if listing.oldest_first else '<'} (%s, %s)", listing.after))
    if listing.prefix:
        found.append(("id >= %s AND id < %s", (listing.prefix, listing.prefix + "g")))  # The first that is no digit.
    if listing.owner is None:
        found.append(("owner IS NULL", ()))
    elif not isinstance(listing.owner, Everybody):
        found.append(("owner = %s", (listing.owner,)))
    return found


def _select(columns: str, conditions: list[_Query], end: str, limit: int) -> _Query:
    where = " AND ".join(sql for sql, _ in conditions)
    given = (*(one for _, some in conditions for one in some), limit)
    return f"SELECT {columns} FROM tasks {where and f'WHERE {where}'} {end}", given

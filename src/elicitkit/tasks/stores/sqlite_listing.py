"""A listing as a query, such that an index has the rows in the order that is wanted."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..listing import Everybody, Listing

_Condition: TypeAlias = tuple[str, tuple[Any, ...]]
"""SQL, and what stands for its question marks."""


def listing_query(columns: str, listing: Listing, limit: int) -> _Condition:
    """The query for the rows of a listing, and its parameters."""
    direction = "ASC" if listing.oldest_first else "DESC"
    order = f"ORDER BY created_at {direction}, id {direction} LIMIT ?"
    conditions = _conditions(listing)
    if listing.prefix:  # The few that begin so are found by their ids, and then sorted.
        return _select(columns, conditions, order.replace("created_at", "+created_at"), limit)
    if listing.statuses is None:
        return _select(columns, conditions, order, limit)
    if not isinstance(listing.owner, Everybody):
        return _select(columns, [*conditions, _among(listing.statuses)], order, limit)
    # The first of each status, of which the first are wanted.
    each = [_select(columns, [*conditions, ("status = ?", (one,))], order, limit) for one in sorted(listing.statuses)]
    united = " UNION ALL ".join(f"SELECT * FROM ({sql})" for sql, _ in each)
    return f"SELECT * FROM ({united}) {order}", (*(one for _, given in each for one in given), limit)


def _conditions(listing: Listing) -> list[_Condition]:
    found: list[_Condition] = []
    if listing.after is not None:
        found.append((f"(created_at, id) {'>' if listing.oldest_first else '<'} (?, ?)", listing.after))
    if listing.prefix:
        found.append(("id >= ? AND id < ?", (listing.prefix, listing.prefix + "g")))  # The first that is no digit.
        if listing.statuses is not None:
            found.append(_among(listing.statuses))
    if not isinstance(listing.owner, Everybody):
        found.append(("owner IS ?", (listing.owner,)))
    return found


def _among(statuses: frozenset[str]) -> _Condition:
    # The plus keeps SQLite from looking for them by an index that has another order.
    return f"+status IN ({', '.join('?' * len(statuses))})", tuple(sorted(statuses))


def _select(columns: str, conditions: list[_Condition], order: str, limit: int) -> _Condition:
    where = " AND ".join(sql for sql, _ in conditions)
    given = (*(one for _, some in conditions for one in some), limit)
    return f"SELECT {columns} FROM tasks {where and f'WHERE {where}'} {order}", given

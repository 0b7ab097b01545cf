"""Types: the schema of one that is known, and an answer bound to it, beside both SDKs and pydantic, in one run.

The versions are those of the environment; they are printed first. Run it with `make bench`.
"""

from __future__ import annotations

from collections.abc import Iterator

from _measure import Work, compare, medians, report, versions
from fastmcp.server.elicitation import get_elicitation_schema
from forms import ANSWER, Booking
from mcp.server.elicitation import render_elicitation_schema
from pydantic import BaseModel, create_model

from elicitkit import FormElicitation

ANSWERED = dict(ANSWER)


def unseen(count: int) -> Iterator[type[BaseModel]]:
    """The same type so many times, none of them ever looked at."""
    return iter([create_model("Booking", __base__=Booking) for _ in range(count)])


SDK, FASTMCP = "mcp: render_elicitation_schema", "fastmcp: get_elicitation_schema"
SCHEMA, VALIDATE, ACCEPT = "elicitkit: from_type(…).schema()", "pydantic: model_validate", "elicitkit: accept"


def known() -> None:
    works: dict[str, Work] = {
        SDK: lambda: render_elicitation_schema(Booking),
        FASTMCP: lambda: get_elicitation_schema(Booking),
        SCHEMA: lambda: FormElicitation.from_type(Booking, "?").schema(),
    }
    found = medians(works, rounds=60, loops=10)
    report("The schema of a known type with 10 fields", found, beside=SDK, aims={SCHEMA: 0.01})
    compare("the schema of a known type with 10 fields", found, SCHEMA, SDK, "mcp's renderer", 0.01)
    compare("the same", found, SCHEMA, FASTMCP, "FastMCP's")


def never_seen() -> None:
    ours, theirs = unseen(200), unseen(200)
    works: dict[str, Work] = {
        SDK: lambda: render_elicitation_schema(next(theirs)),
        SCHEMA: lambda: FormElicitation.from_type(next(ours), "?").schema(),
    }
    found = medians(works, rounds=100, loops=2)
    report("The schema of a type that was never seen", found, beside=SDK, aims={SCHEMA: 1})
    compare("the schema of a type that was never seen", found, SCHEMA, SDK, "mcp's renderer", 1)


def answered() -> None:
    form = FormElicitation.from_type(Booking, "?").build()
    assert form.accept(ANSWERED).content == Booking.model_validate(ANSWERED)
    found = medians({VALIDATE: lambda: Booking.model_validate(ANSWERED), ACCEPT: lambda: form.accept(ANSWERED)})
    report("Checking an answer of 10 fields and binding it", found, beside=VALIDATE, aims={ACCEPT: 1.5})
    compare("checking an answer of 10 fields and binding it", found, ACCEPT, VALIDATE, "pydantic", 1.5)


def main() -> None:
    print(versions("mcp", "fastmcp", "pydantic"))
    known()
    never_seen()
    answered()


if __name__ == "__main__":
    main()

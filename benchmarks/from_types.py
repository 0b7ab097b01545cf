"""Types: the schema of one that is known, and an answer bound to it, beside both SDKs and pydantic, in one run.

The versions are those of the environment; they are printed first. Run it with `make bench`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

from _measure import medians, report
from fastmcp.server.elicitation import get_elicitation_schema
from forms import ANSWER, Booking
from mcp.server.elicitation import render_elicitation_schema
from pydantic import BaseModel, create_model

from elicitkit import FormElicitation

ANSWERED = dict(ANSWER)


def unseen(count: int) -> Iterator[type[BaseModel]]:
    """The same type so many times, none of them ever looked at."""
    return iter([create_model("Booking", __base__=Booking) for _ in range(count)])


def main() -> None:
    print(", ".join(f"{name} {version(name)}" for name in ("mcp", "fastmcp", "pydantic")))
    sdk = "mcp: render_elicitation_schema"
    report(
        "The schema of a known type with 10 fields",
        medians(
            {
                sdk: lambda: render_elicitation_schema(Booking),
                "fastmcp: get_elicitation_schema": lambda: get_elicitation_schema(Booking),
                "elicitkit: from_type(…).schema()": lambda: FormElicitation.from_type(Booking, "?").schema(),
            },
            rounds=60,
            loops=10,
        ),
        beside=sdk,
        aims={"elicitkit: from_type(…).schema()": 0.01},
    )
    ours, theirs = unseen(200), unseen(200)
    report(
        "The schema of a type that was never seen",
        medians(
            {
                sdk: lambda: render_elicitation_schema(next(theirs)),
                "elicitkit: from_type(…).schema()": lambda: FormElicitation.from_type(next(ours), "?").schema(),
            },
            rounds=100,
            loops=2,
        ),
        beside=sdk,
        aims={"elicitkit: from_type(…).schema()": 1},
    )
    form = FormElicitation.from_type(Booking, "?").build()
    assert form.accept(ANSWERED).content == Booking.model_validate(ANSWERED)
    report(
        "Checking an answer of 10 fields and binding it",
        medians(
            {
                "pydantic: model_validate": lambda: Booking.model_validate(ANSWERED),
                "elicitkit: accept": lambda: form.accept(ANSWERED),
            }
        ),
        beside="pydantic: model_validate",
        aims={"elicitkit: accept": 1.5},
    )


if __name__ == "__main__":
    main()

"""The example of a host, with somebody who answers in place of the terminal."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from elicitkit import Cancelled, Declined
from elicitkit.render.terminal import hosting
from tests.host.hosting import ROOT

EXAMPLE = str(Path(ROOT, "examples", "host.py"))
ANSWER = {"fullName": "Ada", "email": "ada@example.com", "speed": "std"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (None, "On its way to Ada."),
        (Declined(), "Nothing was ordered: declined."),
        (Cancelled(), "Nothing was ordered: cancelled."),
    ],
    ids=["accepted", "declined", "cancelled"],
)
def test_the_example_asks_who_is_at_the_terminal(
    outcome: Any, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fill(form: Any, asker: str, **_: Any) -> Any:
        assert (asker, form.message) == ("shop (tool checkout)", "Where should we send it?")
        return form.accept(ANSWER) if outcome is None else outcome

    monkeypatch.setattr(hosting, "fill", fill)

    runpy.run_path(EXAMPLE, run_name="__main__")

    assert capsys.readouterr().out == f"{said}\n"

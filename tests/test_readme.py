"""What the README shows is what runs."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from elicitkit.testing import ScriptedAnswers, accept, decline
from tests import eras

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.anyio


def first_example() -> str:
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def shop() -> Any:
    return runpy.run_path(str(ROOT / "examples" / "checkout.py"))["mcp"]


def test_the_first_example_of_the_readme_is_the_file() -> None:
    assert first_example().strip() in (ROOT / "examples" / "checkout.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("revision", eras.ALL)
async def test_the_example_sends_what_was_filled_in(revision: str) -> None:
    with ScriptedAnswers([accept(fullName="Ada", email="ada@example.com")]) as answers:
        async with eras.connected(shop(), revision, answers) as client:
            text = await eras.said(client, "checkout", cart="42")

    assert text == "On its way to Ada."


@pytest.mark.parametrize("revision", eras.ALL)
async def test_the_example_orders_nothing_after_a_refusal(revision: str) -> None:
    with ScriptedAnswers([decline()]) as answers:
        async with eras.connected(shop(), revision, answers) as client:
            text = await eras.said(client, "checkout", cart="42")

    assert text == "Nothing was ordered: declined."

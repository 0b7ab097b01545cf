"""What the README shows is what runs."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from elicitkit.testing import ScriptedAnswers, accept, decline
from tests import eras
from tests.docs.test_pages import snippets

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
pytestmark = pytest.mark.anyio


def first_example() -> str:
    found = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def answers_lines() -> list[str]:
    """The lines that the README gives as answers."""
    return re.findall(r'^    (\{"action".*)$', README.read_text(encoding="utf-8"), re.MULTILINE)


def shop() -> Any:
    return runpy.run_path(str(ROOT / "examples" / "checkout.py"))["mcp"]


def test_the_first_example_of_the_readme_is_the_file() -> None:
    assert first_example() == (ROOT / "examples" / "checkout.py").read_text(encoding="utf-8")


async def test_every_snippet_of_the_readme_runs_and_its_tests_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_KEY", "x" * 32)
    monkeypatch.syspath_prepend(ROOT / "examples")
    names: dict[str, Any] = {"__name__": "readme"}

    exec(compile(snippets(README), str(README), "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]

    assert len(tests) == 1
    for test in tests:
        await test()


def test_the_answers_the_readme_shows_are_answers(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(answers_lines()), encoding="utf-8")

    assert ScriptedAnswers.from_file(file).left == 3


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

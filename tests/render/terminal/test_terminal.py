"""`fill` and `has_terminal`: one person, one event loop, an extra that may be missing."""

import asyncio
import io
import sys
from typing import Any

import anyio
import pytest

from elicitkit import FormElicitation
from elicitkit.errors import MissingExtra
from elicitkit.forms import Form
from elicitkit.render.terminal import fill, has_terminal
from tests.render.terminal.person import ENTER, FILL_IN, SEND, answer, seated

FORM: Form[Any] = FormElicitation.create("Who?").string("x").build()

pytestmark = pytest.mark.anyio


async def test_the_loop_runs_on_while_the_person_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(FORM, monkeypatch) as seat:
        await seat.sees("What now?")
        assert await asyncio.wait_for(asyncio.to_thread(str, "an MCP connection"), 1) == "an MCP connection"
        seat.press(FILL_IN, "Ada" + ENTER, SEND)

        assert (await seat.outcome()).content == {"x": "Ada"}


async def test_the_outcome_carries_the_checked_content_twice() -> None:
    outcome = await answer(FORM, FILL_IN, "Ada" + ENTER, SEND)

    assert outcome
    assert outcome.raw is outcome.content


async def test_forms_asked_at_the_same_time_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    second = FormElicitation.create("The second").integer("n").build()

    async with seated(FORM, monkeypatch, rows=60) as seat:
        other = asyncio.create_task(fill(second, "bank"))
        assert "bank" not in "".join(await seat.sees("What now?"))
        seat.press(FILL_IN, "Ada" + ENTER, SEND)
        await seat.sees("The second")
        seat.press(FILL_IN, "7" + ENTER, SEND)

        assert (await seat.outcome()).content == {"x": "Ada"}
        assert (await other).content == {"n": 7}


@pytest.mark.parametrize("keys", [[], [FILL_IN, "half an ans"]])
async def test_a_cancelled_task_closes_the_prompt(keys: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 9, point 5: a withdrawn question closes the prompt."""
    async with seated(FORM, monkeypatch) as seat:
        seat.press(*keys)
        await seat.sees("half an ans" if keys else "What now?")
        assert seat.asked is not None
        seat.asked.cancel()

        await asyncio.wait([seat.asked])
        assert seat.asked.cancelled()
    assert seat.lines()[-1] == "The question was withdrawn. No answer was sent."


async def test_a_cancelled_scope_closes_the_prompt_and_leaves_nothing_behind() -> None:
    before = asyncio.all_tasks()

    with anyio.move_on_after(0.05):
        await answer(FORM)

    assert asyncio.all_tasks() == before
    assert (await answer(FORM, FILL_IN, "Ada" + ENTER, SEND)).content == {"x": "Ada"}


@pytest.mark.parametrize("module", ["questionary", "prompt_toolkit", "rich"])
async def test_without_the_extra_the_error_has_the_line_that_installs_it(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("elicitkit.render.terminal.", f"{module}."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingExtra, match=r"The terminal prompt needs .*: pip install 'elicitkit\[terminal\]'"):
        await fill(FORM, "shop")
    assert capsys.readouterr().out == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stdin", "stdout", "expected"),
    [
        (Terminal(), Terminal(), True),
        (io.StringIO(), Terminal(), False),
        (Terminal(), io.StringIO(), False),
        (None, Terminal(), False),
    ],
)
def test_a_terminal_is_both_ends(stdin: Any, stdout: Any, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(sys, "stdout", stdout)

    assert has_terminal() is expected


def test_a_closed_stream_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = Terminal()
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)

    assert not has_terminal()


async def test_a_terminal_that_is_not_utf8_gets_question_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server's letter must not be able to break the prompt."""
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", latin)
    form = FormElicitation.create("Grüße nach 日本 ✓").string("x")

    outcome = await answer(form, FILL_IN, "Ada" + ENTER, SEND)

    assert outcome.content == {"x": "Ada"}
    assert "? Grüße nach ?? ?" in latin.buffer.getvalue().decode("latin-1")  # type: ignore[attr-defined]


async def test_a_paste_with_colours_is_sent_as_the_review_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(FORM, monkeypatch) as seat:
        await seat.sees("What now?")
        seat.press(FILL_IN, "\x1b[200~\x1b[31mred\x1b[0m\x1b[201~" + ENTER)
        review = await seat.sees("Send this?")
        seat.press(SEND)
        outcome = await seat.outcome()

    assert "  X  red" in review
    assert outcome.content == {"x": "red"}

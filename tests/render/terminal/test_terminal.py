"""`fill` and `has_terminal`: one person, one event loop, an extra that may be missing."""

import asyncio
import io
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest

from elicitkit import FormElicitation
from elicitkit.errors import MissingExtra
from elicitkit.forms import Form
from elicitkit.outcomes import Cancelled
from elicitkit.render.terminal import fill, filling, has_terminal
from elicitkit.render.terminal.interrupting import Interruption
from tests.render.terminal.person import CTRL_C, CTRL_D, ENTER, FILL_IN, SEND, answer, seated

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


async def test_each_question_says_who_asks_and_how_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 9, point 5: several questions queued."""
    async with seated(FORM, monkeypatch, rows=60, waiting=lambda: 1) as seat:
        assert "1 more question waits." in await seat.sees("What now?")
        others = [asyncio.create_task(fill(FORM, name, waiting=lambda: 1)) for name in ("bank", "post")]
        await anyio.lowlevel.checkpoint()
        seat.press(CTRL_C)
        second = await seat.sees("Question from bank")
        seat.press(CTRL_C)
        third = await seat.sees("Question from post")
        seat.press(CTRL_C)

        assert [await other for other in others] == [Cancelled("cancelled")] * 2
    assert "2 more questions wait." in second
    assert third.count("1 more question waits.") == 2


async def test_one_that_was_withdrawn_while_it_waited_waits_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(FORM, monkeypatch, rows=60) as seat:
        await seat.sees("What now?")
        others = [asyncio.create_task(fill(FORM, name)) for name in ("bank", "post", "shop 2")]
        await anyio.lowlevel.checkpoint()
        others[1].cancel()
        await asyncio.wait(others[1:2])
        seat.press(CTRL_C)

        assert "1 more question waits." in await seat.sees("Question from bank")
        others[0].cancel()
        others[2].cancel()
        await asyncio.wait(others)


async def test_a_question_closes_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    until = datetime.now(UTC) + timedelta(seconds=0.2)

    async with seated(FORM, monkeypatch, until=until) as seat:
        assert await seat.outcome() == Cancelled("expired")
    assert seat.lines()[-1] == "The time to answer is over. No answer was sent."


async def test_a_question_whose_time_is_over_already_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert await answer(FORM, until=datetime.now(UTC)) == Cancelled("expired")
    assert capsys.readouterr().out == ""


async def test_a_question_whose_time_is_over_before_its_turn_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(FORM, monkeypatch) as seat:
        await seat.sees("What now?")

        assert await fill(FORM, "late", until=datetime.now(UTC) + timedelta(seconds=0.05)) == Cancelled("expired")
    assert "late" not in seat.written


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("answered", "Somebody else has answered this. Your answer was not sent."),
        ("expired", "The time to answer is over. No answer was sent."),
        ("cancelled", "The question was withdrawn. No answer was sent."),
    ],
)
async def test_a_question_that_ends_says_why(why: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with seated(FORM, monkeypatch, why_ended=lambda: why) as seat:
        await seat.sees("What now?")
        assert seat.asked is not None
        seat.asked.cancel()

        await asyncio.wait([seat.asked])
        assert seat.asked.cancelled()
    assert seat.lines()[-1] == words


async def test_one_that_is_cancelled_because_its_time_is_over_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked may have the same deadline, and be first to end it."""
    until = datetime.now(UTC) + timedelta(seconds=60)
    async with seated(FORM, monkeypatch, until=until) as seat:
        await seat.sees("What now?")
        monkeypatch.setattr(filling, "_is_over", lambda moment: moment == until)
        assert seat.asked is not None
        seat.asked.cancel()
        await asyncio.wait([seat.asked])

    assert seat.lines()[-1] == "The time to answer is over. No answer was sent."


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
@pytest.mark.parametrize(
    ("known", "reason", "words"),
    [
        ({}, "cancelled", "Cancelled. No answer was sent."),
        ({"may_stop": True}, "interrupted", "It stays open. No answer was sent."),
    ],
)
async def test_ctrl_c_before_anything_reads_keys_cancels_too(
    known: dict[str, Any], reason: str, words: str, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 9, point 5: Ctrl-C is cancel. Between the heading and the menu the terminal makes a signal of it."""
    monkeypatch.setenv("TERM", term)
    before = signal.getsignal(signal.SIGINT)

    def interrupted() -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return 1

    async with seated(FORM, monkeypatch, waiting=interrupted, **known) as seat:
        assert await seat.outcome() == Cancelled(reason)
    assert seat.lines()[-1] == words
    assert signal.getsignal(signal.SIGINT) is before


async def test_in_another_thread_signals_are_left_to_the_main_one() -> None:
    def elsewhere() -> object:
        return asyncio.run(answer(FORM, CTRL_C))

    assert await asyncio.to_thread(elsewhere) == Cancelled("cancelled")


async def test_who_wants_no_signal_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program under `nohup`, say."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        async with seated(FORM, monkeypatch, waiting=lambda: os.kill(os.getpid(), signal.SIGINT) or 0) as seat:
            await seat.sees("What now?")
            seat.press(CTRL_D)
            assert await seat.outcome() == Cancelled("cancelled")
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


async def test_a_second_ctrl_c_is_for_the_program_around_it() -> None:
    """A program that hangs between two prompts can be ended."""
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with Interruption().heeded():
            signal.raise_signal(signal.SIGINT)
            assert heard == []
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)

    assert heard == [signal.SIGINT]


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
    ("stdin", "stdout", "stderr", "expected"),
    [
        (Terminal(), Terminal(), io.StringIO(), True),
        (Terminal(), io.StringIO(), Terminal(), True),  # it is drawn on standard error
        (io.StringIO(), Terminal(), Terminal(), False),
        (Terminal(), io.StringIO(), io.StringIO(), False),
        (None, Terminal(), Terminal(), False),
    ],
)
def test_a_terminal_is_both_ends(
    stdin: Any, stdout: Any, stderr: Any, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(sys, "stderr", stderr)

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

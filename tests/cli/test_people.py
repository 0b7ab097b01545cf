"""Who answers the questions of a call, and what goes back (design, sections 9 and 10)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import (
    URL_ELICITATION_REQUIRED,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from elicitkit import Accepted, Cancelled, Declined, Elicitation, FormElicitation, elicit, elicit_url, url_required
from elicitkit.cli import Exit, people, results, troubles
from elicitkit.errors import MissingExtra
from elicitkit.forms import Content, Form
from elicitkit.outcomes import Outcome

Called = Callable[..., tuple[int, str, str]]
LINK = "https://example.com/in?x=1"
EMPTY: dict[str, Any] = {"type": "object", "properties": {}}


class Person:
    """Somebody at the terminal who answers every form the same way."""

    def __init__(self, outcome: Outcome[Content] | Exception) -> None:
        self._outcome = outcome
        self.asked: list[tuple[str, str]] = []
        self.filled: list[dict[str, Any]] = []
        self.waiting: list[int] = []

    async def fill(self, form: Form[Any], asker: str, *, filled: Any, waiting: Callable[[], int]) -> Outcome[Content]:
        self.asked.append((asker, form.message))
        self.filled.append(dict(filled))
        self.waiting.append(waiting())
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


@pytest.fixture
def sits_there(monkeypatch: pytest.MonkeyPatch) -> Callable[[Outcome[Content] | Exception], Person]:
    def sit(outcome: Outcome[Content] | Exception) -> Person:
        person = Person(outcome)
        monkeypatch.setattr(people, "has_terminal", lambda: True)
        monkeypatch.setattr(people, "fill", person.fill)
        return person

    return sit


def raw(*questions: ElicitRequestFormParams, title: str | None = None) -> MCPServer[Any]:
    """A server that sends what no form of ours would hold: all at once on 2026-07-28, else the first alone."""
    mcp: MCPServer[Any] = MCPServer("raw", title=title)

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        if ctx.session.can_send_request:
            first = questions[0]
            answer = await ctx.session.elicit_form(first.message, first.requested_schema, ctx.request_id)
            return str(answer.action)
        if ctx.input_responses:
            return " ".join(answer.action for answer in ctx.input_responses.values())  # type: ignore[union-attr]
        requests: Any = {str(number): ElicitRequest(params=question) for number, question in enumerate(questions)}
        return InputRequiredResult(input_requests=requests)

    return mcp


def question(schema: dict[str, Any] | None = None, message: str = "Well?") -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=message, requested_schema=schema or EMPTY)


def shop() -> MCPServer[Any]:
    """A server on elicitkit, that says what it was answered."""
    mcp: MCPServer[Any] = MCPServer("shop", title="The shop", middleware=[Elicitation()])

    @mcp.tool()
    async def order(ctx: Context) -> str:
        form = FormElicitation.create("What?").string("dish").required().integer("guests").default(2)
        outcome = await elicit(ctx, form)
        return repr(dict(outcome.content)) if outcome else outcome.reason

    return mcp


# --- the person at the terminal ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Accepted(Content({"dish": "soup", "guests": 4})), "{'dish': 'soup', 'guests': 4}"),
        (Declined(), "declined"),
        (Cancelled(), "cancelled"),
        (Cancelled("unsupported"), "cancelled"),
    ],
)
def test_what_the_person_decides_reaches_the_tool(
    outcome: Outcome[Content], text: str, legacy: bool, called: Called, sits_there: Any
) -> None:
    person = sits_there(outcome)

    assert called(shop(), "order", legacy=legacy) == (Exit.FINE, f"{text}\n", "")
    assert person.asked == [("The shop (tool order)", "What?")]


def test_a_cleared_field_is_left_out_and_the_person_is_told(called: Called, sits_there: Any) -> None:
    """The specification has no null in an answer, and the TypeScript SDK refuses a whole answer for one."""
    sits_there(Accepted(Content({"dish": "soup"}, cleared=frozenset({"guests"}))))

    code, out, err = called(shop(), "order")

    assert (code, out) == (Exit.FINE, "{'dish': 'soup', 'guests': 2}\n")
    assert err == "left open: Guests; the server may take its default all the same\n"


async def null_of(answer: people.AtTerminal) -> Any:
    form = FormElicitation.create("?").integer("n").default(1).build()
    return (await answer(people.Question(form, "shop", question()))).content


@pytest.mark.anyio
async def test_a_cleared_field_is_null_for_a_server_that_takes_it(sits_there: Any) -> None:
    """Design, section 5: null is "nothing", and suppresses the default."""
    sits_there(Accepted(Content({}, cleared=frozenset({"n"}))))

    assert await null_of(people.AtTerminal(takes_null=True)) == {"n": None}
    assert await null_of(people.AtTerminal()) == {}


@pytest.mark.parametrize("legacy", [False, True])
def test_a_missing_prompt_is_told_with_the_line_that_installs_it(legacy: bool, called: Called, sits_there: Any) -> None:
    """Issue 2, point 1; report R061: a failure of the machine is never the person's doing."""
    sits_there(MissingExtra("terminal", "The terminal prompt"))

    code, _, err = called(shop(), "order", legacy=legacy)

    assert code == Exit.MISSING_EXTRA
    assert err == (
        "elicitkit: The terminal prompt needs an extra that is not installed: pip install 'elicitkit[terminal]'\n"
    )


@pytest.mark.parametrize("legacy", [False, True])
def test_a_prompt_that_breaks_is_our_fault_and_its_detail_stays_here(
    legacy: bool, called: Called, sits_there: Any
) -> None:
    """Design, section 10: errors in a host's code never travel to the server."""
    sits_there(KeyError("s3cret"))

    code, out, err = called(shop(), "order", legacy=legacy)

    assert (code, out) == (Exit.BUG, "")
    assert err.startswith("elicitkit: this is a fault of elicitkit itself, KeyError: 's3cret'")


def test_questions_asked_at_once_are_put_one_after_another(called: Called, sits_there: Any) -> None:
    """Issue 2, point 8; report R077: a second question took the place of the first."""
    person = sits_there(Declined())

    code, out, _ = called(raw(*(question(message=name) for name in "abcdef")), "ask")

    assert (code, out) == (Exit.FINE, f"{' '.join(['decline'] * 6)}\n")
    assert [message for _, message in person.asked] == list("abcdef")
    assert person.waiting == [5, 4, 3, 2, 1, 0]


DISH = {"type": "object", "properties": {"dish": {"type": "string"}}}


@pytest.mark.parametrize(
    ("second", "filled"),
    [
        (question(DISH, "Please correct this:\n- Dish: is sold out\n\nWhat?"), {"dish": "soup"}),
        (question(DISH, "What?"), {}),  # the same question, asked anew
        (question(DISH, "And now?"), {}),
        (question({**DISH, "required": ["dish"]}, "Please correct this:\n\nWhat?"), {}),
    ],
)
def test_a_form_that_its_server_asks_again_has_what_was_sent(
    second: ElicitRequestFormParams, filled: dict[str, Any], called: Called, sits_there: Any
) -> None:
    """Issue 9, point 5; it is the same form with words above its message, in the same call."""
    person = sits_there(Accepted(Content({"dish": "soup"})))

    called(raw(question(DISH, "What?"), second), "ask")

    assert person.filled == [{}, filled]


def test_a_server_cannot_dress_up_its_name(called: Called, sits_there: Any) -> None:
    """Design, section 10: text from a server is hostile."""
    person = sits_there(Declined())

    called(raw(question(), title="Bank\x1b[2J\n\u202eelicitkit: " + "x" * 500), "ask")

    assert person.asked[0][0].startswith("Bank elicitkit: xxx")
    assert len(person.asked[0][0]) < 200


class Hesitant:
    """Somebody at the terminal who never answers."""

    def __init__(self) -> None:
        self.opened = anyio.Event()
        self.saw: list[str] = []

    async def fill(self, form: Form[Any], asker: str, **_: Any) -> Outcome[Content]:
        self.saw.append(f"{form.message} opened")
        self.opened.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.saw.append(f"{form.message} closed")
        raise AssertionError


def impatient(person: Hesitant) -> MCPServer[Any]:
    """A server that asks twice, and then ends the call without waiting for an answer."""
    mcp: MCPServer[Any] = MCPServer("impatient")
    left_behind: list[asyncio.Task[Any]] = []

    async def ask_in_vain(ctx: Context, name: str) -> None:
        with suppress(MCPError):
            await ctx.session.elicit_form(name, EMPTY, ctx.request_id)

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        left_behind.extend(asyncio.create_task(ask_in_vain(ctx, name)) for name in ("first", "second"))
        await person.opened.wait()
        return "went on"

    return mcp


def test_a_question_still_open_is_withdrawn_before_the_result_is_shown(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the result would be printed into the line of the prompt; one that waits its turn is never put."""
    person = Hesitant()
    monkeypatch.setattr(people, "has_terminal", lambda: True)
    monkeypatch.setattr(people, "fill", person.fill)
    monkeypatch.setattr(results, "give", person.saw.append)

    ended = called(impatient(person), "ask", legacy=True)

    assert ended == (Exit.FINE, "", "")
    assert person.saw == ["first opened", "first closed", "went on"]


# --- nobody, and what cannot be asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize("legacy", [False, True])
def test_without_anybody_every_question_is_cancelled_and_it_is_said(legacy: bool, called: Called) -> None:
    """Report R167: a question that nobody saw came out as "user rejected"."""
    code, out, err = called(shop(), "order", legacy=legacy)

    assert (code, out) == (Exit.FINE, "cancelled\n")
    assert err == (
        "The shop (tool order) asks: What?\nno terminal to ask at; cancelled (--answers FILE answers for you)\n"
    )


MANY_FIELDS = question({"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(500)}})
DEEP: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
for _ in range(50):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


@pytest.mark.parametrize(
    ("hostile", "legacy"),
    [
        (MANY_FIELDS, False),
        (MANY_FIELDS, True),
        (question({"type": "object", "properties": {"x": {"enum": [str(n) for n in range(10_000)]}}}), False),
        (question(EMPTY, message="x" * 1_000_000), False),
    ],
    ids=["500 fields", "500 fields, handshake", "10,000 options", "a message of 1 MB"],
)
def test_a_form_that_cannot_be_read_is_cancelled_with_the_reason(
    hostile: ElicitRequestFormParams, legacy: bool, called: Called, sits_there: Any
) -> None:
    """Issue 2, "Bad input"; report R155."""
    person = sits_there(Declined())

    code, out, err = called(raw(hostile), "ask", legacy=legacy)

    assert (code, out) == (Exit.FINE, "cancel\n")
    assert err.startswith("raw (tool ask) sent a form that cannot be read; cancelled. The form ")
    assert person.asked == []


@pytest.mark.anyio
@pytest.mark.parametrize("schema", [{"type": "object", "properties": []}, {"type": "array"}, {"properties": {"x": 7}}])
async def test_what_the_sdk_stops_today_would_be_cancelled_as_well(schema: dict[str, Any]) -> None:
    nameless: Any = SimpleNamespace(session=SimpleNamespace(server_info=None))

    answer = await people.People("tool ask", people.nobody)(nameless, question(schema))

    assert answer == ElicitResult(action="cancel")


@pytest.mark.parametrize("schema", [DEEP, {"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}}])
def test_what_can_be_read_but_not_drawn_is_left_to_the_person(
    schema: dict[str, Any], called: Called, sits_there: Any
) -> None:
    person = sits_there(Declined())

    assert called(raw(question(schema)), "ask")[:2] == (Exit.FINE, "decline\n")
    assert len(person.asked) == 1


# --- a link -----------------------------------------------------------------------------------------------------------


def linker() -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("linker", middleware=[Elicitation()])
    visits: list[str] = []

    @mcp.tool()
    async def link(ctx: Context) -> str:
        return repr(await elicit_url(ctx, "Sign in", LINK))

    @mcp.tool()
    async def linked_first(ctx: Context) -> str:
        visits.append("a look")
        outcome = await url_required(ctx, "Sign in", LINK, done=lambda: len(visits) > 1, wait=0, rounds=1)
        return "signed in" if outcome else outcome.reason

    return mcp


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch) -> Callable[[Outcome[None]], list[tuple[str, ...]]]:
    """Somebody at the terminal who does the same with every link."""

    def sit(outcome: Outcome[None]) -> list[tuple[str, ...]]:
        asked: list[tuple[str, ...]] = []

        async def visit(message: str, url: str, asker: str, *, waiting: Callable[[], int]) -> Outcome[None]:
            asked.append((message, url, asker))
            return outcome

        monkeypatch.setattr(people, "has_terminal", lambda: True)
        monkeypatch.setattr(people, "visit", visit)
        return asked

    return sit


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Accepted(None), "Accepted(content=None, raw={})"),
        (Declined(), repr(Declined())),
        (Cancelled("failed"), repr(Cancelled())),
    ],
)
def test_a_link_is_put_to_the_person(
    outcome: Outcome[None], text: str, legacy: bool, called: Called, visitor: Any
) -> None:
    """2025-11-25 and 2026-07-28, Elicitation, "URL mode": the client declares it, and asks for consent."""
    asked = visitor(outcome)

    assert called(linker(), "link", legacy=legacy) == (Exit.FINE, f"{text}\n", "")
    assert asked == [("Sign in", LINK, "linker (tool link)")]


def test_a_call_goes_on_when_the_link_that_it_requires_was_opened(called: Called, visitor: Any) -> None:
    """2025-11-25, Elicitation, "URL Elicitation Required Error": the client opens the link, and calls again."""
    asked = visitor(Accepted(None))

    assert called(linker(), "linked_first", legacy=True) == (Exit.FINE, "signed in\n", "")
    assert len(asked) == 1


def test_a_call_whose_link_is_refused_is_not_made_again(called: Called, visitor: Any) -> None:
    asked = visitor(Declined())

    code, out, err = called(linker(), "linked_first", legacy=True)

    assert (code, out, len(asked)) == (Exit.TOOL_FAILED, "", 1)
    assert "wants a link to be opened first" in err


@pytest.mark.parametrize("legacy", [False, True])
def test_a_script_answers_a_link_which_is_shown_whole(legacy: bool, called: Called, answers: Any) -> None:
    path = answers('{"action": "accept"}')

    code, out, err = called(linker(), "link", "--answers", path, legacy=legacy)

    assert (code, out) == (Exit.FINE, "Accepted(content=None, raw={})\n")
    assert f"- a link to open, at the host example.com: {LINK}" in err


def test_a_link_without_anybody_is_cancelled_and_shown(called: Called) -> None:
    code, out, err = called(linker(), "link")

    assert (code, out) == (Exit.FINE, f"{Cancelled()!r}\n")
    assert LINK in err


@pytest.mark.parametrize(
    "data", [None, {}, {"elicitations": "x"}, {"elicitations": [1]}, {"elicitations": [{"url": 1}]}]
)
def test_links_that_cannot_be_read_are_none(data: Any) -> None:
    assert troubles.required_links(MCPError(URL_ELICITATION_REQUIRED, "open them", data)) == []


# --- a script ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("legacy", [False, True])
def test_a_script_answers_and_a_log_shows_what_was_asked_but_not_what_was_typed(
    legacy: bool, called: Called, answers: Callable[..., str]
) -> None:
    file = answers('{"action": "accept", "content": {"dish": "s3cret", "guests": 4}}')

    code, out, err = called(shop(), "order", "--answers", file, legacy=legacy)

    assert (code, out) == (Exit.FINE, "{'dish': 's3cret', 'guests': 4}\n")
    assert err == (
        "Question 1, from The shop (tool order):\n"
        "  | What?\n"
        "  - Dish (string, required)\n"
        "  - Guests (integer, optional): a whole number\n"
        "  => accept, with dish, guests\n\n"
    )


def test_a_wrong_answer_is_sent_as_it_stands_and_asked_again(called: Called, answers: Callable[..., str]) -> None:
    file = answers('{"action": "accept", "content": {"guests": "many"}}', '{"action": "decline"}')

    code, out, err = called(shop(), "order", "--answers", file)

    assert (code, out) == (Exit.FINE, "declined\n")
    assert "Question 2, from The shop (tool order):\n  | Please correct this:\n" in err
    assert err.endswith("  => decline\n\n")


@pytest.mark.parametrize("legacy", [False, True])
def test_answers_that_run_out_have_an_exit_code_of_their_own(
    legacy: bool, called: Called, answers: Callable[..., str]
) -> None:
    """Issue 2, point 7."""
    code, out, err = called(shop(), "order", "--answers", answers(), legacy=legacy)

    assert (code, out) == (Exit.SCRIPT, "")
    assert "\nelicitkit: 1 question found no answer left in the script: 'What?' dish: {" in err
    assert err.count("no answer") == err.count("elicitkit: ") == 1


def test_answers_that_are_left_over_too_and_the_result_is_shown(called: Called, answers: Callable[..., str]) -> None:
    file = answers('{"action": "decline"}', '{"action": "decline"}')

    code, out, err = called(shop(), "order", "--answers", file)

    assert (code, out) == (Exit.SCRIPT, "declined\n")
    assert err.endswith("elicitkit: 1 answer of the script was never asked for: decline()\n")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["{"], "line 1 of the answers is not JSON"),
        (['{"action": "decline"}', "[]"], "line 2 of the answers is not an object"),
        (['{"action": "reject"}'], "answer 1 of the script is none (action)"),
        (['{"action": "accept", "contnt": {}}'], "has a 'contnt', which no answer has: did you mean 'content'?"),
    ],
)
def test_a_script_that_cannot_be_read_is_wrong_usage(
    lines: list[str], problem: str, called: Called, answers: Callable[..., str]
) -> None:
    """Report R029: clients shipped `reject`."""
    code, out, err = called(shop(), "order", "--answers", answers(*lines))

    assert (code, out) == (Exit.USAGE, "")
    assert err.count("\n") == 1
    assert problem in err


def test_a_script_that_is_not_there_is_wrong_usage(called: Called) -> None:
    code, _, err = called(shop(), "order", "--answers", "nowhere.jsonl")

    assert code == Exit.USAGE
    assert err == "elicitkit: the answers in nowhere.jsonl cannot be read: No such file or directory\n"

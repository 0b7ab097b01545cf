"""`elicit_url`, `url_required` and `complete` (specification: Elicitation, "URL mode"; design, 7 and 10)."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import URL_ELICITATION_REQUIRED, ElicitResult

from elicitkit import Declined, Elicitation, complete, elicit_url, url_required
from elicitkit.testing import ScriptedAnswers, accept, cancel, decline
from tests import eras

pytestmark = pytest.mark.anyio

WITH_LINKS = ("2025-11-25", "2026-07-28")
PAGE = "https://bank.example.org/pay?for=7"

every_era_with_links = pytest.mark.parametrize("revision", WITH_LINKS)


def agree() -> ElicitResult:
    return ElicitResult(action="accept")


def server(ask: Callable[[Context], Awaitable[Any]]) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("bank", middleware=[Elicitation()])

    @mcp.tool(name="ask")
    async def tool(ctx: Context) -> str:
        return str(await ask(ctx))

    return mcp


async def call(ask: Callable[[Context], Awaitable[Any]], revision: str, answers: Any) -> str:
    async with eras.connected(server(ask), revision, answers) as client:
        return await eras.said(client, "ask")


@every_era_with_links
async def test_consent_is_the_answer_where_nothing_tells_that_it_is_done(revision: str) -> None:
    with ScriptedAnswers([agree()]) as answers:
        text = await call(lambda ctx: elicit_url(ctx, "Pay", PAGE), revision, answers)

    assert text == "Accepted(content=None, raw={})"
    assert [(asked.message, asked.url) for asked in answers.asked] == [("Pay", PAGE)]


@every_era_with_links
@pytest.mark.parametrize(("answer", "outcome"), [(decline(), "Declined"), (cancel(), "Cancelled")])
async def test_a_refusal_is_an_outcome(revision: str, answer: ElicitResult, outcome: str) -> None:
    with ScriptedAnswers([answer]) as answers:
        assert (await call(lambda ctx: elicit_url(ctx, "Pay", PAGE), revision, answers)).startswith(outcome)


@every_era_with_links
async def test_content_that_comes_with_consent_is_dropped(revision: str) -> None:
    with ScriptedAnswers([accept(card="4111")]) as answers:
        assert await call(lambda ctx: elicit_url(ctx, "Pay", PAGE), revision, answers) == (
            "Accepted(content=None, raw={})"
        )


@every_era_with_links
async def test_it_is_accepted_when_it_is_done_and_not_before(revision: str) -> None:
    looks: list[bool] = []

    async def done() -> bool:
        looks.append(len(looks) >= 1)
        return looks[-1]

    with ScriptedAnswers([agree(), agree()]) as answers:
        text = await call(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=done, wait=0), revision, answers)

    assert text.startswith("Accepted")
    assert looks == [False, True]


@every_era_with_links
async def test_what_is_never_done_is_expired_after_three_rounds(revision: str) -> None:
    async def done() -> bool:
        return False

    with ScriptedAnswers([agree()] * 3) as answers:
        text = await call(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=done, wait=0), revision, answers)

    assert text == "Cancelled(reason='expired')"


@every_era_with_links
async def test_a_round_waits_until_it_is_done(revision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elicitkit.asking.links._PAUSE", 0.0)
    looks: list[int] = []

    async def done() -> bool:
        looks.append(1)
        return len(looks) == 5

    with ScriptedAnswers([agree()]) as answers:
        assert (await call(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=done), revision, answers)).startswith("Acc")


async def test_what_was_done_is_not_looked_at_again_in_a_replay() -> None:
    looks: list[int] = []

    async def done() -> bool:
        looks.append(1)
        return True

    async def ask(ctx: Context) -> str:
        await elicit_url(ctx, "Pay", PAGE, done=done, wait=0)
        return (await elicit_url(ctx, "Sign", "https://bank.example.org/sign")).action

    with ScriptedAnswers([agree(), agree()]) as answers:
        assert await call(ask, "2026-07-28", answers) == "accept"
    assert looks == [1]


@pytest.mark.parametrize("revision", eras.ALL)
async def test_a_client_without_links_is_told_what_is_missing(revision: str) -> None:
    async with eras.connected(server(lambda ctx: elicit_url(ctx, "Pay", PAGE)), revision) as client:
        assert "does not show links that a server asks for" in await eras.said(client, "ask")


async def test_the_first_revision_has_no_links_whatever_a_client_declares() -> None:
    with ScriptedAnswers([]) as answers:
        text = await call(lambda ctx: elicit_url(ctx, "Pay", PAGE), "2025-06-18", answers)

    assert "does not show links that a server asks for" in text


@pytest.mark.parametrize("revision", eras.ALL)
@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://bank.example.org/", "it is not https"),
        ("ftp://bank.example.org/", "it is not https"),
        ("javascript:alert(1)", "it is not a URL with a host"),
        ("https://user:pw@bank.example.org/", "it has credentials in it"),
        ("https://bank.example.org\\@evil.example/", "it has a space, a backslash or an invisible character in it"),
        ("https://bank.example.org/\u202e", "it has a space, a backslash or an invisible character in it"),
        ("https://[::1/", "it is not a URL"),
        (7, "it is int, not text"),
    ],
)
async def test_a_link_that_must_not_be_opened_is_refused_and_not_sent(revision: str, url: Any, problem: str) -> None:
    with ScriptedAnswers([]) as answers:
        text = await call(lambda ctx: elicit_url(ctx, "Pay", url), revision, answers)

    assert text == f"error: The link cannot be sent: {problem}."


@every_era_with_links
@pytest.mark.parametrize("url", ["http://localhost:8000/", "http://127.0.0.1/", "http://[::1]:1/x"])
async def test_a_link_to_this_machine_may_do_without_tls(revision: str, url: str) -> None:
    with ScriptedAnswers([agree()]) as answers:
        assert (await call(lambda ctx: elicit_url(ctx, "Pay", url), revision, answers)).startswith("Accepted")


async def test_a_required_visit_is_an_error_of_the_protocol_on_2025_11_25() -> None:
    async with eras.connected(server(lambda ctx: url_required(ctx, "Sign in", PAGE)), "2025-11-25", agree) as client:
        with pytest.raises(MCPError) as caught:
            await eras.said(client, "ask")

    assert caught.value.code == URL_ELICITATION_REQUIRED
    sent = caught.value.data["elicitations"][0]
    assert (sent["mode"], sent["url"], sent["message"]) == ("url", PAGE, "Sign in")
    assert len(sent["elicitationId"]) == 32


async def test_a_required_visit_is_a_question_on_2026_07_28() -> None:
    with ScriptedAnswers([agree()]) as answers:
        text = await call(lambda ctx: url_required(ctx, "Sign in", PAGE), "2026-07-28", answers)

    assert text.startswith("Accepted")


@pytest.mark.parametrize(("revision", "sent"), [("2025-11-25", ["pay-7"]), ("2026-07-28", [])])
async def test_completion_is_told_where_the_era_has_a_word_for_it(revision: str, sent: list[str]) -> None:
    told: list[str] = []

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/elicitation/complete":
            told.append(message.params.elicitation_id)

    async def ask(ctx: Context) -> str:
        outcome = await elicit_url(ctx, "Pay", PAGE, elicitation_id="pay-7")
        await complete(ctx, "pay-7")
        return outcome.action

    with ScriptedAnswers([agree()]) as answers:
        async with eras.connected(server(ask), revision, answers, message_handler=hear) as client:
            assert await eras.said(client, "ask") == "accept"

    assert told == sent


@every_era_with_links
async def test_completion_is_told_by_itself_when_done_says_so(revision: str) -> None:
    told: list[str] = []

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/elicitation/complete":
            told.append(message.params.elicitation_id)

    async def done() -> bool:
        return True

    with ScriptedAnswers([agree()]) as answers:
        asking = server(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=done, elicitation_id="pay-7"))
        async with eras.connected(asking, revision, answers, message_handler=hear) as client:
            assert (await eras.said(client, "ask")).startswith("Accepted")

    assert told == (["pay-7"] if revision == "2025-11-25" else [])


@every_era_with_links
async def test_a_look_that_hangs_is_given_up(revision: str) -> None:
    async def done() -> bool:
        await anyio.sleep_forever()
        return True

    with ScriptedAnswers([agree()] * 2) as answers:
        asking = server(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=done, wait=0.01, rounds=2))
        async with eras.connected(asking, revision, answers) as client:
            assert await eras.said(client, "ask") == "Cancelled(reason='expired')"


@every_era_with_links
async def test_a_plain_function_may_tell_that_it_is_done(revision: str) -> None:
    with ScriptedAnswers([agree()]) as answers:
        assert (await call(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=lambda: True), revision, answers)).startswith(
            "Accepted"
        )


@every_era_with_links
async def test_done_may_not_ask(revision: str) -> None:
    async def ask(ctx: Context) -> Any:
        async def done() -> bool:
            return bool(await elicit_url(ctx, "Again", PAGE))

        return await elicit_url(ctx, "Pay", PAGE, done=done)

    with ScriptedAnswers([agree()]) as answers:
        assert "error: the step 'done' asks a question" in await call(ask, revision, answers)


@pytest.mark.parametrize("revision", WITH_LINKS)
async def test_a_required_visit_that_is_done_already_asks_nobody(revision: str) -> None:
    with ScriptedAnswers([]) as answers:
        text = await call(lambda ctx: url_required(ctx, "Sign in", PAGE, done=lambda: True), revision, answers)

    assert text.startswith("Accepted")


async def test_a_required_visit_where_nobody_can_be_asked_is_what_the_author_says() -> None:
    outcome = Declined("no links here")
    async with eras.connected(
        server(lambda ctx: url_required(ctx, "Sign in", PAGE, unsupported=outcome)), "2025-06-18"
    ) as client:
        assert await eras.said(client, "ask") == "Declined(reason='no links here')"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"done": 7}, "done is a function"),
        ({"rounds": 0}, "rounds is at least 1"),
        ({"rounds": "5"}, "rounds is a whole number"),
        ({"wait": -1}, "wait is a positive time"),
        ({"wait": "5"}, "wait is a number of seconds"),
        ({"wait": None}, "wait is a number of seconds"),
        ({"key": "a~b"}, "a key is text"),
        ({"timeout": 0}, "timeout is a positive time"),
    ],
)
@pytest.mark.parametrize("ask", [elicit_url, url_required])
async def test_an_argument_that_is_none_is_refused_at_once(
    ask: Callable[..., Any], options: dict[str, Any], problem: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        ask(None, "Pay", PAGE, **options)

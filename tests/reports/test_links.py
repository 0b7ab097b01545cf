"""Links: who may be sent where, and when it is done."""

from typing import Any

import pytest
from mcp import MCPError
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import ElicitRequestURLParams

from elicitkit import Answer, Elicitation, LinkError, Origin, Request, complete, elicit_url, url_required
from elicitkit.asking.links import link_shape
from elicitkit.host.asked import Unanswerable, read_question
from elicitkit.safety import link_problem
from elicitkit.testing import ScriptedAnswers, accept
from elicitkit.testing.everything.wrongs import URLS
from tests import eras
from tests.host.hosting import hosting, text

pytestmark = pytest.mark.anyio

PAGE = "https://bank.example.org/pay"


def server(ask: Any) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("bank", middleware=[Elicitation()], log_level="ERROR")

    @mcp.tool(name="ask")
    async def tool(ctx: Context) -> str:
        return str(await ask(ctx))

    return mcp


@pytest.mark.parametrize(("revision", "told"), [("2025-11-25", ["pay-1", "unknown", "pay-1"]), ("2026-07-28", [])])
async def test_r119_completion_can_be_told_of_any_link_as_often_as_one_likes(revision: str, told: list[str]) -> None:
    heard: list[str] = []

    async def hear(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/elicitation/complete":
            heard.append(message.params.elicitation_id)

    async def ask(ctx: Context) -> str:
        outcome = await elicit_url(ctx, "Pay", PAGE, elicitation_id="pay-1")
        for id in ("pay-1", "unknown", "pay-1"):
            await complete(ctx, id)
        return outcome.action

    with ScriptedAnswers([accept()]) as answers:
        async with eras.connected(server(ask), revision, answers, message_handler=hear) as client:
            assert await eras.said(client, "ask") == "accept"

    assert heard == told


def requiring(opened: list[Any], calls: list[int], data: Any = None) -> MCPServer[Any]:
    mcp: MCPServer[Any] = MCPServer("stock")

    @mcp.tool()
    async def unlock() -> str:
        calls.append(1)
        if data is not None:
            raise MCPError(-32042, "open these", data)
        if len(opened) < 2:
            links = [
                ElicitRequestURLParams(message=f"Unlock {n}", url=f"{PAGE}/{n}", elicitation_id=f"u{n}")
                for n in range(2)
            ]
            raise UrlElicitationRequiredError(links)
        return "unlocked"

    return mcp


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_r121_the_links_of_the_error_are_requests_and_the_call_is_made_again(revision: str) -> None:
    opened: list[Any] = []
    calls: list[int] = []

    async def opening(request: Request) -> Answer:
        opened.append((request.url, Origin.of(request).elicitation_id))
        return request.accept()

    async with hosting(requiring(opened, calls), revision, wait_for=opening, link_seconds=0.001) as source:
        assert text(await source.call("a_unlock")) == "unlocked"

    assert opened == [(f"{PAGE}/0", "u0"), (f"{PAGE}/1", "u1")]
    assert len(calls) == 2


@pytest.mark.parametrize("data", [{}, {"elicitations": []}, {"elicitations": [{"mode": "form"}]}, {"elicitations": 7}])
async def test_r121_an_error_without_links_is_said_to_have_none(data: Any) -> None:
    calls: list[int] = []
    wait_for = ScriptedAnswers().wait_for
    async with hosting(requiring([], calls, data), "2025-11-25", wait_for=wait_for) as source:
        found = text(await source.call("a_unlock"))

    assert found.startswith("error: a cannot go on: ")
    assert len(calls) == 1


BAD = [
    *(url for url in URLS if "xn--" not in url),
    *("HTTPS://a@b.evil", "https://a:b@c.evil", "JavaScript:alert(1)", "vbscript:x", "ftp://a.example", "//a.example"),
    *("https://", "https://a b", "https://a.example\\@evil.example", "https://a\u202e.example", "http://10.0.0.1/"),
]


@pytest.mark.parametrize("url", BAD)
async def test_r123_a_link_that_nobody_should_open_is_neither_sent_nor_shown(url: str) -> None:
    assert link_problem(url)
    params = ElicitRequestURLParams(message="Go", url=url, elicitation_id="1")
    assert isinstance(read_question(params, ("form", "url"), server="s", tool="t", call="c"), Unanswerable)
    with pytest.raises(LinkError):
        await elicit_url_alone(url)


async def elicit_url_alone(url: str) -> None:
    """Ask on a road that takes everything."""

    async def ask(ctx: Context) -> str:
        try:
            await elicit_url(ctx, "Go", url)
        except LinkError as error:
            caught.append(error)
        return ""

    caught: list[LinkError] = []
    async with eras.connected(server(ask), "2025-11-25", ScriptedAnswers()) as client:
        await eras.said(client, "ask")
    for error in caught:
        raise error


@pytest.mark.parametrize(
    "url", ["https://a.example/x?y#z", "HTTPS://A.example", "http://localhost:1/", "http://[::1]/"]
)
def test_r123_others_may_be(url: str) -> None:
    assert link_problem(url) is None


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_r125_a_link_that_is_always_required_ends_after_one_retry(revision: str) -> None:
    calls: list[int] = []
    data = {"elicitations": [{"mode": "url", "message": "Go", "url": PAGE, "elicitationId": "1"}]}
    answers = ScriptedAnswers([accept()])
    async with hosting(requiring([], calls, data), revision, wait_for=answers.wait_for, link_seconds=0.001) as source:
        found = text(await source.call("a_unlock"))

    assert found == "error: unresolved: Go"
    assert len(calls) == 2
    assert len(answers.asked) == 1


@pytest.mark.parametrize("ask", [elicit_url, url_required])
async def test_r127_while_it_is_not_done_the_same_link_is_asked_for_again(ask: Any) -> None:
    looks: list[bool] = []

    def done() -> bool:
        looks.append(len(looks) >= 2)
        return looks[-1]

    with ScriptedAnswers() as answers:
        answers.when(url=PAGE).always(accept())
        asking = server(lambda ctx: ask(ctx, "Pay", PAGE, done=done, wait=0))
        async with eras.connected(asking, "2026-07-28", answers) as client:
            said = await eras.said(client, "ask")

    assert said.startswith("Accepted")
    assert len(answers.asked) >= 2
    assert {asked.url for asked in answers.asked} == {PAGE}
    assert {link_shape(asked.url or "") for asked in answers.asked} == {link_shape(PAGE)}


async def test_r127_what_is_never_done_is_expired_and_not_accepted() -> None:
    with ScriptedAnswers([accept()] * 3) as answers:
        asking = server(lambda ctx: elicit_url(ctx, "Pay", PAGE, done=lambda: False, wait=0))
        async with eras.connected(asking, "2026-07-28", answers) as client:
            assert await eras.said(client, "ask") == "Cancelled(reason='expired')"

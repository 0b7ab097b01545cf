"""`McpSource`: tools of many servers, and one slot for what they ask (design, section 9; issue 5, point 4)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitRequestURLParams, InputRequiredResult

from elicitkit import Answer, McpSource, Origin, Policy, Request, Rule, Slot
from elicitkit.host.connection import Connection
from elicitkit.host.upstream import Upstream
from tests import eras
from tests.host.asker import NAME, PAGE, Asker
from tests.host.hosting import LIMIT, Person, hosting, in_memory, text

pytestmark = pytest.mark.anyio

every_era = pytest.mark.parametrize("revision", eras.ALL)


def declared_by() -> MCPServer[Any]:
    """A server that tells what it was told that its client can be asked."""
    mcp: MCPServer[Any] = MCPServer("reporter")

    @mcp.tool()
    async def declared(ctx: Context) -> str:
        told = ctx.client_capabilities
        return repr(sorted(told.elicitation.model_dump(exclude_none=True)) if told and told.elicitation else None)

    return mcp


# --- every tool, on every era -----------------------------------------------------------------------------------------

TOOLS = {
    "greet": ("Hello, Ada!", ["Who is there?"]),
    "order": ("M for Ada", ["Which size?", "Who wants the M?"]),
    "both": ("{'size': 'M'}, {'name': 'Ada'}", ["Which size?", "Who is there?"]),
    "sure": ("yes", ["Are you sure?"]),
    "stock": ("Ada", ["Your name?"]),
    "resolved": ("Ada", ["Whose turn?"]),
}


@every_era
@pytest.mark.parametrize("tool", TOOLS)
async def test_whatever_a_tool_asks_goes_through_the_slot(tool: str, revision: str) -> None:
    person, asker = Person(), Asker()

    async with hosting(asker.mcp, revision, wait_for=person) as source:
        result = await source.call(f"a_{tool}")

    assert (text(result), [request.prompt for request in person.asked]) == TOOLS[tool]
    assert len(asker.happened) <= 1


@every_era
async def test_a_question_says_where_it_comes_from(revision: str) -> None:
    person = Person()

    async with hosting(Asker().mcp, revision, wait_for=person) as source:
        await source.call("a_order")
        await source.call("a_greet")

    origins = [Origin.of(request) for request in person.asked]
    assert [(origin.server, origin.tool) for origin in origins] == [("a", "order"), ("a", "order"), ("a", "greet")]
    assert origins[0].call == origins[1].call != origins[2].call


@every_era
async def test_a_wrong_answer_never_reaches_the_server(revision: str) -> None:
    tries = [{"name": "A"}, {"name": "Ada", "more": 1}]
    person, asker = Person(), Asker()
    person.answers.update({"Who is there?": lambda request: request.accept(tries.pop(0))})
    again = "Please correct this:\n- Name: must have at least 2 characters\n\nWho is there?"
    person.answers[again] = lambda request: request.accept(tries.pop(0))

    async with hosting(asker.mcp, revision, wait_for=person) as source:
        assert text(await source.call("a_greet")) == "Hello, Ada!"
    assert [request.prompt for request in person.asked] == ["Who is there?", again]


@every_era
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda request: request.decline(), "declined"),
        (lambda request: request.cancel("expired"), "cancelled"),
        (lambda request: {}["x"], "cancelled"),
        (lambda request: request.accept({"name": None}), "cancelled"),
    ],
    ids=["declined", "expired", "raises", "wrong again and again"],
)
async def test_a_refusal_is_told_and_nothing_else(answer: Any, reason: str, revision: str) -> None:
    """Specification, "Elicitation", Response Actions; design, section 10: no detail of a host's error travels."""

    async def wait_for(request: Request) -> Answer:
        return answer(request)

    async with hosting(Asker().mcp, revision, wait_for=wait_for) as source:
        assert text(await source.call("a_greet")) == f"Nobody: {reason}"


@every_era
async def test_arguments_go_along_in_every_round(revision: str) -> None:
    async with hosting(Asker().mcp, revision, wait_for=Person()) as source:
        assert text(await source.call("a_greet", {"greeting": "Ahoi"})) == "Ahoi, Ada!"


@every_era
async def test_calls_side_by_side_ask_one_after_the_other_each_for_its_own_tool(revision: str) -> None:
    person, results = Person(), {}

    async with hosting(Asker().mcp, revision, wait_for=person) as source:

        async def run(tool: str) -> None:
            results[tool] = text(await source.call(f"a_{tool}"))

        async with anyio.create_task_group() as group:
            for tool in TOOLS:
                group.start_soon(run, tool)

    assert results == {tool: said for tool, (said, _) in TOOLS.items()}
    for request in person.asked:
        assert request.prompt in TOOLS[Origin.of(request).tool][1]


@pytest.mark.parametrize("at_once", [1, 2, None])
async def test_the_questions_of_a_round_come_in_order(at_once: int | None) -> None:
    person = Person()

    async with hosting(Asker().mcp, "2026-07-28", wait_for=person, at_once=at_once) as source:
        await source.call("a_both")

    assert [request.prompt for request in person.asked] == ["Which size?", "Who is there?"]


# --- links ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_consent_to_a_link_goes_back_without_content(revision: str) -> None:
    person = Person({"Pay": {"card": "4111"}})

    async with hosting(Asker().mcp, revision, wait_for=person) as source:
        assert text(await source.call("a_pay")) == "paid {}"
    assert (person.asked[0].kind, person.asked[0].url) == ("authorization", PAGE)


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
async def test_a_required_link_is_opened_and_the_call_made_once_more(revision: str) -> None:
    """2025-11-25, URL elicitation required error; the SDK sends it on 2026-07-28, too."""
    mcp: MCPServer[Any] = MCPServer("stock")
    opened: list[str] = []

    @mcp.tool()
    async def unlock() -> str:
        if not opened:
            link = ElicitRequestURLParams(message="Unlock", url=PAGE, elicitation_id="unlock-1")
            raise UrlElicitationRequiredError([link])
        return "unlocked"

    async def opening(request: Request) -> Answer:
        opened.append(Origin.of(request).elicitation_id)
        return request.accept()

    async with hosting(mcp, revision, wait_for=opening, link_seconds=0.001) as source:
        assert text(await source.call("a_unlock")) == "unlocked"
    assert opened == ["unlock-1"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "error: unresolved: Unlock"),
        (lambda request: request.decline(), "error: declined/expired: Unlock"),
    ],
    ids=["not done", "declined"],
)
async def test_a_required_link_that_comes_to_nothing_is_an_error(answer: Any, said: str) -> None:
    person = Person({"Unlock": answer})

    async with hosting(Asker().mcp, "2025-11-25", wait_for=person, link_seconds=0.001) as source:
        assert text(await source.call("a_unlock")) == said
    assert len(person.asked) == 1


async def test_the_server_may_tell_that_a_required_link_is_done() -> None:
    """2025-11-25, `notifications/elicitation/complete`: nobody waits any longer then."""
    asker, sessions = Asker(), []

    async def keep(ctx: Context) -> str:
        sessions.append(ctx.session)
        return ""

    async def opening(request: Request) -> Answer:
        asker.opened = True
        await sessions[0].send_elicit_complete("unlock-1")
        return request.accept()

    asker.mcp.tool()(keep)
    async with hosting(asker.mcp, "2025-11-25", wait_for=opening, link_seconds=3600) as source:
        await source.call("a_keep")
        assert text(await source.call("a_unlock")) == "unlocked"


@every_era
async def test_a_host_that_shows_no_links_does_not_say_so(revision: str) -> None:
    async with hosting(declared_by(), revision, wait_for=Person(), modes=("form",)) as source:
        assert text(await source.call("a_declared")) == "['form']"


@pytest.mark.parametrize("url", ["http://bank.example.org/", "https://u:p@example.org/", "javascript:alert(1)"])
async def test_a_link_that_nobody_should_open_is_shown_to_nobody(url: str) -> None:
    """Design, section 10."""
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return (await ctx.elicit_url("Pay", url, "e1")).action

    person = Person()
    async with hosting(mcp, "2025-11-25", wait_for=person) as source:
        assert text(await source.call("a_ask")) == "cancel"
    assert person.asked == []


# --- what is declared -------------------------------------------------------------------------------------------------


@every_era
@pytest.mark.parametrize(
    ("options", "declared"),
    [
        ({}, "None"),
        ({"wait_for": Person()}, "['form', 'url']"),
        ({"suspend": True}, "['form', 'url']"),
        ({"policy": Policy([Rule("decline")], headless=True)}, "['form', 'url']"),
        ({"policy": Policy()}, "None"),
        ({"policy": Policy(headless=True)}, "None"),
        ({"policy": Policy(headless=True), "wait_for": Person()}, "None"),
        ({"policy": Policy(headless=True), "suspend": True}, "None"),
    ],
    ids=[
        "nobody",
        "a person",
        "suspending",
        "a policy",
        "an empty policy",
        "headless",
        "headless too",
        "headless also",
    ],
)
async def test_only_who_can_answer_says_so(options: dict[str, Any], declared: str, revision: str) -> None:
    async with hosting(declared_by(), revision, **options) as source:
        assert text(await source.call("a_declared")) == declared


async def test_a_server_that_asks_all_the_same_is_told_that_nobody_decided() -> None:
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return ctx.input_responses["k"].action
        form = ElicitRequestFormParams(message="?", requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=form)})

    async with hosting(mcp, "2026-07-28") as source:
        assert text(await source.call("a_ask")) == "cancel"


@every_era
async def test_a_policy_answers_by_server_and_tool(revision: str) -> None:
    policy = Policy([Rule("confirm", server="a", tool="sure")], headless=True)

    async with hosting(Asker().mcp, revision, policy=policy) as source:
        assert text(await source.call("a_sure")) == "yes"
        assert text(await source.call("a_greet")) == "Nobody: cancelled"


@every_era
async def test_hooks_are_an_audit_log_of_all_questions(revision: str) -> None:
    seen: list[str] = []

    async with hosting(
        Asker().mcp,
        revision,
        wait_for=Person(),
        on_ask=lambda request: seen.append(request.prompt),
        on_answer=lambda request, answer: seen.append(f"{answer.ok}"),
    ) as source:
        await source.call("a_order")

    assert seen == ["Which size?", "True", "Who wants the M?", "True"]


# --- many servers -----------------------------------------------------------------------------------------------------


async def test_servers_share_one_slot_and_their_tools_have_names_of_their_own() -> None:
    servers = {"a": Asker().mcp, "a b": Asker().mcp, "a_b": Asker().mcp}
    person = Person()

    with in_memory(servers) as config, anyio.fail_after(LIMIT):
        async with McpSource.load(config, wait_for=person) as source:
            greets = [tool for tool in source.tools if tool.tool == "greet"]
            for tool in greets:
                assert text(await source.call(tool.name)) == "Hello, Ada!"

    assert [(tool.name, tool.server) for tool in greets] == [
        ("a_greet", "a"),
        ("a_b_greet", "a b"),
        ("a_b_greet_2", "a_b"),
    ]
    assert [Origin.of(request).server for request in person.asked] == ["a", "a b", "a_b"]


async def test_a_tool_is_described_as_its_server_does() -> None:
    async with hosting(Asker().mcp, "2026-07-28") as source:
        greet = next(tool for tool in source.tools if tool.tool == "greet")

    assert greet.description == "Ask for a name, and greet."
    assert greet.input_schema["properties"]["greeting"]["default"] == "Hello"
    with pytest.raises(TypeError):
        greet.input_schema["properties"] = {}  # type: ignore[index]


async def test_only_allowed_tools_can_be_called() -> None:
    with in_memory({"a": Asker().mcp}) as config, anyio.fail_after(LIMIT):
        config["mcpServers"]["a"]["tools"] = ["greet", "echo"]
        async with McpSource.load(config) as source:
            assert {tool.tool for tool in source.tools} == {"greet", "echo"}
            with pytest.raises(ValueError, match="no tool 'a_ech': did you mean 'a_echo'"):
                await source.call("a_ech")
            with pytest.raises(ValueError, match="no tool 'a_order'"):
                await source.call("a_order")


async def test_a_tool_that_is_allowed_and_not_there_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    """A typing error in a configuration would otherwise leave a server without its tool, and no word why."""
    with in_memory({"a": Asker().mcp}) as config, anyio.fail_after(LIMIT):
        config["mcpServers"]["a"]["tools"] = ["gret", "echo"]
        async with McpSource.load(config) as source:
            await source.refresh()

    assert [tool.tool for tool in source.tools] == ["echo"]
    assert [message for message in caplog.messages if "its entry allows" in message] == [
        "the server 'a' does not have every tool that its entry allows: 'gret' (did you mean 'greet'?)"
    ]


async def test_a_source_that_was_not_entered_says_so() -> None:
    source = McpSource.load({"mcpServers": {"a": {"command": "never-started"}}}, suspend=True)

    with pytest.raises(ValueError, match="the source is not open: use it as in `async with"):
        await source.call("a_echo")


async def test_a_configuration_may_be_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"

    with in_memory({"a": Asker().mcp}) as config, anyio.fail_after(LIMIT):
        file.write_text(json.dumps({"servers": config["mcpServers"]}))
        async with McpSource.load(file) as source:
            assert text(await source.call("a_echo", {"text": "x"})) == "x"


async def test_questions_wait_until_the_host_is_ready() -> None:
    person = Person()
    slot = Slot(person)
    slot.hold()

    async with hosting(Asker().mcp, "2026-07-28", wait_for=slot) as source, anyio.create_task_group() as group:
        group.start_soon(source.call, "a_greet")
        await source.call("a_echo", {"text": "x"})
        assert (source.slot, person.asked) == (slot, [])
        slot.release()

    assert len(person.asked) == 1


# --- what goes wrong at the server ------------------------------------------------------------------------------------


@every_era
async def test_an_error_of_a_server_is_a_result_that_a_model_can_read(revision: str) -> None:
    async with hosting(Asker().mcp, revision, wait_for=Person()) as source:
        result = await source.call("a_refuse")

    assert text(result) == "error: a answered with an error: no such luck (error -32000)"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"wait_for": Person(), "suspend": True}, TypeError),
        ({"wait_for": Slot(None), "policy": Policy()}, TypeError),
        ({"modes": ()}, ValueError),
        ({"modes": ("url",)}, ValueError),
        ({"modes": ("form", "voice")}, ValueError),
        ({"timeout": 0}, ValueError),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        McpSource.load({"mcpServers": {}}, **options)


@pytest.mark.parametrize("config", [{}, {"servers": []}, {"shop": {"command": "x"}}])
def test_a_configuration_without_servers_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the configuration"):
        McpSource.load(config)


async def test_arguments_that_are_no_json_are_refused() -> None:
    async with hosting(Asker().mcp, "2026-07-28") as source:
        with pytest.raises(TypeError, match="the arguments"):
            await source.call("a_echo", {"text": object()})


async def test_there_may_be_no_servers_at_all() -> None:
    async with McpSource.load({"mcpServers": {}}) as source:
        assert (source.tools, source.statuses) == ([], {})


async def test_what_is_asked_while_servers_are_still_connected_to_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 5, point 4: asks that arrive before the host is ready wait."""
    person, came = Person(), asyncio.Event()
    slot = Slot(person, on_ask=lambda _: came.set())
    listing = Upstream.list_tools

    async def while_asking(self: Upstream, connection: Connection) -> None:
        running.append(asyncio.create_task(source.call("a_greet")))
        await came.wait()
        await anyio.wait_all_tasks_blocked()
        assert person.asked == []
        await listing(self, connection)

    running: list[asyncio.Task[Any]] = []
    with in_memory({"a": Asker().mcp}) as config, anyio.fail_after(LIMIT):
        async with McpSource.load(config, wait_for=slot) as source:
            monkeypatch.setattr(Upstream, "list_tools", while_asking)
            async with McpSource.load(config, wait_for=slot):
                assert text(await running[0]) == "Hello, Ada!"


@pytest.mark.parametrize("revision", eras.HANDSHAKE)
async def test_a_question_of_no_call_is_cancelled(revision: str) -> None:
    """ "A question ends with its call": one that comes later, or before any, is shown to nobody."""
    person = Person()
    params = ElicitRequestFormParams(message="Who is there?", requested_schema=dict(NAME.schema()))

    async with hosting(Asker().mcp, revision, wait_for=person) as source:
        upstream = source._upstreams["a"]
        result = await source._rounds.on_question(upstream, await upstream.connection(), params)

    assert (result.action, person.asked) == ("cancel", [])


@pytest.mark.parametrize("config", [[], 5, None, b"mcp.json"])
def test_what_is_no_configuration_is_a_type_error(config: Any) -> None:
    with pytest.raises(TypeError, match="loaded from a file or a dict"):
        McpSource.load(config)


async def test_a_call_is_known_by_the_id_it_is_given() -> None:
    person = Person()

    async with hosting(Asker().mcp, "2026-07-28", wait_for=person) as source:
        await source.call("a_greet", call_id="c7")

    assert Origin.of(person.asked[0]).call == "c7"


async def test_schemas_are_made_once_of_each_list() -> None:
    async with hosting(Asker().mcp, "2026-07-28") as source:
        first = source.tools
        assert all(one is other for one, other in zip(first, source.tools, strict=True))
        await source.refresh()
        assert source.tools == first
        assert source.tools[0] is not first[0]


async def test_a_link_that_is_too_long_is_shown_to_nobody() -> None:
    person = Person()
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def pay(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return ctx.input_responses["k"].action
        link = ElicitRequestURLParams(message="Pay", url=f"https://e.example/{'a' * 4_096}", elicitation_id="e")
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=link)})

    async with hosting(mcp, "2026-07-28", wait_for=person) as source:
        assert text(await source.call("a_pay")) == "cancel"

    assert person.asked == []


async def test_a_round_of_too_many_questions_is_an_error() -> None:
    mcp: MCPServer[Any] = MCPServer("a")

    @mcp.tool()
    async def ask() -> InputRequiredResult:
        form = ElicitRequestFormParams(message="?", requested_schema={"type": "object", "properties": {}})
        return InputRequiredResult(input_requests={f"k{at}": ElicitRequest(params=form) for at in range(1001)})

    async with hosting(mcp, "2026-07-28", wait_for=Person()) as source:
        assert text(await source.call("a_ask")) == "error: a asked more than 1,000 questions at once"

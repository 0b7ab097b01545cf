"""`elicitkit call`: its arguments, what a tool returned, and what went wrong."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.client._memory import InMemoryTransport
from mcp.server import Server
from mcp.server.mcpserver import Audio, Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import UrlElicitationRequiredError
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    EmbeddedResource,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)

from elicitkit import Elicitation, confirm
from elicitkit.cli import Exit, main

Called = Callable[..., tuple[int, str, str]]
OBJECT: dict[str, Any] = {"type": "object"}


def serving(result: Any, *, structured: bool | None = None) -> MCPServer[Any]:
    """A server with one tool, which gives or raises *result*."""
    mcp: MCPServer[Any] = MCPServer("server")

    @mcp.tool(structured_output=structured)
    async def tool(ctx: Context) -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return mcp


# --- arguments --------------------------------------------------------------------------------------------------------


def test_the_arguments_reach_the_tool(called: Called) -> None:
    mcp: MCPServer[Any] = MCPServer("adder")

    @mcp.tool()
    async def add(a: int, b: int = 1) -> int:
        return a + b

    assert called(mcp, "add", '{"a": 2, "b": 40}') == (Exit.FINE, "42\n", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{a: 1}", "the arguments of the tool are not JSON: "),
        ('{"a": NaN}', "the arguments of the tool are not JSON: "),
        ("[1]", "the arguments of the tool are to be a JSON object, such as "),
        ("null", "the arguments of the tool are to be a JSON object, such as "),
    ],
)
def test_arguments_that_are_no_json_object_are_wrong_usage(text: str, problem: str, called: Called) -> None:
    code, out, err = called(serving("x"), "tool", text)

    assert (code, out) == (Exit.USAGE, "")
    assert err.startswith(f"elicitkit: {problem}")
    assert err.count("\n") == 1


def test_a_server_nobody_knows_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["call", "shop", "order"]) == Exit.USAGE
    assert main(["call", "shop", "order", "--config", "other.json"]) == Exit.USAGE
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("elicitkit: 'shop' is no URL")
    assert second == "elicitkit: other.json cannot be read: No such file or directory"


# --- results ----------------------------------------------------------------------------------------------------------


def test_text_is_printed_as_it_is(called: Called) -> None:
    assert called(serving("one\n\ttwo é"), "tool") == (Exit.FINE, "one\n\ttwo é\n", "")


def test_hostile_text_is_printed_harmlessly(called: Called) -> None:
    """Design, section 10: no control, ANSI and bidirectional characters at the terminal."""
    hostile = "\x1b[2J\x1b]0;title\x07safe\u202e \x9b31m[red]text[/red]\x00\x08"

    assert called(serving(hostile), "tool") == (Exit.FINE, "safe [red]text[/red]\n", "")


def test_the_whole_result_as_json_is_ascii_where_a_terminal_would_obey(called: Called) -> None:
    hostile = "\x1b[2J\x9b31m\u202e\x7fé\n"

    code, out, _ = called(serving(hostile), "tool", "--json")

    found = json.loads(out)
    assert code == Exit.FINE
    assert found["content"] == [{"type": "text", "text": hostile}]
    assert found["isError"] is False
    assert not set(out) & set("\x1b\x9b\u202e\x7f")
    assert "é" in out


def test_other_content_is_one_line_of_what_it_is(called: Called) -> None:
    embedded = EmbeddedResource(resource=TextResourceContents(uri="note:///1", mime_type="text/plain", text="hello"))
    content: list[Any] = [
        Image(data=b"12345", format="png").to_image_content(),
        Audio(data=b"1234567", format="wav").to_audio_content(),
        ResourceLink(name="a file", uri="file:///a\x1b[2J"),
        embedded,
    ]

    code, out, _ = called(serving(CallToolResult(content=content)), "tool")

    assert code == Exit.FINE
    assert out.splitlines() == [
        "[image: image/png, 5 bytes]",
        "[audio: audio/wav, 7 bytes]",
        "[link to a resource: a file, file:///a]",
        "[resource: note:///1, text/plain, 5 characters]",
    ]


def test_structured_content_is_printed_where_there_is_no_text(called: Called) -> None:
    with_text = CallToolResult(content=[TextContent(text="in words")], structured_content={"n": 1})
    without = CallToolResult(content=[], structured_content={"n": None})

    assert called(serving(with_text), "tool") == (Exit.FINE, "in words\n", "")
    assert called(serving(without), "tool") == (Exit.FINE, '{\n  "n": null\n}\n', "")


def test_a_tool_that_returns_nothing_is_told_apart_from_a_lost_result(called: Called) -> None:
    assert called(serving(CallToolResult(content=[])), "tool") == (Exit.FINE, "", "the tool returned nothing\n")


def test_questions_never_mix_with_a_result(called: Called, answers: Callable[..., str]) -> None:
    mcp: MCPServer[Any] = MCPServer("shop", middleware=[Elicitation()])

    @mcp.tool()
    async def order(ctx: Context) -> str:
        return (await confirm(ctx, "Really?")).action

    code, out, err = called(mcp, "order", "--json", "--answers", answers('{"action": "decline"}'))

    assert (code, json.loads(out)["structuredContent"]) == (Exit.FINE, {"result": "decline"})
    assert "  | Really?\n" in err


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("legacy", [False, True])
def test_a_tool_that_fails_is_told_on_standard_error(legacy: bool, called: Called) -> None:
    code, out, err = called(serving(ToolError("no soup\x1b[31m\nleft")), "tool", legacy=legacy)

    assert (code, out) == (Exit.TOOL_FAILED, "")
    assert err == "elicitkit: the tool 'tool' failed\n  | Error executing tool tool: no soup\n  | left\n"


def test_a_tool_that_fails_is_json_all_the_same(called: Called) -> None:
    code, out, err = called(serving(ToolError("no soup")), "tool", "--json")

    assert (code, err) == (Exit.TOOL_FAILED, "elicitkit: the tool 'tool' failed\n")
    assert json.loads(out)["isError"] is True


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MCPError(-32602, "no such\ncity"), "the call of 'tool' failed: no such city (error -32602)"),
        (
            MCPError(-32602, "Invalid", {"reason": "invalid_request_state"}),
            "the answer came too late: the server has closed this question, or restarted",
        ),
    ],
)
def test_an_error_in_place_of_a_result_is_a_tool_that_failed(
    error: MCPError, line: str, legacy: bool, called: Called
) -> None:
    assert called(serving(error), "tool", legacy=legacy) == (Exit.TOOL_FAILED, "", f"elicitkit: {line}\n")


def test_a_link_that_must_be_opened_first_is_shown_where_nobody_is_there(called: Called) -> None:
    """Report R121: -32042 was flattened to text, and the links were lost."""
    link = ElicitRequestURLParams(message="Sign in", url="https://example.com/in", elicitation_id="1")

    code, _, err = called(serving(UrlElicitationRequiredError([link])), "tool", legacy=True)

    assert code == Exit.TOOL_FAILED
    assert "the tool 'tool' wants a link to be opened first" in err
    assert err.endswith("\n  | https://example.com/in\n")


@pytest.mark.parametrize("legacy", [False, True])
def test_a_wrong_name_is_told_the_nearest_and_the_others(legacy: bool, called: Called) -> None:
    mcp = serving("x")
    mcp.tool(name="order_soup")(lambda: "x")

    code, out, err = called(mcp, "order_sop", legacy=legacy)

    assert (code, out) == (Exit.TOOL_FAILED, "")
    assert err == ("elicitkit: the server has no tool 'order_sop': did you mean 'order_soup'? (others: tool)\n")


def test_a_wrong_name_of_the_only_tool_is_told_its_name_once(called: Called) -> None:
    _, _, err = called(serving("x"), "tol")

    assert err == "elicitkit: the server has no tool 'tol': did you mean 'tool'?\n"


def paged(*tools: Tool, result: CallToolResult | None = None) -> Server[Any]:
    """A server that lists one tool on each page."""

    async def on_list_tools(_: object, params: PaginatedRequestParams | None) -> ListToolsResult:
        page = int((params and params.cursor) or 0)
        return ListToolsResult(tools=[tools[page]], next_cursor=str(page + 1) if page + 1 < len(tools) else None)

    async def on_call_tool(_: object, params: CallToolRequestParams) -> CallToolResult:
        return result or CallToolResult(content=[TextContent(text=params.name)])

    return Server("paged", on_list_tools=on_list_tools, on_call_tool=on_call_tool)


def test_a_tool_on_a_later_page_is_found(called: Called) -> None:
    mcp = paged(*(Tool(name=name, input_schema=OBJECT) for name in "abc"))

    assert called(mcp, "c") == (Exit.FINE, "c\n", "")


@pytest.mark.parametrize("legacy", [False, True])
def test_a_server_without_tools_says_so(legacy: bool, called: Called) -> None:
    code, _, err = called(Server("bare"), "tool", legacy=legacy)

    assert (code, err) == (Exit.TOOL_FAILED, "elicitkit: the server has no tool 'tool': there are none\n")


def test_a_result_that_breaks_the_protocol_is_the_servers_fault(called: Called) -> None:
    promised = Tool(name="tool", input_schema=OBJECT, output_schema={**OBJECT, "required": ["n"]})

    code, out, err = called(paged(promised, result=CallToolResult(content=[], structured_content={})), "tool")

    assert (code, out) == (Exit.UNREACHABLE, "")
    assert err == (
        "elicitkit: http://in.memory/mcp broke the protocol: "
        "Invalid structured content returned by tool tool: 'n' is a required property\n"
    )


def test_a_server_that_never_stops_asking_is_stopped(called: Called) -> None:
    ask = ElicitRequest(params=ElicitRequestFormParams(message="More?", requested_schema={**OBJECT, "properties": {}}))

    code, _, err = called(serving(InputRequiredResult(input_requests={"x": ask})), "tool")

    assert code == Exit.UNREACHABLE
    assert err.endswith("elicitkit: http://in.memory/mcp asked for more than 10 rounds of answers in one call\n")


def test_a_result_counts_even_if_the_goodbye_fails(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    leave = InMemoryTransport.__aexit__

    async def leave_badly(self: InMemoryTransport, *error: Any) -> None:
        await leave(self, *error)
        raise OSError("the line is dead")

    monkeypatch.setattr(InMemoryTransport, "__aexit__", leave_badly)

    assert called(serving("x"), "tool") == (Exit.FINE, "x\n", "")

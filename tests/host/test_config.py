"""From what was typed to a server (design, section 9): a name, a URL or a command line."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from elicitkit import McpSource
from elicitkit.host.config import find_server, read_config, server_from, servers_in
from elicitkit.host.servers import HttpServer, StdioServer

SHOP = {"command": "shop-server", "args": ["--quiet"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(found: object, path: str = "mcp.json") -> str:
    Path(path).write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
    return path


def refusal(text: str, config: str | None = None) -> str:
    with pytest.raises((ValueError, OSError)) as caught:
        find_server(text, config=config)
    return str(caught.value)


# --- which of the three -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["https://example.com/mcp", "http://127.0.0.1:8000/mcp", "HTTPS://example.com"])
def test_an_address_is_a_server_on_http(url: str) -> None:
    assert find_server(url) == HttpServer(url)


def test_a_command_line_is_split_as_a_shell_would_and_runs_in_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "from outside")

    server = find_server("my-server --name 'two words'")

    assert isinstance(server, StdioServer)
    assert (server.command, server.args) == ("my-server", ("--name", "two words"))
    assert server.env["SHOP_TOKEN"] == "from outside"


def test_one_word_is_a_command_if_there_is_such_a_program() -> None:
    server = find_server(sys.executable)

    assert isinstance(server, StdioServer)
    assert (server.command, server.args) == (sys.executable, ())


@pytest.mark.parametrize("name", ["shop", "my shop", sys.executable, "http://example.com"])
def test_a_name_in_the_file_comes_first(name: str) -> None:
    write({"mcpServers": {name: SHOP}})

    assert find_server(name) == StdioServer("shop-server", args=("--quiet",))


def test_a_name_that_nobody_knows_is_told_the_nearest() -> None:
    write({"mcpServers": {"warehouse": SHOP}})

    text = refusal("warehous")

    assert text == (
        "'warehous' is no URL (http:// or https://), no command here, and no known name: "
        "of the names in mcp.json, did you mean 'warehouse'?"
    )


def test_a_name_without_any_file_says_that_there_is_none() -> None:
    assert refusal("warehouse").endswith("and no known name: there is no mcp.json here")


def test_a_broken_file_nobody_asked_for_harms_no_other_way_of_naming_a_server() -> None:
    write("{ // a comment")

    assert find_server("https://example.com/mcp") == HttpServer("https://example.com/mcp")
    assert "mcp.json is not JSON: " in refusal("warehouse")


def test_a_file_that_was_asked_for_must_be_there() -> None:
    assert "other.json" in refusal("https://example.com/mcp", "other.json")


@pytest.mark.parametrize("text", ["my-server 'unclosed", "", "   ", "ftp://example.com"])
def test_what_is_none_of_the_three_is_refused(text: str) -> None:
    assert f"{text!r} is no " in refusal(text)


@pytest.mark.parametrize("url", ["https://", "http:///mcp", "http://example.com:port/", "http://[::1"])
def test_an_address_without_a_host_is_refused(url: str) -> None:
    assert refusal(url) == "a URL is to be the address of a host, such as https://example.com/mcp"


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        {"mcpServers": {"shop": SHOP}},
        {"servers": {"shop": SHOP}},
        {"mcp": {"shop": SHOP}},
        {"mcp": {"servers": {"shop": SHOP}, "inputs": []}},
        {"mcpServers": {"shop": SHOP}, "servers": {"shop": {}}},
    ],
    ids=["mcpServers", "servers", "mcp", "mcp.servers", "the first of two"],
)
def test_every_section_that_other_hosts_write_is_read(found: dict[str, Any]) -> None:
    assert read_config(write(found))["shop"] == SHOP


def test_a_server_may_be_called_servers() -> None:
    assert read_config(write({"mcp": {"servers": SHOP}})) == {"servers": SHOP}


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_config(write("\ufeff" + json.dumps({"servers": {"shop": SHOP}}))) == {"shop": SHOP}


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ("[", "mcp.json is not JSON: "),
        ([], "mcp.json has no servers: it needs an object under 'mcpServers', 'servers' or 'mcp'"),
        ({"other": {}}, "mcp.json has no servers: "),
        ({"servers": []}, "mcp.json: the servers are to be an object by name, not a list"),
    ],
)
def test_a_file_of_another_kind_is_refused(found: object, problem: str) -> None:
    with pytest.raises(ValueError, match=r"mcp\.json") as caught:
        read_config(write(found))

    assert str(caught.value).startswith(problem)


# --- one entry --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ([], "is to be an object with a command or a url"),
        ({}, "needs either a command or a url"),
        ({"command": "x", "url": "https://example.com"}, "needs either a command or a url, not both"),
        ({"command": 7}, "command is to be text, not a number"),
        ({"command": " "}, "command is blank"),
        ({"command": "x", "args": "--all"}, "args is to be a list of text, not text"),
        ({"command": "x", "args": {"a"}}, "args is to be a list of text, not a set"),
        ({"command": "x\0y"}, "command has a character that no program can be given"),
        ({"command": "x", "args": ["a", "\ud800"]}, "args[1] has a character that no program can be given"),
        ({"command": "x", "env": {"A": "\0"}}, "env.A has a character that no program can be given"),
        ({"command": "x", "cwd": "\0"}, "cwd has a character that no program can be given"),
        ({"url": "https://example.com/mcp\n"}, "url is to be the address of a host, such as https://example.com/mcp"),
        ({"url": "https://ex\u2024ample.com/"}, "url is to be the address of a host, such as https://example.com/mcp"),
        ({"command": "x", "args": ["a", True]}, "args[1] is to be text, not true or false"),
        ({"command": "x", "cwd": {}}, "cwd is to be text, not an object"),
        ({"command": "x", "env": ["A=1"]}, "env is to be an object of text, not a list"),
        ({"command": "x", "env": {"PORT": 80}}, "env.PORT is to be text, not a number"),
        ({"url": "example.com"}, "url is to be the address of a host, such as https://example.com/mcp"),
        ({"url": "https://example.com", "headers": {"X": None}}, "headers.X is to be text, not null"),
        ({"url": "https://example.com", "headers": {"X Y": "1"}}, "headers has something that is no name of a header"),
        ({"command": "x", "env": {"TOKEN=s3cr3t": "1"}}, "env has something that is no name of a variable"),
    ],
)
def test_a_wrong_value_is_told_with_the_server_and_the_key(entry: object, problem: str) -> None:
    with pytest.raises(ValueError, match="shop") as caught:
        server_from("shop", entry)

    assert str(caught.value) in (f"server 'shop' {problem}", f"server 'shop': {problem}")


def test_keys_nobody_knows_and_nulls_are_passed_over() -> None:
    entry = {**SHOP, "url": None, "env": None, "disabled": True, "type": "stdio", "timeout": [1]}

    assert server_from("shop", entry) == server_from("shop", SHOP)


def test_variables_are_filled_in_where_secrets_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "s3cret")

    over_http = server_from("shop", {"url": "https://example.com", "headers": {"Authorization": "Bearer ${TOKEN}"}})
    started = server_from("shop", {"command": "${TOKEN}", "env": {"KEY": "${TOKEN}${TOKEN}"}})

    assert isinstance(over_http, HttpServer)
    assert over_http.headers == {"Authorization": "Bearer s3cret"}
    assert started == StdioServer("${TOKEN}", env={"KEY": "s3crets3cret"})


def test_the_environment_of_this_process_can_be_handed_on_whatever_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """`{**os.environ, …}` is how Python programs do it; make and shells put texts with braces into it."""
    ours = {"MAKEOVERRIDES": "${-*-command-variables-*-}", "PROMPT": "${NOWHERE} ${a:+b}", "A": "${HOME}", "B": "b"}
    for name, text in ours.items():
        monkeypatch.setenv(name, text)

    started = server_from("shop", {"command": "x", "env": {**ours, "B": "${B}${B}"}})

    assert isinstance(started, StdioServer)
    assert started.env == {**ours, "B": "bb"}


@pytest.mark.parametrize(
    "env", [{"PROMPT": "${NOWHERE} "}, {"OTHER": "${NOWHERE}"}, {"PROMPT": "${NOWHERE}", 7: "x"}, {"\ud800": "${a:b}"}]
)
def test_only_what_is_handed_on_to_the_letter_is_left_alone(env: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMPT", "${NOWHERE}")

    with pytest.raises(ValueError, match="server 'shop'"):
        server_from("shop", {"command": "x", "env": env})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Bearer ${NOWHERE}", "headers.Auth needs the environment variable NOWHERE, which is not set"),
        ("${env:TOKEN}", "headers.Auth has ${…} with something else between the braces than the name of a variable"),
        ("s3cret\r\nX: y", "headers.Auth has characters that a header cannot carry"),
        ("s3crét", "headers.Auth has characters that a header cannot carry"),
    ],
)
def test_a_header_that_cannot_be_sent_is_told_without_its_value(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="shop") as caught:
        server_from("shop", {"url": "https://example.com", "headers": {"Auth": text}})

    assert str(caught.value) == f"server 'shop': {problem}"


def test_a_variable_of_another_server_may_be_missing() -> None:
    """Design, section 9: one bad server never breaks the rest."""
    write({"servers": {"shop": SHOP, "bank": {"command": "x", "env": {"A": "${NOWHERE}"}}, "bad": 7}})

    assert find_server("shop") == StdioServer("shop-server", args=("--quiet",))


def test_arguments_may_be_a_tuple_and_blank() -> None:
    """As Python code has them, and as `--name ''` means it."""
    server = server_from("shop", {"command": "x", "args": ("--name", "")})

    assert isinstance(server, StdioServer)
    assert server.args == ("--name", "")


def test_the_name_of_a_server_is_text() -> None:
    with pytest.raises(ValueError, match="the name of a server is text, not a number"):
        servers_in({"mcpServers": {7: SHOP}}, "the configuration")


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"command": "no-such-program-here -m shop"}, "no such program. The command is the program alone"),
        ({"command": "no-such-program-here"}, "cannot be started: there is no such program"),
        ({"command": sys.executable, "cwd": "/no/such/folder"}, "cannot be started: its cwd is no folder"),
        ({"command": sys.executable, "cwd": __file__}, "cannot be started: its cwd is no folder"),
    ],
)
@pytest.mark.anyio
async def test_why_a_process_cannot_be_started_is_told_by_what_is_missing(entry: Any, why: str) -> None:
    """Issue 5, point 4: `failed` with the reason. The system says "No such file or directory" of all of them."""
    async with McpSource.load({"mcpServers": {"shop": entry}}) as source:
        assert why in source.statuses["shop"].reason


def test_a_long_address_does_not_flood_the_reason() -> None:
    assert len(HttpServer("https://example.com/" + "a" * 10_000).described) < 250


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"modes": "form"}, "modes are a collection"),
        ({"modes": None}, "modes are a collection"),
        ({"extensions": []}, "extensions is a function of a server's name, not list"),
        ({"client_info": "me"}, "client_info is an Implementation of mcp_types, not str"),
        ({"errlog": "log.txt"}, "errlog is a real file, opened for text"),
        ({"errlog": io.StringIO()}, "errlog is a real file, opened for text"),
        ({"link_seconds": "x"}, "link_seconds is a number of seconds"),
        ({"wait_for": print, "at_once": "1"}, "at_once is a whole number, not str"),
    ],
)
def test_what_every_server_would_fail_with_is_an_error_of_the_hosts(given: dict[str, Any], problem: str) -> None:
    """House style: a wrong type of argument is a plain `TypeError`, at the call."""
    with pytest.raises(TypeError, match=problem):
        McpSource.load({"mcpServers": {"shop": SHOP}}, **given)

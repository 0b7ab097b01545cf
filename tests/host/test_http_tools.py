"""HTTP tools (issue 5, point 5) against a server on this machine: what is sent, what comes back, what is never told."""

import json
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from starlette.applications import Starlette
from starlette.requests import Request as Received
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from elicitkit import HttpTool, ToolResult
from elicitkit.host.http_login import login_link
from elicitkit.host.http_tools import RESPONSE_BYTES
from tests.host import serving
from tests.host.calling import Person, all_text, call, declining

pytestmark = pytest.mark.anyio

SECRET = "s3cret-t0ken"
LOGIN = "https://login.example.com/start?state=x1"


class Api:
    """A small API, and what it was sent."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self.let_in = False

    def app(self) -> Starlette:
        every = ["GET", "POST", "PUT", "DELETE"]
        paths = {
            "/echo/{rest:path}": self.echo,
            "/gate": self.gate,
            "/status/{code:int}": self.status,
            "/go": self.go,
            "/long": self.long,
            "/slow": self.slow,
            "/picture": self.picture,
            "/plain": self.plain,
            "/deep": self.deep,
        }
        return Starlette(routes=[Route(path, endpoint, methods=every) for path, endpoint in paths.items()])

    async def echo(self, request: Received) -> Response:
        raw = request.scope["raw_path"].decode()
        said = {"path": raw, "query": request.url.query, "method": request.method, "headers": dict(request.headers)}
        body = (await request.body()).decode()
        self.seen.append({**said, "body": body})
        return JSONResponse({**said, "body": body})

    async def gate(self, request: Received) -> Response:
        self.seen.append(dict(request.query_params))
        if self.let_in:
            return PlainTextResponse("come in")
        how = request.query_params["how"]
        headers = {
            "header": {"www-authenticate": f'Bearer realm="api", authorization_uri="{LOGIN}"'},
            "location": {"location": LOGIN},
            "bad": {"location": "http://login.example.com/"},
        }
        body = {"body": {"login_url": LOGIN}, "nested": {"error": {"authorization_url": LOGIN}}}
        return JSONResponse(
            body.get(how, {"why": "no"}),
            status_code=int(request.query_params.get("code", 401)),
            headers=headers.get(how),
        )

    async def status(self, request: Received) -> Response:
        return PlainTextResponse("it is so", status_code=request.path_params["code"])

    async def go(self, request: Received) -> Response:
        return RedirectResponse(request.query_params["to"], status_code=int(request.query_params.get("code", 307)))

    async def long(self, request: Received) -> Response:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(100):
                yield b"x" * 100_000
                await anyio.lowlevel.checkpoint()

        return StreamingResponse(pieces(), media_type="text/plain")

    async def slow(self, request: Received) -> Response:
        await anyio.sleep_forever()
        raise AssertionError

    async def picture(self, request: Received) -> Response:
        return Response(b"\x89PNG....", media_type="image/png")

    async def plain(self, request: Received) -> Response:
        charset = request.query_params.get("charset", "iso-8859-1")
        return Response("Größe".encode("latin-1"), headers={"content-type": f"text/plain; charset={charset}"})

    async def deep(self, request: Received) -> Response:
        return Response('{"a":' * 200 + "1" + "}" * 200, media_type="application/json")


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[Api, str]]:
    api = Api()
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(serving.served(api.app())) as address,
    ):
        yield api, address


@pytest.fixture
def api(started: tuple[Api, str]) -> Api:
    api, _ = started
    api.seen, api.let_in = [], False
    return api


@pytest.fixture
def address(started: tuple[Api, str]) -> str:
    return started[1]


# --- what is sent -----------------------------------------------------------------------------------------------------


async def test_arguments_fill_the_url_and_the_rest_of_a_get_goes_into_the_query(api: Api, address: str) -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "q": {"type": "string"}, "tag": {"type": "array"}},
    }
    tool = HttpTool("find", "get", f"{address}/echo/users/{{id}}/posts?fixed=1", input_schema=schema)

    result = await call(tool, {"id": "a/b c", "q": "1&2=3", "tag": ["x", "y"]})

    assert not result.is_error
    assert api.seen[0]["path"] == "/echo/users/a%2Fb%20c/posts"
    assert api.seen[0]["query"] == "fixed=1&q=1%262%3D3&tag=x&tag=y"
    assert (api.seen[0]["method"], api.seen[0]["body"]) == ("GET", "")
    assert api.seen[0]["headers"]["accept-encoding"] == "identity"  # a small answer stays small when it is read
    assert result.structured == json.loads(result.output)


async def test_the_arguments_left_of_a_post_are_its_json_body(api: Api, address: str) -> None:
    schema = {"type": "object", "properties": {"id": {}, "title": {}, "n": {}, "notify": {}}}
    tool = HttpTool("add", "POST", f"{address}/echo/{{id}}", input_schema=schema, query=("notify",))

    await call(tool, {"id": 7, "title": "Größe", "n": 10**30, "notify": True})

    assert json.loads(api.seen[0]["body"]) == {"title": "Größe", "n": 10**30}
    assert (api.seen[0]["path"], api.seen[0]["query"]) == ("/echo/7", "notify=true")
    assert api.seen[0]["headers"]["content-type"] == "application/json"


async def test_a_body_may_be_a_template(api: Api, address: str) -> None:
    body = {"fields": {"summary": "{title}", "by": "bot for {who}"}, "labels": ["{label}"]}
    tool = HttpTool("add", "PUT", f"{address}/echo/x", body=body)

    await call(tool, {"title": 'a "quoted" {who}', "who": "Ada", "label": "x"})

    expected = {"fields": {"summary": 'a "quoted" {who}', "by": "bot for Ada"}, "labels": ["x"]}
    assert json.loads(api.seen[0]["body"]) == expected
    assert tool.input_schema["required"] == ["title", "who", "label"]


async def test_a_body_may_be_a_form(api: Api, address: str) -> None:
    tool = HttpTool("add", "POST", f"{address}/echo/x", body={"a": "{a}", "b": "1"}, encoding="form")

    await call(tool, {"a": "x&b=2"})

    assert api.seen[0]["body"] == "a=x%26b%3D2&b=1"
    assert api.seen[0]["headers"]["content-type"] == "application/x-www-form-urlencoded"


async def test_a_post_without_arguments_has_no_body(api: Api, address: str) -> None:
    await call(HttpTool("poke", "POST", f"{address}/echo/x"))

    assert (api.seen[0]["body"], api.seen[0]["headers"].get("content-type")) == ("", None)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, '"id" is a required property'),
        ({"id": 7}, 'id: what was given is not of type "string"'),
        ({"id": "a", "x": "private"}, "Additional properties are not allowed"),
        ({"id": ".."}, "as a step of a path"),
        ({"id": "\0\ud800"}, "half a character"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_and_nothing_is_sent(
    api: Api, address: str, arguments: dict[str, Any], problem: str
) -> None:
    result = await call(HttpTool("find", "GET", f"{address}/echo/{{id}}"), arguments)

    assert result.is_error
    assert problem in result.output
    assert "private" not in result.output
    assert not api.seen


# --- secrets ----------------------------------------------------------------------------------------------------------


async def test_headers_are_filled_in_from_the_environment_at_each_call(
    api: Api, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, section 9: `${ENV}` in headers."""
    tool = HttpTool("find", "GET", f"{address}/echo/x", headers={"Authorization": "Bearer ${API_TOKEN}", "X-A": "b"})
    for token in ("first-token", "second-token"):
        monkeypatch.setenv("API_TOKEN", token)
        await call(tool)

    sent = [seen["headers"] for seen in api.seen]
    assert [headers["authorization"] for headers in sent] == ["Bearer first-token", "Bearer second-token"]
    assert sent[0]["x-a"] == "b"


async def test_no_value_of_a_header_is_ever_shown(
    api: Api, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Design, section 9: never logged. Here the server even repeats what it was sent."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("API_TOKEN", SECRET)
    headers = {"Authorization": "Bearer ${API_TOKEN}", "X-Key": "Basic literal-s3cret", "Accept": "application/json"}
    tools = [
        HttpTool("echo", "GET", f"{address}/echo/x", headers=headers),
        HttpTool("fail", "GET", f"{address}/status/500", headers=headers),
        HttpTool("gone", "GET", "http://127.0.0.1:9/x", headers=headers),
        HttpTool("slow", "GET", f"{address}/slow", headers=headers, timeout=0.05),
        HttpTool("away", "GET", f"{address}/go?to=https%3A%2F%2Fexample.com%2F", headers=headers),
    ]

    results = [await call(tool) for tool in tools]

    shown = "".join(f"{result.output}{result.to_json()}{result!r}" for result in results)
    everything = shown + all_text(caplog) + "".join(map(repr, tools))
    assert api.seen[0]["headers"]["authorization"] == f"Bearer {SECRET}"
    assert "[taken out]" in results[0].output
    assert "application/json" in results[0].output
    for secret in (SECRET, "literal-s3cret"):
        assert secret not in everything


async def test_a_variable_that_is_not_set_is_named_and_nothing_is_sent(api: Api, address: str) -> None:
    result = await call(HttpTool("find", "GET", f"{address}/echo/x", headers={"A": "Bearer ${NOT_SET_ANYWHERE}"}))

    assert result == ToolResult.error("find needs the environment variable NOT_SET_ANYWHERE, which is not set.")
    assert not api.seen


async def test_a_variable_that_would_add_a_header_is_refused(
    api: Api, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "abc\r\nX-Other: def")

    result = await call(HttpTool("find", "GET", f"{address}/echo/x", headers={"A": "${API_TOKEN}"}))

    assert result == ToolResult.error("find has a header 'A' with characters that cannot be sent.")
    assert not api.seen


# --- what comes back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [400, 401, 403, 404, 500, 304])
async def test_what_is_no_2xx_is_an_error_with_its_status(address: str, code: int) -> None:
    result = await call(HttpTool("look", "GET", f"{address}/status/{code}"))

    assert result == ToolResult.error(f"HTTP {code}: it is so" if code != 304 else "HTTP 304")


@pytest.mark.parametrize("code", [200, 201, 202])
async def test_a_2xx_is_a_result(address: str, code: int) -> None:
    assert await call(HttpTool("look", "GET", f"{address}/status/{code}")) == ToolResult("it is so")


async def test_a_long_answer_is_cut_and_that_is_said(address: str) -> None:
    result = await call(HttpTool("look", "GET", f"{address}/long"))

    assert result.output == "x" * RESPONSE_BYTES + "\n[cut after 262,144 bytes]"


async def test_what_is_no_text_is_told_by_its_kind_and_size(address: str) -> None:
    assert (await call(HttpTool("look", "GET", f"{address}/picture"))).output == "[image/png, 8 bytes]"


async def test_text_is_read_in_its_own_encoding(address: str) -> None:
    assert (await call(HttpTool("look", "GET", f"{address}/plain"))).output == "Größe"


@pytest.mark.parametrize("charset", ["idna", "punycode", "unicode_escape", "zip", "utf-7", "nonsense"])
async def test_an_encoding_that_no_text_has_is_not_used(address: str, charset: str) -> None:
    """To read IDNA takes the square of the length, and others give half characters."""
    assert (await call(HttpTool("look", "GET", f"{address}/plain?charset={charset}"))).output == "Gr\ufffd\ufffde"


async def test_json_that_is_nested_too_deep_to_be_stored_is_still_text(address: str) -> None:
    result = await call(HttpTool("look", "GET", f"{address}/deep"))

    assert (result.is_error, result.structured) == (False, None)
    assert result.output.startswith('{"a":{"a":')


async def test_a_call_that_takes_too_long_is_an_error(address: str) -> None:
    result = await call(HttpTool("look", "GET", f"{address}/slow", timeout=0.05))

    assert result == ToolResult.error("look did not answer within 0.05 seconds.")


async def test_an_api_that_is_away_is_an_error_without_details() -> None:
    result = await call(HttpTool("look", "GET", "http://127.0.0.1:9/?key=private"))

    assert result == ToolResult.error("look could not be reached, or broke off.")


# --- redirects --------------------------------------------------------------------------------------------------------


async def test_a_redirect_to_the_same_place_is_followed(api: Api, address: str) -> None:
    result = await call(HttpTool("look", "POST", f"{address}/go?to=/echo/there", headers={"X-Key": "abcdef1"}))

    assert not result.is_error
    assert (api.seen[0]["path"], api.seen[0]["method"]) == ("/echo/there", "POST")
    assert api.seen[0]["headers"]["x-key"] == "abcdef1"


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_place_is_not_followed(address: str, code: int) -> None:
    """The headers may hold a key that is only for the first host. Another port is another place."""
    other = Api()
    async with serving.served(other.app()) as elsewhere:
        url = f"{address}/go?code={code}&to={elsewhere.replace(':', '%3A')}/echo/x"
        result = await call(HttpTool("look", "GET", url, headers={"Authorization": "Bearer abcdef"}))

    assert result == ToolResult.error("look was redirected to another place, which is not followed.")
    assert not other.seen


async def test_redirects_in_a_circle_end(address: str) -> None:
    result = await call(HttpTool("look", "GET", f"{address}/go?to=?to="))

    assert result.is_error


# --- logging in -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [401, 403])
@pytest.mark.parametrize("how", ["body", "nested", "header", "location"])
async def test_a_refusal_with_a_login_link_asks_the_person_and_then_calls_again(
    api: Api, address: str, how: str, code: int
) -> None:
    """Design, section 9: a 401 with a login link suspends."""

    def log_in(request: Any) -> Any:
        api.let_in = True
        return request.accept()

    person = Person(log_in)
    tool = HttpTool("enter", "GET", f"{address}/gate?how={how}&code={code}")

    result = await call(tool, wait_for=person)

    assert result == ToolResult("come in")
    assert [(asked.kind, asked.url) for asked in person.asked] == [("authorization", LOGIN)]
    assert person.asked[0].prompt == "Log in at login.example.com to go on"
    assert len(api.seen) == 2


async def test_a_login_that_did_not_help_is_unresolved(api: Api, address: str) -> None:
    result = await call(HttpTool("enter", "GET", f"{address}/gate?how=body"), wait_for=Person())

    assert result == ToolResult.error("unresolved: Log in at login.example.com to go on")
    assert len(api.seen) == 2


async def test_who_does_not_log_in_is_not_called_for_again(api: Api, address: str) -> None:
    result = await call(HttpTool("enter", "GET", f"{address}/gate?how=body"), wait_for=declining)

    assert result == ToolResult.error("declined/expired: Log in at login.example.com to go on")
    assert len(api.seen) == 1


async def test_a_link_that_must_not_be_opened_is_not_asked_for(api: Api, address: str) -> None:
    result = await call(HttpTool("enter", "GET", f"{address}/gate?how=bad"), wait_for=Person())

    assert result == ToolResult.error('HTTP 401: {"why":"no"}')


async def test_a_link_with_a_secret_in_it_is_not_shown_to_anybody(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "state=x1")

    result = await call(HttpTool("enter", "GET", f"{address}/gate?how=location", headers={"A": "${API_TOKEN}"}))

    assert result == ToolResult.error('HTTP 401: {"why":"no"}')


async def test_an_author_may_say_where_to_log_in(address: str) -> None:
    result = await call(HttpTool("enter", "GET", f"{address}/gate?how=none", login_url=LOGIN))

    assert result.request is not None
    assert (result.request.kind, result.request.url) == ("authorization", LOGIN)


@pytest.mark.parametrize(
    ("headers", "body", "link"),
    [
        ({"www-authenticate": "Bearer login_url=https://a.example/x, realm=y"}, None, "https://a.example/x"),
        ({"www-authenticate": 'Basic realm="login_url=https://a.example/x"'}, None, None),
        ({"www-authenticate": 'Bearer realm="x"'}, {"login_url": 7}, None),
        ({"location": "/login"}, None, "https://api.example.com/login"),
        ({"location": "https://[bad"}, None, None),
        ({"location": "javascript:alert(1)"}, None, None),
        ({"location": "https://user:key@a.example/"}, {"loginUrl": "http://a.example/"}, None),
        ({"location": "https://b.example/"}, {"loginUrl": "javascript:x"}, "https://b.example/"),
        ({}, {"login_url": "https://a.example/" + "x" * 5_000}, None),
        ({}, {"login_url": "http://localhost:9/login"}, "http://localhost:9/login"),
        ({}, ["login_url"], None),
    ],
)
async def test_only_a_link_that_a_person_may_open_is_found(
    headers: dict[str, str], body: Any, link: str | None
) -> None:
    """Design, section 10: only https, and http on this machine; no credentials."""
    assert login_link("https://api.example.com/v1/x", headers, body) == link


# --- making one -------------------------------------------------------------------------------------------------------


async def test_a_text_is_no_list_of_arguments() -> None:
    with pytest.raises(TypeError, match="the query of look is a list of names"):
        HttpTool("look", "GET", "https://example.com/", query="page")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"name": "not a name"}, "no name of a tool"),
        ({"method": "GET\r\nX: y"}, "the method of look is"),
        ({"method": 7}, "the method of look is"),
        ({"url": "https://{host}/"}, "URL"),
        ({"timeout": 0}, "positive"),
        ({"timeout": float("nan")}, "positive"),
        ({"encoding": "xml"}, "'json' or 'form'"),
        ({"login_url": "http://example.com"}, "the login_url of look is not https"),
        ({"headers": {"a b": "c"}}, "no name of a header"),
        ({"headers": {"A": "b\nc"}}, "cannot be sent"),
        ({"headers": {"A": "${not a name}"}}, "cannot be sent, or has no variable's name"),
        ({"input_schema": {"type": "object", "properties": {}}}, "has no 'id', which is to be filled in"),
        ({"input_schema": {"type": "string"}}, "the type 'object'"),
        ({"input_schema": {"type": "object", "properties": {"id": {"type": "txt"}}}}, "does not work"),
        ({"body": "{"}, "write it twice"),
    ],
)
async def test_what_could_never_be_sent_is_found_when_the_tool_is_made(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        HttpTool(**{"name": "look", "method": "GET", "url": "https://example.com/{id}", **wrong})


async def test_no_schema_of_a_tool_is_fetched(api: Api, address: str) -> None:
    schema = {"type": "object", "properties": {"id": {"$ref": f"{address}/echo/schema"}}}

    with pytest.raises(ValueError, match="the input schema of look does not work"):
        HttpTool("look", "GET", f"{address}/{{id}}", input_schema=schema)

    assert not api.seen


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Connection"])
async def test_a_header_that_only_a_sender_can_know_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not one to be set"):
        HttpTool("t", "GET", "https://example.com/", headers={name: "1"})


async def test_no_error_quotes_what_may_be_a_value() -> None:
    with pytest.raises(ValueError, match="no name of a header") as found:
        HttpTool("t", "GET", "https://example.com/", headers={"X: s3cret-t0ken": "1"})

    assert SECRET not in str(found.value)


@pytest.mark.parametrize("spelt", [r"ab\/cd+ef==", r"\u0061b/cd+ef==", r"ab\u002Fcd+ef=="])
async def test_a_secret_that_comes_back_escaped_is_taken_out(spelt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLASHED", "ab/cd+ef==")

    async def repeat(request: Received) -> Response:
        return Response(f'{{"you": "{spelt}"}}', media_type="application/json")

    async with serving.served(Starlette(routes=[Route("/", repeat)])) as address:
        result = await call(HttpTool("t", "GET", f"{address}/", headers={"X-Api-Key": "${SLASHED}"}))

    assert result.output == '{"you": "[taken out]"}'
    assert result.structured == {"you": "[taken out]"}


async def test_a_secret_is_taken_out_before_a_long_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)

    async def repeat(request: Received) -> Response:
        return PlainTextResponse("x" * (RESPONSE_BYTES - 6) + SECRET + "y" * 100)

    async with serving.served(Starlette(routes=[Route("/", repeat)])) as address:
        result = await call(HttpTool("t", "GET", f"{address}/", headers={"X": "${TOKEN}"}))

    assert SECRET[:5] not in result.output
    assert result.output.endswith("bytes]")


async def test_what_was_asked_for_is_in_no_log(address: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    await call(HttpTool("t", "GET", f"{address}/echo/x?key={{key}}"), {"key": SECRET})

    assert f"{address}/echo/x" in all_text(caplog)
    assert SECRET not in all_text(caplog)

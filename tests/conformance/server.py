"""A server with what the official conformance suite calls for, written with `elicit` wherever we can ask.

`python -m tests.conformance.server [PORT]` serves it on loopback, on a free port if none is given, and prints its
address as soon as it can be reached. With `CONFORMANCE_KEY` it is one of several that share the key, and keeps no
sessions. The names, keys and fields are the suite's. What is said is ours: it tells apart
a yes, a no, a decline and a cancel.
"""

import os
import socket
import sys
from dataclasses import replace
from typing import Any, Final, TypeGuard

import mcp_types as wire
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from elicitkit import (
    AnswerError,
    Cancelled,
    Content,
    Declined,
    Elicitation,
    ElicitationUnsupported,
    Form,
    FormElicitation,
    elicit,
    state_security,
)
from elicitkit.fields import ChoiceField, Option
from tests.conformance import jobs

PREFIX: Final = "test_input_required_result_"

KEY: Final = os.environ.get("CONFORMANCE_KEY")

mcp: MCPServer[Any] = MCPServer(
    "conformance",
    request_state_security=state_security(KEY) if KEY else None,
    middleware=[Elicitation()],
    extensions=[jobs.tasks],
    lifespan=jobs.tasks.lifespan(),
    log_level="WARNING",
)
jobs.add_to(mcp)


# --- elicitation in any era -------------------------------------------------------------------------------------------


@mcp.tool("test_elicitation")
async def introduce(message: str, ctx: Context) -> str:
    form = FormElicitation.create(message).string("username").required().email("email").required()
    outcome = await elicit(ctx, form)
    return f"{outcome.content['username']} <{outcome.content['email']}>" if outcome else refused(outcome)


@mcp.tool("test_elicitation_sep1034_defaults")
async def fill_in_defaults(ctx: Context) -> str:
    form = (
        FormElicitation.create("Is this right?")
        .string("name").default("John Doe")
        .integer("age").default(30)
        .number("score").default(95.5)
        .choice("status").options(["active", "inactive", "pending"]).default("active")
        .boolean("verified").default(True)
    )  # fmt: skip
    outcome = await elicit(ctx, form)
    return told(outcome.content) if outcome else refused(outcome)


@mcp.tool("test_elicitation_sep1330_enums")
async def choose(ctx: Context) -> str:
    outcome = await elicit(ctx, every_spelling_of_a_choice())
    return told(outcome.content) if outcome else refused(outcome)


def every_spelling_of_a_choice() -> Form[Content]:
    """Four as the builder writes them, and `enumNames`, which it no longer does, by hand."""
    plain, values = ["option1", "option2", "option3"], ["value1", "value2", "value3"]
    titled = dict(zip(values, ["First Option", "Second Option", "Third Option"], strict=True))
    form = (
        FormElicitation.create("Choose.")
        .choice("untitledSingle").options(plain)
        .choice("titledSingle").options(titled)
        .multi_choice("untitledMulti").options(plain)
        .multi_choice("titledMulti").options(titled)
    ).build()  # fmt: skip
    options = tuple(map(Option, ["opt1", "opt2", "opt3"]))
    legacy = ChoiceField("legacyEnum", options=options, extra={"enumNames": ["Option 1", "Option 2", "Option 3"]})
    return replace(form, fields=(*form.fields, legacy))


# --- rounds -----------------------------------------------------------------------------------------------------------

NAME: Final = FormElicitation.create("What is your name?").string("name").required().build()
AGREE: Final = FormElicitation.create("Do you agree?").boolean("ok").required().build()


@mcp.tool(f"{PREFIX}elicitation")
async def greet(ctx: Context) -> str:
    outcome = await elicit(ctx, NAME, key="user_name")
    return f"Hello, {outcome.content['name']}!" if outcome else refused(outcome)


@mcp.tool(f"{PREFIX}request_state")
async def agree(ctx: Context) -> str:
    outcome = await elicit(ctx, AGREE, key="confirm")
    if not outcome:
        return refused(outcome)
    return "state-ok: agreed." if outcome.content["ok"] else "state-ok: not agreed."


@mcp.tool(f"{PREFIX}tampered_state")
async def agree_to_be_sealed(ctx: Context) -> str:
    return await agree(ctx)


@mcp.tool(f"{PREFIX}multi_round")
async def ask_twice(ctx: Context) -> str:
    name = await elicit(ctx, NAME, key="step1")
    if not name:
        return refused(name)
    color = await elicit(ctx, FormElicitation.create("Which color?").string("color").required(), key="step2")
    return f"{name.content['name']} likes {color.content['color']}." if color else f"After the name: {refused(color)}"


@mcp.tool(f"{PREFIX}capabilities")
async def ask_whoever_can_answer(ctx: Context) -> str | wire.InputRequiredResult:
    """The person where the client shows forms, else its model: what a client did not declare is never sent."""
    try:
        return await greet(ctx)
    except ElicitationUnsupported:
        return await sample(ctx)


@mcp.prompt(f"{PREFIX}prompt")
async def write(ctx: Context) -> str:
    form = FormElicitation.create("What context should the prompt use?").string("context").required()
    outcome = await elicit(ctx, form, key="user_context")
    if not outcome:
        return f"Write without a context. {refused(outcome)}"
    return f"Write with this in mind: {outcome.content['context']}"


# --- rounds with what is no elicitation: results made by hand, which travel beside ours -------------------------------

CAPITAL, GREETING, ROOTS = "capital_question", "greeting", "client_roots"
ASKED: Final = "asked"


@mcp.tool(f"{PREFIX}sampling")
async def sample(ctx: Context) -> str | wire.InputRequiredResult:
    require(ctx, "sampling")
    match answers(ctx).get(CAPITAL):
        case wire.CreateMessageResult(content=wire.TextContent(text=text)):
            return text
    return wire.InputRequiredResult(input_requests={CAPITAL: sampling("What is the capital of France?")})


@mcp.tool(f"{PREFIX}list_roots")
async def list_roots(ctx: Context) -> str | wire.InputRequiredResult:
    require(ctx, "roots")
    match answers(ctx).get(ROOTS):
        case wire.ListRootsResult(roots=roots):
            return uris(roots)
    return wire.InputRequiredResult(input_requests={ROOTS: wire.ListRootsRequest()})


@mcp.tool(f"{PREFIX}multiple_inputs")
async def ask_everybody(ctx: Context) -> str | wire.InputRequiredResult:
    """Three kinds in one round; until all three came and the person's fits, all are asked again."""
    require(ctx, "elicitation", "sampling", "roots")
    requests: wire.InputRequests = {
        "user_name": wire.ElicitRequest.model_validate(NAME.to_input_request()),
        GREETING: sampling("Generate a greeting"),
        ROOTS: wire.ListRootsRequest(),
    }
    match [answers(ctx).get(key) for key in requests if ctx.request_state == ASKED]:
        case [wire.ElicitResult(action="decline"), *_]:
            return refused(Declined())
        case [wire.ElicitResult(action="cancel"), *_]:
            return refused(Cancelled())
        case [
            wire.ElicitResult(content=content),
            wire.CreateMessageResult(content=wire.TextContent(text=greeting)),
            wire.ListRootsResult(roots=roots),
        ] if fits(content):
            return f"{greeting} {content['name']} has {uris(roots)}."
    return wire.InputRequiredResult(input_requests=requests, request_state=ASKED)


def require(ctx: Context, *capabilities: str) -> None:
    """Make sure that a client declared what it is about to be sent; the specification leaves that to the server."""
    lacking = [name for name in capabilities if getattr(ctx.client_capabilities, name, None) is None]
    if lacking:
        raise ToolError(f"this needs a client with {' and '.join(lacking)}")


def answers(ctx: Context) -> wire.InputResponses:
    return ctx.input_responses or {}


def sampling(text: str) -> wire.CreateMessageRequest:
    message = wire.SamplingMessage(role="user", content=wire.TextContent(text=text))
    return wire.CreateMessageRequest(params=wire.CreateMessageRequestParams(messages=[message], max_tokens=100))


def fits(content: dict[str, Any] | None) -> TypeGuard[dict[str, Any]]:
    try:
        return bool(NAME.check(content))
    except AnswerError:
        return False


# --- what is said -----------------------------------------------------------------------------------------------------


def told(content: Content) -> str:
    return ", ".join(f"{name}: {value}" for name, value in content.items())


def refused(outcome: Declined | Cancelled) -> str:
    return f"Nothing was done: {outcome.reason}."


def uris(roots: list[wire.Root]) -> str:
    return " and ".join(str(root.uri) for root in roots) or "no roots"


def serve(port: int = 0) -> None:
    with socket.create_server(("127.0.0.1", port)) as listener:
        # Whoever connects from here on waits until the server accepts.
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
        app = mcp.streamable_http_app(stateless_http=KEY is not None)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    serve(*map(int, sys.argv[1:]))

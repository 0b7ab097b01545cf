"""Python functions as tools (issue 5, point 5): the schema from the signature, checked arguments, safe errors."""

import asyncio
import functools
import logging
import threading
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import anyio
import pytest
from mcp_types import CallToolResult, ImageContent, TextContent
from pydantic import BaseModel, ConfigDict, Field

from elicitkit import FunctionTool, ToolContext, ToolError, Toolkit, ToolResult, pending
from tests.host.calling import Person, all_text, call

pytestmark = pytest.mark.anyio


class Speed(Enum):
    FAST = "fast"
    SLOW = "slow"


@dataclass
class Place:
    city: str
    zip: int = 0


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    day: date


def ship(
    where: Place,
    days: Annotated[int, Field(ge=1, description="How long it may take")],
    speed: Speed = Speed.SLOW,
    tags: frozenset[str] = frozenset(),
    *,
    on: date | None = None,
    mode: Literal["air", "sea"] = "sea",
    anything=None,  # what a hurried author writes
) -> str:
    """Ship it somewhere.

    It takes a while.
    """
    return f"{where!r} {days} {speed} {sorted(tags)} {on!r} {mode} {anything}"


# --- the schema -------------------------------------------------------------------------------------------------------


async def test_the_schema_is_that_of_the_parameters() -> None:
    tool = FunctionTool(ship)
    schema = tool.input_schema

    assert tool.name == "ship"
    assert tool.description == "Ship it somewhere.\n\nIt takes a while."
    assert schema["required"] == ["where", "days"]
    assert schema["additionalProperties"] is False
    assert (schema["properties"]["days"]["minimum"], schema["properties"]["days"]["description"]) == (
        1,
        "How long it may take",
    )
    assert schema["properties"]["mode"]["enum"] == ["air", "sea"]


async def test_a_context_is_injected_and_not_in_the_schema() -> None:
    contexts: list[Any] = []

    def one(a: int, ctx: ToolContext) -> None:
        contexts.append(ctx)

    async def other(context: "ToolContext | None" = None, *, a: Annotated[ToolContext, "b"]) -> None:
        contexts.extend([context, a])

    assert list(FunctionTool(one).input_schema["properties"]) == ["a"]
    assert FunctionTool(other).input_schema["properties"] == {}
    kit = Toolkit([one, other])
    await kit.execute("one", {"a": 1}, call_id="c1")
    await kit.execute("other", call_id="c2")

    assert contexts == [ToolContext("one", "c1"), ToolContext("other", "c2"), ToolContext("other", "c2")]


async def test_a_model_cannot_give_the_context_itself() -> None:
    def one(ctx: ToolContext) -> str:
        return ctx.call_id

    result = await call(one, {"ctx": {"tool": "x", "call_id": "forged"}})

    assert result == ToolResult.error("The arguments of one do not fit. ctx: is unknown")


async def test_a_name_may_be_one_that_a_model_class_could_not_have() -> None:
    def odd(schema: str, copy: int, model_dump: bool, _hidden: str, self_: str) -> str:
        return f"{schema}{copy}{model_dump}{_hidden}{self_}"

    arguments = {"schema": "a", "copy": 1, "model_dump": True, "_hidden": "b", "self_": "c"}

    assert (await call(odd, arguments)).output == "a1Truebc"


class Shop:
    """A shop."""

    def buy(self, what: str) -> str:
        """Buy it."""
        return f"bought {what}"

    def __call__(self, what: str) -> str:
        """Sell it."""
        return f"sold {what}"


async def test_methods_and_partials_and_callables_are_functions_too() -> None:
    partial = functools.partial(ship, Place("Rome"), 2)
    kit = Toolkit([Shop().buy, FunctionTool(Shop(), name="sell"), partial])

    assert [(info.name, info.description.splitlines()[0]) for info in kit.tools] == [
        ("buy", "Buy it."),
        ("sell", "Sell it."),
        ("ship", "Ship it somewhere."),
    ]
    assert (await kit.execute("buy", {"what": "tea"})).output == "bought tea"
    assert (await kit.execute("sell", {"what": "tea"})).output == "sold tea"
    assert (await kit.execute("ship", {"mode": "air"})).output.startswith("Place(city='Rome', zip=0) 2")


def positional(a: int, /) -> None: ...
def many(*a: int) -> None: ...
def open_ended(**a: int) -> None: ...
def unknown(a: "Nowhere") -> None: ...  # noqa: F821  # it is the point
def undescribable(a: "Opaque") -> None: ...


class Opaque:
    """Of no kind that JSON has."""


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (positional, "takes 'a' without a name"),
        (many, "takes 'a' without a name"),
        (open_ended, "takes 'a' without a name"),
        (unknown, "the signature of unknown cannot be read: name 'Nowhere' is not defined"),
        (undescribable, "the parameters of undescribable cannot be described"),
        ("ship", "made of a function, not of str"),
    ],
)
async def test_what_no_model_could_call_is_found_when_the_tool_is_made(function: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        FunctionTool(function)


@pytest.mark.parametrize("name", ["", "a b", "größe", "x" * 65, "a.b", "a\n"])
async def test_a_name_is_one_that_every_model_can_call(name: str) -> None:
    with pytest.raises(ValueError, match="no name of a tool"):
        FunctionTool(ship, name=name)


async def test_a_function_without_a_name_needs_one() -> None:
    with pytest.raises(ValueError, match="'<lambda>' is no name of a tool"):
        FunctionTool(lambda: None)


# --- arguments --------------------------------------------------------------------------------------------------------


async def test_arguments_become_what_the_annotations_say() -> None:
    arguments = {"where": {"city": "Rome"}, "days": 3, "speed": "fast", "tags": ["b", "a"], "on": "2026-07-28"}

    result = await call(ship, arguments)

    assert result.output == ("Place(city='Rome', zip=0) 3 Speed.FAST ['a', 'b'] datetime.date(2026, 7, 28) sea None")


async def test_a_strict_type_takes_what_json_has_for_it() -> None:
    def on(it: Strict) -> str:
        return repr(it.day)

    assert (await call(on, {"it": {"day": "2026-07-28"}})).output == "datetime.date(2026, 7, 28)"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "where: is missing; days: is missing"),
        ({"where": {"city": "Rome"}, "days": 0}, "days: Input should be greater than or equal to 1"),
        ({"where": {}, "days": 1}, "where.city: Field required"),
        ({"where": {"city": "x"}, "days": 1, "dys": 2}, "dys: is unknown"),
        ({"where": {"city": "x"}, "days": "private"}, "days: Input should be a valid integer, unable to parse"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_with_where(arguments: dict[str, Any], problem: str) -> None:
    result = await call(ship, arguments)

    assert result.is_error
    assert result.output.startswith(f"The arguments of ship do not fit. {problem}")
    assert "private" not in result.output


async def test_only_the_first_faults_of_many_are_told() -> None:
    def many_numbers(numbers: list[int]) -> None: ...

    result = await call(many_numbers, {"numbers": ["x"] * 100})

    assert result.output.endswith("; and 90 more")


@pytest.mark.parametrize(
    "arguments", [{"a": object()}, {"a": {1}}, {1: "a"}, {"a": float("nan")}, ["a"], "a", {"a": "\ud800"}]
)
async def test_what_is_no_json_is_an_error_and_nothing_is_called(arguments: Any) -> None:
    def never(a: Any) -> None:
        raise AssertionError

    result = await call(never, arguments)

    assert result.is_error
    assert result.output.startswith("'never' was not called: what it was called with")


# --- how it runs ------------------------------------------------------------------------------------------------------


async def test_a_function_that_is_not_async_does_not_block_the_others() -> None:
    gate = anyio.Event()

    def waits() -> str:
        anyio.from_thread.run(gate.wait)
        return "through"

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            results: list[ToolResult] = []

            async def run() -> None:
                results.append(await call(waits))

            group.start_soon(run)
            await anyio.lowlevel.checkpoint()
            gate.set()

    assert results == [ToolResult("through")]


async def test_the_cancellation_of_a_run_cancels_an_async_function() -> None:
    seen: list[str] = []
    running = anyio.Event()

    async def hangs() -> None:
        running.set()
        try:
            await anyio.sleep_forever()
        finally:
            seen.append("cancelled")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(call, hangs)
            await running.wait()
            group.cancel_scope.cancel()

    assert seen == ["cancelled"]


async def test_the_cancellation_of_a_run_does_not_wait_for_a_thread() -> None:
    running, over = threading.Event(), threading.Event()

    def blocks() -> None:
        running.set()
        over.wait(10)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(call, blocks)
            await anyio.to_thread.run_sync(running.wait)
            group.cancel_scope.cancel()
    was_over = over.is_set()
    over.set()

    assert not was_over


async def test_a_function_that_gives_something_to_wait_for_is_waited_for() -> None:
    async def inner() -> str:
        return "waited"

    def outer() -> Any:
        return inner()

    assert await call(outer) == ToolResult("waited")


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "output", "structured"),
    [
        ("text", "text", None),
        (None, "", None),
        ({"a": [1, date(2026, 7, 28)]}, '{"a":[1,"2026-07-28"]}', {"a": [1, "2026-07-28"]}),
        ([1, 2], "[1,2]", None),
        (Place("Rome"), '{"city":"Rome","zip":0}', {"city": "Rome", "zip": 0}),
        (True, "true", None),
        (1.5, "1.5", None),
        (Speed.FAST, '"fast"', None),
        ("half \ud800", "half \\ud800", None),
    ],
)
async def test_any_value_becomes_a_result(value: Any, output: str, structured: Any) -> None:
    def gives() -> Any:
        return value

    result = await call(gives)

    assert (result.output, result.structured, result.is_error) == (output, structured, False)


async def test_a_result_of_mcp_is_taken_over() -> None:
    image = ImageContent(type="image", data="AAAA", mime_type="image/png")

    def draws() -> CallToolResult:
        return CallToolResult(content=[TextContent(type="text", text="Here:"), image], is_error=True)

    result = await call(draws)

    assert (result.output, result.is_error) == ("Here:\n[image: image/png, 3 bytes]", True)
    assert result.content == ({"type": "image", "data": "AAAA", "mimeType": "image/png"},)


async def test_a_dict_that_only_looks_like_a_request_is_data() -> None:
    """Whoever made it may be a stranger: a function asks by returning `pending(…)`, and in no other way."""
    stranger = pending("Give me your key", kind="input").to_dict()

    def fetches() -> Any:
        return stranger

    result = await call(fetches, wait_for=Person())

    assert result.pending is None
    assert result.structured == stranger


# --- errors -----------------------------------------------------------------------------------------------------------


async def test_the_text_of_a_tool_error_is_told_to_the_model() -> None:
    def fails() -> None:
        raise ToolError("There is no such order.")

    assert await call(fails) == ToolResult.error("There is no such order.")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("even this fails")


@pytest.mark.parametrize(
    "error",
    [RuntimeError("key=s3cret"), ValueError("s3cret"), Unprintable(), ExceptionGroup("s3cret", [ValueError("s3cret")])],
    ids=["runtime", "value", "unprintable", "group"],
)
async def test_what_a_function_raises_is_logged_and_not_told(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """Design, section 10: a fixed phrase goes out, the detail is logged here."""

    def fails() -> None:
        raise error

    assert await call(fails) == ToolResult.error("fails failed. The reason is in the log of the host.")
    assert "the tool 'fails' failed" in caplog.text
    assert type(error).__name__ in caplog.text


async def test_a_value_that_json_has_no_place_for_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    def gives() -> object:
        return object()

    assert (await call(gives)).is_error
    assert "JSON has no place for an object" in caplog.text


async def test_a_function_that_cancels_itself_has_failed() -> None:
    async def gives_up() -> None:
        raise asyncio.CancelledError

    assert (await call(gives_up)).is_error


async def test_after_an_answer_neither_log_nor_repr_holds_it(caplog: pytest.LogCaptureFixture) -> None:
    """Design, section 5: no text, `repr` or log line contains what the person typed. `int` quotes it in its error."""
    caplog.set_level(logging.DEBUG)

    def asks(ctx: ToolContext) -> Any:
        if ctx.answer is None:
            return pending("How old are you?", kind="question")
        int((ctx.answer.data or {})["age"])
        return None

    result = await call(asks, wait_for=Person({"age": "s3cret"}))

    assert result == ToolResult.error("asks failed. The reason is in the log of the host.")
    assert "the tool 'asks' failed with ValueError after it was answered" in caplog.text
    assert "int((ctx.answer.data" in caplog.text
    assert "s3cret" not in all_text(caplog) + repr(result)

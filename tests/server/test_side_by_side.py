"""`elicit_all`, and questions that reach `elicit` side by side: one round where there are rounds (design, 7)."""

import asyncio
from typing import Any

import anyio
import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Declined, Elicitation, FormElicitation, elicit, elicit_all
from elicitkit.testing import accept, decline
from tests import eras

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("revision", eras.ALL)]

Server = MCPServer[Any]


def text_form(message: str) -> FormElicitation[Any]:
    form = FormElicitation.create(message)
    form.string("x").required()
    return form


class Person:
    """Answers each question with its own message, and keeps what was asked."""

    def __init__(self, **answers: Any) -> None:
        self.asked: list[str] = []
        self._answers = answers

    async def __call__(self, _: object, params: Any) -> Any:
        self.asked.append(params.message)
        return self._answers.get(params.message, accept(x=params.message))


@pytest.fixture
def runs() -> list[int]:
    return []


@pytest.fixture
def mcp() -> Server:
    return MCPServer("asker", middleware=[Elicitation()])


async def call(mcp: Server, revision: str, person: Person) -> str:
    async with eras.connected(mcp, revision, person) as client:
        return await eras.said(client, "ask")


async def test_all_are_asked_in_one_round_and_given_by_name(mcp: Server, revision: str, runs: list[int]) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        found = await elicit_all(ctx, size=text_form("How large?"), colour=text_form("Which?"), third=text_form("c"))
        return ", ".join(f"{name}={outcome.content['x']}" for name, outcome in found.items() if outcome)

    person = Person()

    assert await call(mcp, revision, person) == "size=How large?, colour=Which?, third=c"
    assert sorted(person.asked) == ["How large?", "Which?", "c"]
    assert len(runs) == (2 if revision in eras.MODERN else 1)


async def test_a_refusal_of_one_is_no_refusal_of_the_others(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, a=text_form("a"), b=text_form("b"))
        return " ".join(outcome.action for outcome in found.values())

    assert await call(mcp, revision, Person(a=decline())) == "decline accept"


async def test_only_what_does_not_fit_is_asked_again(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, a=text_form("a"), b=text_form("b"))
        return " ".join(str(outcome.content["x"]) for outcome in found.values() if outcome)

    person = Person(a=accept(x=7))
    text = await call(mcp, revision, person)

    assert text.endswith("b")
    assert person.asked.count("b") == 1
    assert person.asked[-1].startswith("Please correct this:")


async def test_names_that_python_does_not_take_are_given_in_a_mapping(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, {"the size": text_form("a"), "timeout": text_form("b")}, c=text_form("c"))
        return str([*found])

    assert await call(mcp, revision, Person()) == "['the size', 'timeout', 'c']"


async def test_a_name_given_twice_is_refused_at_once(mcp: Server, revision: str) -> None:
    with pytest.raises(TypeError, match=r"elicit_all has two forms for \['a'\]"):
        elicit_all(None, {"a": text_form("a")}, a=text_form("a"))


async def test_nothing_to_ask_asks_nothing(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit_all(ctx))

    assert await call(mcp, revision, Person()) == "{}"


async def test_the_first_fault_ends_all_and_keeps_its_text(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        await elicit_all(ctx, a=text_form("a"), b=FormElicitation.create(" "))
        return "asked"

    person = Person()

    assert "the message: is blank" in await call(mcp, revision, person)
    assert not person.asked


async def test_a_bad_name_is_found_before_anything_is_asked(mcp: Server, revision: str) -> None:
    refused: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            await elicit_all(ctx, {"a": text_form("a"), "b~": text_form("b")})
        except ValueError as error:
            refused.append(str(error))
        return "told"

    person = Person()

    assert await call(mcp, revision, person) == "told"
    assert refused[0].startswith("a key is text")
    assert not person.asked


async def test_when_one_fails_the_others_are_withdrawn(mcp: Server, revision: str) -> None:
    if revision in eras.MODERN:
        return  # There the round has gone, and nobody waits at the server.
    withdrawn: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        return str(await elicit_all(ctx, a=text_form("a"), b=text_form("b"), tries=1))

    async def answer(_: object, params: Any) -> Any:
        if params.message == "a":
            return accept(x=7)
        try:
            await anyio.sleep_forever()
        finally:
            withdrawn.append(params.message)

    async with eras.connected(mcp, revision, answer) as client:
        assert "does not fit" in await eras.said(client, "ask")
        assert withdrawn == ["b"]


async def test_where_nothing_can_be_asked_each_has_the_outcome_for_that(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        found = await elicit_all(ctx, a=text_form("a"), b=text_form("b"), unsupported=Declined("nobody there"))
        return str({outcome.reason for outcome in found.values() if not outcome})

    async with eras.connected(mcp, revision) as client:
        assert await eras.said(client, "ask") == "{'nobody there'}"


async def test_however_questions_fall_the_result_is_the_same(mcp: Server, revision: str) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        async def later(turns: int) -> str:
            for _ in range(turns):
                await asyncio.sleep(0)
            outcome = await elicit(ctx, text_form(str(turns)))
            return str(outcome.content["x"]) if outcome else "refused"

        return " ".join(await asyncio.gather(*(later(turns) for turns in (0, 1, 2, 5, 40))))

    person = Person()

    assert await call(mcp, revision, person) == "0 1 2 5 40"
    assert sorted(person.asked, key=int) == ["0", "1", "2", "5", "40"]


async def test_questions_of_a_task_group_share_a_round(mcp: Server, revision: str, runs: list[int]) -> None:
    @mcp.tool()
    async def ask(ctx: Context) -> str:
        runs.append(1)
        said: list[str] = []

        async def one(message: str) -> None:
            outcome = await elicit(ctx, text_form(message))
            said.append(str(outcome.content["x"]) if outcome else "refused")

        async with anyio.create_task_group() as group:
            for message in "abc":
                group.start_soon(one, message)
        return " ".join(sorted(said))

    assert await call(mcp, revision, Person()) == "a b c"
    assert len(runs) == (2 if revision in eras.MODERN else 1)


async def test_except_star_around_a_task_group_is_not_fooled(mcp: Server, revision: str) -> None:
    caught: list[str] = []

    @mcp.tool()
    async def ask(ctx: Context) -> str:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(elicit(ctx, text_form(message))) for message in "ab"]
        except* Exception as group_of_errors:
            caught.append(str(group_of_errors))
        return " ".join(str(task.result().content["x"]) for task in tasks if task.result())  # type: ignore[index]

    assert await call(mcp, revision, Person()) == "a b"
    assert not caught

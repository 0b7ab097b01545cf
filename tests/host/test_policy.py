"""What is answered without a person: nothing, unless allowed by kind, server and tool (issue 5, point 7)."""

from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicitkit import Elicitation, Origin, Policy, Request, Rule, confirm
from tests.host.hosting import hosting, text


def asked(
    schema: dict[str, Any] | None = None, *, kind: str = "input", server: str = "shop", tool: str = "t"
) -> Request:
    request = Request("r1", kind, "?", data=None if schema is None else {"schema": schema})
    return Origin(server, tool).noted_in(request)


def form(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


EMPTY = asked(form([]))
WHOLE = asked(form(["size"], size={"type": "string", "default": "M"}, note={"type": "string"}))
LACKING = asked(form(["size", "name"], size={"type": "string", "default": "M"}, name={"type": "string"}))
WRONG = asked(form(["age"], age={"type": "integer", "default": 3, "minimum": 18}))
UNREADABLE = asked({"type": "array"})
WITHOUT_PROPERTIES = asked({"type": "object"})
LINK = asked(kind="authorization")
APPROVAL = asked(kind="approval")
YES_OR_NO = asked(form(["confirm"], confirm={"type": "boolean", "title": "Delete it?"}))
ALL = (EMPTY, WHOLE, LACKING, WRONG, UNREADABLE, WITHOUT_PROPERTIES, LINK, APPROVAL, YES_OR_NO)

CONFIRM, DEFAULTS = Policy([Rule("confirm", server="shop")]), Policy([Rule("defaults", server="shop")])


@pytest.mark.parametrize("request_", ALL)
def test_nothing_is_answered_by_default(request_: Request) -> None:
    assert Policy().answer(request_) is None
    assert Policy.nothing.answer(request_) is None


@pytest.mark.parametrize("request_", ALL)
def test_a_headless_run_cancels_what_no_rule_answers(request_: Request) -> None:
    assert Policy(headless=True).answer(request_) == request_.cancel("headless")


@pytest.mark.parametrize("request_", ALL)
def test_only_a_form_that_can_but_be_agreed_to_is_confirmed(request_: Request) -> None:
    agreed = {id(EMPTY): EMPTY.accept(), id(YES_OR_NO): YES_OR_NO.accept({"confirm": True})}

    assert CONFIRM.answer(request_) == agreed.get(id(request_))


@pytest.mark.parametrize(
    "schema",
    [
        form([], confirm={"type": "boolean"}),
        form(["confirm"], confirm={"type": "boolean", "default": False}),
        form(["confirm"], confirm={"type": "boolean", "default": True}),
        form(["confirm"], confirm={"type": "boolean"}, note={"type": "string"}),
        form(["confirm", "gone"], confirm={"type": "boolean"}),
        form(["sure"], sure={"type": "string", "enum": ["yes", "no"]}),
    ],
    ids=["optional", "a no suggested", "a yes suggested", "beside another", "beside what is not there", "a choice"],
)
def test_a_yes_is_said_to_nothing_but_a_single_required_yes_or_no(schema: dict[str, Any]) -> None:
    assert CONFIRM.answer(asked(schema)) is None


@pytest.mark.anyio
async def test_a_confirm_of_our_own_servers_is_confirmed() -> None:
    """What `elicitkit.confirm` sends is a form with a field, not one without (design, section 4)."""
    mcp = MCPServer[Any]("shop", middleware=[Elicitation()])

    @mcp.tool()
    async def archive(ctx: Context) -> str:
        return "archived" if await confirm(ctx, "Archive it?") else "kept"

    policy = Policy([Rule("confirm", kind="input", server="a", tool="archive")], headless=True)
    async with hosting(mcp, "2026-07-28", policy=policy) as source:
        assert text(await source.call("a_archive")) == "archived"


def test_headless_is_true_or_false() -> None:
    with pytest.raises(TypeError, match="headless is True or False, not str"):
        Policy(headless="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("request_", ALL)
def test_defaults_are_used_only_if_they_are_a_whole_answer(request_: Request) -> None:
    """A form without fields is another allowance: its defaults would be a yes."""
    assert DEFAULTS.answer(request_) == (WHOLE.accept({"size": "M"}) if request_ is WHOLE else None)


@pytest.mark.parametrize(
    "properties",
    [
        {"note": {"type": "string"}},
        {"note": {"type": "string", "default": 5}},
        {"note": {"type": "string", "default": 5}, "size": {"type": "string", "default": "M"}},
    ],
    ids=["none", "a wrong one", "a wrong one too"],
)
def test_a_form_without_defaults_or_with_one_that_is_refused_is_not_answered_with_them(properties: Any) -> None:
    assert DEFAULTS.answer(asked(form([], **properties))) is None


@pytest.mark.parametrize("request_", ALL)
def test_declining_is_for_every_kind(request_: Request) -> None:
    assert Policy([Rule("decline")]).answer(request_) == request_.decline()


@pytest.mark.parametrize(
    ("rule", "applies"),
    [
        (Rule("decline"), True),
        (Rule("decline", kind="input", server="shop", tool="pay"), True),
        (Rule("decline", kind="authorization"), False),
        (Rule("decline", server="bank"), False),
        (Rule("decline", server=""), False),
        (Rule("decline", tool="check"), False),
        (Rule("decline", server="SHOP"), False),
    ],
)
def test_a_rule_is_for_its_kind_its_server_and_its_tool(rule: Rule, applies: bool) -> None:
    assert rule.applies_to(asked(form([]), server="shop", tool="pay")) is applies


def test_the_hosts_own_tools_have_no_server() -> None:
    mine = Origin(tool="deploy").noted_in(Request("r1", "input", "?", data={"schema": form([])}))

    assert Policy([Rule("confirm", server="", tool="deploy")]).answer(mine) == mine.accept()
    assert CONFIRM.answer(mine) is None


def test_the_first_rule_that_has_an_answer_decides() -> None:
    policy = Policy([Rule("defaults", server="shop"), Rule("confirm", server="shop"), Rule("decline", kind="input")])

    assert [policy.answer(one) for one in (WHOLE, EMPTY, LACKING, LINK)] == [
        WHOLE.accept({"size": "M"}),
        EMPTY.accept(),
        LACKING.decline(),
        None,
    ]


@pytest.mark.parametrize("answer", ["confirm", "defaults"])
def test_nothing_of_a_stranger_s_is_ever_accepted_unseen(answer: Any) -> None:
    with pytest.raises(ValueError, match="names the server"):
        Rule(answer, kind="input", tool="pay")


@pytest.mark.parametrize("answer", ["accept", "", None])
def test_there_are_no_other_answers(answer: Any) -> None:
    with pytest.raises(ValueError, match="decline, confirm, defaults"):
        Rule(answer, server="shop")


def test_a_policy_is_made_of_rules() -> None:
    with pytest.raises(TypeError, match="made of rules"):
        Policy(["decline"])  # type: ignore[list-item]

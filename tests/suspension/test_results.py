"""Suspension: how a tool says "not yet", and how a host sees it (design, section 6)."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import mcp_types
import pytest
from hypothesis import given
from mcp_types import _v2025_11_25, _v2026_07_28

from elicitkit import ContractError, Pending, Request, auth_required, pending, pending_of
from tests.suspension import values

NOON = datetime(2026, 7, 28, 12, tzinfo=UTC)
REQUEST = Request("r1", "approval", "Deploy?", data={"to": "production"})
WRITTEN = REQUEST.to_dict()


@dataclass
class TheirRequest:
    """A request as another library has it in memory."""

    id: str
    kind: str
    prompt: str
    url: str | None = None
    data: dict[str, Any] | None = None
    expiresAt: str | None = None  # the key of the wire


@dataclass
class TheirResult:
    """A result as another library has it in memory."""

    output: str
    is_error: bool
    metadata: dict[str, Any] | None = field(default=None)


@pytest.fixture
def fastmcp() -> None:
    """FastMCP gives results of the SDK the names of the first SDK, and warns (an error here) of whoever reads one."""
    pytest.importorskip("fastmcp", reason="missing here: needs fastmcp")


def test_a_pending_result_carries_its_request() -> None:
    result = pending("Deploy?", kind="approval", id="r1", data={"to": "production"})

    assert result == Pending(REQUEST)
    assert pending_of(result) is result.request


def test_everything_a_request_has_can_be_said() -> None:
    request = pending("p", kind="k", url="https://x", data={"a": 1}, expires_at=NOON, id="i").request

    assert request == Request("i", "k", "p", "https://x", {"a": 1}, NOON)


def test_the_prompt_may_be_named_as_other_hosts_name_it() -> None:
    assert pending(kind="approval", prompt="Deploy?").request.prompt == "Deploy?"


def test_each_request_has_an_id_that_nobody_can_guess() -> None:
    """Design, section 10: at least 128 random bits."""
    ids = {pending("p", kind="k").request.id for _ in range(1_000)}

    assert len(ids) == 1_000
    assert all(re.fullmatch("pnd-[0-9a-f]{32}", id) for id in ids)


def test_a_tool_that_needs_a_login_shows_the_link() -> None:
    result = auth_required("https://example.com/login", prompt="Log in to your shop")

    assert (result.request.kind, result.request.url) == ("authorization", "https://example.com/login")
    assert (result.request.prompt, result.request.data) == ("Log in to your shop", None)
    assert result.output == "Log in to your shop\nhttps://example.com/login"


def test_a_login_has_a_prompt_of_its_own_and_never_lacks_the_link() -> None:
    assert auth_required("https://example.com").request.prompt
    with pytest.raises(ContractError, match="a link to log in at is blank"):
        auth_required(" ")
    with pytest.raises(TypeError, match="a link to log in at is text, not None"):
        auth_required(None)  # type: ignore[arg-type]  # which is what is tested


def test_a_pending_result_is_made_of_a_request_alone() -> None:
    with pytest.raises(TypeError, match="a pending result carries a Request, not a dict"):
        Pending(WRITTEN)  # type: ignore[arg-type]  # which is what is tested


@given(values.requests)
def test_a_pending_result_survives_json(request: Request) -> None:
    result = Pending(request)

    assert Pending.from_json(result.to_json()) == Pending.from_dict(result.to_dict()) == result
    assert pending_of(result.to_dict()) == request


def test_a_pending_result_is_written_as_other_hosts_have_it() -> None:
    assert Pending(REQUEST).to_dict() == {"output": "Deploy?", "metadata": {"pending": WRITTEN}}


@pytest.mark.parametrize("given", [{}, {"output": "x"}, {"metadata": {}}, {"metadata": {"pending": None}}], ids=repr)
def test_what_is_no_pending_result_is_not_read_as_one(given: dict[str, Any]) -> None:
    with pytest.raises(ContractError, match="a pending result has a request under 'pending' in its 'metadata'"):
        Pending.from_dict(given)


@pytest.mark.parametrize(
    "result",
    [
        Pending(REQUEST),
        {"output": "Deploy?", "isError": True, "metadata": {"pending": WRITTEN}},
        {"metadata": {"pending": REQUEST}},
        {"content": [], "_meta": {"pending": WRITTEN}},
        {"content": [], "structuredContent": {"pending": WRITTEN}},
        TheirResult("Deploy?", True, {"pending": TheirRequest("r1", "approval", "Deploy?", data={"to": "production"})}),
        TheirResult("Deploy?", True, {"pending": WRITTEN}),
    ],
    ids=["ours", "json", "request", "meta", "structured", "theirs", "half theirs"],
)
def test_a_suspension_is_seen_in_whatever_a_tool_returned(result: Any) -> None:
    assert pending_of(result) == REQUEST


@pytest.mark.usefixtures("fastmcp")
@pytest.mark.parametrize("sdk", [mcp_types, _v2025_11_25, _v2026_07_28], ids=["SDK", "2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("place", ["_meta", "structuredContent"])
def test_a_suspension_is_seen_in_a_result_of_the_sdk(sdk: Any, place: str) -> None:
    marked = {"content": [], "resultType": "complete", place: {"pending": WRITTEN}}

    assert pending_of(sdk.CallToolResult.model_validate(marked)) == REQUEST


def test_when_another_librarys_request_expires_is_read_too() -> None:
    theirs = TheirRequest("r1", "approval", "Deploy?", expiresAt="2026-07-28T12:00:00Z")

    assert pending_of(TheirResult("", True, {"pending": theirs})) == Request(
        "r1", "approval", "Deploy?", expires_at=NOON
    )


@pytest.mark.parametrize(
    "result",
    [
        None,
        "done",
        REQUEST,
        {},
        {"pending": WRITTEN},
        {"metadata": None},
        {"metadata": "pending"},
        {"metadata": {"pending": None}},
        {"metadata": {"pending": 3}},
        {"structuredContent": {"pending": ["buy milk"]}},
        {"structuredContent": {"pending": {"title": "buy milk"}}},
        TheirResult("done", False),
        mcp_types.CallToolResult(content=[], structured_content={"pending": 3}),
    ],
    ids=repr,
)
def test_what_does_not_wait_is_not_taken_for_a_suspension(result: Any) -> None:
    assert pending_of(result) is None


@pytest.mark.usefixtures("fastmcp")
def test_looking_at_a_finished_result_warns_of_nothing() -> None:
    assert pending_of(mcp_types.CallToolResult(content=[])) is None


@pytest.mark.parametrize(
    "broken", [{"id": None}, {"id": 5}, {"kind": 5}, {"data": []}, {"expiresAt": "tomorrow"}], ids=repr
)
def test_a_suspension_that_is_broken_is_an_error_and_no_result(broken: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        pending_of({"metadata": {"pending": WRITTEN | broken}})

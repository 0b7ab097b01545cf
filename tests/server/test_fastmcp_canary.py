"""What the adapter relies on in FastMCP; when one of these fails, FastMCP has changed: the message says where to look.

The adapter is `src/elicitkit/server/fastmcp.py`. What it shares with FastMCP beyond the public API is listed here.
"""

import dataclasses
import inspect
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.prompts.base import InputRequiredPromptResult, PromptResult
from fastmcp.resources.base import InputRequiredResourceResult, ResourceResult
from fastmcp.server import dependencies, elicitation, low_level
from fastmcp.server.dependencies import FastMCPRequestContext, bind_request_context
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from mcp.server.context import ServerRequestContext
from mcp.server.request_state import RequestStateBoundary
from packaging.specifiers import SpecifierSet

from elicitkit import MissingExtra
from elicitkit.server import fastmcp as adapter
from elicitkit.server.fastmcp import Elicitation, carry_elicit

PINNED = SpecifierSet(">=4.2,<4.3")
"""As in `pyproject.toml`; raise both together, after the tests of `tests/server/test_fastmcp*.py` passed."""


def test_the_release_is_one_that_was_tried() -> None:
    found = version("fastmcp")

    assert found in PINNED, (
        f"FastMCP {found}: run the tests of FastMCP, then raise the range here and in pyproject.toml"
    )


def test_elicit_takes_what_it_took() -> None:
    stock = inspect.unwrap(Context.elicit)
    takes = tuple(inspect.signature(stock).parameters)

    assert takes == ("self", "message", "response_type", "response_title", "response_description"), (
        "Context.elicit has other parameters: see carry_elicit, and whether the wrap still hands all of them on"
    )


def test_elicit_asks_the_context_for_its_era_and_the_session_to_send() -> None:
    uses = set(inspect.unwrap(Context.elicit).__code__.co_names)

    assert {"_is_modern_protocol", "session", "elicit"} <= uses, (
        "Context.elicit refuses 2026-07-28 in another way: see _CanAsk, which answers _is_modern_protocol for it, and "
        "SuspendingSession.elicit, which it is to end in"
    )


def test_the_context_has_the_names_that_the_stand_in_replaces() -> None:
    assert callable(Context._is_modern_protocol), "see _CanAsk"
    assert isinstance(Context.request_state, property), "see _LaterRound: FastMCP's cache looks at it"
    assert isinstance(Context.request_context, property), "see _asking: it gives the request that is driven"


def test_a_request_can_be_bound_anew() -> None:
    fields = {field.name: str(field.type) for field in dataclasses.fields(FastMCPRequestContext)}

    assert fields.get("_srctx") == "ServerRequestContext", "see _asking: it takes the SDK's context from there"
    assert list(inspect.signature(bind_request_context).parameters) == ["ctx"], "see _driven"
    assert "bind_request_context" in dependencies.__all__, "bind_request_context is no longer public: see _driven"
    assert {"session", "params"} <= {field.name for field in dataclasses.fields(ServerRequestContext)}


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        (InputRequiredToolResult, ToolResult),
        (InputRequiredPromptResult, PromptResult),
        (InputRequiredResourceResult, ResourceResult),
    ],
)
def test_a_round_has_a_result_of_its_own(kind: type[Any], of: type[Any]) -> None:
    assert issubclass(kind, of)
    assert list(inspect.signature(kind).parameters) == ["input_required"], "see _to_wire and the hooks of Elicitation"


def test_states_are_unsealed_before_middleware_sees_them() -> None:
    kinds = [type(one) for one in FastMCP[Any]("any")._mcp_server.middleware]

    assert kinds == [low_level.FastMCPServerMiddleware, RequestStateBoundary], (
        "FastMCP seals states elsewhere: what _driven reads must be plain, and what it gives be sealed behind it"
    )


def test_masks_begin_as_they_did() -> None:
    source = inspect.getsource(FastMCP) + inspect.getsource(dependencies)

    for mask in adapter._MASKS:
        assert f'f"{mask}' in source, f"FastMCP no longer says {mask!r}: errors of ours would stay masked; see _MASKS"


def test_fastmcps_results_are_where_users_find_them() -> None:
    assert {"AcceptedElicitation", "CancelledElicitation", "DeclinedElicitation"} <= set(elicitation.__all__)


# --- the wrap itself --------------------------------------------------------------------------------------------------


def test_elicit_is_wrapped_once() -> None:
    before = Context.elicit

    carry_elicit(Context)

    assert Context.elicit is before
    assert not hasattr(inspect.unwrap(before), "carried_by_elicitkit")


async def other_parameters(self: Any, message: str, schema: object) -> object:
    if self._is_modern_protocol():
        return None
    return await self.session.elicit(message, schema)


async def other_names(
    self: Any,
    message: str,
    response_type: object,
    *,
    response_title: object = None,
    response_description: object = None,
) -> object:
    return await self.session.elicit_form(message, response_type)


@pytest.mark.parametrize("elicit", [other_parameters, other_names])
def test_an_elicit_that_we_do_not_know_is_refused_at_import(elicit: Any) -> None:
    changed = type("Context", (), {"elicit": elicit})

    with pytest.raises(MissingExtra, match=r"knows no Context\.elicit like the one of .*elicitkit\[fastmcp\]"):
        carry_elicit(changed)

    assert changed.elicit is elicit


# --- what is installed wrongly ----------------------------------------------------------------------------------------


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    return (done.stdout + done.stderr).strip()


def test_without_fastmcp_the_adapter_says_which_extra_is_missing() -> None:
    said = run("import sys; sys.modules['fastmcp'] = None\nimport elicitkit.server.fastmcp")

    assert said.splitlines()[-1].endswith(
        "MissingExtra: The adapter for FastMCP needs an extra that is not installed: pip install 'elicitkit[fastmcp]'"
    )


def test_nothing_else_of_ours_loads_fastmcp() -> None:
    said = run("import elicitkit, elicitkit.server.mcpserver, sys; print('fastmcp' in sys.modules)")

    assert said == "False"


def test_the_class_in_place_of_an_instance_is_refused() -> None:
    with pytest.raises(TypeError, match="install an instance"):
        Elicitation(object(), object())


@pytest.mark.anyio
async def test_the_middleware_in_a_server_of_the_sdk_says_which_one_that_takes() -> None:
    message: Any = object()

    async def call_next(_: object) -> None:
        raise AssertionError

    with pytest.raises(TypeError, match="MCPServer takes the one of `elicitkit` itself"):
        await Elicitation()(message, call_next)

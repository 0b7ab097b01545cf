"""The contract is shared with other hosts (design, section 6): `toolnexus` reads what we write, and we what it writes.

It needs another version of the SDK than ours, and so an environment of its own: `make test` makes `.peers/toolnexus`.
"""

import json
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from elicitkit import (
    Answer,
    Pending,
    Request,
    answer_to_elicit_result,
    auth_required,
    elicitation_to_request,
    pending,
    pending_of,
)

ROOT = Path(__file__).parents[2]
PEER = ROOT / ".peers" / "toolnexus" / "bin" / "python"
SCRIPT = Path(__file__).with_name("toolnexus_peer.py")

pytestmark = pytest.mark.skipif(
    not PEER.exists(), reason="missing here: needs toolnexus 0.21 in .peers/toolnexus, which `make test` makes"
)

NOON = datetime(2026, 7, 28, 12, tzinfo=UTC)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
LINK = {"mode": "url", "message": "Log in", "url": "https://example.com/auth"}

REQUESTS = [
    Request("r1", "approval", "Größe 👋?"),
    Request("r2", "question", "", data={"questions": [{"question": "Which?", "options": ["a", "b"]}]}),
    Request("r3", "input", "Who?", data={"schema": SCHEMA, "server": "shop", "_meta": {"a": [1, None, 2.5]}}),
    Request("r4", "authorization", "Log in", "https://example.com", expires_at=NOON),
    Request("r5", "x-other", "p", expires_at=NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))),
    elicitation_to_request({"message": "Your name?", "requestedSchema": SCHEMA}),
    elicitation_to_request(LINK),
]
RESULTS = [
    pending("Deploy?", kind="approval", expires_at=NOON),
    auth_required("https://example.com"),
    Pending(REQUESTS[2]),
]
ANSWERS = [
    REQUESTS[2].accept({"name": "Ada", "pets": ["cat"], "age": 36, "ok": True, "none": None}),
    REQUESTS[2].accept(),
    REQUESTS[2].decline(),
    *(REQUESTS[2].cancel(reason) for reason in ("cancelled", "expired", "headless", "unsupported", "failed")),
    Answer("r3", ok=False),
    Answer("r3", ok=False, data={"name": "Ada"}, reason="declined"),
]
SPELLINGS = pytest.mark.parametrize("spelling", ["written", "pruned"])


@pytest.fixture(scope="module")
def peer() -> Any:
    """What toolnexus makes of what we write, and what it writes."""
    ours: dict[str, list[Any]] = {"requests": REQUESTS, "results": RESULTS, "answers": ANSWERS}
    given = json.dumps({kind: [value.to_json() for value in values] for kind, values in ours.items()})
    done = subprocess.run([str(PEER), str(SCRIPT)], input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_nulls(written: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in written.items() if value is not None}


# --- we write, they read ----------------------------------------------------------------------------------------------


def test_toolnexus_reads_our_requests(peer: Any) -> None:
    assert [without_nulls(read) for read in peer["read"]["requests"]] == [request.to_dict() for request in REQUESTS]


def test_toolnexus_reads_our_suspended_results(peer: Any) -> None:
    read = [(result["output"], without_nulls(result["request"])) for result in peer["read"]["results"]]

    assert read == [(result.output, result.request.to_dict()) for result in RESULTS]


def test_toolnexus_reads_our_answers(peer: Any) -> None:
    assert [without_nulls(read["answer"]) for read in peer["read"]["answers"]] == [
        answer.to_dict() for answer in ANSWERS
    ]


def test_toolnexus_sends_a_server_the_same_result_for_an_answer(peer: Any) -> None:
    theirs = [(read["action"], read["content"]) for read in peer["read"]["answers"]]

    assert theirs == [(result.action, result.content) for result in map(answer_to_elicit_result, ANSWERS)]


# --- they write, we read ----------------------------------------------------------------------------------------------


@SPELLINGS
def test_we_read_the_suspended_results_of_toolnexus(peer: Any, spelling: str) -> None:
    wrote: dict[str, Any] = {name: pending_of(result[spelling]) for name, result in peer["wrote"]["results"].items()}
    moment = NOON.replace(microsecond=123_000)

    assert wrote["input"] == Request("r1", "input", "Who?", data={"schema": SCHEMA})
    assert [(name, request and request.kind) for name, request in wrote.items()] == [(name, name) for name in wrote]
    assert wrote["authorization"].url == "https://example.com/login"
    assert (wrote["approval"].prompt, wrote["approval"].expires_at) == ("Größe 👋?", moment)
    assert wrote["question"].data["questions"][0]["options"] == ["red", "blue"]


@SPELLINGS
def test_we_read_the_requests_of_toolnexus_and_write_them_the_same(peer: Any, spelling: str) -> None:
    for wrote in peer["wrote"]["requests"].values():
        request = Request.from_json(json.dumps(wrote[spelling]))

        assert request.to_dict() == wrote["pruned"]


def test_both_bridges_make_the_same_request_of_an_elicitation(peer: Any) -> None:
    form, link = (Request.from_dict(peer["wrote"]["requests"][mode]["written"]) for mode in ("form", "link"))

    assert elicitation_to_request({"message": "Your name?", "requestedSchema": SCHEMA}, id=form.id) == form
    assert elicitation_to_request(LINK, id=link.id) == link


@SPELLINGS
def test_we_read_the_answers_of_toolnexus_and_write_them_the_same(peer: Any, spelling: str) -> None:
    for wrote in peer["wrote"]["answers"].values():
        answer = Answer.from_json(json.dumps(wrote[spelling]))

        assert answer.to_dict() == wrote["pruned"]


def test_the_helpers_of_both_make_the_same_answers(peer: Any) -> None:
    request = Request("r1", "input", "")
    theirs = {name: Answer.from_dict(wrote["written"]) for name, wrote in peer["wrote"]["answers"].items()}

    assert theirs["declined"] == request.decline()
    assert (theirs["cancelled"], theirs["expired"]) == (request.cancel(), request.cancel("expired"))
    assert theirs["accepted"] == request.accept({"name": "Ada", "pets": ["cat"], "age": 36, "none": None})

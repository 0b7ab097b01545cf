"""The inbox over HTTP: who may, what there is, what is taken, and each thing that can be wrong with its own status."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from elicitkit import Inbox, MemoryInboxStore, Request
from elicitkit.host.origins import Origin
from elicitkit.limits import API_BODY_BYTES, NOTE_CHARACTERS
from elicitkit.render.inbox_api import api_routes
from elicitkit.testing import Clock
from tests.host.inbox.questions import FORM, sizes

pytestmark = pytest.mark.anyio

TOKEN = "a-token-that-nobody-can-guess"
NOBODY = "0" * 32


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def inbox(clock: Clock) -> AsyncIterator[Inbox]:
    async with Inbox(MemoryInboxStore(clock=clock), host="shop agent") as made:
        yield made


def client_of(inbox: Inbox, **headers: str) -> httpx2.AsyncClient:
    app = Starlette(routes=[Mount("/api", routes=api_routes(inbox, TOKEN))])
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://127.0.0.1/api", headers=headers)


@pytest.fixture
async def client(inbox: Inbox) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(inbox, Authorization=f"Bearer {TOKEN}") as made:
        yield made


def problem(response: httpx2.Response) -> tuple[int, str]:
    """The status of a problem, and what it says."""
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    return response.status_code, told["detail"]


# --- who may ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"], ids=repr
)
@pytest.mark.parametrize("path", ["/questions", f"/questions/{NOBODY}", "/elsewhere"])
async def test_nothing_is_told_without_the_token(inbox: Inbox, header: str | None, path: str) -> None:
    async with client_of(inbox, **({} if header is None else {"Authorization": header})) as stranger:
        response = await stranger.get(path)

    assert problem(response)[0] == 401
    assert response.headers["www-authenticate"].startswith("Bearer")


async def test_a_token_of_one_question_lets_in_to_that_one_alone(inbox: Inbox) -> None:
    """Design, section 10; issue 9, point 3."""
    mine, other = await inbox.ask(sizes("r1")), await inbox.ask(sizes("r2"))
    async with client_of(inbox, Authorization=f"Bearer {await inbox.token(mine.id)}") as owner:
        assert [
            (await owner.get(path)).status_code
            for path in (f"/questions/{mine.id}", f"/questions/{other.id}", "/questions")
        ] == [200, 401, 401]
        assert (await owner.post(f"/questions/{other.id}/decline")).status_code == 401
        assert (await owner.post(f"/questions/{mine.id}/decline")).status_code == 200

    assert (await inbox.get(other.id)).is_open


async def test_a_link_does_not_tell_what_others_answered(inbox: Inbox) -> None:
    """Design, section 10: as on the page, who has a link to one question sees how it stands, and no more."""
    entry = await inbox.ask(sizes("r1"))
    link, other = await inbox.token(entry.id), await inbox.token(entry.id)
    path = f"/questions/{entry.id}"
    async with client_of(inbox, Authorization=f"Bearer {link}") as mine:
        assert (await mine.get(f"{path}/answer")).json() == {"answer": None}
        await inbox.accept(entry.id, {"size": "ada's secret"}, by="ada")

        seen = [await mine.get(path), await mine.get(f"{path}?wait=1"), await mine.get(f"{path}/answer")]
        again = await mine.post(f"{path}/answer", json={"content": {"size": "M"}})

    async with client_of(inbox, Authorization=f"Bearer {other}") as another:
        seen.append(await another.get(f"{path}/answer"))

    assert [one.status_code for one in (*seen, again)] == [200, 200, 403, 403, 409]
    assert seen[0].json()["state"] == "answered"
    assert not any("secret" in one.text for one in (*seen, again))


@pytest.mark.parametrize("owner", [None, "bob"])
async def test_a_link_tells_what_was_answered_by_it_and_to_no_other(inbox: Inbox, owner: str | None) -> None:
    entry = await inbox.ask(sizes("r1"), owner=owner)
    path = f"/questions/{entry.id}/answer"
    tokens = [await inbox.token(entry.id) for _ in range(2)]
    async with client_of(inbox, Authorization=f"Bearer {tokens[0]}") as mine:
        await mine.post(path, json={"content": {"size": "M"}})

        assert (await mine.get(path)).json()["answer"]["data"] == {"size": "M"}
    async with client_of(inbox, Authorization=f"Bearer {tokens[1]}") as another:
        assert (await another.get(path)).status_code == 403


async def test_a_refusal_has_nothing_in_it_that_a_link_may_not_see(inbox: Inbox) -> None:
    entry = await inbox.ask(sizes("r1"))
    async with client_of(inbox, Authorization=f"Bearer {await inbox.token(entry.id)}") as mine:
        await inbox.decline(entry.id, by="ada")

        assert (await mine.get(f"/questions/{entry.id}/answer")).json()["answer"]["reason"] == "declined"


@pytest.mark.parametrize("query", ["", "?wait=1"])
async def test_the_reason_of_a_refusal_is_told_to_no_link_but_its_own(inbox: Inbox, query: str) -> None:
    """It may be about whoever has another link; who keeps the inbox is told."""
    entry = await inbox.ask(sizes("r1"))
    path = f"/questions/{entry.id}"
    tokens = [await inbox.token(entry.id), await inbox.token(entry.id), TOKEN]
    async with client_of(inbox, Authorization=f"Bearer {tokens[0]}") as mine:
        await mine.post(f"{path}/decline", json={"note": "not for bob"})

    async def note_seen_by(token: str) -> str | None:
        async with client_of(inbox, Authorization=f"Bearer {token}") as client:
            return (await client.get(f"{path}{query}")).json().get("note")

    assert [await note_seen_by(token) for token in tokens] == ["not for bob", None, "not for bob"]


@pytest.mark.parametrize("how", ["answer", "decline", "cancel"])
@pytest.mark.parametrize("owner", [None, "bob"])
async def test_nobody_passes_for_another_by_a_link(inbox: Inbox, owner: str | None, how: str) -> None:
    """As on the page: it was answered by the owner of the question, if it has one, whatever a link says."""
    entry = await inbox.ask(sizes("r1"), owner=owner)
    sent = {"by": "ceo", **({"content": {"size": "M"}} if how == "answer" else {})}
    async with client_of(inbox, Authorization=f"Bearer {await inbox.token(entry.id)}") as mine:
        told = (await mine.post(f"/questions/{entry.id}/{how}", json=sent)).json()

    assert told.get("closedBy") == owner
    assert (await inbox.get(entry.id)).closed_by == (owner or "")


async def test_a_cookie_counts_for_nothing(inbox: Inbox) -> None:
    async with client_of(inbox, Cookie=f"token={TOKEN}; inbox={TOKEN}") as browser:
        assert (await browser.get("/questions")).status_code == 401


@pytest.mark.parametrize(("token", "error"), [("short", ValueError), (b"bytes" * 10, TypeError), (None, TypeError)])
def test_a_token_that_somebody_guesses_is_refused(token: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        api_routes(Inbox(MemoryInboxStore()), token)


# --- what there is ----------------------------------------------------------------------------------------------------


async def test_open_questions_are_listed_with_where_they_come_from(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    request = Origin("shop", "pay", call="secret", task="t1", agents=["boss", "buyer"]).noted_in(sizes("its-own"))
    entry = await inbox.ask(request)

    response = await client.get("/questions")

    (found,) = response.json()["questions"]
    assert (response.json()["total"], response.json()["next"]) == (1, None)
    assert (found["id"], found["state"], found["kind"]) == (entry.id, "open", "input")
    assert (found["prompt"], found["data"]) == (FORM.message, {"schema": FORM.schema()})
    assert found["from"] == {
        "host": "shop agent",
        "server": "shop",
        "tool": "pay",
        "task": "t1",
        "agents": ["boss", "buyer"],
    }
    assert "its-own" not in response.text, "what the source calls it is its own business"
    assert (response.headers["cache-control"], response.headers["x-content-type-options"]) == ("no-store", "nosniff")


async def test_lists_come_in_pages(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    ids = [(await inbox.ask(sizes(f"r{number}"))).id for number in range(3)]

    first = (await client.get("/questions", params={"limit": 2})).json()
    rest = (await client.get("/questions", params={"limit": 2, "after": first["next"]})).json()

    assert [one["id"] for one in [*first["questions"], *rest["questions"]]] == ids
    assert rest["next"] is None


async def test_who_looks_sees_what_is_theirs(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    ada, anybody = await inbox.ask(sizes("r1"), owner="ada"), await inbox.ask(sizes("r2"))

    async def seen_by(**params: str) -> list[str]:
        return [one["id"] for one in (await client.get("/questions", params=params)).json()["questions"]]

    assert await seen_by() == await seen_by(owner="ada") == [ada.id, anybody.id]
    assert await seen_by(owner="bob") == await seen_by(owner="") == [anybody.id]
    assert problem(await client.get(f"/questions/{ada.id}", params={"owner": "bob"}))[0] == 404
    assert problem(await client.post(f"/questions/{ada.id}/decline", params={"owner": "bob"}))[0] == 404


async def test_answers_are_shown_only_where_they_are_asked_for(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())
    assert (await client.get(f"/questions/{entry.id}/answer")).json() == {"answer": None}
    await inbox.accept(entry.id, {"size": "my secret size"}, by="ada")

    closed = await client.get("/questions", params={"state": "closed"})
    one = await client.get(f"/questions/{entry.id}")

    assert "my secret size" not in closed.text + one.text
    assert (one.json()["state"], one.json()["closedBy"], one.json()["accepted"]) == ("answered", "ada", True)
    assert (await client.get(f"/questions/{entry.id}/answer")).json() == {
        "answer": {"ok": True, "data": {"size": "my secret size"}}
    }


async def test_whole_numbers_of_any_size_stay_what_they_are(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(Request("r", "vote", "?", data={"n": 2**80}))

    assert str(2**80) in (await client.get(f"/questions/{entry.id}")).text


async def test_who_waits_is_told_as_soon_as_it_is_closed(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())
    with anyio.fail_after(10):
        waiting = asyncio.create_task(client.get(f"/questions/{entry.id}", params={"wait": 60}))
        await asyncio.sleep(0)
        await inbox.decline(entry.id)
        assert (await waiting).json()["state"] == "answered"


async def test_who_waits_for_long_enough_is_told_how_it_stands(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())

    assert (await client.get(f"/questions/{entry.id}", params={"wait": 0.01})).json()["state"] == "open"


# --- answers ----------------------------------------------------------------------------------------------------------


async def test_an_answer_is_taken_and_reaches_the_host(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())

    response = await client.post(f"/questions/{entry.id}/answer", json={"content": {"size": "M"}, "by": "ada"})

    assert (response.status_code, response.json()["state"], response.json()["closedBy"]) == (200, "answered", "ada")
    assert await inbox.answer_to(entry.id) == sizes().accept({"size": "M"})


async def test_a_question_of_another_kind_is_agreed_to_without_content(
    inbox: Inbox, client: httpx2.AsyncClient
) -> None:
    entry = await inbox.ask(Request("r", "approval", "Deploy?"))

    assert (await client.post(f"/questions/{entry.id}/answer")).json()["accepted"] is True


@pytest.mark.parametrize(("act", "reason"), [("decline", "declined"), ("cancel", "cancelled")])
async def test_a_refusal_is_taken_with_its_note(
    inbox: Inbox, client: httpx2.AsyncClient, act: str, reason: str
) -> None:
    entry = await inbox.ask(sizes())

    told = (await client.post(f"/questions/{entry.id}/{act}", json={"note": "not today", "by": "ada"})).json()

    assert (told["state"], told["reason"], told["note"], told["accepted"]) == ("answered", reason, "not today", False)


async def test_an_answer_that_does_not_fit_is_422_with_its_faults(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())

    response = await client.post(f"/questions/{entry.id}/answer", json={"content": {"size": ["my secret"]}})

    assert problem(response)[0] == 422
    assert [(one["field"], one["label"]) for one in response.json()["faults"]] == [("size", "Size")]
    assert "my secret" not in response.text
    assert (await inbox.get(entry.id)).is_open


async def test_the_faults_of_answers_to_questions_are_told_by_the_only_field_there_is(
    inbox: Inbox, client: httpx2.AsyncClient
) -> None:
    entry = await inbox.ask(
        Request("r", "question", "?", data={"questions": [{"question": "Go?", "options": ["yes"]}]})
    )

    response = await client.post(f"/questions/{entry.id}/answer", json={"content": {"answers": ["no"]}})

    assert problem(response)[0] == 422
    assert [(one["field"], one["label"]) for one in response.json()["faults"]] == [("answers", "Go?")]


async def test_the_second_answer_is_409_and_says_who_was_first(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    entry = await inbox.ask(sizes())
    await inbox.decline(entry.id, by="ada")

    response = await client.post(f"/questions/{entry.id}/answer", json={"content": {"size": "M"}, "by": "bob"})

    assert problem(response) == (409, "This was answered by ada already.")
    assert (response.json()["state"], response.json()["closedBy"]) == ("answered", "ada")


async def test_what_is_asked_no_longer_is_410(inbox: Inbox, client: httpx2.AsyncClient, clock: Clock) -> None:
    withdrawn, expired = await inbox.ask(sizes("r1")), await inbox.ask(sizes("r2"))
    await inbox.withdraw(withdrawn.id)
    assert problem(await client.post(f"/questions/{withdrawn.id}/decline")) == (410, "This is asked no longer.")

    clock.advance(8 * 24 * 3600)
    late = await client.post(f"/questions/{expired.id}/answer", json={"content": {"size": "M"}})

    assert problem(late) == (410, "The time for an answer is over.")


async def test_a_form_that_nobody_can_answer_can_be_declined(inbox: Inbox, client: httpx2.AsyncClient) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "object"}}, "required": ["x"]}
    entry = await inbox.ask(Request("r", "input", "?", data={"schema": schema}))

    assert problem(await client.post(f"/questions/{entry.id}/answer", json={"content": {"x": {}}}))[0] == 422
    assert (await client.post(f"/questions/{entry.id}/decline")).status_code == 200


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"{", "is not JSON"),
        (b"[]", "a JSON object"),
        (b'{"data": {}}', "may have 'content', 'by', 'note', and has 'data'"),
        (b'{"content": []}', "'content' is an object"),
        (b'{"content": null}', "'content' is an object"),
        (b'{"content": {}, "by": 5}', "'by' is text"),
        (b'{"content": {"size": NaN}}', "is not JSON"),
        (b'{"content": {"size": "\\ud800"}}', "is not JSON"),
        (b'{"content": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001, "is not JSON"),
        (b"\xff", "is not JSON"),
    ],
    ids=range(10),
)
async def test_a_body_that_is_none_is_400(inbox: Inbox, client: httpx2.AsyncClient, body: bytes, detail: str) -> None:
    entry = await inbox.ask(sizes())

    response = await client.post(
        f"/questions/{entry.id}/answer", content=body, headers={"Content-Type": "application/json; charset=utf-8"}
    )

    assert problem(response)[0] == 400
    assert detail in problem(response)[1]


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_a_body_of_another_media_type_is_415(inbox: Inbox, client: httpx2.AsyncClient, media_type: str) -> None:
    entry = await inbox.ask(sizes())

    response = await client.post(f"/questions/{entry.id}/answer", content=b"{}", headers={"Content-Type": media_type})

    assert problem(response)[0] == 415
    assert response.headers["accept"] == "application/json"


async def test_a_body_that_is_too_large_is_413_whether_it_says_so_or_not(
    inbox: Inbox, client: httpx2.AsyncClient
) -> None:
    entry = await inbox.ask(sizes())
    large = b'{"content": {"size": "' + b"x" * API_BODY_BYTES + b'"}}'

    async def in_chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(large), 65_536):
            yield large[start : start + 65_536]

    for content in (large, in_chunks()):
        response = await client.post(
            f"/questions/{entry.id}/answer", content=content, headers={"Content-Type": "application/json"}
        )
        assert problem(response)[0] == 413
    assert (await inbox.get(entry.id)).is_open


async def test_a_body_of_the_largest_answer_is_read_and_its_content_is_too_large(
    inbox: Inbox, client: httpx2.AsyncClient
) -> None:
    entry = await inbox.ask(sizes())

    response = await client.post(f"/questions/{entry.id}/answer", json={"content": {"size": "x" * 300_000}})

    assert problem(response)[0] == 413
    assert (
        problem(await client.post(f"/questions/{entry.id}/decline", json={"note": "n" * (NOTE_CHARACTERS + 1)}))[0]
        == 413
    )


@pytest.mark.parametrize("query", ["state=all", "limit=-1", "limit=201", "limit=x", "limit=nan", "after=x", "after="])
async def test_a_list_that_there_is_not_is_400(client: httpx2.AsyncClient, query: str) -> None:
    assert problem(await client.get(f"/questions?{query}"))[0] == 400


@pytest.mark.parametrize("wait", ["-1", "61", "inf", "nan", "x", ""])
async def test_a_wait_that_cannot_be_is_400(inbox: Inbox, client: httpx2.AsyncClient, wait: str) -> None:
    entry = await inbox.ask(sizes())

    assert problem(await client.get(f"/questions/{entry.id}?wait={wait}"))[0] == 400


@pytest.mark.parametrize("path", [NOBODY, f"{NOBODY}/answer", "%00", "%F0%9F%98%80", "a/b/c"])
async def test_what_is_not_there_is_404(client: httpx2.AsyncClient, path: str) -> None:
    assert problem(await client.get(f"/questions/{path}"))[0] == 404


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("DELETE", "", "GET"), ("GET", "/x/decline", "POST"), ("PUT", "/x/answer", "GET, POST")],
)
async def test_another_method_is_405(client: httpx2.AsyncClient, method: str, path: str, allowed: str) -> None:
    response = await client.request(method, f"/questions{path}")

    assert problem(response)[0] == 405
    assert response.headers["allow"] == allowed

"""Who may look, and what keeps others out (design, section 10; issue 9, point 3)."""

import logging
import re

import httpx2
import pytest

from elicitkit import FormElicitation, Request, StoreError
from elicitkit.render.web import inbox_app
from elicitkit.render.web.guard import HEADERS
from elicitkit.render.web.requests import BODY_BYTES, FIELDS
from elicitkit.render.web.sessions import SECONDS, Sessions
from tests.render.web.visitor import ADDRESS, TOKEN, Desk, Visitor

pytestmark = pytest.mark.anyio

NAME = FormElicitation.create("Who are you?").string("name").required().string("more").build()


def naming(id: str = "r1") -> Request:
    return Request(id, "input", NAME.message, data={"schema": NAME.schema()})


def form_of(desk: Desk) -> dict[str, list[str]]:
    """What the form of the keeper's page would send."""
    return {**desk.keeper.page.forms[0].values, "f0": ["Ada"], "step": ["send"]}


# --- the key ----------------------------------------------------------------------------------------------------------


async def test_the_token_leaves_the_address_and_becomes_a_cookie_no_script_can_read(desk: Desk) -> None:
    visitor = Visitor(desk.app)

    response = await visitor.client.get(f"/?token={TOKEN}", follow_redirects=False)

    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert TOKEN not in cookie


@pytest.mark.parametrize("path", ["/", "/closed", "/events", "/q/{id}", "/q/{id}/events", "/?token=wrong", "/?token="])
async def test_nobody_sees_anything_without_the_token(desk: Desk, path: str) -> None:
    entry = await desk.ask(naming())
    stranger = Visitor(desk.app)

    page = await stranger.open(path.format(id=entry.id))

    assert stranger.status == 401
    assert "You need its link" in page.text
    assert "Who are you?" not in page.text


async def test_a_stranger_learns_nothing_of_which_questions_there_are(desk: Desk) -> None:
    entry = await desk.ask(naming())
    stranger = Visitor(desk.app)

    there = await stranger.open(f"/q/{entry.id}")
    elsewhere = await stranger.open(f"/q/{'0' * 32}")

    assert there.html == elsewhere.html


async def test_a_stranger_who_posts_changes_nothing(desk: Desk) -> None:
    entry = await desk.ask(naming())

    response = await Visitor(desk.app).client.post(f"/q/{entry.id}", data=form_of(desk))

    assert response.status_code == 401
    assert (await desk.inbox.get(entry.id)).is_open


async def test_the_cookie_of_another_inbox_opens_nothing(desk: Desk) -> None:
    other = Visitor(inbox_app(desk.inbox, token="another token that nobody knows"))
    for name, value in desk.keeper.client.cookies.items():
        other.client.cookies.set(name, value)

    await other.open("/")

    assert other.status == 401


@pytest.mark.parametrize("token", ["", "short"])
def test_a_token_that_can_be_guessed_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="at least 16 characters"):
        Sessions(token)


def test_a_token_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="not bytes"):
        Sessions(b"0" * 32)  # type: ignore[arg-type]


def test_a_cookie_is_worth_nothing_when_it_is_old_or_changed() -> None:
    now = 0.0
    sessions = Sessions(TOKEN, clock=lambda: now)
    cookie = sessions.start()

    assert sessions.keeper(cookie)
    assert not sessions.keeper(cookie.replace(str(SECONDS), str(SECONDS + 1)))
    assert not sessions.keeper("ä.b.c")
    now = SECONDS + 1.0
    assert not sessions.keeper(cookie)


def test_a_cookie_survives_a_restart_with_the_same_token() -> None:
    assert Sessions(TOKEN).keeper(Sessions(TOKEN).start())
    assert Sessions(TOKEN).cookie != Sessions(TOKEN + "x").cookie  # Browsers mix up the ports of a machine.


# --- a link to one question -------------------------------------------------------------------------------------------


async def test_a_link_to_one_question_opens_that_one_alone(desk: Desk) -> None:
    mine, other = await desk.inbox.ask(naming("r1"), owner="ada"), await desk.inbox.ask(naming("r2"))
    token = await desk.inbox.token(mine.id)
    owner = Visitor(desk.app)

    page = await owner.open(f"/q/{mine.id}?token={token}")

    assert token not in page.html
    assert "Who are you?" in page.text
    assert not page.all("a", href="/")
    for path in ("/", "/closed", "/events", f"/q/{other.id}", f"/q/{other.id}?token={token}"):
        await owner.open(path)
        assert owner.status == 401, path


async def test_who_has_a_link_to_one_question_can_answer_it(desk: Desk) -> None:
    entry = await desk.inbox.ask(naming(), owner="ada")
    owner = Visitor(desk.app)
    await owner.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")

    await owner.press("review", f0="Ada")
    page = await owner.press("send")

    assert "Sent" in page.text
    assert (await desk.inbox.get(entry.id)).closed_by == "ada"


async def test_a_link_to_one_question_does_not_tell_why_somebody_else_said_no(desk: Desk) -> None:
    """The reason was written for who keeps the inbox."""
    entry = await desk.inbox.ask(naming())
    other = Visitor(desk.app)
    await other.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")
    await desk.inbox.decline(entry.id, by="Carol", note="Bob is to leave in May")

    page = await other.open(f"/q/{entry.id}")

    assert "said no" in page.text
    assert "Bob" not in page.text
    assert "Bob is to leave in May" in (await desk.keeper.open(f"/q/{entry.id}")).text


async def test_who_keeps_the_inbox_stays_its_keeper_by_a_link_to_one_question(desk: Desk) -> None:
    entry = await desk.inbox.ask(naming())

    page = await desk.keeper.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")

    assert page.all("a", href="/")


async def test_a_link_that_was_replaced_often_opens_nothing_any_more(desk: Desk) -> None:
    entry = await desk.inbox.ask(naming())
    owner = Visitor(desk.app)
    await owner.open(f"/q/{entry.id}?token={await desk.inbox.token(entry.id)}")
    for _ in range(8):
        await desk.inbox.token(entry.id)

    await owner.open(f"/q/{entry.id}")

    assert owner.status == 401


# --- other sites ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "a:b:c"])
async def test_a_name_that_somebody_pointed_here_is_not_served(desk: Desk, host: str) -> None:
    """DNS rebinding: the name resolves to this machine, and the cookie would be sent."""
    response = await desk.keeper.client.get("/", headers={"Host": host})

    assert response.status_code == 421
    assert "question" not in response.text.lower()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8400", "LOCALHOST", "[::1]:8400"])
async def test_this_machine_is_served_under_all_its_names(desk: Desk, host: str) -> None:
    response = await desk.keeper.client.get("/static/icon.svg", headers={"Host": host})

    assert response.status_code == 200


async def test_other_names_are_served_where_they_were_allowed(desk: Desk) -> None:
    app = inbox_app(desk.inbox, token=TOKEN, allowed_hosts=["Inbox.Example"])
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="https://inbox.example:8443")

    response = await client.get(f"/?token={TOKEN}")

    assert response.status_code == 303
    assert "Secure" in response.headers["set-cookie"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_a_form_that_another_site_sends_does_nothing(desk: Desk, headers: dict[str, str]) -> None:
    entry = await desk.ask(naming())

    response = await desk.keeper.client.post(f"/q/{entry.id}", data=form_of(desk), headers=headers)

    assert response.status_code == 403
    assert (await desk.inbox.get(entry.id)).is_open


@pytest.mark.parametrize("headers", [{"Origin": ADDRESS, "Sec-Fetch-Site": "same-origin"}, {}])
async def test_a_form_of_ours_is_taken(desk: Desk, headers: dict[str, str]) -> None:
    entry = await desk.ask(naming())

    await desk.keeper.client.post(f"/q/{entry.id}", data=form_of(desk), headers=headers)

    assert (await desk.inbox.get(entry.id)).is_accepted


@pytest.mark.parametrize("secret", [[], [""], ["0" * 64], ["ä"]])
async def test_a_form_without_its_secret_does_nothing(desk: Desk, secret: list[str]) -> None:
    entry = await desk.ask(naming())

    response = await desk.keeper.client.post(f"/q/{entry.id}", data={**form_of(desk), "csrf": secret})

    assert response.status_code == 403
    assert (await desk.inbox.get(entry.id)).is_open


async def test_the_secret_of_one_session_is_not_that_of_another(desk: Desk) -> None:
    await desk.ask(naming())
    other = Visitor(desk.app)
    await other.open(f"/?token={TOKEN}")

    response = await other.client.post(desk.keeper.page.forms[0].action, data=form_of(desk))

    assert response.status_code == 403


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
async def test_what_is_no_form_is_refused(desk: Desk, kind: str) -> None:
    entry = await desk.ask(naming())

    response = await desk.keeper.client.post(f"/q/{entry.id}", content=b"step=decline", headers={"Content-Type": kind})

    assert response.status_code == 403


async def test_opening_the_link_again_leaves_the_forms_of_other_tabs_alone(desk: Desk) -> None:
    entry = await desk.ask(naming())
    form = form_of(desk)
    await desk.keeper.open(f"/?token={TOKEN}")

    await desk.keeper.client.post(f"/q/{entry.id}", data=form)

    assert (await desk.inbox.get(entry.id)).is_accepted


async def test_nothing_is_changed_by_reading(desk: Desk) -> None:
    entry = await desk.ask(naming())

    await desk.keeper.open(f"/q/{entry.id}?step=decline&csrf={desk.keeper.page.forms[0].values['csrf'][0]}")

    assert (await desk.inbox.get(entry.id)).is_open


# --- sizes ------------------------------------------------------------------------------------------------------------


async def test_more_than_anybody_types_is_not_read(desk: Desk) -> None:
    entry = await desk.ask(naming())

    page = await desk.keeper.press("review", f0="x" * BODY_BYTES)

    assert desk.keeper.status == 413
    assert "That is too much" in page.text
    assert (await desk.inbox.get(entry.id)).is_open


async def test_more_controls_than_a_form_has_are_not_read(desk: Desk) -> None:
    await desk.ask(naming())

    await desk.keeper.press("review", f0=["x"] * (FIELDS + 1))

    assert desk.keeper.status == 413


async def test_an_answer_larger_than_the_contract_allows_is_not_sent(desk: Desk) -> None:
    entry = await desk.ask(naming())

    await desk.keeper.press("review", f0="x" * 300_000)
    await desk.keeper.press("send")

    assert desk.keeper.status == 413
    assert (await desk.inbox.get(entry.id)).is_open


# --- headers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/q/nothing", "/nowhere", "/static/inbox.css", "/?token=wrong"])
async def test_every_response_is_strict(desk: Desk, path: str) -> None:
    response = await desk.keeper.client.get(path)

    assert response.headers.items() >= {name.lower(): value for name, value in HEADERS.items()}.items()
    assert "'unsafe-inline'" not in response.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/closed", "/q/{id}", "/q/nothing", "/?token=wrong"])
async def test_no_page_is_kept_by_a_browser(desk: Desk, path: str) -> None:
    entry = await desk.ask(naming())

    response = await desk.keeper.client.get(path.format(id=entry.id))

    assert response.headers["cache-control"] == "no-store"


async def test_no_page_has_a_script_or_a_style_in_it(desk: Desk) -> None:
    await desk.ask(naming())

    html = (await desk.keeper.press("review", f0="")).html

    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html) == []


async def test_the_static_files_are_there_for_everybody_and_nothing_else_is(desk: Desk) -> None:
    stranger = Visitor(desk.app)

    for name in ("inbox.css", "inbox.js", "icon.svg"):
        assert (await stranger.client.get(f"/static/{name}")).status_code == 200
    for name in ("../app.py", "..%2Fapp.py", "app.py", ""):
        assert (await stranger.client.get(f"/static/{name}")).status_code == 404


@pytest.mark.parametrize(("error", "status"), [(StoreError("full"), 503), (RuntimeError("my secret"), 500)])
async def test_an_error_here_is_a_page_that_says_nothing_of_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, status: int
) -> None:
    await desk.ask(naming())

    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(desk.inbox, "answer", fail)
    await desk.keeper.press("review", f0="my secret")
    page = await desk.keeper.press("send")

    assert desk.keeper.status == status
    assert str(error) not in page.html
    assert "my secret" not in caplog.text


async def test_what_was_typed_is_in_no_log_and_no_address(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="elicitkit")
    await desk.ask(naming())

    await desk.keeper.press("review", f0="my secret")
    response = await desk.keeper.client.post(desk.keeper.page.forms[0].action, data=form_of(desk))

    assert "my secret" not in caplog.text
    assert all("secret" not in str(one.url) for one in [*response.history, response])

"""`elicitkit inbox` (issue 9, point 4): what is asked, who answers at the terminal or by an option, who is late."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicitkit import Cancelled, Entry, Inbox, Origin, Request, SqliteInboxStore
from elicitkit.cli import Exit, inbox_answering
from tests.cli.terminal import CTRL_C, DOWN, ENTER, UP, at_terminal
from tests.host.inbox.questions import sizes

Ended = tuple[int, str, str]
Run = Callable[..., Ended]

SECRET = "swordfish"
HOSTILE = "Deploy?\x1b[2J\x1b]0;owned\x07\u202eevil\x00\x9b31m"


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A file with an empty inbox."""
    made = str(tmp_path / "inbox.db")
    with_inbox(made, lambda inbox: inbox.open())
    return made


def with_inbox(path: str, work: Callable[[Inbox], Any]) -> Any:
    """Do something in an inbox, as a host would, or somebody else."""

    async def doing() -> Any:
        async with Inbox(SqliteInboxStore(path, busy_timeout=30), host="agent") as inbox:
            return await work(inbox)

    return asyncio.run(doing())


def asked(path: str, request: Request | None = None, **more: Any) -> str:
    """The id of a question that is asked."""
    entry: Entry = with_inbox(path, lambda inbox: inbox.ask(request or sizes(), **more))
    return entry.id


def entry_of(path: str, id: str) -> Entry:
    found: Entry = with_inbox(path, lambda inbox: inbox.get(id))
    return found


def answer_of(path: str, id: str) -> Any:
    return with_inbox(path, lambda inbox: inbox.answer_to(id))


# --- looking ----------------------------------------------------------------------------------------------------------


def test_what_is_asked_is_listed_with_who_asks(run: Run, path: str) -> None:
    id = asked(path, Origin("shop", "order").noted_in(sizes()), owner="ada")
    asked(path, Request("r2", "approval", "Deploy?"))

    code, out, err = run("inbox", "list", path)

    head, first, second = out.splitlines()
    assert (code, err) == (Exit.FINE, "")
    assert head.split() == ["ID", "ASKED", "STATE", "KIND", "FROM", "FOR", "PROMPT"]
    assert re.search(rf"^{id[:12]}  .* open  +input +shop \(tool order\)  +ada +Which size\?$", first)
    assert re.search(r" open  +approval +agent +- +Deploy\?$", second)


def test_an_empty_inbox_says_so(run: Run, path: str) -> None:
    assert run("inbox", "list", path) == (Exit.FINE, "", "nothing is asked\n")
    assert run("inbox", "list", path, "--closed") == (Exit.FINE, "", "nothing is closed\n")


def test_a_list_as_json_is_that_of_the_api(run: Run, path: str) -> None:
    id = asked(path)

    _, out, _ = run("inbox", "list", path, "--json")

    assert json.loads(out) == {"questions": [entry_of(path, id).to_dict()], "total": 1, "next": None}


def test_a_long_list_says_how_it_goes_on(run: Run, path: str) -> None:
    ids = [asked(path, sizes(f"r{number}")) for number in range(3)]

    _, first, err = run("inbox", "list", path, "--limit", "2")
    _, rest, end = run("inbox", "list", path, "--limit", "2", "--after", err.split()[-1])

    assert err.startswith("2 of 3: --after ")
    assert [line[:12] for line in [*first.splitlines()[1:], *rest.splitlines()[1:]]] == [id[:12] for id in ids]
    assert end == ""


@pytest.mark.parametrize(("owner", "count"), [("ada", 2), ("bob", 1), ("-", 1)])
def test_a_list_may_be_that_of_somebody(run: Run, path: str, owner: str, count: int) -> None:
    asked(path, sizes("r1"), owner="ada")
    asked(path, sizes("r2"))

    _, out, _ = run("inbox", "list", path, "--owner", owner)

    assert len(out.splitlines()) == 1 + count


def test_a_question_is_shown_with_its_fields_and_its_answer_only_where_it_is_asked_for(run: Run, path: str) -> None:
    id = asked(path, Origin("shop", "order", task="t1", agents=["boss", "buyer"]).noted_in(sizes()), owner="ada")
    with_inbox(path, lambda inbox: inbox.accept(id, {"size": SECRET}, by="ada"))

    _, hidden, _ = run("inbox", "show", path, id[:8])
    _, shown, _ = run("inbox", "show", path, id, "--answer")
    _, as_json, _ = run("inbox", "show", path, id, "--json")

    assert SECRET not in hidden + as_json
    for text in (
        f"question {id}",
        "accepted by ada",
        "order",
        "t1",
        "boss > buyer",
        "| Which size?",
        "- Size [size] (string",
    ):
        assert text in hidden
    assert f'=> {{"size": "{SECRET}"}}' in shown
    assert json.loads(as_json)["closedBy"] == "ada"


FIELDS = {
    "type": "object",
    "properties": {
        "fullName": {"type": "string", "title": "Full name", "default": "Ada"},
        "speed": {
            "type": "string",
            "oneOf": [{"const": "std", "title": "Standard"}, {"const": "exp", "title": "Express"}],
            "default": "std",
        },
        "e mail": {"type": "string"},
        "eMail": {"type": "string"},
        "n": {"type": "integer"},
    },
    "required": ["fullName"],
}


def test_a_question_is_shown_with_all_that_an_answer_without_a_prompt_needs(run: Run, path: str) -> None:
    id = asked(path, Request("r", "input", "Which?", data={"schema": FIELDS}))

    _, out, _ = run("inbox", "show", path, id)

    assert '- Full name [fullName] (string, required, default "Ada")' in out
    assert '- Speed [speed] (choice, optional, default "std"): std = Standard | exp = Express' in out


def test_what_came_with_a_question_is_shown_whatever_its_kind(run: Run, path: str) -> None:
    """As at the prompt, and on the page."""
    requests = [
        Request("r1", "approval", "Delete?", data={"paths": ["/etc"]}),
        Request("r2", "authorization", "Open", "https://example.com/", {"paths": ["/etc"]}),
        Request("r3", "input", "Which?", data={"schema": FIELDS, "paths": ["/etc"]}),
        Request("r4", "seat-map", "Which?", data={"paths": ["/etc"]}),
    ]
    for request in requests:
        _, out, _ = run("inbox", "show", path, asked(path, Origin("shop").noted_in(request)))
        assert "  What came with it:\n  | paths:\n  |   - /etc\n" in out


def test_a_link_is_shown_whole_with_its_host_and_what_to_be_warned_of(run: Run, path: str) -> None:
    id = asked(path, Request("r", "authorization", "Log in", "https://xn--pypal-4ve.com/x?y=1"))

    _, out, _ = run("inbox", "show", path, id)

    assert "at the host xn--pypal-4ve.com: https://xn--pypal-4ve.com/x?y=1" in out
    assert "punycode" in out


def test_a_link_is_shown_whatever_kind_of_question_asks_for_it(run: Run, path: str) -> None:
    """As on the page. Where it is nothing that is asked, it stands among what came with the question."""
    asks_for_it = asked(path, Request("r1", "seat-map", "Which seat?", "https://example.com/map"))
    has_it = asked(path, Request("r2", "approval", "Go?", "https://example.com/map"))

    _, one, _ = run("inbox", "show", path, asks_for_it)
    _, other, _ = run("inbox", "show", path, has_it)

    assert "- a link to open, at the host example.com: https://example.com/map" in one
    assert "What came with it:\n  | url: https://example.com/map" in other


def test_the_questions_of_a_model_are_shown_each_on_its_line(run: Run, path: str) -> None:
    questions = [{"question": "Which size?", "options": ["S", "M"]}, {"question": "Why?"}]
    id = asked(path, Request("r", "question", "Two things", data={"questions": questions}))

    _, out, _ = run("inbox", "show", path, id)

    assert "- Which size? (choice, optional): S | M\n  - Why? (string, optional)" in out
    assert "What came with it" not in out


def test_text_of_strangers_plays_no_tricks(run: Run, path: str) -> None:
    """Design, section 10."""
    hostile = Origin(f"shop{HOSTILE}", f"tool{HOSTILE}").noted_in(Request("r", f"kind{HOSTILE}", HOSTILE))
    id = asked(path, hostile, owner=f"ada{HOSTILE}")

    for arguments in (["list", path], ["show", path, id], ["list", path, "--json"], ["show", path, id, "--json"]):
        _, out, _ = run("inbox", *arguments)
        assert not set(out) & set("\x1b\x07\u202e\x00\x9b")
        assert "Deploy?" in out


def test_a_name_of_which_nothing_shows_is_written_out(run: Run, path: str) -> None:
    schema = {"type": "object", "properties": {"\u200b": {"type": "string", "enum": ["\u202e", "b"]}}}
    id = asked(path, Request("r", "input", "Which?", data={"schema": schema}))

    _, out, _ = run("inbox", "show", path, id)

    assert r"- '\u200b' ['\u200b'] (choice, optional): '\u202e' | b" in out


# --- answering by an option -------------------------------------------------------------------------------------------


def test_an_answer_may_be_given_without_a_prompt(run: Run, path: str) -> None:
    id = asked(path)

    ended = run("inbox", "answer", path, id, "--accept", '{"size": "M"}', "--by", "ada")

    assert ended == (Exit.FINE, "", "accepted\n")
    assert entry_of(path, id).closed_by == "ada"
    assert answer_of(path, id).data == {"size": "M"}


@pytest.mark.parametrize(("option", "reason"), [("--decline", "declined"), ("--cancel", "cancelled")])
def test_a_refusal_may_have_a_note(run: Run, path: str, option: str, reason: str) -> None:
    id = asked(path)

    assert run("inbox", "answer", path, id, option, "--note", "not today") == (Exit.FINE, "", f"{reason}\n")

    entry = entry_of(path, id)
    assert (entry.reason, entry.note) == (reason, "not today")
    assert entry.closed_by, "the user of the machine"


def test_an_answer_that_does_not_fit_says_where_and_not_what(run: Run, path: str) -> None:
    id = asked(path)

    code, out, err = run("inbox", "answer", path, id, "--accept", json.dumps({"size": [SECRET]}))

    assert (code, out) == (Exit.USAGE, "")
    assert err.startswith("elicitkit: the answer does not fit\n  | Size: ")
    assert SECRET not in err
    assert entry_of(path, id).is_open


def test_who_is_too_late_is_told_who_was_first(run: Run, path: str) -> None:
    id = asked(path)
    with_inbox(path, lambda inbox: inbox.decline(id, by="ada"))

    ended = run("inbox", "answer", path, id, "--accept", '{"size": "M"}')

    assert ended == (Exit.TOO_LATE, "", "elicitkit: This was answered by ada already.\n")


@pytest.mark.parametrize(
    ("given", "data"),
    [
        ({"fullName": "Bo", "n": 1}, {"fullName": "Bo", "n": 1, "speed": "std"}),
        ({"full_name": "Bo", "N": 1}, {"fullName": "Bo", "n": 1, "speed": "std"}),
        ({"Full name": "Bo", "Speed": "Express"}, {"fullName": "Bo", "speed": "exp"}),
        ({"fullName": "Bo", "e mail": "x"}, {"fullName": "Bo", "e mail": "x", "speed": "std"}),
    ],
)
def test_names_may_be_written_as_they_are_read(run: Run, path: str, given: Any, data: Any) -> None:
    """The design, section 4: content knows both names."""
    id = asked(path, Request("r", "input", "Which?", data={"schema": FIELDS}))

    code, _, err = run("inbox", "answer", path, id, "--accept", json.dumps(given))

    assert (code, err.strip()) == (Exit.FINE, "accepted")
    assert answer_of(path, id).data == data


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"fulName": SECRET}, "'fulName' is no field of the form: did you mean 'fullName'?"),
        ({"fullName": "Bo", "zzzzz": SECRET}, "'zzzzz' is no field of the form: there are 'fullName'"),
        ({"fullName": "Bo", "E_mail": SECRET}, "'E_mail' is no field of the form"),  # it could be either
        ({"fullName": "Bo", "full_name": SECRET}, "'fullName' is given more than once"),
    ],
)
def test_a_name_that_nobody_knows_is_told_and_changes_nothing(run: Run, path: str, given: Any, told: str) -> None:
    id = asked(path, Request("r", "input", "Which?", data={"schema": FIELDS}))

    code, _, err = run("inbox", "answer", path, id, "--accept", json.dumps(given))

    assert code == Exit.USAGE
    assert told in err
    assert SECRET not in err
    assert entry_of(path, id).is_open


def test_what_is_no_form_is_accepted_with_whatever_is_given(run: Run, path: str) -> None:
    id = asked(path, Request("r", "approval", "Go?"))

    assert run("inbox", "answer", path, id, "--accept", '{"note": "go"}')[0] == Exit.FINE
    assert answer_of(path, id).data == {"note": "go"}


def test_the_beginning_of_an_id_will_do_in_any_letters(run: Run, path: str) -> None:
    id = asked(path)

    for start in (id[0], id[:3], id[:6].upper(), id.upper(), f" {id} "):
        assert run("inbox", "show", path, start)[1].startswith(f"question {id}")


def test_a_beginning_of_several_ids_is_told_with_them(run: Run, path: str) -> None:
    ids = [asked(path, sizes(f"r{number}")) for number in range(17)]  # more than there are digits
    start = next(id[0] for id in ids if sum(other[0] == id[0] for other in ids) > 1)

    code, _, err = run("inbox", "answer", path, start, "--decline")

    assert code == Exit.USAGE
    assert f"questions begin with {start!r}: {start}" in err
    assert all(entry_of(path, id).is_open for id in ids)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["answer", "{path}", "{id}", "--accept", "{"], "not JSON"),
        (["answer", "{path}", "{id}", "--accept", "[]"], "a JSON object"),
        (["answer", "{path}", "--decline"], "give its ID"),
        (["answer", "{path}", "{id}", "--note", "x"], "goes with --decline or --cancel"),
        (["answer", "{path}", "{id}", "--decline", "--by", "n" * 201], "may have 200"),
        (["answer", "{path}", "{id}", "--decline", "--owner", "bob"], "no such question"),
        (["answer", "{path}", "{id}"], "no terminal to ask at"),
        (["answer", "{path}"], "no terminal to ask at"),
        (["show", "{path}", "xyz"], "no such question"),
        (["show", "{path}", " "], "no such question"),
        (["show", "{path}", "\x1b[2J"], "no such question"),
        (["list", "{path}", "--limit", "0"], "from 1 to 200"),
        (["list", "{path}", "--after", "x"], "the page before"),
        (["list", "{path}.no"], "There is no file of questions at"),
        (["list", "mysql://root:hunter2@db"], "no stores of questions at mysql:"),
    ],
    ids=range(15),
)
def test_what_cannot_be_is_one_line_and_changes_nothing(
    run: Run, path: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    monkeypatch.setattr(inbox_answering, "has_terminal", lambda: False)  # Whoever runs the tests may have one.
    id = asked(path, owner="ada")

    code, out, err = run("inbox", *(one.replace("{path}", path).replace("{id}", id) for one in arguments))

    assert (code, out) == (Exit.USAGE, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert "hunter2" not in err
    assert entry_of(path, id).is_open


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request("r", "input", "?", data={"schema": {"type": "array"}}), "Its form cannot be read."),
        (Request("r", "input", "?"), "It does not say what is to be filled in."),
        (Request("r", "question", "?", data={"questions": [7]}), "Its questions cannot be read."),
    ],
    ids=["form", "no form", "questions"],
)
def test_what_nobody_can_answer_is_told_in_one_sentence(run: Run, path: str, request_: Request, words: str) -> None:
    """In the words of the page."""
    id = asked(path, request_)

    ended = run("inbox", "answer", path, id)

    told = f"question {id} can only be declined or cancelled (--decline, --cancel). {words}\n"
    assert ended == (Exit.FINE, "", told)
    assert entry_of(path, id).is_open


def test_a_store_that_is_looked_at_is_not_made(run: Run, tmp_path: Path) -> None:
    for action in (["list"], ["show"], ["answer"]):
        run("inbox", *action, str(tmp_path / "new.db"), *(["x"] if action == ["show"] else []))

    assert list(tmp_path.iterdir()) == []


# --- answering at a terminal ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_that_is_asked_is_put_one_by_one(path: str) -> None:
    first, second = (
        asked(path, Origin("shop", "order").noted_in(sizes())),
        asked(path, Request("r2", "approval", "Go?")),
    )

    with at_terminal("inbox", "answer", path, "--by", "ada", patience=60) as terminal:
        shown = terminal.is_asked("What now?")
        assert "shop (tool order)" in shown
        assert "1 more question waits" in shown
        terminal.press(ENTER)
        terminal.is_asked("Size (required)")
        terminal.press("M", ENTER)
        terminal.is_asked("Send this?")
        terminal.press(ENTER)
        terminal.is_asked("Do you agree?")
        terminal.press(UP, ENTER)
        assert terminal.ends() == Exit.FINE
        assert "that was all" in terminal.seen()

    assert answer_of(path, first).data == {"size": "M"}
    assert entry_of(path, second).is_accepted
    assert entry_of(path, second).closed_by == "ada"


@pytest.mark.slow
def test_whoever_leaves_the_prompt_leaves_the_question_open(path: str) -> None:
    id = asked(path)

    with at_terminal("inbox", "answer", path, id[:8], patience=60) as terminal:
        assert "Skip" not in terminal.is_asked("What now?")
        terminal.press(UP, ENTER)
        assert terminal.ends() == Exit.FINE
        assert "? What now? Stop (answer later)" in terminal.seen()
        assert "It stays open. No answer was sent." in terminal.seen()
        assert "left open" not in terminal.seen()

    assert entry_of(path, id).is_open


@pytest.mark.slow
def test_one_that_is_skipped_stays_open_and_one_that_is_cancelled_does_not(path: str) -> None:
    """Issue 9, point 5: several questions queued. Cancel is what it is on the page."""
    first, second, third = (asked(path, Request(f"r{number}", "approval", f"Go {number}?")) for number in range(3))

    with at_terminal("inbox", "answer", path, "--by", "ada", patience=60) as terminal:
        terminal.is_asked("Go 0?")
        terminal.press(DOWN * 2, ENTER)
        assert "1 more question waits." in terminal.is_asked("Go 1?")
        terminal.press(DOWN, ENTER)
        terminal.is_asked("Go 2?")
        terminal.press(DOWN * 2, ENTER)
        assert terminal.ends() == Exit.FINE
        assert "that was all" in terminal.seen()
        assert "2 questions stay open" in terminal.seen()

    assert [entry_of(path, id).is_open for id in (first, second, third)] == [True, False, True]
    assert (entry_of(path, second).reason, entry_of(path, second).closed_by) == ("cancelled", "ada")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "code", "words"), [(UP * 2 + ENTER, Exit.FINE, "open: to be"), (CTRL_C, Exit.INTERRUPTED, "interrupted")]
)
def test_whoever_has_had_enough_leaves_all_open(path: str, keys: str, code: Exit, words: str) -> None:
    """Ctrl-C decides nothing about questions that are kept, and a script that goes on by `&&` ends."""
    ids = [asked(path, Request(f"r{number}", "approval", f"Go {number}?")) for number in range(2)]

    with at_terminal("inbox", "answer", path, patience=60) as terminal:
        terminal.is_asked("Go 0?")
        terminal.press(keys)
        assert terminal.ends() == code
        assert "2 questions stay open" in terminal.seen()
        assert words in terminal.seen()

    assert all(entry_of(path, id).is_open for id in ids)


@pytest.mark.slow
def test_what_came_with_a_question_is_seen_before_it_is_answered(path: str) -> None:
    id = asked(path, Request("r1", "approval", "Delete?", data={"paths": ["/etc"]}))

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        assert "What came with it:\n│ paths:\n│   - /etc" in terminal.is_asked("Do you agree?")


def test_a_question_whose_time_is_over_says_so_at_the_prompt(
    run: Run, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is expired, and not left open: nobody can answer it any more."""
    id = asked(path)

    async def fill(*asked: Any, **known: Any) -> Cancelled:
        return Cancelled("expired")

    monkeypatch.setattr(inbox_answering, "fill", fill)
    monkeypatch.setattr(inbox_answering, "has_terminal", lambda: True)
    code, _, err = run("inbox", "answer", path, id)

    assert code == Exit.TOO_LATE
    assert "open" not in err


@pytest.mark.slow
def test_a_form_that_nobody_can_answer_is_put_to_be_refused(path: str) -> None:
    """As by a host's own terminal, and on the page."""
    schema = {"type": "object", "properties": {"a": {"type": "array", "title": "Aims"}}, "required": ["a"]}
    id = asked(path, Request("r", "input", "Where to?", data={"schema": schema}))

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        seen = " ".join(terminal.is_asked("What now?").split())
        terminal.press(DOWN, ENTER)
        assert terminal.ends() == Exit.FINE

    assert "This can only be declined or cancelled. It requires something that cannot be answered here." in seen
    assert "nobody can answer" not in seen
    assert (entry_of(path, id).state, entry_of(path, id).is_accepted) == ("answered", False)


@pytest.mark.slow
def test_a_question_answered_elsewhere_closes_the_prompt_and_says_by_whom(path: str) -> None:
    """Issue 9, point 5: a withdrawn question closes the prompt."""
    id = asked(path)

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        terminal.is_asked("What now?")
        with_inbox(path, lambda inbox: inbox.decline(id, by="bob"))
        assert terminal.ends() == Exit.TOO_LATE
        assert "This was answered by bob already." in terminal.seen()

    assert entry_of(path, id).closed_by == "bob"


@pytest.mark.slow
def test_a_link_that_must_not_be_opened_is_not_offered(path: str) -> None:
    id = asked(path, Request("r", "authorization", "Log in", "http://example.com/"))

    with at_terminal("inbox", "answer", path, patience=60) as terminal:
        assert terminal.ends() == Exit.FINE
        assert "must not be opened" in terminal.seen()

    assert entry_of(path, id).is_open


@pytest.mark.slow
@pytest.mark.parametrize(("keys", "ok", "reason"), [(ENTER, True, "accepted"), (DOWN + ENTER, False, "failed")])
def test_a_link_is_shown_whole_and_given_after_consent(
    keys: str, ok: bool, reason: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elicitation, "URL mode": the whole URL, its host, consent; then the person says what came of it."""
    monkeypatch.setenv("BROWSER", "true")  # which has no window, so that none is offered
    id = asked(path, Request("r", "authorization", "Log in", "https://id.example.com/in?x=1"))

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        terminal.is_asked("Do you agree to open it?")
        assert "│ https://id.example.com/in?x=1" in terminal.seen()
        assert "It belongs to id.example.com." in terminal.seen()
        terminal.press(UP, ENTER)
        terminal.is_asked("How did it go?")
        terminal.press(keys)
        assert terminal.ends() == Exit.FINE

    answer = answer_of(path, id)
    assert (answer.ok, answer.reason or "accepted") == (ok, reason)


@pytest.mark.slow
def test_the_questions_of_a_model_are_answered_at_the_terminal(path: str) -> None:
    questions = [{"question": "Which size?", "options": ["S", "M"]}, {"question": "Why?"}]
    id = asked(path, Request("r", "question", "Two things", data={"questions": questions}))

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        terminal.is_asked("What now?")
        terminal.press(ENTER)
        terminal.is_asked("1 of 2 · Which size?")
        terminal.press(UP, ENTER)
        terminal.is_asked("2 of 2 · Why?")
        terminal.press("it fits", ENTER)
        terminal.is_asked("Send this?")
        terminal.press(ENTER)
        assert terminal.ends() == Exit.FINE

    assert answer_of(path, id).data == {"answers": ["M", "it fits"]}


@pytest.mark.slow
def test_a_form_that_is_asked_again_holds_what_was_answered_and_says_what_is_wrong(path: str) -> None:
    """The design, section 1: asked again with the reason. The same as on the page."""
    first = asked(path, Origin("shop", "order", call="c1").noted_in(sizes()))
    with_inbox(path, lambda inbox: inbox.accept(first, {"size": "XXL"}))
    words = "Please correct this:\n- Size: is sold out\n\nWhich size?"
    again = replace(Origin("shop", "order", call="c1").noted_in(sizes("r2")), prompt=words)
    id = asked(path, again)

    with at_terminal("inbox", "answer", path, id, patience=60) as terminal:
        terminal.is_asked("Send this?")
        seen = terminal.seen()
        terminal.press(UP, ENTER)
        assert terminal.ends() == Exit.FINE

    assert "! Size: is sold out" in seen
    assert answer_of(path, id).data == {"size": "XXL"}

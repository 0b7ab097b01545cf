"""`elicitkit tasks` on a file of tasks (issue 7): what an operator sees, and what stays hidden."""

import asyncio
import json
import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from elicitkit import PostgresTaskStore, SqliteTaskStore
from elicitkit.cli import Exit
from elicitkit.journal import Reply
from elicitkit.tasks.record import Settlement
from elicitkit.testing.store_contract.base import question
from tests.services import postgres

Ended = tuple[int, str, str]
Run = Callable[..., Ended]

SECRET = "swordfish"
IDS = {name: letter * 32 for name, letter in (("asking", "a"), ("done", "b"), ("failed", "c"), ("gone", "d"))}


async def fill(store: SqliteTaskStore) -> None:
    """One task of each kind, all with something to hide."""
    call = {"tool": "order", "arguments": {"cart": SECRET}}
    for task_id in IDS.values():
        await store.create(call, task_id=task_id, owner="ada", ttl=600, worker="w")
        await store.park(task_id, [question(store, "first", wait=300_000), question(store, "second")])
        await store.settle(task_id, [Settlement("first", Reply("accept", {"size": SECRET}))])
        await store.keep_step(task_id, "charge", json.dumps(SECRET))
    await store.complete(IDS["done"], {"content": [{"type": "text", "text": SECRET}]})
    await store.fail(IDS["failed"], {"code": -32603, "message": "It broke."})
    await store.cancel(IDS["gone"], owner="ada")
    await store.put_down(IDS["asking"], fence=1, seen_revision=10**6)


@pytest.fixture
def path(tmp_path: Path) -> str:
    async def make() -> None:
        async with SqliteTaskStore(tmp_path / "tasks.db") as store:
            await fill(store)

    asyncio.run(make())
    return str(tmp_path / "tasks.db")


def with_store(path: str, work: Callable[[SqliteTaskStore], Any]) -> Any:
    """Do something in a store, as a server would."""

    async def doing() -> Any:
        async with SqliteTaskStore(path) as store:
            return await work(store)

    return asyncio.run(doing())


# --- list -------------------------------------------------------------------------------------------------------------


def test_tasks_are_listed_in_columns_with_what_they_ask(run: Run, path: str) -> None:
    code, out, err = run("tasks", "list", path)

    lines = out.splitlines()
    assert (code, err, len(lines)) == (Exit.FINE, "", 5)
    assert lines[0].split() == ["ID", "STATUS", "TOOL", "OWNER", "CREATED", "ENDS", "ASKS"]
    by_status = {line.split()[1]: line for line in lines[1:]}
    assert set(by_status) == {"input_required", "completed", "failed", "cancelled"}
    assert re.fullmatch(
        r"a{12}  input_required  order  ada    (just now|1 second ago) +in 17 minutes +Which size\?",
        by_status["input_required"],
    )
    assert by_status["completed"].endswith("-")
    starts = {line.index("order") for line in lines[1:]} | {lines[0].index("TOOL")}
    assert len(starts) == 1


def test_what_people_typed_and_what_calls_gave_is_hidden(run: Run, path: str) -> None:
    for arguments in (["list", path], ["list", path, "--json"], ["show", path, "b"], ["show", path, "b", "--json"]):
        _, out, err = run("tasks", *arguments)

        assert SECRET not in out + err
        assert out


def test_what_is_hidden_is_shown_where_it_is_asked_for(run: Run, path: str) -> None:
    for arguments in (["list", path], ["list", path, "--json"], ["show", path, "b"], ["show", path, "b", "--json"]):
        _, out, _ = run("tasks", *arguments, "--answers")

        assert SECRET in out


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        (["--status", "failed"], "c"),
        (["--status", "failed", "--status", "completed"], "bc"),
        (["--owner", "ada"], "abcd"),
        (["--owner", "bob"], ""),
        (["--owner", "-"], "e"),
    ],
    ids=str,
)
def test_a_list_can_be_narrowed(run: Run, path: str, filters: list[str], wanted: str) -> None:
    with_store(path, lambda store: store.create({}, task_id="e" * 32))

    code, out, err = run("tasks", "list", path, *filters)

    assert code == Exit.FINE
    assert {line[0] for line in out.splitlines()[1:]} == set(wanted)
    assert err == ("" if wanted else "no tasks\n")


def test_a_long_list_goes_on_where_it_says(run: Run, path: str) -> None:
    _, first, err = run("tasks", "list", path, "--limit", "3", "--oldest")
    cursor = err.split()[-1]

    _, second, rest = run("tasks", "list", path, "--limit", "3", "--oldest", "--cursor", cursor)

    assert err.startswith("there are more: --cursor ")
    assert [line[0] for line in [*first.splitlines()[1:], *second.splitlines()[1:]]] == ["a", "b", "c", "d"]
    assert rest == ""


def test_a_list_for_machines_has_moments_states_and_questions(run: Run, path: str) -> None:
    _, out, _ = run("tasks", "list", path, "--json", "--status", "input_required")

    told = json.loads(out)
    (task,) = told["tasks"]
    assert (told["cursor"], task["taskId"], task["tool"], task["owner"]) == (None, IDS["asking"], "order", "ada")
    assert task["createdAt"].endswith("Z")
    assert [(asked["key"], asked["state"], asked["action"]) for asked in task["open"]] == [("second", "open", None)]
    assert task["open"][0]["request"]["params"]["message"] == "Which size?"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--limit", "0"], "a page has 1 to 1,000 tasks"),
        (["--limit", "many"], "invalid int value"),
        (["--cursor", "x"], "that is no cursor"),
        (["--status", "done"], "invalid choice: 'done'"),
    ],
    ids=str,
)
def test_a_list_that_cannot_be_is_wrong_usage(run: Run, path: str, arguments: list[str], told: str) -> None:
    code, out, err = run("tasks", "list", path, *arguments)

    assert (code, out) == (Exit.USAGE, "")
    assert told in err


# --- show -------------------------------------------------------------------------------------------------------------


def test_a_task_is_shown_with_its_questions_tries_and_steps(run: Run, path: str) -> None:
    code, out, _ = run("tasks", "show", path, "aa")

    assert code == Exit.FINE
    assert out.splitlines()[0] == f"task {IDS['asking']}"
    for line in (
        r"  status      input_required",
        r"  tool        order",
        r"  owner       ada",
        r"  created     20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, .*",
        r"  run by      nobody: it waits for an answer",
        r"  arguments   hidden; --answers shows it",
        r"question first: answered .*",
        r"question second: open, asked .*, until 20.* UTC, in 17 minutes",
        r"  \| Which size\?",
        r"  - Size \(string, required\): at least 1 character",
        r"  => accept: hidden; --answers shows it",
        r"steps done",
        r"  charge",
    ):
        assert re.search(f"^{line}$", out, re.MULTILINE), f"{line}\n{out}"


def test_steps_are_shown_in_the_order_in_which_they_ran(run: Run, path: str) -> None:
    async def ship(store: SqliteTaskStore) -> None:
        for name in ("ship", "bill", "charge"):
            await store.keep_step(IDS["asking"], name, "1")

    with_store(path, ship)
    text, machine = run("tasks", "show", path, "aa")[1], run("tasks", "show", path, "aa", "--json")[1]

    assert text.endswith("steps done\n  charge\n  ship\n  bill\n")
    assert json.loads(machine)["steps"] == ["charge", "ship", "bill"]


async def answer_wrongly(store: SqliteTaskStore) -> str:
    """A task with an answer that did not fit; its id."""
    record = await store.create({})
    await store.park(record.id, [question(store, "k", tries=3)])
    again = question(store, "again", tries=3, attempt=2, message="Which size?")
    await store.settle(record.id, [Settlement("k", Reply("accept", problem="Size is needed"), again)])
    return record.id


def test_a_wrong_answer_is_shown_as_a_try_and_never_by_what_was_typed(run: Run, path: str) -> None:
    task_id = with_store(path, answer_wrongly)

    _, out, _ = run("tasks", "show", path, task_id)

    assert "question k: answered wrongly, and asked again, just now, try 1 of 3" in out
    assert "=> accept, which did not fit: Size is needed" in out
    assert re.search(r"question again: open.*, try 2 of 3", out)


def test_runs_that_were_lost_are_counted_while_the_task_goes_on(run: Run, path: str) -> None:
    """An operator sees which tool it may be that ends the server, before its task is given up."""

    async def lose(store: SqliteTaskStore) -> None:
        await store.create({"tool": "kill"}, task_id="e" * 32)
        for number in range(3):
            store.clock = lambda number=number: 1e9 + 60 * number  # type: ignore[misc]
            await store.claim("e" * 32, "dead", 30)

    with_store(path, lose)
    _, out, _ = run("tasks", "show", path, "e")
    _, machine, _ = run("tasks", "show", path, "e", "--json")

    assert "\n  lost runs   3 in a row, each with its process: the tool may be what ends it\n" in out
    assert json.loads(machine)["lostRuns"] == 3
    _, out, _ = run("tasks", "show", path, "a")
    assert "lost runs" not in out


def test_a_task_for_machines_has_all_its_questions(run: Run, path: str) -> None:
    _, hidden, _ = run("tasks", "show", path, "a", "--json")
    _, shown, _ = run("tasks", "show", path, "a", "--json", "--answers")

    task = json.loads(hidden)
    assert [(one["key"], one["state"], one["action"]) for one in task["questions"]] == [
        ("first", "answered", "accept"),
        ("second", "open", None),
    ]
    assert task["steps"] == ["charge"]
    task = json.loads(shown)
    assert task["questions"][0]["content"] == {"size": SECRET}
    assert (task["steps"], task["call"]["arguments"]) == ({"charge": SECRET}, {"cart": SECRET})


@pytest.mark.parametrize("given", ["a", "A" * 32, f" {'a' * 32} "])
def test_the_beginning_of_an_id_is_enough(run: Run, path: str, given: str) -> None:
    code, out, _ = run("tasks", "show", path, given)

    assert (code, out.splitlines()[0]) == (Exit.FINE, f"task {IDS['asking']}")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("e", "there is no task 'e' in this store"),
        ("", "there is no task '' in this store"),
        ("x'--", "is no id of a task: those are hexadecimal digits"),
        ("a" * 33, "there is no task"),
    ],
)
@pytest.mark.parametrize("action", ["show", "cancel"])
def test_an_id_that_is_none_is_told(run: Run, path: str, action: str, given: str, told: str) -> None:
    code, out, err = run("tasks", action, path, given)

    assert (code, out) == (Exit.USAGE, "")
    assert told in err


def test_the_beginning_of_several_ids_names_them(run: Run, path: str) -> None:
    with_store(path, lambda store: store.create({}, task_id="ab" * 16))

    code, _, err = run("tasks", "cancel", path, "a")

    assert code == Exit.USAGE
    assert "several tasks begin with 'a'" in err
    assert f"| {'a' * 32}" in err
    assert f"| {'ab' * 16}" in err
    assert "input_required" in run("tasks", "list", path)[1]


# --- cancel and sweep -------------------------------------------------------------------------------------------------


def test_a_task_is_cancelled_whoever_owns_it(run: Run, path: str) -> None:
    code, out, _ = run("tasks", "cancel", path, "aaaa")

    assert (code, out) == (Exit.FINE, f"{IDS['asking']} is cancelled\n")
    history = with_store(path, lambda store: store.history(IDS["asking"]))
    assert (history.record.status, history.inputs[1].state) == ("cancelled", "withdrawn")


def test_a_task_that_has_ended_is_left_as_it_is(run: Run, path: str) -> None:
    code, out, err = run("tasks", "cancel", path, "b")

    assert (code, out) == (Exit.FINE, "")
    assert err == f"{IDS['done']} has ended already: it is completed; nothing was changed\n"


def test_a_sweep_says_what_it_did(run: Run, path: str) -> None:
    async def make(store: SqliteTaskStore) -> None:
        await store.create({}, ttl=0.001)
        record = await store.create({})
        await store.park(record.id, [question(store, wait=-1), question(store, wait=-1)])

    with_store(path, make)

    assert run("tasks", "sweep", path) == (Exit.FINE, "2 questions ended unanswered, 1 task erased\n", "")
    assert run("tasks", "sweep", path)[1] == "0 questions ended unanswered, 0 tasks erased\n"


def test_a_sweep_of_a_file_that_somebody_keeps_locked_says_only_that(run: Run, path: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        code, out, err = run("tasks", "sweep", path)

    assert (code, out) == (Exit.UNREACHABLE, "")
    assert "another process keeps it locked" in err


@pytest.mark.parametrize("words", [["list"], ["show", "{}"]], ids=["list", "show"])
def test_a_database_is_looked_at_by_who_may_only_read(run: Run, words: list[str]) -> None:
    """Issue 8: no table is made and nothing is written, so a role that may read, or a standby, will do."""
    postgres.require()
    with postgres.own_schema() as schema:
        made = asyncio.run(_one_task(schema))
        settings = f"options=-c%20default_transaction_read_only%3Don&schema={schema}"
        address = f"{postgres.ADDRESS}?{settings}"
        code, out, err = run("tasks", words[0], address, *(word.format(made) for word in words[1:]))

        assert (code, err) == (Exit.FINE, "")
        assert made[:12] in out
        assert run("tasks", "cancel", address, made)[0] == Exit.UNREACHABLE


async def _one_task(schema: str) -> str:
    async with PostgresTaskStore(postgres.ADDRESS, schema=schema) as store:
        return (await store.create({"tool": "order"})).id


# --- the store --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [["list"], ["show", "a"], ["cancel", "a"], ["sweep"]], ids=str)
def test_a_file_that_is_missing_is_told_and_not_made(run: Run, tmp_path: Path, action: list[str]) -> None:
    code, out, err = run("tasks", action[0], str(tmp_path / "tasks.db"), *action[1:])

    assert (code, out) == (Exit.USAGE, "")
    assert re.fullmatch(r"elicitkit: There is no file of tasks at '.*tasks\.db'\.\n", err)
    assert os.listdir(tmp_path) == []


def test_a_file_of_something_else_is_told_and_left_alone(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (n)")
    (tmp_path / "text").write_text("Dear diary, " * 1000, encoding="utf-8")

    assert "a database of something else" in run("tasks", "list", str(other))[2]
    assert "its file is no database" in run("tasks", "sweep", str(tmp_path / "text"))[2]
    assert "mysql: addresses" in run("tasks", "list", "mysql://root:hunter2@db/x")[2]
    assert sorted(os.listdir(tmp_path)) == ["other.db", "text"]


@pytest.mark.parametrize("command", ["tasks", "inbox"])
def test_a_store_that_cannot_be_used_is_told_from_a_place_that_is_none(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "text").write_text("Dear diary, " * 1000, encoding="utf-8")

    for place in (tmp_path / "text", tmp_path / "missing.db", "mysql://db/x"):
        assert run(command, "list", str(place))[0] == Exit.USAGE
    code, _, err = run(command, "list", "postgresql://me:hunter2@127.0.0.1:1/test")
    assert code == Exit.UNREACHABLE
    assert "hunter2" not in err


def test_a_store_is_looked_at_while_somebody_else_has_it_open(run: Run, path: str) -> None:
    async def looking(store: SqliteTaskStore) -> Ended:
        heard = asyncio.Event()
        store.subscribe(lambda task_id: heard.set())
        ended: Ended = await asyncio.to_thread(run, "tasks", "cancel", path, "a")
        await asyncio.wait_for(heard.wait(), 5)
        return ended

    assert with_store(path, looking)[0] == Exit.FINE


def test_a_file_that_cannot_be_written_is_read_and_says_why_it_is_not_changed(run: Run, path: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        code, _, err = run("tasks", "cancel", path, "a")
        listed = run("tasks", "list", path)

    assert code == Exit.UNREACHABLE
    assert "another process keeps it locked. Nothing was stored" in err
    assert listed[0] == Exit.FINE
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


# --- hostile text -----------------------------------------------------------------------------------------------------


def test_text_of_others_can_play_no_tricks(run: Run, path: str) -> None:
    """Design, section 10: text from a server is hostile."""
    trick = "a\x1b[2J\x1b]0;title\x07\u202eb\nELSE"

    async def make(store: SqliteTaskStore) -> None:
        record = await store.create({"tool": trick, "arguments": {trick: trick}}, owner=trick, task_id="e" * 32)
        asked = question(store, trick)
        hostile = {**asked.request, "params": {**asked.request["params"], "message": trick}}
        await store.park(record.id, [type(asked)(trick, trick, "", hostile, asked.until)])
        await store.keep_step(record.id, trick, json.dumps(trick))
        await store.progress(record.id, trick)

    with_store(path, make)

    for arguments in (["list"], ["list", "--answers"], ["list", "--json"], ["show"], ["show", "--answers", "--json"]):
        given = [arguments[0], path, *(["e"] if arguments[0] == "show" else []), *arguments[1:]]
        code, out, _ = run("tasks", *given)

        assert code == Exit.FINE
        assert not set(out) & {"\x1b", "\x07", "\u202e"}
        if "--json" not in arguments:
            assert not any(line.startswith("ELSE") for line in out.splitlines())


def test_columns_stay_aligned_with_wide_letters(run: Run, path: str) -> None:
    with_store(path, lambda store: store.create({"tool": "注文する"}, task_id="e" * 32))

    lines = run("tasks", "list", path)[1].splitlines()

    (wide,) = [line for line in lines if "注文" in line]
    (plain,) = [line for line in lines if line.startswith("aaaa")]
    assert wide.index("-") + 4 == plain.index("ada")

"""Each example runs by the one command that it names, and does what it says (README; docs)."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLAIN = {
    **os.environ,
    "TERM": "dumb",
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
}


def run(*command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], input=typed, capture_output=True, text=True, timeout=90, cwd=ROOT, env=PLAIN
    )


def called(tmp_path: Path, example: str, tool: str, arguments: dict[str, object], *answers: dict[str, object]) -> str:
    """What `elicitkit call` shows of a tool of an example, when a person gives these answers."""
    script = tmp_path / "answers.jsonl"
    script.write_text("\n".join(map(json.dumps, answers)))
    server = f"{sys.executable} examples/{example}.py"
    done = run("-m", "elicitkit", "call", server, tool, json.dumps(arguments), "--answers", str(script))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_page_of_examples_has_the_command_of_each() -> None:
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")

    assert [file.name for file in (ROOT / "examples").glob("*.py") if f" examples/{file.name}" not in page] == []


def test_nothing_is_deleted_by_the_wrong_name(tmp_path: Path) -> None:
    accept = {"action": "accept", "content": {"name": "release"}}
    wrong = {"action": "accept", "content": {"name": "main"}}

    assert called(tmp_path, "approval", "delete_branch", {"name": "release"}, wrong, accept) == "release is deleted."


def test_nothing_is_deleted_after_a_no(tmp_path: Path) -> None:
    shown = called(tmp_path, "approval", "delete_branch", {"name": "release"}, {"action": "decline"})

    assert shown == "release was not deleted: declined."


def test_a_call_is_finished_after_two_days_in_which_nothing_ran() -> None:
    done = run("examples/two_days.py")

    assert (done.returncode, done.stdout) == (0, "Ada is hired.\n"), done.stderr
    sent = [line for line in done.stderr.splitlines() if "the server sends" in line]
    assert len(sent) == 2
    assert "day 03, 09:00  Has Ada signed?" in done.stderr


def test_a_chat_asks_field_by_field_and_again_what_does_not_fit() -> None:
    done = run("examples/chat.py", typed="Ada\nnonsense\nada@example.com\n7\n2\n")

    assert done.stdout.splitlines()[-1] == "On its way to Ada."
    assert "such as ada@example.com" in done.stdout
    assert done.stdout.count("That does not fit") == 2


def test_who_stops_in_a_chat_has_said_no() -> None:
    done = run("examples/chat.py", typed="Ada\nstop\n")

    assert done.stdout.splitlines()[-1] == "Nothing was ordered: declined."


def test_a_host_asks_for_several_servers_and_goes_on_without_the_one_that_is_gone() -> None:
    done = run("examples/several_servers.py", typed="")  # nobody is there, and so nothing is accepted

    assert "old: failed (a-program-that-is-gone cannot be started" in done.stdout
    assert {"shop: connected", "repository: connected"} <= set(done.stdout.splitlines())
    assert "-- shop: input, cancelled" in done.stderr
    assert "release was not deleted: cancelled." in done.stdout


def test_a_person_signs_in_elsewhere_and_the_call_goes_on(tmp_path: Path) -> None:
    asked = run("-c", CONNECTS, typed="")

    assert asked.stdout.strip().splitlines() == ["the page knows no other link", "elicitkit, notes, website"], (
        asked.stderr
    )


CONNECTS = """
import asyncio, os, re, sys, urllib.error, urllib.request
from elicitkit import McpSource

server = {"command": sys.executable, "args": ["examples/connect.py"], "env": {"PYTHONPATH": os.pathsep.join(sys.path)}}

def open_link(request):
    stranger = re.sub("state=.*", "state=another", request.url)
    try:
        urllib.request.urlopen(urllib.request.Request(stranger, data=b"", method="POST"), timeout=10)
    except urllib.error.HTTPError as refused:
        if refused.code == 400:
            print("the page knows no other link")
    urllib.request.urlopen(urllib.request.Request(request.url, data=b"", method="POST"), timeout=10)
    return request.accept()

async def main():
    async with McpSource.load({"mcpServers": {"account": server}}, wait_for=open_link) as source:
        result = await source.call("account_repositories", {})
    print(result.content[0].text)

asyncio.run(main())
"""

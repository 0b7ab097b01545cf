"""What type checkers see (design, section 4: what does not fit a kind is not on its facade; section 5: narrowing)."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIGHT = ROOT / "tests" / "typing" / "right.py"
PREAMBLE = """\
from dataclasses import dataclass
from elicitkit import Content, Form, FormElicitation, FormSource, Outcome
@dataclass
class Query:
    top: int = 50
form = FormElicitation.create("m")
def send(source: FormSource[int]) -> None: ...
def use(outcome: Outcome[Content]) -> None:
"""
NO_ATTRIBUTE = ("attr-defined", "reportAttributeAccessIssue")
ARGUMENT = ("arg-type", "reportArgumentType")

WRONG: dict[str, tuple[str, str]] = {
    'form.integer("n").min_length(1)': NO_ATTRIBUTE,
    'form.integer("n").option("a")': NO_ATTRIBUTE,
    'form.number("n").max_items(1)': NO_ATTRIBUTE,
    'form.string("s").min(1)': NO_ATTRIBUTE,
    'form.email("s").between(1, 2)': NO_ATTRIBUTE,
    'form.string("s").options(["a"])': NO_ATTRIBUTE,
    'form.boolean("b").min(1)': NO_ATTRIBUTE,
    'form.boolean("b").allow_sensitive()': NO_ATTRIBUTE,
    'form.choice("c").min_items(1)': NO_ATTRIBUTE,
    'form.choice("c").allow_sensitive()': NO_ATTRIBUTE,
    'form.multi_choice("c").max_length(1)': NO_ATTRIBUTE,
    "form.required()": NO_ATTRIBUTE,
    'form.string("s").exclude("s").min_length(1)': NO_ATTRIBUTE,
    'form.build().string("s")': NO_ATTRIBUTE,
    'form.integer("n").default("five")': ARGUMENT,
    'form.boolean("b").default("yes")': ARGUMENT,
    'form.choice("c").default(5)': ARGUMENT,
    'form.choice("c").options([1, 2])': ("list-item", "reportArgumentType"),
    'FormElicitation.create("m", naming="snake")': ARGUMENT,
    "FormElicitation.create(None)": ARGUMENT,
    "form.string(5)": ARGUMENT,
    "send(form)": ARGUMENT,
    'outcome.content["name"]': ("index", "reportOptionalSubscript"),
    "outcome.reason": ("union-attr", "reportAttributeAccessIssue"),
    'FormElicitation.from_type(Query, "?").integer(lambda query: query.topp)': NO_ATTRIBUTE,
    'FormElicitation.from_type(Query, "?").build().accept({}).content.topp': NO_ATTRIBUTE,
    'form.build().message = "x"': ("misc", "reportAttributeAccessIssue"),
}
FIRST_LINE = PREAMBLE.count("\n") + 1

pytestmark = pytest.mark.slow


def run(*command: str) -> str:
    """What a type checker prints; its cache is its own, since another may be running."""
    places = {"MYPYPATH": str(ROOT / "src"), "MYPY_CACHE_DIR": str(ROOT / ".mypy_cache" / "typing")}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | places, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(*files: Path) -> Iterator[tuple[str, int, str]]:
    """The file, line and code of each error that mypy finds."""
    for line in run(sys.executable, "-m", "mypy", "--strict", "--no-pretty", *map(str, files)).splitlines():
        if found := re.match(r"(.+\.py):(\d+): error: .*\[([\w-]+)\]$", line):
            yield Path(found[1]).name, int(found[2]), found[3]


def pyright(*files: Path) -> Iterator[tuple[str, int, str]]:
    """The file, line and rule of each error that pyright finds."""
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    for error in json.loads(run(*command, *map(str, files)))["generalDiagnostics"]:
        yield Path(error["file"]).name, error["range"]["start"]["line"] + 1, error.get("rule", "")


@pytest.fixture(scope="module", params=[mypy, pyright])
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, set[tuple[str, int, str]]]:
    """Which of the two codes is this checker's, and what it finds in the right code and in the wrong code."""
    wrong = tmp_path_factory.mktemp("typing") / "wrong.py"
    wrong.write_text(PREAMBLE + "".join(f"    {line}\n" for line in WRONG))
    return [mypy, pyright].index(request.param), set(request.param(RIGHT, wrong))


def test_right_code_has_no_errors(checked: tuple[int, set[tuple[str, int, str]]]) -> None:
    _, errors = checked

    assert {error for error in errors if error[0] == RIGHT.name} == set()


@pytest.mark.parametrize("line", WRONG)
def test_wrong_code_is_seen_before_it_runs(line: str, checked: tuple[int, set[tuple[str, int, str]]]) -> None:
    which, errors = checked
    number = FIRST_LINE + [*WRONG].index(line)

    assert ("wrong.py", number, WRONG[line][which]) in errors


def test_nothing_else_is_wrong_there(checked: tuple[int, set[tuple[str, int, str]]]) -> None:
    _, errors = checked

    found = {line for file, line, rule in errors if file == "wrong.py" and rule != "reportUnusedExpression"}
    assert found == {FIRST_LINE + place for place in range(len(WRONG))}

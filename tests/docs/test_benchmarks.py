"""`make bench` makes one table of whatever its scripts note, and the page has it as it was made."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
HEAD = "| what | beside | median | p95 | theirs | ratio | aim, at most |  |"


def run(script: str, *arguments: str | Path, **settings: str) -> str:
    command = [sys.executable, str(BENCHMARKS / script), *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "BENCH_ROWS"} | settings
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    return done.stdout


def noted(file: Path, *lines: dict[str, Any]) -> Path:
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def row(**given: Any) -> dict[str, Any]:
    return {"Row": {"what": "a thing", "unit": "ms", "ours": 2.0, "p95": 5.0, **given}}


def cells(table: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| a thing")]


def test_what_a_script_measures_is_in_one_table_with_the_machine(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"

    run("forms.py", "--quick", BENCH_ROWS=str(rows))
    made = run("_table.py", rows).splitlines()

    assert " processors, " in made[0]
    assert "pydantic " in made[0]
    assert HEAD in made
    (checked,) = [line for line in made if line.startswith("| checking an answer of 10 fields | pydantic |")]
    assert checked.endswith(("| 0.5 | met |", "| 0.5 | **missed** |"))
    assert any(" | fields | 64 times | " in line for line in made)


def test_a_script_that_is_run_alone_notes_nothing(tmp_path: Path) -> None:
    code = "from _measure import Row, note; note(Row(what='a thing', unit='ms', ours=1)); print('noted nowhere')"

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=BENCHMARKS, env={"PATH": ""}, capture_output=True, text=True, timeout=30
    )

    assert done.stdout == "noted nowhere\n", done.stderr


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"theirs": 10.0, "aim": 0.25}, ["0.200", "0.25", "met |"]),
        ({"theirs": 4.0, "aim": 0.25}, ["0.500", "0.25", "**missed** |"]),
        ({"theirs": 4.0}, ["0.500"]),
        ({"aim": 3, "judged": "median"}, ["", "3 ms", "met |"]),
        ({"aim": 3, "judged": "p95"}, ["", "3 ms at p95", "**missed** |"]),
    ],
)
def test_a_row_says_whether_its_aim_is_met(tmp_path: Path, given: dict[str, Any], told: list[str]) -> None:
    made = run("_table.py", noted(tmp_path / "rows.jsonl", row(**given)))

    (found,) = cells(made)
    assert [one.strip(" |") for one in found[5 : 5 + len(told)]] == [one.strip(" |") for one in told]


def test_the_table_is_put_where_a_page_has_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- made by `make bench` -->\nold\n<!-- until here -->\nbehind\n", encoding="utf-8")

    made = run("_table.py", noted(tmp_path / "rows.jsonl", row()), "--into", page)

    assert page.read_text(encoding="utf-8") == (
        f"before\n<!-- made by `make bench` -->\n\n{made}\n<!-- until here -->\nbehind\n"
    )


def test_the_page_of_the_benchmarks_has_the_table_as_it_was_made() -> None:
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")

    made = text.partition("<!-- made by `make bench` -->\n")[2].partition("<!-- until here -->\n")[0]
    assert HEAD in made
    assert "| what | by size | of | the size grows | it grows |" in made

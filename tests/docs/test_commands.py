"""Every command that README and documentation show is there, with its options; so are the names and files in them."""

import argparse
import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest

from elicitkit.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(set((ROOT / "docs").glob("*.md")) - {ROOT / "docs" / "design.md"}),  # It shows what was to be built.
    *sorted((ROOT / "examples").glob("*.py")),
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
PROGRAMS = ("elicitkit", "make", "python", "pip", ".venv/bin/elicitkit")


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command: in a line of its own, behind `$`, `&&` or `|`, or as code in a sentence."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?: {4}|\$ )?([a-z./]\S* .*)$", text, re.MULTILINE)
    for line in [*lines, *re.findall(r"`([^`\n]+)`", text)]:
        for one in re.split(r" && | \| |\$ ", line):
            if one.startswith(tuple(f"{program} " for program in PROGRAMS)) and "…" not in one:
                yield shlex.split(one, comments=True)


def shown(program: str) -> list[tuple[str, list[str]]]:
    return [(page.name, words) for page in PAGES for words in commands(page) if words[0].rpartition("/")[2] == program]


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command and of those below it."""
    found = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= set(action.choices).union(*map(options_of, action.choices.values()))
    return found


@pytest.mark.parametrize(("page", "words"), shown("elicitkit"))
def test_a_command_of_ours_is_there_with_its_options(page: str, words: list[str]) -> None:
    assert words[1] in COMMANDS, f"{page}: {words}"
    parser = argparse.ArgumentParser()
    COMMANDS[words[1]].add_arguments(parser)
    known = options_of(parser)

    assert {word for word in words[2:] if word.startswith("--")} <= known
    if any(isinstance(action, argparse._SubParsersAction) for action in parser._actions):
        assert len(words) < 3 or words[2] in known


@pytest.mark.parametrize(("page", "words"), shown("make"))
def test_a_target_of_make_is_there(page: str, words: list[str]) -> None:
    assert re.search(rf"^{words[1]}:", MAKEFILE, re.MULTILINE), f"{page}: {words}"


@pytest.mark.parametrize(("page", "words"), shown("python"))
def test_what_python_runs_is_there(page: str, words: list[str]) -> None:
    if words[1] == "-m":
        assert words[2] == "venv" or find_spec(words[2]), f"{page}: {words}"
    elif "/" in words[1]:
        assert (ROOT / words[1]).is_file(), f"{page}: {words}"
    else:
        pytest.fail(f"{page} runs {words[1]}, which is no file of ours")


@pytest.mark.parametrize(("page", "words"), shown("pip"))
def test_what_pip_installs_are_extras_that_are_there(page: str, words: list[str]) -> None:
    extras = re.fullmatch(r"elicitkit(?:\[([a-z,]+)\])?", words[2])

    assert extras, f"{page}: {words}"
    assert not extras[1] or set(extras[1].split(",")) <= set(EXTRAS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_name_that_is_written_in_full_is_there(page: Path) -> None:
    names = re.findall(r"`(elicitkit(?:\.[A-Za-z_]\w*)+)", page.read_text(encoding="utf-8"))

    for name in names:
        resolve_name(name)


@pytest.mark.parametrize("page", [page for page in PAGES if page.suffix == ".md"], ids=lambda page: page.name)
def test_a_file_that_is_linked_is_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))

    assert not [link for link in links if not (page.parent / link).exists()]


def test_commands_were_found() -> None:
    assert min(len(shown(program)) for program in ("elicitkit", "make", "python", "pip")) > 2

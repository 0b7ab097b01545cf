"""Every Python snippet of the documentation runs, in the order of its page; what a snippet asserts holds."""

import re
from pathlib import Path

import pytest

import elicitkit

DOCS = Path(__file__).parent.parent.parent / "docs"
WITHOUT_SNIPPETS = {DOCS / name for name in ("design.md", "benchmarks.md", "words.md")}  # The first is a plan.
IMPORTED = re.compile(r"^\s*from (elicitkit\.[\w.]+) import ([^(#\n]+)", re.MULTILINE)
PAGES = sorted(set(DOCS.glob("*.md")) - WITHOUT_SNIPPETS)


def snippets(page: Path) -> str:
    """The code of a page with the line numbers of the page, so that a traceback leads there."""
    text = page.read_text(encoding="utf-8")
    lines = [""] * (text.count("\n") + 1)
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        first = text.count("\n", 0, found.start(1))
        code = found[1].splitlines()
        lines[first : first + len(code)] = code
    return "\n".join(lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_snippets_of_a_page_run(page: Path) -> None:
    code = compile(snippets(page), str(page), "exec")

    exec(code, {"__name__": f"docs_{page.stem}"})


def test_there_are_pages_with_snippets() -> None:
    assert PAGES
    assert all("assert" in snippets(page) for page in PAGES)


def test_the_reference_has_every_public_name() -> None:
    shown = set(re.findall(r"auto\w+:: elicitkit\.(\w+)$", reference(), re.MULTILINE))
    errors = {name for name in elicitkit.__all__ if issubclass_of_root(name)}

    assert set(elicitkit.__all__) - errors - {"Fault"} == shown & set(elicitkit.__all__)
    assert ":: elicitkit.errors\n   :members:" in reference()


def test_what_the_documentation_imports_is_in_the_reference() -> None:
    """Its first page: what is not there is not public."""
    read = [*DOCS.glob("*.md"), DOCS.parent / "README.md", *(DOCS.parent / "examples").glob("*.py")]
    imports = [found for page in read for found in IMPORTED.findall(page.read_text(encoding="utf-8"))]
    names = {f"{module}.{name.strip()}" for module, listed in imports for name in listed.split(",")}
    shown, wholes = reference(), re.findall(r"automodule:: (\S+)", reference())

    assert len(names) > 10
    assert not [name for name in names if f":: {name}\n" not in shown and name.rpartition(".")[0] not in wholes]


def test_every_name_of_a_package_for_who_extends_it_is_there_and_in_the_reference() -> None:
    from elicitkit import tasks

    assert all(getattr(tasks, name) is not None for name in tasks.__all__)
    assert [name for name in tasks.__all__ if f":: elicitkit.tasks.{name}\n" not in reference()] == []


def reference() -> str:
    return "".join(page.read_text(encoding="utf-8") for page in sorted((DOCS / "reference").glob("*.md")))


def issubclass_of_root(name: str) -> bool:
    found = getattr(elicitkit, name)
    return isinstance(found, type) and issubclass(found, elicitkit.ElicitkitError)

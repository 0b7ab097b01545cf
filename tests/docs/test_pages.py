"""Every Python snippet of the documentation runs, in the order of its page; what a snippet asserts holds."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted(set(DOCS.glob("*.md")) - {DOCS / "design.md"})  # The design shows what is still to be built.


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

"""How the documentation is built: `make docs`."""

from importlib.metadata import version as installed
from typing import Any

project = "elicitkit"
author = "the elicitkit authors"
version = release = installed("elicitkit")
html_title = f"elicitkit {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["design.md"]  # it is for those who change the code, and leads to files beside it
suppress_warnings = ["misc.highlighting_failure"]  # an overview may show what is no JSON, such as `{ id, kind, url? }`
default_role = "code"  # the docstrings' backticks are those of Markdown

myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def setup(app: Any) -> None:
    """Read docstrings as they are written: with indented code, and attributes in a sentence that may hold a colon."""
    written: dict[str, list[str]] = {}

    def prepare(_: Any, what: str, name: str, __: object, ___: object, lines: list[str]) -> None:
        lines[:] = with_literal_blocks(lines)
        if what in ("attribute", "property", "data"):
            written[name] = [*lines]

    def restore(_: Any, __: str, name: str, ___: object, ____: object, lines: list[str]) -> None:
        lines[:] = written.pop(name, lines)  # napoleon took what stands before a colon for a type

    app.connect("autodoc-process-docstring", prepare, priority=400)  # napoleon has 500
    app.connect("autodoc-process-docstring", restore, priority=600)


def with_literal_blocks(lines: list[str]) -> list[str]:
    """Mark what is indented behind a paragraph as code, as Markdown does."""
    marked = [*lines]
    for at in range(len(lines) - 1, 1, -1):
        before, blank, line = lines[at - 2 : at + 1]
        if line.startswith("    ") and not blank.strip() and before.strip() and not before.startswith(" "):
            marked[at:at] = ["::", ""]
    return marked

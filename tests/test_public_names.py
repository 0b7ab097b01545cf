"""The public names (design, section 3): one table, lazily loaded, the same for people and for type checkers."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import elicitkit

SOURCE = Path(elicitkit.__file__)
HEAVY = (
    "mcp",
    "mcp_types",
    "starlette",
    "fastmcp",
    "uvicorn",
    "rich",
    "questionary",
    "sqlite3",
    "psycopg",
    "docket",
    "redis",
)


def imported_for_type_checkers() -> set[str]:
    """The names under `if TYPE_CHECKING:` that come from the package itself."""
    (guarded,) = [node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If)]
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom) and node.level]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_all_is_what_type_checkers_see() -> None:
    assert set(elicitkit.__all__) == imported_for_type_checkers()
    assert len(elicitkit.__all__) == len(set(elicitkit.__all__))


@pytest.mark.parametrize("name", elicitkit.__all__)
def test_every_public_name_is_there_and_lives_where_type_checkers_think(name: str) -> None:
    (home,) = [
        node.module
        for node in ast.walk(ast.parse(SOURCE.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.level
        and name in {alias.asname or alias.name for alias in node.names}
    ]

    assert getattr(elicitkit, name) is getattr(importlib.import_module(f"elicitkit.{home}"), name)


def test_every_public_name_is_listed() -> None:
    assert set(elicitkit.__all__) <= set(dir(elicitkit))
    assert len(dir(elicitkit)) == len(set(dir(elicitkit)))


@pytest.mark.parametrize("name", ["Formm", "_missing", "import_modul"])
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'elicitkit' has no attribute '{name}'"):
        getattr(elicitkit, name)


def loaded_after(statement: str) -> set[str]:
    """The top-level packages that are loaded in a new process after a statement."""
    code = f"{statement}\nimport sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    ["import elicitkit", "from elicitkit import FormElicitation, Form, Accepted; FormElicitation.create('m').build()"],
    ids=["imported", "used"],
)
def test_neither_importing_nor_building_a_form_loads_a_server_or_a_framework(statement: str) -> None:
    assert loaded_after(statement).isdisjoint(HEAVY)


def test_all_names_can_be_imported_at_once() -> None:
    assert "elicitkit" in loaded_after("from elicitkit import *; assert FormElicitation")

"""The examples in docstrings do what they say (house style, Prose)."""

import doctest
import importlib
from pathlib import Path

import pytest

import elicitkit

PACKAGE = Path(elicitkit.__file__).parent


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(("elicitkit", *(part for part in parts if part != "__init__")))


WITH_EXAMPLES = [module_name(path) for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text()]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)

    assert result.attempted
    assert result.failed == 0

"""The contract of stores as a part of the package: it is there for others, and asks nothing of who does not use it."""

import subprocess
import sys

import pytest

from elicitkit import testing
from elicitkit.testing.store_contract import TaskStoreContract


def test_the_rest_of_the_testing_package_does_without_pytest() -> None:
    code = "import sys; sys.modules['pytest'] = None; from elicitkit.testing import ScriptedAnswers"

    subprocess.run([sys.executable, "-c", code], check=True, timeout=30)


def test_the_contract_is_a_name_of_the_testing_package() -> None:
    assert testing.TaskStoreContract is TaskStoreContract
    assert "TaskStoreContract" in testing.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'TaskStoreContrac'"):
        testing.TaskStoreContrac  # noqa: B018


def test_every_test_of_the_contract_has_a_name_of_its_own() -> None:
    """The parts are inherited together: a name that came twice would hide a test."""
    parts = [part for part in TaskStoreContract.__mro__ if part.__module__.startswith("elicitkit.testing")]
    names = [name for part in parts for name in vars(part) if name.startswith("test_")]

    assert len(names) == len(set(names)) >= 90

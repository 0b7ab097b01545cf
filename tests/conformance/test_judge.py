"""What counts as a fault: more than in the suite's own eyes, which lets all but a FAILURE pass."""

from typing import Any

import pytest

from tests.conformance import judge

PASSED = {"id": "asked", "status": "SUCCESS"}
OF_EVERY_MESSAGE = {"id": "wire-schema-valid", "status": "SUCCESS"}


@pytest.mark.parametrize("status", ["FAILURE", "WARNING", "SKIPPED", "a status that is new"])
def test_whatever_is_no_success_is_a_fault(status: str) -> None:
    faults = judge.faults_in([PASSED, {"id": "asked-again", "status": status, "errorMessage": "it was not"}])

    assert faults == [f"{status} asked-again: it was not"]


@pytest.mark.parametrize("checks", [[], [OF_EVERY_MESSAGE], [{"id": "asked", "status": "INFO"}]])
def test_a_scenario_that_checked_nothing_of_its_own_is_a_fault(checks: list[dict[str, Any]]) -> None:
    assert judge.faults_in(checks) == ["nothing that the scenario is about was checked"]


def test_a_scenario_without_fault_has_none() -> None:
    assert judge.faults_in([{"id": "request", "status": "INFO"}, PASSED, OF_EVERY_MESSAGE]) == []

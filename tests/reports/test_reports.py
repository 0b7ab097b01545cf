"""Every report has its test."""

import json
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
REPORTS = [json.loads(line) for line in (FOLDER / "reports.jsonl").read_text(encoding="utf-8").splitlines()]
TESTED = {
    found[1].upper()
    for file in FOLDER.glob("test_*.py")
    for found in re.finditer(r"^(?:async )?def test_(r\d{3})_\w+", file.read_text(encoding="utf-8"), re.MULTILINE)
}
EXPLAINED = re.findall(
    r"^\| (R\d{3}) \| \S.{20,} \|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_there_are_as_many_reports_as_were_made() -> None:
    assert len({report["id"] for report in REPORTS}) == len(REPORTS) == 85


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report["id"])
def test_a_report_has_a_test_or_a_sentence_that_says_why_not(report: dict[str, str]) -> None:
    assert report["id"] in TESTED | {*EXPLAINED}, report["symptom"]


def test_what_is_tested_and_explained_are_reports() -> None:
    assert TESTED | {*EXPLAINED} <= {report["id"] for report in REPORTS}
    assert len(EXPLAINED) == len({*EXPLAINED})

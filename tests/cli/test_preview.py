"""`elicitkit preview`: a form by its name, drawn, answered, and what the tool gets (issue 9, point 6)."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from elicitkit.cli import Exit, main
from tests.cli.terminal import ENTER, at_terminal

Ended = tuple[int, str, str]
Preview = Callable[..., Ended]

FORMS = '''
from dataclasses import dataclass
from datetime import date
from enum import Enum

from pydantic import BaseModel

from elicitkit import FormElicitation


class Speed(Enum):
    STANDARD = 1
    EXPRESS = 2


@dataclass
class Trip:
    """Plan your trip."""

    name: str
    day: date
    speed: Speed = Speed.STANDARD


class Guest(BaseModel):
    name: str


def below(content):
    if content["seats"] > 4:
        raise ValueError("there are four seats")


order = FormElicitation.create("What?").choice("dish").options({"s": "Soup", "r": "Rice"}).required()
days = FormElicitation.create("When?").multi_choice("days").options({"m": "Mon", "t": "Tue"})
table = FormElicitation.create("How many?").integer("seats").required().validate(below)
broken = FormElicitation.create("Hm").choice("x")
many = FormElicitation.create("All?").multi_choice("x").options(map(str, range(13)))
five = 5


class Shop:
    order = order
'''


@pytest.fixture(autouse=True)
def in_a_folder_with_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "my_forms.py").write_text(FORMS, encoding="utf-8")
    (tmp_path / "fails.py").write_text("import no_such_thing", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("my_forms", "fails"):
        sys.modules.pop(name, None)


@pytest.fixture
def preview(run: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch) -> Preview:
    """Preview a form, and answer it with these lines."""

    def show(*arguments: str, lines: str = "") -> Ended:
        from elicitkit.render.terminal import pipe

        reading = Path("lines.txt")
        reading.write_text(lines, encoding="utf-8")
        monkeypatch.setattr(pipe, "_reading", None)
        with reading.open(encoding="utf-8") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            return run("preview", *arguments)

    return show


# --- what the tool gets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "lines", "printed"),
    [
        ("my_forms:order", "rice\n", "{'dish': 'r'}"),
        ("my_forms.py:order", "1\n", "{'dish': 's'}"),
        ("my_forms:Shop.order", "1\n", "{'dish': 's'}"),
        ("my_forms:Guest", "1\nAda\n1\n", "Guest(name='Ada')"),
        (
            "my_forms:Trip",
            "1\nAda\n2026-12-01\nexpress\n1\n",
            "Trip(name='Ada', day=datetime.date(2026, 12, 1), speed=<Speed.EXPRESS: 2>)",
        ),
        ("my_forms:order", "decline\n", "Declined(reason='declined')"),
        ("my_forms:order", "cancel\n", "Cancelled(reason='cancelled')"),
    ],
)
def test_what_the_tool_would_get_is_printed_typed(form: str, lines: str, printed: str, preview: Preview) -> None:
    code, out, _ = preview(form, lines=lines)

    assert (code, out) == (Exit.FINE, f"{printed}\n")


@pytest.mark.parametrize("lines", ["", "1\n", "1\nAda\n", "1\nAda\n2026-12-01\nexpress\n"])
def test_lines_that_run_out_are_no_cancelling_and_the_exit_says_so(lines: str, preview: Preview) -> None:
    """A script must not take a form that nobody answered for one that somebody did (exit codes: cancelling is fine)."""
    code, out, err = preview("my_forms:Trip", lines=lines)

    assert (code, out) == (Exit.SCRIPT, "")
    assert err.endswith("elicitkit: standard input ended before the form was answered\n")


def test_a_type_is_asked_with_what_its_author_wrote_about_it(preview: Preview) -> None:
    assert "│ Plan your trip.\n" in preview("my_forms:Trip")[2]
    assert "│ Guest, please\n" in preview("my_forms:Guest")[2]


def test_the_person_sees_who_asks_and_what_goes_over_the_wire(preview: Preview) -> None:
    err = preview("my_forms:Trip", lines="1\nAda\n2026-12-01\n\n1\n")[2]

    assert "Question from preview (my_forms:Trip)" in err
    assert err.endswith('on the wire: {"name":"Ada","day":"2026-12-01","speed":"STANDARD"}\n')


def test_what_the_author_refuses_is_asked_again_as_it_was_filled_in(preview: Preview) -> None:
    _, out, err = preview("my_forms:table", lines="1\n9\n1\n2\n4\n1\n")

    assert out == "{'seats': 4}\n"
    assert "! there are four seats" in err
    assert "now:\n│ 9\n" in err


def test_a_person_at_a_terminal_answers() -> None:
    with at_terminal("preview", "my_forms:order") as terminal:
        terminal.is_asked("Dish (required)")
        terminal.press("r", ENTER)

        assert terminal.ends() == Exit.FINE
        assert "{'dish': 'r'}" in terminal.seen()


# --- the schema, and revisions ----------------------------------------------------------------------------------------


def test_the_schema_is_the_one_that_is_sent(preview: Preview) -> None:
    code, out, err = preview("my_forms:days", "--schema")

    assert (code, err) == (Exit.FINE, "")
    items = json.loads(out)["properties"]["days"]["items"]
    assert items == {"anyOf": [{"const": "m", "title": "Mon"}, {"const": "t", "title": "Tue"}]}


def test_a_revision_shows_its_dialect_and_says_what_is_different(preview: Preview) -> None:
    _, out, err = preview("my_forms:days", "--schema", "--era", "2025-06-18")

    assert list(json.loads(out)["properties"]) == ["days_1", "days_2"]
    assert "In 2025-06-18:\n- The question is asked in the middle of the call" in err
    assert "- Days: a multiple choice is 2 questions of yes or no, and folded back into one list.\n" in err


def test_a_revision_is_drawn_as_its_host_reads_it_and_folded_back(preview: Preview) -> None:
    _, out, err = preview("my_forms:days", "--era", "2025-06-18", lines="1\nno\nyes\n1\n")

    assert out == "{'days': ['t']}\n"
    assert "2 of 2 · Days: Tue (optional)" in err


@pytest.mark.parametrize(
    ("form", "words"), [("order", "'enumNames'"), ("Trip", "the default stands in the description")]
)
def test_the_notes_are_about_this_form(form: str, words: str, preview: Preview) -> None:
    assert words in preview(f"my_forms:{form}", "--schema", "--era", "2025-06-18")[2]
    assert words not in preview(f"my_forms:{form}", "--schema", "--era", "2025-11-25")[2]


# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("my_forms:ordr", "my_forms has no form 'ordr': did you mean 'order'?"),
        ("my_forms:Shop.ordr", "my_forms has no form 'Shop.ordr': did you mean 'order'?"),
        ("my_form:order", "there is no module my_form: did you mean 'my_forms'?"),
        (
            "my_forms.order:form",
            "there is no module my_forms.order: my_forms is no package; what is in it goes behind a colon, as in "
            "my_forms:order",
        ),
        ("my_form.py:order", "there is no file my_form.py: did you mean 'my_forms.py'?"),
        ("my_forms", "say which form of my_forms it is, as in my_forms:Trip or my_forms:Guest or my_forms:order"),
        (
            "my_forms:five",
            "my_forms:five is no form but of the type int; a form has build(), or is a type with members",
        ),
        ("fails:order", "fails cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("fails.py:order", "fails.py cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
    ],
)
def test_a_name_that_leads_to_no_form_is_told_with_the_nearest(form: str, line: str, preview: Preview) -> None:
    code, out, err = preview(form)

    assert (code, out, err) == (Exit.USAGE, "", f"elicitkit: {line}\n")


def test_a_form_that_does_not_work_is_told_with_its_faults(preview: Preview) -> None:
    code, _, err = preview("my_forms:broken")

    assert code == Exit.FAULTS
    assert err.startswith("elicitkit: my_forms:broken: The form does not work: X: is a choice without options")


def test_a_form_that_a_revision_cannot_ask_is_told(preview: Preview) -> None:
    code, _, err = preview("my_forms:many", "--era", "2025-06-18")

    assert code == Exit.FAULTS
    assert "'X' has 13 options: more than the 12 that could be asked one by one" in err


def test_a_revision_that_there_is_not_is_told(preview: Preview) -> None:
    code, _, err = preview("my_forms:order", "--era", "2025-06-19")

    assert (code, err) == (Exit.USAGE, "elicitkit: no dialect for revision '2025-06-19': did you mean '2025-06-18'?\n")


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_is_served_until_the_person_ends_it(preview: Preview, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    @asynccontextmanager
    async def serving(app: Any) -> Any:
        yield "http://127.0.0.1:1"
        raise AssertionError

    def link_of_app(address: str, token: str) -> str:
        raise KeyboardInterrupt

    def preview_app(form: Any, *, token: str, judge: Any) -> Any:
        shown.append((form.message, len(token) > 20, judge({"dish": "s"}).content))
        return "app"

    web = SimpleNamespace(preview_app=preview_app, serving=serving, link_of_app=link_of_app)
    monkeypatch.setitem(sys.modules, "elicitkit.render.web", web)  # type: ignore[arg-type]  # all it needs to be

    assert preview("my_forms:order", "--web")[0] == Exit.FINE
    assert shown == [("What?", True, {"dish": "s"})]


def test_without_the_extra_the_error_has_the_line_that_installs_it(
    preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Missing(ModuleType):
        def __getattr__(self, name: str) -> Any:
            from elicitkit.errors import MissingExtra

            raise MissingExtra("web", "The page")

    monkeypatch.setitem(sys.modules, "elicitkit.render.web", Missing("web"))

    code, _, err = preview("my_forms:order", "--web")

    assert code == Exit.MISSING_EXTRA
    assert "pip install 'elicitkit[web]'" in err


def test_the_schema_and_the_page_are_not_shown_at_once() -> None:
    assert main(["preview", "my_forms:order", "--web", "--schema"]) == Exit.USAGE

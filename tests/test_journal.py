"""The journal of a call (design, section 7): what was asked, what was answered, and what a replay may use of it."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit.errors import ProtocolError
from elicitkit.journal import EXPIRED, FormQuestion, Inner, Journal, Question, Reply

YES = Reply("accept", {"x": "yes"})


def question(name: str, shape: str = "text") -> Question:
    return FormQuestion(name, shape, "?", {})


def next_round(journal: Journal) -> Journal:
    read = Journal.read(journal.write())
    assert read is not None
    return read


def after_asking(*names: str) -> Journal:
    journal = Journal()
    for name in names:
        journal.note(question(name))
    journal.end_round()
    return next_round(journal)


def test_an_answer_is_given_to_the_question_of_its_name() -> None:
    journal = after_asking("a", "b")

    journal.receive({"a": YES})

    assert journal.reply_to(question("a")) == YES
    assert journal.reply_to(question("b")) is None


def test_answers_of_earlier_rounds_are_carried_on() -> None:
    journal = after_asking("a")
    journal.receive({"a": YES})

    later = next_round(journal)

    assert later.reply_to(question("a")) == YES


def test_a_question_that_changed_its_fields_is_asked_anew(caplog: pytest.LogCaptureFixture) -> None:
    journal = after_asking("a")
    journal.receive({"a": YES})

    reply = journal.reply_to(question("a", shape="number"))

    assert reply is None
    assert "'a' is another one since it was answered" in caplog.text


def test_the_same_question_again_has_a_name_of_its_own() -> None:
    journal = Journal()

    names = [journal.name("digest", None), journal.name("digest", None), journal.name("digest", "key")]

    assert names == ["digest", "digest#2", "key"]


def test_a_replay_gives_the_same_names() -> None:
    journal = Journal()
    before = [journal.name("digest", None) for _ in range(3)]

    replayed = next_round(journal)

    assert [replayed.name("digest", None) for _ in range(3)] == before


def early(name: str, key: str | None) -> Journal:
    journal = Journal()
    journal.receive({name: YES})
    assert journal.name("digest", key) == name
    return journal


def test_a_key_may_be_answered_before_it_is_asked() -> None:
    journal = early("user_name", "user_name")

    assert journal.reply_to(question("user_name")) == Reply("accept", {"x": "yes"}, is_early=True)
    assert next_round(journal).reply_to(question("user_name"))


def test_a_question_without_a_key_is_never_answered_before_it_is_asked() -> None:
    assert early("digest", None).reply_to(question("digest")) is None


def test_an_early_answer_that_is_asked_for_again_is_dropped() -> None:
    journal = early("user_name", "user_name")
    journal.reply_to(question("user_name"))

    assert journal.reply_to(question("user_name")) is None
    assert "yes" not in journal.write()


def test_an_answer_that_nothing_asked_for_is_not_carried_on() -> None:
    journal = Journal()

    journal.receive({"junk": YES})

    assert "junk" not in journal.write()


def test_a_second_answer_to_an_answered_question_changes_nothing() -> None:
    journal = after_asking("a")
    journal.receive({"a": YES})
    later = next_round(journal)

    later.receive({"a": Reply("decline")})

    assert later.reply_to(question("a")) == YES


def test_a_replay_that_went_another_way_is_logged_with_both_questions(caplog: pytest.LogCaptureFixture) -> None:
    journal = after_asking("a")
    journal.receive({"a": YES})
    journal.note(question("other"))

    with caplog.at_level(logging.WARNING):
        journal.end_round()

    assert "['other']" in caplog.text
    assert "['a']" in caplog.text
    assert "yes" not in caplog.text


def test_the_call_keeps_its_id_and_counts_its_rounds() -> None:
    journal = after_asking("a")

    assert next_round(journal).call_id == journal.call_id
    assert (journal.rounds, Journal().rounds) == (1, 0)
    assert Journal().call_id != Journal().call_id


def test_a_wrong_answer_that_json_can_hardly_hold_survives_the_round() -> None:
    odd = Reply("accept", {"x": "\ud800", "y": 10**30, "z": ["é"]})
    journal = after_asking("a")
    journal.receive({"a": odd})

    assert next_round(journal).reply_to(question("a")) == odd


def test_the_rounds_of_a_tool_itself_are_kept_inside() -> None:
    journal = after_asking("a")
    journal.inner = Inner("step-1", ("ok",), {"ok": {"action": "accept"}})

    assert next_round(journal).inner == journal.inner


@pytest.mark.parametrize("state", ["step-1", "", "[]", "17", '{"step": 1}', "{", "[" * 100_000])
def test_the_state_of_somebody_else_is_left_alone(state: str) -> None:
    assert Journal.read(state) is None


def broken_states() -> list[str]:
    whole = json.loads(after_asking("a").write())
    whole["answers"] = {"a": ["text", "accept", {"x": 1}, None]}
    changes: list[dict[str, object]] = [
        {"elicitkit": 2},
        {"elicitkit": None},
        {"call": 7},
        {"rounds": "1"},
        {"rounds": True},
        {"answers": []},
        {"answers": {"a": ["text", "reject", None, None]}},
        {"answers": {"a": ["text", "accept", ["x"], None]}},
        {"answers": {"a": ["text", "accept", None, 5]}},
        {"answers": {"a": [1, "accept", None, None]}},
        {"answers": {"a": ["text", "accept"]}},
        {"answers": {"a": "accept"}},
        {"asked": {"a": None}},
        {"asked": ["a"]},
        {"inner": "x"},
        {"inner": [1, [], {}]},
        {"inner": [None, [1], {}]},
        {"inner": [None, [], []]},
        {"deadlines": {"a": "soon"}},
        {"deadlines": []},
        {"steps": ["a"]},
    ]
    missing = [{key: value for key, value in whole.items() if key != name} for name in ("call", "rounds", "asked")]
    return [json.dumps(state) for state in [*(whole | change for change in changes), *missing]]


@pytest.mark.parametrize("state", broken_states())
def test_a_state_with_our_mark_that_is_not_ours_is_refused_whole(state: str) -> None:
    with pytest.raises(ProtocolError, match="not one that this version wrote"):
        Journal.read(state)


# --- steps and deadlines ----------------------------------------------------------------------------------------------


def test_what_a_step_gave_is_carried_on_to_the_byte() -> None:
    journal = after_asking("a")
    given = json.dumps({"é": [1, 1.0, None, True, "\ud800", 10**30]})
    journal.keep_step("price", given)

    assert next_round(journal).step("price") == given
    assert next_round(journal).step("other") is None


def test_steps_of_one_name_are_numbered_alike_in_every_replay() -> None:
    journal = Journal()
    before = [journal.step_name("a"), journal.step_name("b"), journal.step_name("a")]

    replayed = next_round(journal)

    assert before == ["a", "b", "a#2"]
    assert [replayed.step_name("a"), replayed.step_name("b"), replayed.step_name("a")] == before


def test_a_journal_with_a_step_is_not_empty() -> None:
    journal = Journal()
    journal.keep_step("price", "1")

    assert not journal.is_empty


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def asked_until(clock: Clock, *, seconds: float) -> Journal:
    journal = Journal(clock)
    until = journal.deadline("a", seconds)
    journal.note(FormQuestion("a", "text", "?", {}, until=until))
    journal.end_round()
    return journal


def test_a_deadline_is_that_of_the_first_asking_in_every_replay() -> None:
    clock = Clock()
    journal = asked_until(clock, seconds=60)
    clock.now += 30

    assert journal.deadline("a", 60) == 1_060
    assert next_round(journal).deadline("a", 60) == 1_060


@pytest.mark.parametrize(("after", "kept"), [(59.9, YES), (60.0, EXPIRED), (1e9, EXPIRED)])
def test_an_answer_counts_if_it_comes_before_the_deadline(after: float, kept: Reply) -> None:
    clock = Clock()
    journal = asked_until(clock, seconds=60)
    clock.now += after

    journal.receive({"a": YES})

    assert journal.reply_to(question("a")) == kept
    assert next_round(journal).reply_to(question("a")) == kept


def test_a_later_try_has_the_deadline_of_the_first() -> None:
    clock = Clock()
    journal = asked_until(clock, seconds=60)
    journal.note(question("a~2"))
    clock.now += 61

    journal.receive({"a~2": YES})

    assert journal.reply_to(question("a~2")) == EXPIRED


def test_an_unanswered_question_is_over_at_its_deadline() -> None:
    clock = Clock()
    journal = asked_until(clock, seconds=60)
    asked = FormQuestion("a", "text", "?", {}, until=1_060)

    assert journal.reply_to(asked) is None
    clock.now += 60
    assert journal.reply_to(asked) == EXPIRED


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)))
def test_any_steps_survive_a_round(steps: dict[str, object]) -> None:
    journal = after_asking("a")
    for name, result in steps.items():
        journal.keep_step(name, json.dumps(result))

    read = next_round(journal)

    assert {name: json.loads(read.step(name) or "") for name in steps} == steps


def test_an_answer_that_comes_late_for_an_answered_key_is_not_kept_as_an_early_one() -> None:
    journal = after_asking("a")
    journal.receive({"a": YES})
    later = next_round(journal)
    later.receive({"a": Reply("decline")})
    later.name("digest", "a")

    assert later.reply_to(question("a", shape="another")) is None


def test_a_question_that_was_not_answered_in_its_round_takes_no_answer_in_a_later_one_unless_asked_again() -> None:
    journal = after_asking("a", "b")
    journal.receive({"a": YES})
    later = next_round(journal)

    later.receive({"b": YES})

    assert later.reply_to(question("b")) is None


def test_a_journal_whose_call_id_was_given_out_is_not_empty() -> None:
    journal = Journal()
    assert journal.is_empty

    assert len(journal.call_id) == 32
    assert not journal.is_empty


def keyed(journal: Journal, message: str) -> Question:
    return FormQuestion(journal.name("digest", "k"), "text", message, {})


def asked_under_a_key(message: str) -> Journal:
    journal = Journal()
    journal.note(keyed(journal, message))
    journal.end_round()
    journal = next_round(journal)
    journal.receive({"k": YES})
    return journal


def test_an_answer_that_is_used_under_a_key_for_another_message_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """Issue 7, 1: never an old answer to a new question; with a key it is the author who says that it is an old one."""
    for _ in range(2):
        journal = asked_under_a_key("It is noon. Who are you?")
        assert journal.reply_to(keyed(journal, "It is one. Who are you?")) == YES

    (first, second) = caplog.messages
    assert first == second
    assert first.startswith("the answer to question 'k' is used, though its message is another one now")
    assert "noon" not in first


def test_it_is_told_in_later_rounds_too_and_of_the_same_message_nothing(caplog: pytest.LogCaptureFixture) -> None:
    journal = next_round(asked_under_a_key("Who?"))
    assert journal.reply_to(keyed(journal, "Who?")) == YES
    assert caplog.messages == []

    journal = next_round(next_round(journal))
    assert journal.reply_to(keyed(journal, "Which?")) == YES
    assert len(caplog.messages) == 1


def test_a_state_that_an_older_version_wrote_says_nothing_of_messages(caplog: pytest.LogCaptureFixture) -> None:
    written = json.loads(asked_under_a_key("Who?").write())
    del written["said"]
    journal = Journal.read(json.dumps(written))
    assert journal is not None

    assert journal.reply_to(keyed(journal, "Which?")) == YES
    assert caplog.messages == []

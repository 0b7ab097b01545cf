"""Errors (house style, Errors): one tree, each class also the builtin it refines, all of it in one docstring."""

import ast
import builtins
import copy
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import (
    AnswerError,
    ElicitkitError,
    Fault,
    Form,
    FormElicitation,
    FormError,
    MissingExtra,
    SensitiveFieldError,
    errors,
)
from elicitkit.errors import watch
from elicitkit.fields import TextField, UnknownField

ROOT = "ElicitkitError"
RAISED = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)}
FAULTS = (Fault("age", "Age", "must be a whole number", "old"), Fault("", "", "does not add up"))
BUILTINS = {
    "FormError": ValueError,
    "SensitiveFieldError": ValueError,
    "AnswerError": ValueError,
    "ContractError": ValueError,
    "LinkError": ValueError,
    "StepError": RuntimeError,
    "LimitError": ValueError,
    "AnswerTooLarge": ValueError,
    "ElicitationUnsupported": RuntimeError,
    "AdapterMissing": RuntimeError,
    "CallOver": RuntimeError,
    "UnknownTask": LookupError,
    "TaskKeyError": ValueError,
    "StaleClaim": RuntimeError,
    "TaskStuck": RuntimeError,
    "UnknownEntry": LookupError,
    "EntryClosed": RuntimeError,
    "StoreError": RuntimeError,
    "ProtocolError": RuntimeError,
    "TaskOutOfReach": RuntimeError,
    "ToolError": RuntimeError,
    "ServerUnavailable": ConnectionError,
    "ScriptError": AssertionError,
    "MissingExtra": ImportError,
}
REFINED = frozenset({"SensitiveFieldError", "AnswerTooLarge", "TaskOutOfReach"})
"""The errors whose builtin is their parent's."""


def drawn_tree() -> Iterator[tuple[str, str, str]]:
    """Each class in the tree of the docstring: its parent, its name and its builtin."""
    parents = {0: ROOT}
    for line in errors.__doc__.splitlines():  # type: ignore[union-attr]  # it has one
        if found := re.match(r"    ([│ ]*)[├└]── (\w+)(?: \((\w+)\))?", line):
            depth = len(found[1]) // 4
            parents[depth + 1] = found[2]
            yield parents[depth], found[2], found[3] or ""


def subclasses(parent: type[Exception]) -> Iterator[tuple[str, str]]:
    for child in parent.__subclasses__():
        yield parent.__name__, child.__name__
        yield from subclasses(child)


def trees() -> Iterator[tuple[str, ast.Module]]:
    """Each module but this one's subject, by the package that it is in."""
    root = Path(errors.__file__).parent
    for path in sorted(set(root.rglob("*.py")) - {Path(errors.__file__)}):
        yield path.relative_to(root).parts[0], ast.parse(path.read_text(encoding="utf-8"))


def for_themselves() -> Iterator[tuple[str, ast.ClassDef]]:
    """The exceptions that are defined elsewhere, by package."""
    for package, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and {"Exception", "ValueError"} & {
                ast.unparse(one) for one in node.bases
            }:
                yield package, node


def caught_in(tree: ast.Module) -> Iterator[str]:
    """What is named in an `except`, a `case`, or an `isinstance`."""
    for node in ast.walk(tree):
        match node:
            case ast.ExceptHandler(type=ast.expr() as kinds) | ast.MatchClass(cls=kinds):
                yield from (name.id for name in ast.walk(kinds) if isinstance(name, ast.Name))
            case ast.Call(func=ast.Name("isinstance"), args=[_, ast.Name(name)]):
                yield name


def test_what_is_no_error_of_ours_is_caught_in_its_own_package() -> None:
    """Errors module: what a package raises for itself does not leave it."""
    caught = {(package, name) for package, tree in trees() for name in caught_in(tree)}
    defined = [(package, node.name) for package, node in for_themselves()]

    assert len(defined) > 5
    assert [one for one in defined if one not in caught] == []


def test_what_is_no_error_of_ours_is_no_public_name() -> None:
    names = {node.name for _, node in for_themselves()}
    listed = [
        set(ast.literal_eval(node.value))
        for _, tree in trees()
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]

    assert len(listed) > 5
    assert names.isdisjoint(set().union(*listed))


def example(name: str) -> ElicitkitError:
    kind = getattr(errors, name)
    if issubclass(kind, FormError | AnswerError):
        return kind(FAULTS)  # type: ignore[no-any-return]
    return kind("web", "the inbox") if kind is MissingExtra else kind("what happened")  # type: ignore[no-any-return]


def test_the_tree_in_the_docstring_is_the_tree_there_is() -> None:
    assert {(parent, name) for parent, name, _ in drawn_tree()} == set(subclasses(ElicitkitError))


def test_the_builtins_in_the_docstring_are_those_there_are() -> None:
    drawn = {name: builtin for _, name, builtin in drawn_tree() if builtin}

    assert {name: getattr(builtins, builtin) for name, builtin in drawn.items()} == {
        name: builtin for name, builtin in BUILTINS.items() if name not in REFINED
    }


@pytest.mark.parametrize(("name", "builtin"), BUILTINS.items())
def test_each_error_is_also_the_builtin_it_refines(name: str, builtin: type[Exception]) -> None:
    with pytest.raises(builtin) as caught:
        raise example(name)

    assert isinstance(caught.value, ElicitkitError)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("name", BUILTINS)
def test_every_error_survives_pickling(name: str, protocol: int) -> None:
    error = example(name)

    restored = pickle.loads(pickle.dumps(error, protocol))

    assert type(restored) is type(error)
    assert (str(restored), repr(restored), restored.args) == (str(error), repr(error), error.args)


@pytest.mark.parametrize("name", BUILTINS)
def test_every_error_survives_copying(name: str) -> None:
    error = example(name)

    assert [str(copy.copy(error)), str(copy.deepcopy(error))] == [str(error)] * 2


@pytest.mark.parametrize("kind", [FormError, SensitiveFieldError, AnswerError])
def test_faults_survive_pickling_with_the_value(kind: type[AnswerError]) -> None:
    restored = pickle.loads(pickle.dumps(kind(FAULTS)))

    assert restored.faults == FAULTS
    assert [fault.value for fault in restored.faults] == ["old", None]


def test_one_fault_is_told_in_one_line() -> None:
    assert str(AnswerError(FAULTS[:1])) == "The answer does not fit: Age: must be a whole number"
    assert str(FormError(FAULTS[1:])) == "The form does not work: does not add up"


def test_several_faults_are_told_one_to_a_line() -> None:
    assert str(AnswerError(FAULTS)) == "The answer has 2 faults:\n- Age: must be a whole number\n- does not add up"
    assert str(FormError(FAULTS)) == "The form has 2 faults:\n- Age: must be a whole number\n- does not add up"


def test_faults_may_come_from_any_iterable() -> None:
    assert AnswerError(iter(FAULTS)).faults == FAULTS


@pytest.mark.parametrize(
    "given", ["a is taken", b"bytes", FAULTS[0], ["a is taken"], [FAULTS[0], None], {"a": "b"}, None, 5], ids=repr
)
@pytest.mark.parametrize("kind", [FormError, SensitiveFieldError, AnswerError])
def test_what_is_no_fault_is_a_type_error_that_shows_how_to_make_one(kind: type[AnswerError], given: Any) -> None:
    """Errors module: a wrong type of argument is a plain `TypeError`."""
    with pytest.raises(TypeError, match=rf'^{kind.__name__} takes a list of faults: {kind.__name__}\(\[Fault\("age", '):
        kind(given)


texts = st.text(st.characters() | st.characters(categories=["Cs"]))


@given(texts, texts, texts, texts)
def test_no_error_has_a_text_that_cannot_be_sent(field: str, label: str, problem: str, text: str) -> None:
    """The SDK writes the text of an error to the wire, and cannot write half a character (a lone surrogate)."""
    fault = Fault(field, label, problem)
    for name in BUILTINS:
        kind = getattr(errors, name)
        if issubclass(kind, FormError | AnswerError):
            made = [kind([fault]), kind([fault, fault])]
        else:
            made = [kind(text, problem)] if kind is MissingExtra else [kind(text), kind(text, problem), kind()]
        for error in made:
            f"{error} {error!r} {fault} {fault!r}".encode()


@given(texts, texts)
def test_no_form_refuses_a_name_or_a_message_in_words_that_cannot_be_sent(name: str, message: str) -> None:
    steps: list[Callable[[], object]] = [
        lambda: FormElicitation.create(message).string(name).title(message).build(),
        lambda: FormElicitation.create(message, naming="preserve").choice(name).option(message).option(message),
        lambda: FormElicitation.create("m").string("a").exclude(name),
        lambda: FormElicitation.create("m").string("a").build().with_message(message),
        lambda: Form.from_schema(message, {"properties": {name: {"type": message}}, "required": [name]}),
        lambda: Form(message, (TextField(name, title=message), UnknownField(name, required=True))).require_askable(),
    ]
    for step in steps:
        try:
            step()
        except ElicitkitError as error:
            str(error).encode()


def test_half_a_character_is_shown_as_its_escape() -> None:
    with pytest.raises(FormError, match=r"Fi\\udc80le: holds half a character"):
        FormElicitation.create("m").string("fi\udc80le").build()


def test_a_fault_never_shows_its_value_and_is_not_compared_by_it() -> None:
    """Design, section 5: the value is an attribute only."""
    assert "old" not in f"{FAULTS[0]} {FAULTS[0]!r}"
    assert Fault("a", "A", "is wrong", 1) == Fault("a", "A", "is wrong", 2)


def test_a_missing_extra_has_the_line_that_installs_it() -> None:
    assert str(MissingExtra("web", "the inbox")) == (
        "the inbox needs an extra that is not installed: pip install 'elicitkit[web]'"
    )


def test_watching_collects_the_errors_made_inside() -> None:
    with watch() as made:
        first, second = AnswerError(FAULTS), FormError(FAULTS)
        collected = [one.error for one in made]
    AnswerError(FAULTS)

    assert collected == [first, second]


def test_the_innermost_watch_collects() -> None:
    with watch() as outer, watch() as inner:
        error = FormError(FAULTS)
        collected = ([*outer], [one.error for one in inner])

    assert collected == ([], [error])


def test_what_was_watched_is_forgotten_with_its_block_and_kept_small() -> None:
    """A task that a tool leaves behind has the watch of its call for ever."""
    with watch() as made:
        for _ in range(1_000):
            FormError(FAULTS)
        most = len(made)

    assert most == 100
    assert not made


def test_a_watch_ends_with_its_block_even_if_that_fails() -> None:
    with pytest.raises(FormError), watch():
        raise FormError(FAULTS)

    with watch() as later:
        pass
    assert not later

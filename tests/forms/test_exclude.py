"""Dropping a field (design, section 4)."""

from typing import Any

import pytest

from elicitkit import FormElicitation, FormError


def query() -> FormElicitation[Any]:
    return FormElicitation.create("m").string("filter_by").integer("top").integer("skip").exclude("top")


def names(form: Any) -> list[str]:
    return [*form.schema()["properties"]]


@pytest.mark.parametrize(
    "member",
    ["filter_by", "filterBy", "FilterBy", lambda q: q.filter_by, lambda q: q.filterBy, lambda q: q["filter_by"]],
    ids=["as written", "wire name", "another spelling", "selector", "selector of the wire name", "brackets"],
)
def test_a_field_is_dropped_by_any_of_its_names(member: Any) -> None:
    assert names(query().exclude(member)) == ["skip"]


def test_the_chain_goes_on_after_dropping() -> None:
    assert names(query().exclude("skip").string("more")) == ["filterBy", "more"]


def test_a_field_that_comes_back_is_new_and_last() -> None:
    form = FormElicitation.create("m").string("a").required().default("x").title("Mine").string("b").exclude("a")

    assert form.string("a").schema()["properties"] == {
        "b": {"type": "string", "title": "B"},
        "a": {"type": "string", "title": "A"},
    }


@pytest.mark.parametrize(
    ("member", "hint"),
    [
        ("skipp", "did you mean 'skip'?"),
        ("filter", "did you mean 'filter_by'?"),
        ("top", "there are 'filter_by', 'skip'"),
        (lambda q: q.skipp, "did you mean 'skip'?"),
    ],
    ids=["near", "as the author wrote it", "dropped before", "selector"],
)
def test_an_unknown_field_is_a_fault_with_the_nearest(member: Any, hint: str) -> None:
    with pytest.raises(FormError) as caught:
        query().exclude(member)

    assert str(caught.value).endswith(f"is not a field of the form: {hint}")


def test_nothing_can_be_dropped_from_an_empty_form() -> None:
    with pytest.raises(FormError, match="skip: is not a field of the form: there are none"):
        FormElicitation.create("m").exclude("skip")


@pytest.mark.parametrize(
    ("member", "path"),
    [
        (lambda q: q.address.city, "address.city"),
        (lambda q: q.address.name, "address.name"),
        (lambda q: q.address["city"], "address.city"),
        (lambda q: q["address"].city, "address.city"),
        (lambda q: q.lines[0], "lines.0"),
    ],
    ids=["attribute", "an attribute called name", "item", "below an item", "index"],
)
@pytest.mark.parametrize("call", ["exclude", "string"])
def test_a_nested_selector_is_a_fault(call: str, member: Any, path: str) -> None:
    with pytest.raises(FormError) as caught:
        getattr(query(), call)(member)

    (fault,) = caught.value.faults
    assert (fault.field, fault.label) == (path.split(".")[0], path)
    assert fault.problem == "is nested, and a form is flat: select a member itself"


@pytest.mark.parametrize(
    "member",
    [lambda q: q, lambda q: "skip", lambda q: None, lambda q: q.skip == 1],
    ids=["itself", "text", "none", "test"],
)
def test_a_selector_that_selects_nothing_is_a_fault(member: Any) -> None:
    with pytest.raises(FormError, match="a selector gives one member of its argument"):
        query().exclude(member)

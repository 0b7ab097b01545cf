"""What holds for every type through the public way: type, form, schema, answer, value (design, section 4)."""

from hypothesis import given

from elicitkit import FormElicitation, FormError
from elicitkit.naming import wire_name
from tests.introspect.making import members
from tests.introspect.members import Case, cases
from tests.specification import needs_specification, validator
from tests.validators import passes


@given(cases())
def test_a_form_of_a_type_gives_back_the_value_that_was_meant(case: Case) -> None:
    form = FormElicitation.from_type(case.made, "?").build()
    answer = {wire_name(name): value for name, value in case.answer.items()}

    accepted = form.accept(answer)

    assert members(case.made, accepted.content) == case.expected
    assert passes(form.schema(), dict(accepted.raw))


@needs_specification
@given(cases())
def test_no_type_puts_anything_on_the_wire_that_a_revision_does_not_have(case: Case) -> None:
    form = FormElicitation.from_type(case.made, "?").build()

    for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
        for found in form.schema(revision)["properties"].values():
            assert validator(revision).is_valid(found), (revision, found)


@given(cases())
def test_whatever_is_left_out_of_a_form_binding_still_succeeds_or_build_says_why(case: Case) -> None:
    for name in case.answer:
        form = FormElicitation.from_type(case.made, "?").exclude(name)
        try:
            built = form.build()
        except FormError as error:
            assert f"exclude({name!r}, value=…)" in str(error)  # noqa: PT017  # either is right
        else:
            rest = {wire_name(other): value for other, value in case.answer.items() if other != name}
            built.accept(rest)

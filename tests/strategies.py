"""Hypothesis strategies: any legal form, answers that are right and answers that are not, and schemas of strangers."""

import math
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from elicitkit import Form, FormElicitation
from elicitkit.fields import (
    BooleanField,
    ChoiceField,
    Field,
    IntegerField,
    MultiChoiceField,
    NumberField,
    TextField,
    UnknownField,
)
from elicitkit.naming import wire_name

Json = Any
LEAST, MOST = -(2**63), 2**63 - 1

# --- texts and numbers ------------------------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), max_size=12)
said = texts.filter(lambda text: bool(text.strip()))
whole = st.integers(LEAST, MOST)
real = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)  # no -0.0 among bounds
words = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)

_WRITTEN = ["first_name", "FirstName", "URL", "ship-to", "time to live", "$top", "@id", "größe", "naïveÉtat", "x_1"]
names = (st.sampled_from(_WRITTEN) | said | words).filter(lambda name: bool(wire_name(name).strip()))

emails = st.builds("{}@{}.{}".format, words, words, st.sampled_from(["org", "example", "co.uk"]))
urls = st.builds("https://{}.example/{}?q={}#{}".format, words, words, words, words) | st.sampled_from(
    ["urn:isbn:0451450523", "mailto:ada@example.com", "http://[::1]:8080/", "https://user@my_host:1/%C3%BC"]
)
dates = st.dates().map(lambda date: date.isoformat())
_zones = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(timezones=_zones).map(lambda moment: moment.isoformat())
FORMATTED: dict[str, SearchStrategy[str]] = {"email": emails, "uri": urls, "date": dates, "date-time": moments}

# --- forms ------------------------------------------------------------------------------------------------------------


@st.composite
def forms(draw: DrawFn, *, most_options: int = 6, naming: str | None = None) -> Form[Any]:
    """Any legal form, made with the builder."""
    naming = naming or draw(st.sampled_from(["camel", "preserve"]))
    form: Any = FormElicitation.create(draw(said), naming=naming)
    key: Callable[[str], str] = wire_name if naming == "camel" else str
    for name in draw(st.lists(names, max_size=5, unique_by=key)):
        add = draw(st.sampled_from([_text, _number, _boolean, _choice, _multi_choice]))
        _dress(draw, add(draw, form, name, most_options))
    return form.build()


def _dress(draw: DrawFn, step: Any) -> None:
    """Give a field what every kind can have, and a default that is a right answer to it."""
    if draw(st.booleans()):
        step.title(draw(said))
    if draw(st.booleans()):
        step.description(draw(texts))
    if draw(st.booleans()):
        step.required()
    if draw(st.booleans()):
        default = draw(right_values(step.build().fields[-1]))
        step.default(*default if isinstance(default, list) else [default])


def _text(draw: DrawFn, form: Any, name: str, _: int) -> Any:
    kind = draw(st.sampled_from([None, *FORMATTED]))
    starter = getattr(form, kind.replace("-", "_")) if kind else form.string
    lengths = (
        st.tuples(st.sampled_from([None, 7]), st.sampled_from([None, 99])) if kind else _bounds(st.integers(0, 12))
    )
    step, (low, high) = starter(name).allow_sensitive(), draw(lengths)
    return _bounded(step.min_length, low, _bounded(step.max_length, high, step))


def _number(draw: DrawFn, form: Any, name: str, _: int) -> Any:
    starter, numbers = draw(st.sampled_from([(form.integer, whole), (form.number, whole | real)]))
    step, (low, high) = starter(name).allow_sensitive(), draw(_bounds(numbers))
    return _bounded(step.min, low, _bounded(step.max, high, step))


def _boolean(_: DrawFn, form: Any, name: str, __: int) -> Any:
    return form.boolean(name)


def _choice(draw: DrawFn, form: Any, name: str, most: int) -> Any:
    return form.choice(name).options(draw(_options(most)))


def _multi_choice(draw: DrawFn, form: Any, name: str, most: int) -> Any:
    options = draw(_options(most))
    step, (low, high) = form.multi_choice(name).options(options), draw(_bounds(st.integers(0, len(options))))
    return _bounded(step.min_items, low, _bounded(step.max_items, high, step))


def _bounded(set_bound: Callable[[Any], Any], bound: Any, step: Any) -> Any:
    return step if bound is None else set_bound(bound)


def _bounds(numbers: SearchStrategy[Any]) -> SearchStrategy[tuple[Any, Any]]:
    """A lower and an upper bound that something fits between; either may be missing."""
    both = st.tuples(numbers, numbers).map(lambda pair: tuple(sorted(pair)))
    return both.flatmap(lambda pair: st.tuples(*(st.sampled_from([None, bound]) for bound in pair)))


def _options(most: int) -> SearchStrategy[Any]:
    untitled = st.lists(said, min_size=1, max_size=most, unique=True)
    return untitled | st.dictionaries(said, st.none() | said, min_size=1, max_size=most)


# --- answers ----------------------------------------------------------------------------------------------------------


def right_values(field: Field) -> SearchStrategy[Any]:
    """Values that are right for a field, as a check gives them back."""
    match field:
        case TextField(format=None):
            most = 12 if field.max_length is None else field.max_length
            least = field.min_length or 0
            return st.text(st.characters(codec="utf-8"), min_size=least, max_size=max(least, most))
        case TextField():
            return FORMATTED[str(field.format)]
        case IntegerField():
            return _whole_between(field.minimum, field.maximum)
        case NumberField():
            return _numbers_between(field.minimum, field.maximum)
        case BooleanField():
            return st.booleans()
        case ChoiceField():
            return st.sampled_from([option.value for option in field.options])
        case MultiChoiceField():
            values = st.sampled_from([option.value for option in field.options])
            most = len(field.options) if field.max_items is None else field.max_items
            return st.lists(values, unique=True, min_size=field.min_items or 0, max_size=most)
        case UnknownField():
            return st.nothing()


def _whole_between(low: float | None, high: float | None) -> SearchStrategy[int]:
    return st.integers(LEAST if low is None else math.ceil(low), MOST if high is None else math.floor(high))


def _numbers_between(low: float | None, high: float | None) -> SearchStrategy[float]:
    bounds = st.sampled_from([bound for bound in (low, high) if bound is not None] or [0])
    least, most = _inside(low, math.inf), _inside(high, -math.inf)
    if least is not None and most is not None and least > most:  # There are whole numbers that no float is near.
        return bounds
    return bounds | st.floats(least, most, allow_nan=False, allow_infinity=False)


def _inside(bound: float | None, inwards: float) -> float | None:
    """The float nearest to a bound that does not lie beyond it."""
    if bound is None:
        return None
    near = float(bound)
    is_beyond = near < bound if inwards > 0 else near > bound
    return math.nextafter(near, inwards) if is_beyond else near


@st.composite
def right_answers(draw: DrawFn, form: Form[Any]) -> dict[str, Json]:
    """An answer that the form accepts: optional fields may be left out or answered with nothing."""
    answer: dict[str, Json] = {}
    for field in form.fields:
        if not isinstance(field, UnknownField):
            left_out = [st.just(...)] * (not field.required or field.default is not None)
            nothing = [st.none()] * (not field.required)
            if (value := draw(st.one_of(right_values(field), *left_out, *nothing))) is not ...:
                answer[field.name] = value
    return answer


numbers_in_text = st.sampled_from(
    ["42", " 7 ", "42.0", "1e3", "1e999", "1e9999999", "42xyz", "0x10", "٣", "1_000", "NaN", "-inf", "", "--1", "5."]
)
junk: SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | numbers_in_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
"""Any JSON, and what Python's reader makes of JSON that is none: NaN, infinities, half characters, huge numbers."""


@st.composite
def answers(draw: DrawFn, form: Form[Any]) -> Json:
    """Any answer: most of it nearly right, some of it junk, some of it not asked for."""
    answer = {key: draw(junk) for key in draw(st.lists(texts, max_size=2))}
    for field in form.fields:
        values = [junk, st.just(...), right_values(field)]
        if isinstance(field, ChoiceField | MultiChoiceField):
            values.append(st.sampled_from([option.label for option in field.options]))
        if (value := draw(st.one_of(values))) is not ...:
            answer[draw(st.sampled_from([field.name, field.written or field.name]))] = value
    return answer


# --- schemas of strangers ---------------------------------------------------------------------------------------------

unknown_keywords = st.dictionaries(
    st.sampled_from(["pattern", "x-widget", "examples", "deprecated", "multipleOf", "$comment", "uniqueItems"]),
    st.recursive(
        st.none() | st.booleans() | whole | texts,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=2,
)


def _schema(kind: str, **keywords: SearchStrategy[Any]) -> SearchStrategy[dict[str, Json]]:
    """A property of one kind: each keyword may be there, and unknown ones as well."""
    optional = {"title": texts, "description": texts, **keywords}
    known = st.fixed_dictionaries({"type": st.just(kind)}, optional=optional)
    return st.tuples(unknown_keywords, known).map(lambda parts: {**parts[0], **parts[1]})


_counts = st.integers(0, 20)
_entries = st.lists(
    st.fixed_dictionaries({"const": texts, "title": texts}, optional={"description": texts}),
    min_size=1,
    max_size=4,
    unique_by=lambda entry: entry["const"],
)
_values = st.lists(texts, min_size=1, max_size=4, unique=True)
_formats = st.sampled_from([*FORMATTED])
_several = {"minItems": st.integers(0, 3), "maxItems": st.integers(0, 5), "default": st.lists(texts, max_size=2)}


def _with(schemas: SearchStrategy[dict[str, Json]], **more: SearchStrategy[Any]) -> SearchStrategy[dict[str, Json]]:
    return st.tuples(schemas, st.fixed_dictionaries(more)).map(lambda parts: parts[0] | parts[1])


legal_properties: SearchStrategy[dict[str, Json]] = st.one_of(
    _schema("string", minLength=_counts, maxLength=_counts, format=_formats, default=texts | urls | dates),
    _schema("integer", minimum=whole | real, maximum=whole | real, default=whole),
    _schema("number", minimum=whole | real, maximum=whole | real, default=whole | real),
    _schema("boolean", default=st.booleans()),
    _with(_schema("string", default=texts), enum=_values),
    _with(_schema("string", default=texts), oneOf=_entries),
    _values.flatmap(
        lambda values: _with(
            _schema("string", default=st.sampled_from(values)),
            enum=st.just(values),
            enumNames=st.lists(texts, min_size=len(values), max_size=len(values)),
        )
    ),
    _with(_schema("array", **_several), items=st.fixed_dictionaries({"type": st.just("string"), "enum": _values})),
    _with(_schema("array", **_several), items=st.fixed_dictionaries({"anyOf": _entries})),
)
"""Properties of every kind in `PrimitiveSchemaDefinition`, in all spellings, with keywords of nobody's."""

_KEYWORDS = [
    *("type", "enum", "oneOf", "anyOf", "items", "enumNames", "const", "title", "description", "default", "format"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
    *("$ref", "properties", "required", "allOf", "not", "pattern"),
]
_loose = st.dictionaries(st.sampled_from(_KEYWORDS), junk | st.sampled_from(["string", "array", ["a", "a"], []]))
_broken = st.tuples(legal_properties, _loose).map(lambda parts: parts[0] | parts[1])
hostile_schemas: SearchStrategy[Json] = junk | st.fixed_dictionaries(
    {"properties": junk | st.dictionaries(texts, junk | _loose | _broken, max_size=4)},
    optional={"type": st.just("object") | junk, "required": st.lists(texts, max_size=3) | junk, "$ref": texts},
)
"""Requested schemas with anything wrong in them."""

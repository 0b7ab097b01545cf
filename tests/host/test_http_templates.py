"""Where arguments stand in an HTTP request (issue 5: a placeholder can never change the host), without a network."""

from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicitkit import ToolError
from elicitkit.host.http_templates import UrlTemplate, filled_json, placeholders_of

TEMPLATE = UrlTemplate.parse("https://api.example.com:8443/v1/users/{user}/files/{name}.txt?kind={kind}&fixed=1")
NASTY = st.sampled_from(
    ["..", ".", "/", "//", "\\", "?", "#", "&", "=", "%2f", "%2e", "%", "@", ":", ";", "\r\n", "\0", "{kind}"]
)
VALUES = st.one_of(st.text(), st.lists(st.one_of(NASTY, st.text(max_size=3)), max_size=6).map("".join))


def is_fillable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@given(user=VALUES, name=VALUES, kind=VALUES)
def test_no_argument_changes_host_path_or_query(user: str, name: str, kind: str) -> None:
    """The decoded pieces are the arguments themselves, each in its place, and nothing else is there."""
    try:
        url = httpx2.URL(TEMPLATE.filled({"user": user, "name": name, "kind": kind}))
    except ToolError:
        return

    raw_path, _, raw_query = url.raw_path.decode().partition("?")
    segments = raw_path.split("/")
    assert (url.scheme, url.host, url.port, url.userinfo, url.fragment) == ("https", "api.example.com", 8443, b"", "")
    assert [unquote(segment) for segment in segments] == ["", "v1", "users", user, "files", f"{name}.txt"]
    assert parse_qsl(raw_query, keep_blank_values=True, errors="strict") == [("kind", kind), ("fixed", "1")]


@given(value=VALUES, more=st.dictionaries(st.text(min_size=1), VALUES, max_size=3))
def test_no_argument_of_a_query_becomes_another(value: str, more: dict[str, str]) -> None:
    template = UrlTemplate.parse("https://example.com/?a={value}")
    try:
        url = httpx2.URL(template.filled({"value": value}, more))
    except ToolError:
        assert not all(map(is_fillable, [value, *more, *more.values()]))
        return

    pairs = parse_qsl(url.query.decode(), keep_blank_values=True, errors="strict")
    assert pairs == [("a", value), *more.items()]


@given(VALUES.filter(is_fillable))
def test_every_text_but_one_that_climbs_or_is_empty_can_stand_in_a_path(text: str) -> None:
    template = UrlTemplate.parse("https://example.com/a/{x}/b")
    steps = text.lower().replace("%2f", "/").replace("%5c", "/").replace("\\", "/").replace("%2e", ".").split("/")
    climbs = not text or {".", ".."} & set(steps)

    try:
        template.filled({"x": text})
    except ToolError:
        assert climbs
    else:
        assert not climbs


@pytest.mark.parametrize("value", ["", ".", "..", "../admin", "a/../../b", "%2e%2e", "..%2fadmin", "..\\x", "./x"])
def test_an_argument_that_would_leave_its_place_in_a_path_is_refused(value: str) -> None:
    with pytest.raises(ToolError, match=r"The argument 'x' is empty, or has '\.' or '\.\.' as a step of a path"):
        UrlTemplate.parse("https://example.com/a/{x}").filled({"x": value})


@pytest.mark.parametrize("name", ["user", "name"])
def test_a_path_without_its_argument_is_refused(name: str) -> None:
    arguments = {"user": "ada", "name": "notes", "kind": "k"}

    for missing in ({**arguments, name: None}, {key: value for key, value in arguments.items() if key != name}):
        with pytest.raises(ToolError, match=f"The argument '{name}' is needed"):
            TEMPLATE.filled(missing)


def test_a_value_of_the_query_is_left_out_without_its_argument() -> None:
    assert TEMPLATE.filled({"user": "ada", "name": "n"}).endswith("/users/ada/files/n.txt?fixed=1")
    assert UrlTemplate.parse("https://example.com?a={a}").filled({}) == "https://example.com"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1, "1"), (1.5, "1.5"), (True, "true"), (False, "false"), ("a b&c", "a%20b%26c"), (10**30, "1" + "0" * 30)],
)
def test_numbers_and_truth_are_written_as_json_has_them(value: Any, text: str) -> None:
    assert (
        UrlTemplate.parse("https://example.com/{x}?y={x}").filled({"x": value})
        == f"https://example.com/{text}?y={text}"
    )


@pytest.mark.parametrize("value", [[], {}, ["a"], {"a": 1}])
def test_what_is_no_text_or_number_has_no_place_in_a_url(value: Any) -> None:
    with pytest.raises(ToolError, match="'x' is to be text or a number here"):
        UrlTemplate.parse("https://example.com/{x}").filled({"x": value})


def test_a_list_comes_into_a_query_once_for_each_of_its_values() -> None:
    url = UrlTemplate.parse("https://example.com/").filled({}, {"tag": ["a", "b"], "none": None, "n": 3})

    assert url == "https://example.com/?tag=a&tag=b&n=3"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/x",
        "file:///etc/passwd",
        "//example.com/x",
        "example.com/{x}",
        "https://{host}/x",
        "https://{sub}.example.com/x",
        "https://example.com{x}",
        "https://example.com:{port}/x",
        "https://user:key@example.com/x",
        "https://{user}@example.com/x",
        "{scheme}://example.com/x",
        "https://example.com/x#{y}",
        "https://example.com/x?{name}=1",
        "https://example.com/x?a=${TOKEN}",
        "https://example.com/{not a name}",
        "https://example.com/{x",
        "https://example.com/x}",
        "https://example.com/a b",
        "https://example.com\\@evil.example/x",
        "https://example.com/ü",
        "https://example.com/\n",
        "https://example.com:99999/",
        "https:///x",
        "",
    ],
)
def test_a_url_that_could_lead_elsewhere_is_refused_when_the_tool_is_made(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        UrlTemplate.parse(url)


def test_a_url_tells_its_arguments_in_its_order() -> None:
    assert TEMPLATE.required == ("user", "name")
    assert TEMPLATE.names == ("user", "name", "kind")


# --- bodies -----------------------------------------------------------------------------------------------------------


def test_a_text_that_is_one_placeholder_becomes_the_argument_itself() -> None:
    template = {"title": "{title}", "labels": ["{first}", "{gone}"], "text": "by {who}", "gone": "{gone}", "n": 1}

    assert filled_json(template, {"title": "T", "first": {"a": [1]}, "who": "Ada"}) == {
        "title": "T",
        "labels": [{"a": [1]}],
        "text": "by Ada",
        "n": 1,
    }


def test_braces_that_are_meant_are_written_twice() -> None:
    template = {"query": "{{ user(id: {id}) {{ name }} }}"}

    assert filled_json(template, {"id": 7}) == {"query": "{ user(id: 7) { name } }"}
    assert placeholders_of(template) == ("id",)


@pytest.mark.parametrize("text", ["{", "}", "{a b}", "{ user }", "{}"])
def test_a_brace_that_belongs_to_nothing_is_found_when_the_tool_is_made(text: str) -> None:
    with pytest.raises(ValueError, match="write it twice"):
        placeholders_of({"a": [text]})


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.text(), max_size=2))
def test_an_argument_is_never_read_as_a_template(arguments: dict[str, str]) -> None:
    filled = filled_json({"x": "{a}", "y": "<{b}>"}, arguments)

    assert filled.get("x") == arguments.get("a")
    assert filled["y"] == f"<{arguments.get('b', '')}>"

"""Links of strangers as people see them (design, section 10)."""

import pytest

from elicitkit.host.asked import LINK_CHARACTERS
from elicitkit.render.links import link_of, link_warnings


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://pay.example.com/x?y=1#z", "pay.example.com"),
        ("https://pay.example.com:8443/", "pay.example.com"),
        ("https://pay.example.com", "pay.example.com"),
        ("http://localhost:3000/login", "localhost"),
        ("http://[::1]:3000/login", "[::1]"),
        ("HTTPS://PAY.EXAMPLE.COM/https://good.example/", "PAY.EXAMPLE.COM"),
    ],
)
def test_a_link_is_shown_whole_with_its_host_apart(url: str, host: str) -> None:
    link = link_of(url)

    assert (link.before + link.host + link.after, link.host, link.problem) == (url, host, "")


@pytest.mark.parametrize(
    "url", [None, "", "ftp://a.example", "http://a.example", "https://u:p@a.example", "https://a.example/\u202e"]
)
def test_a_link_that_must_not_be_opened_has_no_address_to_click_on(url: str | None) -> None:
    link = link_of(url)

    assert link.problem
    assert (link.url, link.host) == ("", "")


def test_a_link_is_never_longer_than_is_shown() -> None:
    assert "may have 4,096" in link_of(f"https://a.example/{'x' * LINK_CHARACTERS}").problem


@pytest.mark.parametrize("host", ["shop.example", "xn--shop", "localhost", "1.2.3.4", "[::1]"])
def test_a_plain_host_needs_no_more_than_one_warning(host: str) -> None:
    assert len(link_warnings(host)) == ("xn--" in host)


@pytest.mark.parametrize(
    ("host", "count", "words"),
    [
        ("xn--bcher-kva.example", 1, "bücher.example"),
        ("bücher.example", 1, "xn--bcher-kva.example"),
        ("xn--pypal-4ve.com", 2, "p\u0430ypal.com"),
        ("p\u0430ypal.com", 2, "xn--pypal-4ve.com"),
        ("xn--a\u00e4.com", 1, "cannot be read"),
        ("日本カナかな.example", 1, "xn--"),
    ],
)
def test_a_host_that_may_be_a_trick_is_warned_of(host: str, count: int, words: str) -> None:
    warnings = link_warnings(host)

    assert len(warnings) == count
    assert words in warnings[0]

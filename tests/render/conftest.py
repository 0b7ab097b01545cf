import pytest

from elicitkit.render.terminal import device


@pytest.fixture(autouse=True)
def a_terminal_of_the_usual_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """How a prompt looks depends on the environment, so the tests bring their own."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(device, "TERMINAL", "/no/terminal")

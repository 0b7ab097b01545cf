"""Where the pointer of a list goes when letters are typed; pure, but for the time it is told.

As in the lists of browsers: letters typed in a row are one beginning of a label, the same letter again and again walks
through all that begin with it, and a pause begins anew. Somebody who did not see that there is a list, and types a
name, hits none of its labels with the whole of it: the pointer is then where it was before the first letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

PAUSE = 1.0
"""After how many seconds a letter is the first of another word."""

Place: TypeAlias = int


class TypeAhead:
    """What was typed at one list so far."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._labels = [label.lstrip("(").casefold() for label in labels]
        self._word = ""
        self._home: Place = 0
        self._led_to: Place | None = None
        self._at = 0.0

    def typed(self, letter: str, pointer: Place, now: float) -> Place:
        """Where the pointer goes by a letter that is typed while it stands at *pointer*, at *now* (in seconds)."""
        if pointer != self._led_to:  # It was moved by hand, or never typed at.
            self._word, self._home = "", pointer
        elif now - self._at > PAUSE:
            self._word = ""  # The home stays: a slow typist's name is no choice either.
        self._word, self._at = (self._word + letter.casefold()).lstrip("("), now
        self._led_to = self._found(pointer)
        return self._led_to

    def _found(self, pointer: Place) -> Place:
        if len(set(self._word)) == 1:
            after_it = self._from(pointer + 1)
            return next((place for place in after_it if self._begins(place, self._word[0])), self._home)
        return next((place for place in self._from(pointer) if self._begins(place, self._word)), self._home)

    def _from(self, start: Place) -> list[Place]:
        count = len(self._labels)
        return [(start + step) % count for step in range(count)]

    def _begins(self, place: Place, word: str) -> bool:
        return self._labels[place].startswith(word)

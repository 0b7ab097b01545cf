"""For tests of servers and hosts: answers from a script in place of a person."""

from .scripted import Asked, ScriptedAnswers, accept, cancel, decline

__all__ = ["Asked", "ScriptedAnswers", "accept", "cancel", "decline"]

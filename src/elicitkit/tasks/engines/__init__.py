"""Engines: who runs a task that nobody runs."""

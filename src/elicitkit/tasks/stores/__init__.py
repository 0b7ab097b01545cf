"""The stores of tasks there are: `memory`, `sqlite`. Each is the only module that knows its medium."""

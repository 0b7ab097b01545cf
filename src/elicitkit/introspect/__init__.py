"""Types and forms: the members of a type as fields, and an answer as a value of the type.

Each kind of type (pydantic models, dataclasses, …) has a module of its own behind the table in `kinds`.
"""

"""Fields and JSON Schema: writing it, reading what others wrote, checking answers, and the dialects of the eras."""

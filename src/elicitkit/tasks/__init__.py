"""The Tasks extension: a call that takes longer than a request, kept in a store (`io.modelcontextprotocol/tasks`)."""

"""The host's side: the application that runs the model, and has the person."""

"""Rate limits in moving windows, shared through a Redis or a Valkey."""

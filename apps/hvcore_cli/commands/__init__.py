"""Commands that people call, by their subject."""

"""Pages of docs/reference that are written from the code: settings, commands and others."""

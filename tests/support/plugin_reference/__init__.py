"""The pages of docs/reference that are written from the code of the plugin API."""

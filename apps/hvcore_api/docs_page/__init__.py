"""The HTML and Markdown pages that document every route of the API."""

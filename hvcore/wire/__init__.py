"""Wire formats: convert JSON and query strings to domain objects, and back."""

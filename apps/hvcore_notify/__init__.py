"""Word from the object store: files that others sent to it have come."""

"""Use the connections of other programs, to work within their transactions."""

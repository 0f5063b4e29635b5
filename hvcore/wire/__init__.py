"""JSON and query strings on one side, the domain on the other."""

"""Objects in S3, Google, Azure, files or memory, by obstore (Rust's object_store)."""

"""Objects in S3 or in files, by obstore (Rust's object_store)."""

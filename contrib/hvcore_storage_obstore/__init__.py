"""A storage backend for S3 buckets and local files, by obstore (Rust's object_store)."""

"""A MediaConvert on one machine, which really encodes: for tests, without a cloud."""

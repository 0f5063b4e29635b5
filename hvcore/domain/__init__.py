"""Rules of the service: attrs classes and plain functions, no input or output."""

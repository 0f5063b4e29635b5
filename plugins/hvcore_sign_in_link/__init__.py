"""Sign-in by one-time links, without an external identity provider."""

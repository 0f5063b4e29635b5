"""Sign-in by one-time links, without a provider."""

"""Shared code for OpenID providers: requests, discovery, keys, signed tokens."""

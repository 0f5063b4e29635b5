"""Access tokens of an OpenID provider as keys of the API."""

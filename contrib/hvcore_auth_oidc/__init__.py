"""Authentication of the API's callers by access tokens of an OpenID provider."""

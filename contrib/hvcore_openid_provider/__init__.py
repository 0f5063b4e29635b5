"""What the plugins for OpenID providers share: requests, discovery, keys, signed tokens."""

"""Orders to forget, told to HTTP caches: Varnish, nginx, and CDNs that take prefixes."""

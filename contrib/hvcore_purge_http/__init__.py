"""Remove files from HTTP caches by purge requests: Varnish, nginx, and CDNs that take prefixes."""

"""Analytics in the service's own database."""

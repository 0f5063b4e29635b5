"""An analytics store that keeps its counts in the service's own database."""

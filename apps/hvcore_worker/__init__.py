"""The processes that run tasks: workers, and the sweep."""

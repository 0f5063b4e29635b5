"""An analytics sink that forwards counts of served segments through a Redis stream."""

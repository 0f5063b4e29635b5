"""What ``hv plugins new`` writes, by kind of backend."""

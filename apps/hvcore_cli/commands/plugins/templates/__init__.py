"""The template files that ``hv plugins new`` writes, by kind of backend."""

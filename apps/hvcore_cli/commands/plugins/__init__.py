"""Commands about plugins: a list, a check, and the beginning of a new one."""

"""Programs of this machine: which there are, and whether their features work."""
